"""The suites, by dataset."""

from selfknow.validation.abstention import suite as abstention
from selfknow.validation.according_to import suite as according_to
from selfknow.validation.diary_recall import suite as diary_recall
from selfknow.validation.model_replies import suite as model_replies
from selfknow.validation.self_aware import nearest_suite as self_aware_nearest
from selfknow.validation.self_aware import suite as self_aware
from selfknow.validation.self_knowledge import suite as self_knowledge

SUITES = {
    "diary-recall": diary_recall.SUITE,
    "self-aware": self_aware.SUITE,
    "self-aware-original": self_aware.SUITE_OF_ORIGINAL,
    "self-aware-nearest": self_aware_nearest.SUITE,
    "abstention": abstention.SUITE,
    "self-knowledge": self_knowledge.SUITE,
    "according-to": according_to.SUITE,
    "model-replies": model_replies.SUITE,
}
