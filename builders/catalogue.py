"""The datasets that can be built, by name."""

from collections.abc import Sequence

from selfknow.builders import according_to, diary_recall, self_aware, self_aware_original, self_knowledge
from selfknow.builders.corpus import Corpus, Dataset
from selfknow.errors import UserError

_ALL = (
    diary_recall.DATASET,
    self_aware.DATASET,
    self_aware_original.DATASET,
    self_knowledge.DATASET,
    according_to.DATASET,
)
DATASETS = {dataset.name: dataset for dataset in _ALL}


def find_dataset(name: str) -> Dataset:
    """The dataset of this name.

    Raises:
        UserError: There is none; the message names those that there are.
    """
    if name not in DATASETS:
        raise UserError(f"there is no dataset {name!r}; there is {', '.join(DATASETS)}")
    return DATASETS[name]


def find_corpora(dataset: Dataset, configs: Sequence[str], seed: int) -> list[Corpus]:
    """The named configs of a dataset, each once, or all of them when none is named.

    Raises:
        UserError: There is no such config, or no such seed.
    """
    return [dataset.corpus(config, seed) for config in dict.fromkeys(configs or dataset.configs)]
