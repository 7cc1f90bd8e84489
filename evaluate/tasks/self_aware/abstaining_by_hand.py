"""How often people abstain, or say that a reply does, and how far they agree on it."""

from collections.abc import Mapping

from selfknow.evaluate.annotation import shared_votes

ABSTAINS, ANSWERS = "abstains", "answers"
WORDS = (ABSTAINS, ANSWERS)
Judgements = Mapping[str, Mapping[str, str]]
"""By person, then by question or reply: one of :data:`WORDS`."""


def abstaining_report(judgements: Judgements) -> list[dict[str, object]]:
    """A row for each person, and one for all of them together.

    Args:
        judgements: Of all of them.

    Returns:
        Rows of ``annotator``; ``judged`` (for all together: what everyone judged); ``abstains``, the share of these
        judgements that say so, null where there are none; ``fleiss_kappa``, over what everyone judged, null where
        there is no such thing or but one person.

    Example:
        >>> abstaining_report({"ann": {"a": "abstains", "b": "answers"}, "bob": {"a": "abstains", "b": "answers"}})[-1]
        {'annotator': 'all of them', 'judged': 2, 'abstains': 0.5, 'fleiss_kappa': 1.0}
    """
    votes, kappa = shared_votes(list(judgements.values()), WORDS)
    together = [vote for row in votes.values() for vote in row]
    return [
        *(_row(name, len(judged), list(judged.values())) for name, judged in judgements.items()),
        _row("all of them", len(votes), together) | {"fleiss_kappa": kappa},
    ]


def _row(name: str, judged: int, words: list[str]) -> dict[str, object]:
    share = words.count(ABSTAINS) / len(words) if words else None
    return {"annotator": name, "judged": judged, "abstains": share, "fleiss_kappa": None}
