"""The suites that there are, by dataset."""

from selfknow.validation import according_to, diary_recall, self_aware, self_knowledge

SUITES = {
    "diary-recall": diary_recall.SUITE,
    "self-aware": self_aware.SUITE,
    "self-aware-original": self_aware.SUITE_OF_ORIGINAL,
    "self-knowledge": self_knowledge.SUITE,
    "according-to": according_to.SUITE,
}
