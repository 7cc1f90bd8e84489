"""The page of the instrument: the error rates of each reader and scorer on labelled replies.

    python -m benchmarks.instrument            # writes docs/instrument.md and datasets_src/instrument.tsv again
    python -m benchmarks.instrument --check    # exit code 1 if they do not match the labelled replies
    python -m benchmarks.instrument --chat-replies FILE    # also counts the labelled replies of chat models again

The command prints the four aims of the default scorer with their counts. The verdicts of scorers with an encoder are in
``encoder_verdicts.tsv`` (``python -m benchmarks.encoder_verdicts``), the counts of other readers in ``frontier.tsv``
(``python -m benchmarks.abstention_frontier``).
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from benchmarks import abstention_aims as aims
from benchmarks import reader_errors
from benchmarks.abstention_sections import AIMS_HEADER, FRONTIER_HEADER, aims_rows, frontier_rows, rate
from benchmarks.encoder_verdicts import TABLE as ENCODER_VERDICTS
from benchmarks.judging import VERDICTS as JUDGE_VERDICTS
from benchmarks.tables import table
from selfknow.builders.sources import DATASETS_SRC
from selfknow.builders.tables import read_table
from selfknow.evaluate.tasks.self_aware.read_replies import (
    CHOSEN,
    LENGTHS,
    UNSEEN,
    ReadReply,
    cohens_kappa,
    read_replies,
)
from selfknow.evaluate.tasks.self_aware.reading import CLASSES, UNREADABLE, Reading, read_reply
from selfknow.sql.intervals import wilson_interval
from selfknow.sql.known_errors import TABLE

PAGE = Path(__file__).parents[1] / "docs" / "instrument.md"
Verdicts = Mapping[str, float | None]
_READERS_OF = {"whole_word_match": ("short-answers",), "correct": ("gsm8k",)}
"""The readers of a metric; all other readers belong to ``verification_correct`` and ``self_consistent``."""
Rows = Sequence[ReadReply]


@cache
def readings() -> Mapping[str, Reading]:
    """Return the reading of every labelled reply by the scorer ``sentences``, by the reply's id."""
    return {reply.id: read_reply(reply.reply, aims.prompt_of(reply)) for reply in read_replies()}


def verdicts() -> dict[str, Verdicts]:
    """Return each scorer's verdicts, by metric and id of the reply: 1 if it abstains, 0 if not, null if unreadable."""
    verdicts_by_metric: dict[str, dict[str, float | None]] = {
        "sentences_abstained": {id_: reading.abstained for id_, reading in readings().items()}
    }
    for row in read_table(ENCODER_VERDICTS):
        metric_verdicts = verdicts_by_metric.setdefault(f"{row['scorer']}_abstained@packaged", {})
        metric_verdicts[row["id"]] = float(row["abstained"]) if row["abstained"] else None
    return verdicts_by_metric


def replies_of_part(part: str, accepts: Callable[[ReadReply], bool] = lambda _: True) -> list[ReadReply]:
    """Return the replies of a part that ``accepts`` is true for."""
    return [reply for reply in read_replies() if reply.part == part and accepts(reply)]


def _rate_of_abstaining(rows: Rows, verdicts: Verdicts) -> str:
    judged = [reply for reply in rows if reply.id in verdicts]
    return rate(sum(verdicts[reply.id] == 1 for reply in judged), len(judged))


def _rate_of_recognised(rows: Rows, verdicts: Verdicts) -> str:
    return _rate_of_abstaining([reply for reply in rows if reply.abstains], verdicts)


def errors_table() -> str:
    """Return the error rates of the unseen part, which ``selfknow query`` prints.

    There is a row per metric and kind of reply. Rates of abstaining have rows for replies of real models to answerable
    and to unanswerable questions, because a scorer may err more often on one of the two.
    """
    lines = ["metric\ttruth\tquestions\tn\twrong\tunreadable\tlow\thigh"]
    for metric, own_verdicts in verdicts().items():
        for truth, abstains in (("abstains", True), ("does not abstain", False)):
            for questions, answerable in (("unanswerable", False), ("answerable", True)):
                rows = [reply for reply in aims.unseen_replies() if reply.is_real and reply.answerable == answerable]
                judged = [
                    own_verdicts[reply.id] for reply in rows if reply.abstains == abstains and reply.id in own_verdicts
                ]
                wrong = sum(value != float(abstains) for value in judged)
                low, high = wilson_interval(wrong, len(judged))
                kind = f"{metric}\t{truth}\t{questions}"
                lines.append(f"{kind}\t{len(judged)}\t{wrong}\t{judged.count(None)}\t{low:.4f}\t{high:.4f}")
    recorded = reader_errors.recorded(UNSEEN)
    others = tuple(set(recorded) - {reader for readers in _READERS_OF.values() for reader in readers})
    for metric, readers in {**_READERS_OF, "verification_correct": others, "self_consistent": others}.items():
        counts = sum((recorded[reader] for reader in readers if reader in recorded), Counter[str]())
        wrong = counts[reader_errors.WRONG] + counts[reader_errors.INVENTED]
        low, high = wilson_interval(wrong, counts.total())
        nulls = counts[reader_errors.UNREAD]
        lines.append(f"{metric}\tany\tany\t{counts.total()}\t{wrong}\t{nulls}\t{low:.4f}\t{high:.4f}")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the text of the page."""
    return "\n\n".join([_HEAD, *_sections()]) + "\n"


def _sections() -> Iterable[str]:
    all_verdicts = verdicts()
    default_verdicts = {"sentences_abstained": all_verdicts["sentences_abstained"]}
    replies = replies_of_part(UNSEEN, aims.is_a_reply)
    real = [reply for reply in replies if reply.is_real]
    yield "## `sentences`, the default scorer of abstaining"
    yield _AIMS
    yield table(AIMS_HEADER, aims_rows())
    yield _KINDS
    yield _by(lambda reply: "answerable" if reply.answerable else "unanswerable", real, default_verdicts)
    yield "By form and model:\n\n" + _by(lambda reply: f"{reply.author}, {reply.form}", real, default_verdicts)
    yield "Unseen replies: the rows are labels, the columns the scorer's readings."
    yield _confusion(replies)
    yield _FRONTIER
    yield table(FRONTIER_HEADER, frontier_rows())
    yield _what_was_read()
    yield "### By length\n\nUnseen plain answers, documentation among them, that are read as abstaining."
    yield _by_length(all_verdicts)
    yield _ENCODERS
    yield "### By manner of speaking\n\nUnseen abstentions that are recognised, and other replies read as abstaining."
    yield _by(lambda reply: reply.manner, replies_of_part(UNSEEN), all_verdicts)
    yield _AUTHORS
    yield "Unseen authors:\n\n" + _by(lambda reply: reply.author, replies_of_part(UNSEEN), default_verdicts)
    yield "Chosen authors:\n\n" + _by(lambda reply: reply.author, replies_of_part(CHOSEN), default_verdicts)
    yield "### What it gets wrong\n\nEvery unseen reply that is read as another class, shortened."
    yield table(
        ["Reply", "is", "read as"],
        [
            [_short(reply.reply), reply.kind, readings()[reply.id].kind]
            for reply in replies_of_part(UNSEEN)
            if readings()[reply.id].kind != reply.class_name
        ],
    )
    yield from _judges()
    yield from _readers()
    yield (DATASETS_SRC / "self_aware/replies/labelling.md").read_text(encoding="utf-8").strip()


def _by_length(all_verdicts: Mapping[str, Verdicts]) -> str:
    plain = replies_of_part(UNSEEN, lambda reply: reply.is_plain)
    replies_by_length = {
        f"up to {longest}": [reply for reply in plain if reply.length == longest] for longest in LENGTHS
    }
    rows = [
        [length, *(_rate_of_abstaining(replies, scorer_verdicts) for scorer_verdicts in all_verdicts.values())]
        for length, replies in {**replies_by_length, "all": plain}.items()
    ]
    return table(["Words", *all_verdicts], rows)


def _judges() -> Iterator[str]:
    labelled = {reply.id: reply for reply in read_replies()}
    rows = [row for row in read_table(JUDGE_VERDICTS) if row["id"] in labelled]
    yield _JUDGES
    for judge in dict.fromkeys(row["judge"] for row in rows):
        pairs = [(labelled[row["id"]].class_name, row["class"] or "nothing") for row in rows if row["judge"] == judge]
        counts = Counter(pairs)
        yield f"`{judge}`, {len(pairs):,} replies: Cohen's kappa {cohens_kappa(pairs):.2f}."
        header = [*CLASSES, "nothing"]
        yield table(
            ["", *header, "read rightly"],
            [
                [kind, *(counts[kind, word] for word in header), rate(counts[kind, kind], n)]
                for kind in CLASSES
                for n in [sum(counts[kind, word] for word in header)]
            ],
        )


def _readers() -> Iterator[str]:
    yield _READERS
    for model in reader_errors.models(UNSEEN):
        yield f"Unseen, complete replies of {model}:"
        yield _outcomes(reader_errors.recorded(UNSEEN, model))
    for model in reader_errors.models(CHOSEN):
        yield f"Chosen, complete replies of {model}:"
        yield _outcomes(reader_errors.recorded(CHOSEN, model))
    counts = sum(reader_errors.by_hand().values(), Counter[str]())
    by_hand = ", ".join(f"{counts[outcome]:,} read {outcome}" for outcome in reader_errors.OUTCOMES)
    yield f"Of {counts.total():,} replies written by hand, at least forty for each reader: {by_hand}."
    yield _CHAT
    for part, name in ((UNSEEN, "Unseen half"), (CHOSEN, "The half that the readers were corrected on")):
        yield f"{name}:"
        yield _outcomes(reader_errors.chat(part))


def _outcomes(counters: Mapping[str, Counter[str]]) -> str:
    everything = {"all": sum(counters.values(), Counter[str]())}
    return table(
        ["Reader", "n", *(f"read {outcome}" for outcome in reader_errors.OUTCOMES), "read wrongly"],
        [
            [
                reader,
                counts.total(),
                *(counts[outcome] for outcome in reader_errors.OUTCOMES),
                rate(counts[reader_errors.WRONG] + counts[reader_errors.INVENTED], counts.total()),
            ]
            for reader, counts in {**counters, **everything}.items()
        ],
    )


def _what_was_read() -> str:
    twice = [
        reply
        for reply in read_replies()
        if reply.second_reading is not None and "search" not in (reply.second_reader or "")
    ]
    pairs = [(reply.first_reading, reply.second_reading or "") for reply in twice]
    differ = sum(first != second for first, second in pairs)
    counts = Counter((reply.part, reply.kind) for reply in read_replies())
    kinds = [*CLASSES[:2], "hedged", *CLASSES[2:]]
    return (
        f"## The labelled replies\n\n{len(read_replies()):,} replies, labelled "
        "as [said below](#how-replies-are-labelled). "
        f"{len(twice):,} were read twice: Cohen's kappa {cohens_kappa(pairs):.2f}; a third look settled the {differ} "
        "that differed. All readings are a language model's.\n\n"
        + table(["", *kinds], [[part, *(f"{counts[part, kind]:,}" for kind in kinds)] for part in (CHOSEN, UNSEEN)])
    )


def _confusion(rows: Rows) -> str:
    counts = Counter((reply.kind, readings()[reply.id].kind) for reply in rows)
    kinds = [*CLASSES[:2], "hedged", *CLASSES[2:]]
    return table(
        ["", *CLASSES, "read rightly"],
        [
            [
                kind,
                *(counts[kind, read] for read in CLASSES),
                rate(
                    counts[kind, "answers" if kind == "hedged" else kind],
                    sum(counts[kind, read] for read in CLASSES),
                ),
            ]
            for kind in kinds
        ],
    )


def _by(group: Callable[[ReadReply], str], rows: Rows, verdicts_by_metric: Mapping[str, Verdicts]) -> str:
    header = [""]
    for metric in verdicts_by_metric:
        header += [f"{metric}: abstentions recognised", f"{metric}: others read as abstaining"]
    lines = []
    for name in sorted({group(reply) for reply in rows}):
        replies = [reply for reply in rows if group(reply) == name and reply.kind != UNREADABLE]
        others = [reply for reply in replies if not reply.abstains]
        cells = [name]
        for metric_verdicts in verdicts_by_metric.values():
            cells += [_rate_of_recognised(replies, metric_verdicts), _rate_of_abstaining(others, metric_verdicts)]
        lines.append(cells)
    return table(header, lines)


def _short(text: str, longest: int = 80) -> str:
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= longest else line[: longest - 1] + "…"


_HEAD = (
    "# The instrument\n\n"
    "**What this page does not cover.** No person labelled a reply; language models did. All real replies of the "
    "unseen part are of two small models (SmolLM2-135M-Instruct, gemma-3-270m), in English, and most of their "
    "abstentions are the sentence that the prompt offers. Chat models are measured on their plain answers to "
    "AlpacaEval; only twelve of their replies abstain, and half of these are missed. "
    "Large models, reasoning models, long replies, other "
    "languages and your prompts are not measured. Where the counts below are small, the intervals are wide.\n\n"
    "This page says how often each reader and scorer is wrong on labelled replies: the rate, the count, and the 95% "
    "interval (Wilson). `selfknow query` prints the rates beside each score. `python -m benchmarks.instrument` writes "
    "this page and prints the aims.\n\n"
    "The patterns were written with the part `chosen` in view. They are measured on the part `unseen`, which shares no "
    "question with it. The unseen real replies were labelled before these patterns read them; an earlier version of "
    "this page had shown some misreadings of the older half by an earlier scorer. One language model wrote the unseen "
    "short replies, some of the chosen ones, and most of the patterns."
)
_AIMS = (
    "It reads only with patterns, and must not decide by topic: an earlier, learnt reader took 20% of echoed "
    "unanswerable questions for abstentions, and 8% of answerable ones. Precision is more important than recall. The "
    "chat answers are those of three models whose replies were not used to choose anything. Their text is not part of "
    "this project; `--chat-replies FILE` counts them again. Before the last rules were written, their total was "
    "looked at once (11, now 9), but not their texts. The templates and the echoes were in view."
)
_KINDS = (
    "### What real models said\n\nUnseen replies of the two small models. The rates by kind of question correct the "
    "published differences."
)
_FRONTIER = (
    "### Other readers\n\nLearnt readers decide if no pattern matches, and see only words that many authors use. All "
    "readers are measured on texts that they were not fitted to, such as half of the templates and echoes (`python -m "
    "benchmarks.abstention_frontier --chat-replies FILE`). No reader reaches all four aims: every reader that "
    "recognises 95% of abstentions takes more than 1.5% of chat answers for abstentions. The echoes in this table are "
    "of version 1.0.0 of the questions. Apart from the small model below, no model that can judge or detect entailment "
    "was available."
)
_ENCODERS = (
    "`@packaged` is the packaged encoder, a substitute for the paper's. It fails on *The answer is X.* (below) "
    "and on many long replies. It judged thirty replies of documentation of each length."
)
_READERS = (
    "## The readers of values\n\n"
    "These readers find numbers, verdicts, words and other values in replies; the labelled replies are in "
    "`tests/replies`. The unseen replies were recorded (temperature 0.7) when the readers were finished. The readers "
    "were written with the other replies in view, so their rates there look better than they are. A language model "
    "that knew the rules labelled all replies, once."
)
_JUDGES = (
    "## Models as judges\n\n"
    "A model was asked with the prompts of `selfknow judge` (`python -m benchmarks.judging MODEL`), about unseen "
    "replies without documentation and reference answers. *nothing* means that none of the four words is in its reply. "
    "SmolLM2-135M-Instruct had twelve tokens for each reply."
)
_AUTHORS = (
    "### By author\n\n"
    "The patterns were written with every reply of the part `chosen` in view, so their rates there look better than "
    "they are."
)


def main(check: bool = False, chat_file: Path | None = None) -> None:
    """Write both files and print the aims, or compare the files with the labelled replies."""
    texts = {DATASETS_SRC / TABLE: errors_table(), PAGE: page()}
    if not check:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.name}")
        for row in [AIMS_HEADER, *aims_rows(chat_file)]:
            print(" | ".join(row).replace("**", ""))
        return
    stale = [path.name for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    if stale:
        sys.exit(f"{' and '.join(stale)}: run python -m benchmarks.instrument")


_CHAT = (
    "### Replies in the manner of chat models\n\n"
    "Polite frames, Markdown, LaTeX, curly quotes, reasoning before the answer, second thoughts: "
    f"{len(reader_errors.chat_replies())} replies that a language model wrote and labelled before any reader saw "
    "them. Every reader was corrected on half of them, chosen by hash, and measured once on the other half. For gsm8k, "
    "this first measurement was 19 of 27, with 7 read as another number. Its reader was then corrected on those, too, "
    "and measured on 24 replies written before that. The writer of the replies also corrected the readers, so replies "
    "of other models may be read worse.\n\n"
    "`according-to` is its `whole_word_match`; exact match is strict, as the authors count. `diary-recall` is the "
    "entries that are right, null if there is no title line. The rates that are printed beside scores come from the "
    "recorded replies alone."
)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--chat-replies", type=Path, help="the labelled replies of chat models, to count them again")
    arguments = parser.parse_args()
    main(arguments.check, arguments.chat_replies)
