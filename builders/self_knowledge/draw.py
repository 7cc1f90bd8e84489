"""Random choices of the self-knowledge instances."""

from collections.abc import Mapping

from selfknow.builders.randomness import WORDS_PER_COUNTER, RandomKey, Stream
from selfknow.builders.self_knowledge.sources import choices

_COUNTERS_PER_TASK = 1 << 20  # room for 131,072 instances
_COUNTERS_PER_INSTANCE = 8  # 32 random words
_TASK_NUMBERS = {  # fixed, since a task's number determines its random words
    "total-count": 0,
    "designated-count": 1,
    "word-position": 2,
    "specific-mention": 3,
    "sentiment": 4,
    "sports-statistics": 5,
    "benchmark": 6,
}


class Draw:
    """The random choices of one instance, which do not depend on the order in which instances are made.

    >>> Draw(0, "sentiment", 7).below(10, slot=2) == Draw(0, "sentiment", 7).below(10, slot=2)
    True
    """

    def __init__(self, seed: int, task: str, number: int) -> None:
        first = _TASK_NUMBERS[task] * _COUNTERS_PER_TASK + number * _COUNTERS_PER_INSTANCE
        key = RandomKey(seed, int(choices()["num_instances"]))
        self._words = key.words(Stream.INSTANCES, first, _COUNTERS_PER_INSTANCE).tolist()

    def below(self, limit: int, slot: int = 0) -> int:
        """Draw a whole number below ``limit``; each slot is drawn independently."""
        assert slot < WORDS_PER_COUNTER * _COUNTERS_PER_INSTANCE, "an instance has a fixed number of slots"
        return int(self._words[slot] % limit)

    def between(self, bounds: Mapping[str, int], slot: int = 0) -> int:
        """Draw a whole number from a range, both ends included."""
        return bounds["first"] + self.below(bounds["last"] - bounds["first"] + 1, slot)
