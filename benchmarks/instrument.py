"""The instrument's own card: how often each reader and scorer is wrong on replies that were read and labelled.

    python -m benchmarks.instrument            # writes docs/instrument.md and datasets_src/instrument.tsv again
    python -m benchmarks.instrument --check    # exit code 1 where they are not what the labelled replies give

What the scorers with an encoder say is kept in ``encoder_verdicts.tsv`` (``python -m benchmarks.encoder_verdicts``).
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from benchmarks import reader_errors
from benchmarks.abstention_ngrams import LEFT_OUT
from benchmarks.encoder_verdicts import TABLE as ENCODER_VERDICTS
from benchmarks.judging import VERDICTS as JUDGE_VERDICTS
from selfknow.builders.sources import DATASETS_SRC
from selfknow.builders.tables import read_table
from selfknow.evaluate.sql.intervals import wilson_interval
from selfknow.evaluate.sql.known_errors import TABLE
from selfknow.evaluate.tasks.self_aware.prompts import requests
from selfknow.evaluate.tasks.self_aware.read_replies import (
    CHOSEN,
    LENGTHS,
    UNSEEN,
    ReadReply,
    cohens_kappa,
    read_replies,
)
from selfknow.evaluate.tasks.self_aware.reading import CLASSES, UNREADABLE, Reading, read_reply

CARD = Path(__file__).parents[1] / "docs" / "instrument.md"
Verdicts = Mapping[str, float | None]
_READERS_OF = {"whole_word_match": ("short-answers",), "correct": ("gsm8k",)}
"""By metric the readers that it goes through; all others are of ``verification_correct`` and ``self_consistent``."""
Rows = Sequence[ReadReply]


@cache
def readings() -> Mapping[str, Reading]:
    """What ``sentences`` makes of every labelled reply, asked as its model was, by id."""
    return {one.id: read_reply(one.reply, _prompt(one)) for one in read_replies()}


@cache
def readings_left_out() -> Mapping[str, Reading]:
    """The same of the chosen part, each reply read by a learnt reader that was fitted without its author."""
    likelihoods = {row["id"]: float(row["likelihood"]) for row in read_table(LEFT_OUT)}
    return {
        one.id: read_reply(one.reply, _prompt(one), likelihood=lambda _, known=likelihoods[one.id]: known)  # type: ignore[misc]
        for one in read_replies()
        if one.id in likelihoods
    }


def _prompt(one: ReadReply) -> str:
    if one.form is None or one.question is None:
        return one.question or ""
    return requests([{"id": one.id, "question": one.question}], one.form)[0].prompt


def verdicts() -> dict[str, Verdicts]:
    """Of each scorer whether a reply abstains, by the metric's name and the reply's id; null: it does not count."""
    found: dict[str, dict[str, float | None]] = {
        "sentences_abstained": {id_: one.abstained for id_, one in readings().items()}
    }
    for row in read_table(ENCODER_VERDICTS):
        of = found.setdefault(f"{row['scorer']}_abstained@packaged", {})
        of[row["id"]] = float(row["abstained"]) if row["abstained"] else None
    return found


def of_part(part: str, keep: Callable[[ReadReply], bool] = lambda _: True) -> list[ReadReply]:
    """The replies of a part that are wanted."""
    return [one for one in read_replies() if one.part == part and keep(one)]


def rate(wrong: int, n: int) -> str:
    """A share, with what it is a share of and its 95% interval (Wilson)."""
    if not n:
        return "–"
    low, high = wilson_interval(wrong, n)
    return f"{wrong / n:.1%} ({wrong:,}/{n:,}; {low:.1%}–{high:.1%})"


def _falsely(rows: Rows, found: Verdicts) -> str:
    judged = [one for one in rows if one.id in found]
    return rate(sum(found[one.id] == 1 for one in judged), len(judged))


def _rightly(rows: Rows, found: Verdicts) -> str:
    return _falsely([one for one in rows if one.abstains], found)


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def errors_table() -> str:
    """The error rates as ``selfknow query`` prints them: a row a metric and kind of reply, of the unseen part."""
    lines = ["metric\ttruth\tn\twrong\tunreadable\tlow\thigh"]
    for metric, found in verdicts().items():
        for truth, abstains in (("abstains", True), ("does not abstain", False)):
            rows = of_part(UNSEEN, lambda one, wanted=abstains: one.abstains == wanted and one.kind != UNREADABLE)  # type: ignore[misc]
            judged = [found[one.id] for one in rows if one.id in found]
            wrong = sum(value != float(abstains) for value in judged)
            low, high = wilson_interval(wrong, len(judged))
            nulls = judged.count(None)
            lines.append(f"{metric}\t{truth}\t{len(judged)}\t{wrong}\t{nulls}\t{low:.4f}\t{high:.4f}")
    recorded = reader_errors.recorded(UNSEEN)
    others = tuple(set(recorded) - {reader for readers in _READERS_OF.values() for reader in readers})
    for metric, readers in {**_READERS_OF, "verification_correct": others, "self_consistent": others}.items():
        counts = sum((recorded[reader] for reader in readers if reader in recorded), Counter[str]())
        wrong = counts[reader_errors.WRONG] + counts[reader_errors.INVENTED]
        low, high = wilson_interval(wrong, counts.total())
        nulls = counts[reader_errors.UNREAD]
        lines.append(f"{metric}\tany\t{counts.total()}\t{wrong}\t{nulls}\t{low:.4f}\t{high:.4f}")
    return "\n".join(lines) + "\n"


def card() -> str:
    """The page."""
    return "\n\n".join([_HEAD, *_sections()]) + "\n"


def _sections() -> Iterable[str]:
    found = verdicts()
    yield _what_was_read()
    yield "## `sentences`, the default scorer of abstaining"
    yield "On the unseen part. A row is what a reply is, a column what it is read as."
    yield _confusion(of_part(UNSEEN))
    yield "### By length\n\nUnseen plain answers that are read as abstaining."
    plain = of_part(UNSEEN, lambda one: one.is_plain)
    yield _table(
        ["Words", *found],
        [
            *(
                [
                    f"up to {longest}",
                    *(_falsely([one for one in plain if one.length == longest], of) for of in found.values()),
                ]
                for longest in LENGTHS
            ),
            ["all", *(_falsely(plain, of) for of in found.values())],
        ],
    )
    yield _ENCODERS
    yield "### By manner of speaking\n\nUnseen abstentions that are recognised, and other replies read as abstaining."
    yield _by(lambda one: one.manner, of_part(UNSEEN), found)
    yield _AUTHORS
    of_default = {"sentences_abstained": found["sentences_abstained"]}
    yield "Unseen authors:\n\n" + _by(lambda one: one.author, of_part(UNSEEN), of_default)
    left_out = {id_: one.abstained for id_, one in readings_left_out().items()}
    chosen_on = {**of_default, "its author left out": left_out}
    yield "Chosen authors:\n\n" + _by(lambda one: one.author, of_part(CHOSEN), chosen_on)
    yield "### What it gets wrong\n\nEvery unseen reply whose class is read wrongly, shortened."
    yield _table(
        ["Reply", "is", "read as"],
        [
            [_short(one.reply), one.kind, readings()[one.id].kind]
            for one in of_part(UNSEEN)
            if readings()[one.id].kind != one.class_name
        ],
    )
    yield from _judges()
    yield from _readers()


def _judges() -> Iterator[str]:
    labelled = {one.id: one for one in read_replies()}
    rows = [row for row in read_table(JUDGE_VERDICTS) if row["id"] in labelled]
    yield _JUDGES
    for judge in dict.fromkeys(row["judge"] for row in rows):
        pairs = [(labelled[row["id"]].class_name, row["class"] or "nothing") for row in rows if row["judge"] == judge]
        counts = Counter(pairs)
        yield f"`{judge}`, {len(pairs):,} replies: Cohen's kappa {cohens_kappa(pairs):.2f}."
        header = [*CLASSES, "nothing"]
        yield _table(
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
        yield f"Chosen on, complete replies of {model}:"
        yield _outcomes(reader_errors.recorded(CHOSEN, model))
    counts = sum(reader_errors.by_hand().values(), Counter[str]())
    by_hand = ", ".join(f"{counts[outcome]:,} read {outcome}" for outcome in reader_errors.OUTCOMES)
    yield f"Of {counts.total():,} written by hand, at least forty for each reader: {by_hand}."
    yield _CHAT
    for part, name in ((UNSEEN, "Unseen half"), (CHOSEN, "The half that the readers were mended on")):
        yield f"{name}:"
        yield _outcomes(reader_errors.chat(part))


def _outcomes(found: Mapping[str, Counter[str]]) -> str:
    everything = {"all": sum(found.values(), Counter[str]())}
    return _table(
        ["Reader", "n", *(f"read {outcome}" for outcome in reader_errors.OUTCOMES), "read wrongly"],
        [
            [
                reader,
                counts.total(),
                *(counts[outcome] for outcome in reader_errors.OUTCOMES),
                rate(counts[reader_errors.WRONG] + counts[reader_errors.INVENTED], counts.total()),
            ]
            for reader, counts in {**found, **everything}.items()
        ],
    )


def _what_was_read() -> str:
    twice = [
        one for one in read_replies() if one.second_reading is not None and "search" not in (one.second_reader or "")
    ]
    pairs = [(one.first_reading, one.second_reading or "") for one in twice]
    differ = sum(first != second for first, second in pairs)
    counts = Counter((one.part, one.kind) for one in read_replies())
    kinds = [*CLASSES[:2], "hedged", *CLASSES[2:]]
    return (
        f"## The labelled replies\n\n{len(read_replies()):,} replies, labelled by [this guide](labelling-replies.md). "
        f"{len(twice):,} were read twice: Cohen's kappa {cohens_kappa(pairs):.2f}; a third look settled the {differ} "
        "that differed. All readings are a language model's.\n\n"
        + _table(["", *kinds], [[part, *(f"{counts[part, kind]:,}" for kind in kinds)] for part in (CHOSEN, UNSEEN)])
    )


def _confusion(rows: Rows) -> str:
    counts = Counter((one.kind, readings()[one.id].kind) for one in rows)
    kinds = [*CLASSES[:2], "hedged", *CLASSES[2:]]
    return _table(
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


def _by(group: Callable[[ReadReply], str], rows: Rows, found: Mapping[str, Verdicts]) -> str:
    header = [""]
    for metric in found:
        header += [f"{metric}: abstentions recognised", f"{metric}: others read as abstaining"]
    lines = []
    for name in sorted({group(one) for one in rows}):
        own = [one for one in rows if group(one) == name and one.kind != UNREADABLE]
        others = [one for one in own if not one.abstains]
        lines.append([name, *(cell for of in found.values() for cell in (_rightly(own, of), _falsely(others, of)))])
    return _table(header, lines)


def _short(text: str, longest: int = 80) -> str:
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= longest else line[: longest - 1] + "…"


_HEAD = (
    "# The instrument\n\n"
    "How often each reader and scorer is wrong, measured on labelled replies: the rate, the count, and the 95% "
    "interval (Wilson). `selfknow query` prints the rates beside each score. `python -m benchmarks.instrument` writes "
    "this page.\n\n"
    "The patterns and the learnt model were chosen on the part `chosen`. They are measured on the part `unseen`, which "
    "shares no question, no model and no author's text with it. One language model wrote the unseen short replies, "
    "some of the chosen ones, and the patterns: the unseen part is new text, but not a new way of writing."
)
_ENCODERS = (
    "`@packaged` is the packaged encoder, a substitute for the paper's. It fails on *The answer is X.* (below) "
    "and on many long replies. It judged thirty replies of documentation of each length."
)
_READERS = (
    "## The readers of values\n\n"
    "How numbers, verdicts, words and the like are read from labelled replies (`tests/replies`). The unseen replies "
    "were recorded (temperature 0.7) when the readers were finished. The readers were written with the others in view, "
    "so there the rates look better than they are. A language model that knew the rules labelled all replies, once."
)
_JUDGES = (
    "## Models as judges\n\n"
    "What a model says when it is asked as in `selfknow judge` (`python -m benchmarks.judging MODEL`), on unseen "
    "replies without documentation and reference answers. *nothing*: none of the four words is in its reply. "
    "SmolLM2-135M-Instruct had twelve tokens."
)
_AUTHORS = (
    "### By author\n\n"
    "The patterns and the learnt model were made with every author of the part `chosen` in view, so there the rates "
    "look better than they are. *its author left out*: the learnt model is fitted without the author of the reply (not "
    "done for documentation)."
)


def main(check: bool = False) -> None:
    """Write both files, or compare them with what is there."""
    wanted = {DATASETS_SRC / TABLE: errors_table(), CARD: card()}
    if not check:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.name}")
        return
    stale = [path.name for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    if stale:
        sys.exit(f"{' and '.join(stale)}: run python -m benchmarks.instrument")


_CHAT = (
    "### Replies in the manner of chat models\n\n"
    "Polite frames, Markdown, LaTeX, curly quotes, reasoning before the answer, second thoughts: "
    f"{len(reader_errors.chat_replies())} replies that a language model wrote and labelled before any reader saw "
    "them. Every reader was mended on half of them, drawn by hash, and measured on the other half once. Of gsm8k that "
    "first measurement was 19 of 27, with 7 read as another number; it was mended on those, too, and measured on 24 "
    "replies written before. The writer of the replies also mended the readers, so what other models say may be read "
    "worse.\n\n"
    "`according-to` is its `whole_word_match`; exact match beside it is strict, as the authors count. `diary-recall` "
    "is which entries are right; null where no title line is found. The rates printed beside scores are of the "
    "recorded replies alone."
)


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
