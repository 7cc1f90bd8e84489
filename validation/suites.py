"""The suites that there are, by dataset."""

from selfknow.validation import diary_recall

SUITES = {"diary-recall": diary_recall.SUITE}
