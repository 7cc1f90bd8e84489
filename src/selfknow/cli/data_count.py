"""``selfknow data count``: the popularity of a set's questions in a corpus."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.cli.portrait_ask import FormatOption, TextOption, WhereOption
from selfknow.errors import UserError
from selfknow.untrusted import for_spreadsheet

if TYPE_CHECKING:
    from selfknow.evaluate.tasks.according_to.cooccurrences import Cooccurrences


def count(
    name: Annotated[
        str, typer.Argument(metavar="SET", help="nq, tqa, hotpot, eli5 (nq@COMMIT for another commit), or a file.")
    ],
    corpus: Annotated[
        list[Path],
        typer.Option("--corpus", help="A text, JSONL or Parquet file; repeatable, for files of the same kind."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The CSV file to write, for `evaluate --counts`.")],
    text: TextOption = "text",
    where: WhereOption = None,
    passage_words: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Cut texts into passages of this many words, such as 100. Default: one passage per line or row.",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file that is there.")] = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Count the passages of a corpus that hold both an entity of a question and its answer.

    A passage holds an answer if it contains one of the question's reference answers as whole words, in upper or lower
    case. A question's entities are those of its column `entities`. Without that column, they are the longest names in
    the question: words that the corpus writes with capitals in mid-sentence. The most frequent entity counts. A
    question without an entity or an answer has no count. Needs the extra [entities].

    **Examples:**

    `selfknow data count nq --corpus wiki.txt --out counts.csv`

    `selfknow data count my.jsonl --corpus wiki.parquet --text body --passage-words 100 --out counts.csv`
    """
    from selfknow.evaluate.tasks.according_to.cooccurrences import count_cooccurrences
    from selfknow.evaluate.tasks.according_to.questions import open_questions
    from selfknow.files import check_output, write_whole
    from selfknow.portraits import Corpus

    check_output(out, [".csv"])
    if out.exists() and not overwrite:
        raise UserError(f"{out} exists: give another file, or --overwrite")
    passages = Corpus.from_files(corpus, text=text, where=where)
    questions = open_questions(name)
    counts = count_cooccurrences(questions.rows.to_pylist(), passages, questions.entities, passage_words=passage_words)
    write_whole(out, _csv(counts).encode())
    print_rows(_bins(counts), output_format)


def _csv(counts: "list[Cooccurrences]") -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "question", "count", "entities"])
    writer.writerows(map(for_spreadsheet, [row.id, row.question, row.count, "; ".join(row.entities)]) for row in counts)
    return text.getvalue()


def _bins(counts: "list[Cooccurrences]") -> list[dict[str, object]]:
    """Return the number of questions in each bin of ``according_to_popularity``."""
    questions = Counter(_exponent(row.count) for row in counts)
    return [
        {"passages": _bin_name(exponent), "questions": questions[exponent]}
        for exponent in sorted(questions, key=lambda exponent: (exponent is None, exponent))
    ]


def _exponent(count: int | None) -> int | None:
    """Return 1 for 1 to 10 passages, 2 for 11 to 100 and so on; 0 for none, null if they were not counted."""
    return len(str(count - 1)) if count else count


def _bin_name(exponent: int | None) -> str:
    if exponent is None:
        return "not counted"
    if exponent == 0:
        return "0"
    first = 1 if exponent == 1 else 10 ** (exponent - 1) + 1
    return f"{first:,} to {10**exponent:,}"
