"""Rows of two tables on the instrument's page: the aims of the default scorer of abstaining, and other readers.

Counts of the chat replies, which are not part of this project, come from ``frontier.tsv``
(``python -m benchmarks.abstention_frontier``). All other replies are counted again.
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
    """Format a share with its counts and its 95% interval (Wilson)."""
    if not n:
        return "–"
    low, high = wilson_interval(wrong, n)
    return f"{wrong / n:.1%} ({wrong:,}/{n:,}; {low:.1%}–{high:.1%})"


def shown(count: aims.Count) -> str:
    """Format a count as :func:`rate` does."""
    return rate(count.abstaining, count.n)


def recorded() -> dict[str, dict[str, aims.Count]]:
    """Read the counts of ``frontier.tsv``, by reader and measure."""
    counts: dict[str, dict[str, aims.Count]] = {}
    for row in read_table(TABLE):
        count = aims.Count(int(row["abstaining"]), int(row["n"]))
        counts.setdefault(row["reader"], {})[row["measure"]] = count
    return counts


def aims_rows(chat_file: Path | None = None) -> Iterator[tuple[str, str, str, str]]:
    """Yield the four aims with their counts, on replies that were not seen when patterns were chosen.

    Args:
        chat_file: The chat replies to count again; null to take their counts from ``frontier.tsv``.
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
    abstaining, n = (sum(getattr(count, name) for count in by_template.values()) for name in ("abstaining", "n"))
    total = aims.Count(abstaining, n)
    worst = max(count.share for count in by_template.values())
    reached = total.share <= 0.01 and worst <= 0.1
    summary = f"{shown(total)}, worst {worst:.0%}"
    yield _row(f"false abstentions, {len(by_template)} plain templates", "≤ 1%, none above 10%", summary, reached)
    unanswerable, answerable = aims.abstained_from_echoes(by_patterns)
    difference = unanswerable.share - answerable.share
    summary = f"{difference * 100:+.1f} points ({unanswerable.abstaining}/{unanswerable.n:,} − "
    summary += f"{answerable.abstaining}/{answerable.n:,})"
    yield _row("echoed questions, unanswerable − answerable", "within ±2 points", summary, abs(difference) <= 0.02)
    unseen = aims.unseen_replies()
    recognised = aims.recognised(by_patterns, unseen)
    yield _row("abstentions recognised", "≥ 95%", shown(recognised), recognised.share >= 0.95)
    for name, real in (("… of real models", True), ("… written in many ways", False)):
        part = aims.recognised(by_patterns, [reply for reply in unseen if reply.is_real == real])
        yield (name, "", shown(part), "")
    yield ("of chat models, beside these", "", shown(chat_abstentions), "")


def _row(aim: str, wanted: str, measured: str, reached: bool) -> tuple[str, str, str, str]:
    return aim, wanted, measured, "yes" if reached else "**no**"


def frontier_rows() -> Iterator[Sequence[str]]:
    """Yield a row for each reader."""
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
