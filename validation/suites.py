"""The suites that there are, by dataset."""

from selfknow.validation import diary_recall, self_knowledge

SUITES = {"diary-recall": diary_recall.SUITE, "self-knowledge": self_knowledge.SUITE}
