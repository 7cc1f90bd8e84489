"""The aims of the default scorer of abstaining with their counts, and the readers that were tried beside it, as rows.

What needs the chat replies, which are not part of this project, stands in ``frontier.tsv``
(``python -m benchmarks.abstention_frontier``); all else is counted anew.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import abstention_aims as aims
from benchmarks.abstention_frontier import PATTERNS, TABLE, by_patterns
from selfknow.builders.tables import read_table
from selfknow.sql.intervals import wilson_interval

AIMS_HEADER = ("Aim", "wanted", "measured", "reached")
FRONTIER_HEADER = (
    "Reader",
    "false, real chat",
    "false, templates (worst)",
    "echo, difference",
    "false, real small models",
    "abstentions recognised",
    "of real models",
)


def rate(wrong: int, n: int) -> str:
    """A share, with what it is a share of and its 95% interval (Wilson)."""
    if not n:
        return "–"
    low, high = wilson_interval(wrong, n)
    return f"{wrong / n:.1%} ({wrong:,}/{n:,}; {low:.1%}–{high:.1%})"


def shown(count: aims.Count) -> str:
    """A count as :func:`rate` shows it."""
    return rate(count.abstaining, count.n)


def recorded() -> dict[str, dict[str, aims.Count]]:
    """The counts of ``frontier.tsv``, by reader and measure."""
    found: dict[str, dict[str, aims.Count]] = {}
    for row in read_table(TABLE):
        count = aims.Count(int(row["abstaining"]), int(row["n"]))
        found.setdefault(row["reader"], {})[row["measure"]] = count
    return found


def aims_rows(chat_file: Path | None = None) -> Iterator[tuple[str, str, str, str]]:
    """The four aims with their counts, on what the patterns were not chosen on.

    Args:
        chat_file: The chat replies, to count anew; null: as they were counted last.
    """
    if chat_file is None:
        counts = recorded()[PATTERNS]
        chat, chat_abstentions = counts["chat"], counts["chat, abstained"]
    else:
        replies = aims.chat_replies(chat_file)
        chat = aims.false_on_chat(by_patterns, replies, chosen=False)
        chat_abstentions = aims.recognised_on_chat(by_patterns, replies)
    yield _row("false abstentions, real chat answers", "≤ 1.5%", shown(chat), chat.share <= 0.015)
    by_template = aims.false_on_templates(by_patterns)
    total = aims.Count(sum(one.abstaining for one in by_template.values()), sum(one.n for one in by_template.values()))
    worst = max(one.share for one in by_template.values())
    reached = total.share <= 0.01 and worst <= 0.1
    said = f"{shown(total)}, worst {worst:.0%}"
    yield _row(f"false abstentions, {len(by_template)} plain templates", "≤ 1%, none above 10%", said, reached)
    unanswerable, answerable = aims.abstained_from_echoes(by_patterns)
    difference = unanswerable.share - answerable.share
    said = f"{difference * 100:+.1f} points ({unanswerable.abstaining}/{unanswerable.n:,} − "
    said += f"{answerable.abstaining}/{answerable.n:,})"
    yield _row("echoed questions, unanswerable − answerable", "within ±2 points", said, abs(difference) <= 0.02)
    unseen = aims.unseen_replies()
    recognised = aims.recognised(by_patterns, unseen)
    yield _row("abstentions recognised", "≥ 95%", shown(recognised), recognised.share >= 0.95)
    for name, real in (("… of real models", True), ("… written in many ways", False)):
        part = aims.recognised(by_patterns, [one for one in unseen if one.is_real == real])
        yield (name, "", shown(part), "")
    yield ("of chat models, beside these", "", shown(chat_abstentions), "")


def _row(aim: str, wanted: str, measured: str, reached: bool) -> tuple[str, str, str, str]:
    return aim, wanted, measured, "yes" if reached else "**no**"


def frontier_rows() -> Iterator[Sequence[str]]:
    """A row for each reader that was tried."""
    for reader, counts in recorded().items():
        difference = counts["echo, unanswerable"].share - counts["echo, answerable"].share
        yield (
            reader,
            _short(counts["chat"]),
            f"{_short(counts['templates'])} ({counts['worst template'].share:.0%})",
            f"{difference * 100:+.1f} points",
            _short(counts["false, real"]),
            _short(counts["abstained"]),
            _short(counts["abstained, real"]),
        )


def _short(count: aims.Count) -> str:
    return f"{count.share:.1%} ({count.abstaining:,}/{count.n:,})"
