"""The errors of the readers of values on labelled replies, of real models and written by hand.

The replies are beside the readers' tests (``tests/replies``). The handwritten replies and the part ``chosen`` of the
real ones were in view when the readers were written. The part ``unseen`` was recorded and labelled after that.

``chat.tsv`` holds replies in the manner of several makers' chat models, written and labelled before any reader saw
them. Its ``part`` is the parity of the first byte of the reply's SHA-256. Readers were corrected only on ``chosen``. Of
gsm8k's first ``unseen`` half, 19 of 27 replies were read as labelled, and 7 as another number. That half then moved to
``chosen``. In its place came 24 replies that were written before the reader was corrected again.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq

from selfknow.evaluate.replies import measured_text
from selfknow.evaluate.tasks.according_to.answers import answer_match
from selfknow.evaluate.tasks.diary_recall.documents import Fate, cut
from selfknow.evaluate.tasks.diary_recall.score import answer_scores
from selfknow.evaluate.tasks.gsm8k.answers import gives_several, number_of_reply
from selfknow.evaluate.tasks.self_knowledge.replies import COUNTED, KINDS, REPLY_KINDS, read
from selfknow.evaluate.tasks.short_answers import whole_word_match

DIARY = """Aaron O'Neil's Diary Entry 1
Location: City
Time: Morning
Aaron O'Neil's Diary Entry 2
Weather: Rain
Stress Level: Relaxed"""
"""The diary that the replies about a diary should recall."""
REPLIES = Path(__file__).parents[1] / "tests" / "replies"
RIGHT, WRONG, UNREAD, INVENTED = "as labelled", "as another value", "as null", "as a value, labelled null"
OUTCOMES = (RIGHT, WRONG, UNREAD, INVENTED)


def models(part: str) -> list[str]:
    """Return the models whose replies a part holds."""
    return sorted({row["model"] for row in _finished() if row["part"] == part})


def _finished() -> list[dict[str, str]]:
    """Return the recorded replies that were not cut off, since cut-off replies are graded without reading them."""
    rows: list[dict[str, str]] = pq.read_table(REPLIES / "recorded.parquet").to_pylist()
    return [row for row in rows if row["finish_reason"] == "stop"]


def recorded(part: str, model: str | None = None) -> dict[str, Counter[str]]:
    """Count each reader's outcomes on the finished replies of a part, of one model or of all."""
    counters: dict[str, Counter[str]] = {}
    for row in _finished():
        if row["part"] == part and model in (None, row["model"]):
            counters.setdefault(_reader(row["task"]), Counter())[_outcome(_value(row), row["label"])] += 1
    return dict(sorted(counters.items()))


def by_hand() -> dict[str, Counter[str]]:
    """Count each reader's outcomes on the replies that were written by hand."""
    return {name: Counter(_by_hand(name)) for name in (*KINDS, "gsm8k", "short-answers")}


def chat(part: str) -> dict[str, Counter[str]]:
    """Count the outcomes for each task on the replies in the manner of chat models."""
    counters: dict[str, Counter[str]] = {}
    for row in chat_replies():
        if row["part"] == part:
            label = None if row["reading"] == "null" else row["reading"]
            counters.setdefault(row["task"], Counter())[_outcome(_value_of_chat(row), label)] += 1
    return dict(sorted(counters.items()))


def chat_replies() -> list[dict[str, str]]:
    """Read the replies in the manner of chat models: part, task, asked, expected, reading and reply."""
    header, *lines = (REPLIES / "handwritten" / "chat.tsv").read_text("utf-8").splitlines()
    rows = (dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines)
    return [row | {"reply": row["reply"].replace("␍⏎", "\r\n").replace("⏎", "\n")} for row in rows]


def _value_of_chat(row: Mapping[str, str]) -> object:
    reply, expected = row["reply"], row["expected"]
    if row["task"] == "gsm8k":
        return _number(reply)
    if row["task"] == "according-to":
        right = answer_match(reply, expected.split(";")).value
        return None if right is None else int(right)
    if row["task"] == "diary-recall":
        return _entries(reply)
    kind, noun = REPLY_KINDS[row["asked"]], COUNTED.get(row["asked"])
    return read(kind, reply, noun=noun, asked_value=expected or None).outcome.value


def _entries(reply: str) -> str | None:
    """Return the numbers of the entries that a reply recalls without an error; null if it has no title line."""
    metrics, documents = answer_scores(measured_text(reply).text, cut(DIARY)[1], "stop")
    if not metrics["documents_recalled"].value:
        return None
    return " ".join(sorted(str(document.number) for document in documents if document.fate is Fate.correct)) or "none"


def _by_hand(name: str) -> Iterator[str]:
    files = [REPLIES / "handwritten" / f"{name}.tsv"]
    files += [path for path in (REPLIES / "handwritten" / "tasks").glob("*.tsv") if REPLY_KINDS[path.stem] == name]
    lines = [(path.stem, line) for path in sorted(files) for line in path.read_text("utf-8").splitlines()[1:]]
    for task, (label, *cells) in ((task, line.replace("⏎", "\n").split("\t")) for task, line in lines):
        if name == "gsm8k":
            value: object = _number(cells[0])
        elif name == "short-answers":
            right = whole_word_match(cells[1], cells[0].split(";")).value
            value = None if right is None else int(right)
        else:
            value = read(name, cells[0], noun=COUNTED.get(task)).outcome.value
        yield _outcome(value, None if label == "null" else label)


def _value(row: dict[str, str]) -> object:
    if row["task"] == "gsm8k":
        return _number(row["reply"])
    if row["task"] == "self-aware":
        right = whole_word_match(row["reply"], json.loads(row["answers"])).value
        return None if right is None else int(right)
    return read(REPLY_KINDS[row["task"]], row["reply"], noun=COUNTED.get(row["task"])).outcome.value


def _reader(task: str) -> str:
    return {"gsm8k": "gsm8k", "self-aware": "short-answers"}.get(task) or REPLY_KINDS[task]


def _number(reply: str) -> Fraction | None:
    return None if gives_several(reply) else number_of_reply(reply)


def _outcome(value: object, label: str | None) -> str:
    expected: object = Fraction(label) if isinstance(value, Fraction) and label is not None else label
    if value == expected or (value is not None and str(value) == label):
        return RIGHT
    if value is None:
        return UNREAD
    return INVENTED if label is None else WRONG
