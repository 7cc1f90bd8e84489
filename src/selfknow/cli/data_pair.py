"""``selfknow data pair``: answerable partners for unanswerable questions, from a pool."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.output import print_rows
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.builders.self_aware.nearest import Partner
    from selfknow.builders.self_aware.question_pools import PoolQuestion

_POOL_ROWS_AT_A_TIME = 1_024


def pair(
    unanswerable: Annotated[
        str, typer.Argument(help="The unanswerable questions: a .jsonl or .parquet file, or REPO:SPLIT on the Hub.")
    ],
    pool: Annotated[
        str,
        typer.Argument(
            help="The pool of answerable questions: a .jsonl or .parquet file, or REPO:SPLIT, REPO:CONFIG:SPLIT."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The Parquet file to write.", show_default=False)],
    encoder: Annotated[
        str,
        typer.Option("--encoder", help="A sentence encoder on the Hub, a folder, or `packaged`, which works offline."),
    ] = "princeton-nlp/sup-simcse-roberta-large",
    per_question: Annotated[int, typer.Option("--per-question", min=1, help="Pick this many for each question.")] = 2,
    question_column: Annotated[str, typer.Option(help="The column of the questions, in both files.")] = "question",
    answer_column: Annotated[
        str | None, typer.Option(help="The column of the pool's answers. Default: `answers` or `answer`.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file that is there.")] = False,
) -> None:
    """Pick the answerable questions nearest in meaning to unanswerable ones.

    This is the method of Yin et al. (Do Large Language Models Know What They Don't Know?). No question of the pool is
    picked twice. The pool is searched once, in bounded memory. If the search is killed, the same command resumes it.
    The file has the columns pair_id (the id of the unanswerable question), question, answers, similarity and pool_id.

    **Examples:**

    `selfknow data pair unanswerable.jsonl NQ-open.dev.jsonl --encoder packaged --out partners.parquet`

    `selfknow data pair org/self-aware:unanswerable rajpurkar/squad:train --out partners.parquet`
    """
    import numpy as np

    from selfknow.bars import Bar
    from selfknow.builders.self_aware.encoders import load_encoder
    from selfknow.builders.self_aware.nearest import choose_partners, find_nearest
    from selfknow.builders.self_aware.question_pools import batches_of, read_pool
    from selfknow.files import check_output

    check_output(out, [".parquet"])
    if out.exists() and not overwrite:
        raise UserError(f"{out} exists: give another file, or --overwrite")
    questions = list(read_pool(unanswerable, question_column))
    if not questions:
        raise UserError(f"{unanswerable} holds no questions")
    encode = load_encoder(encoder)
    saved = out.with_name(f"{out.name}.saved.npz")
    with Bar(unit="question") as bar:
        lists = find_nearest(
            [question.question for question in questions],
            (
                [question.question for question in batch]
                for batch in batches_of(read_pool(pool, question_column, answer_column), _POOL_ROWS_AT_A_TIME)
            ),
            encode,
            per_question=per_question,
            progress_file=saved,
            setting=encoder,
            advance=bar.update,
        )
    partners = choose_partners(lists, per_question)
    pool_rows = {partner.pool_row for partner in partners}
    picked = {
        row: question
        for row, question in enumerate(read_pool(pool, question_column, answer_column))
        if row in pool_rows
    }
    _write(out, questions, partners, picked)
    saved.unlink(missing_ok=True)
    similarities = np.array([partner.similarity for partner in partners])
    partner_counts = np.bincount([partner.question for partner in partners], minlength=len(questions)).tolist()
    print_rows(
        [
            {
                "questions": len(questions),
                "pool": lists.num_rows,
                "partners": len(partners),
                "without_enough": sum(count < per_question for count in partner_counts),
                "mean_similarity": float(similarities.mean()) if len(similarities) else None,
                "least_similarity": float(similarities.min()) if len(similarities) else None,
            }
        ]
    )


def _write(
    out: Path, questions: "list[PoolQuestion]", partners: "list[Partner]", picked: "dict[int, PoolQuestion]"
) -> None:
    import pyarrow as pa

    from selfknow.files import write_parquet

    schema = pa.schema(
        {
            "pair_id": pa.string(),
            "question": pa.string(),
            "answers": pa.list_(pa.string()),
            "similarity": pa.float32(),
            "pool_id": pa.string(),
        }
    )
    rows = [
        {
            "pair_id": questions[partner.question].id,
            "question": picked[partner.pool_row].question,
            "answers": list(picked[partner.pool_row].answers),
            "similarity": partner.similarity,
            "pool_id": picked[partner.pool_row].id,
        }
        for partner in partners
    ]
    write_parquet(out, pa.Table.from_pylist(rows, schema=schema))
