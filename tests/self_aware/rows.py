"""Rows of a small self-aware."""

CATEGORIES = ("philosophical", "imagination")


def example(pair: int, place: int, *, answerable: bool) -> dict[str, object]:
    """Return the ``place``-th answerable question of a pair, or its unanswerable one."""
    kind = f"known-{place}" if answerable else "unknown"
    return {
        "id": f"pair-{pair}-{kind}",
        "question": f"What is {pair} plus {place}?" if answerable else f"Why must there be a {pair}?",
        "answers": [f"the number {pair + place}", f"{pair + place}"] if answerable else [],
        "answerable": answerable,
        "category": None if answerable else CATEGORIES[pair % 2],
        "source": "single fact/sums" if answerable else "frame/why",
        "pair_id": f"pair-{pair}",
        "flags": [],
    }
