"""The datasets that can be built, by name."""

from collections.abc import Sequence

from selfknow.builders.abstention import builder as abstention
from selfknow.builders.according_to import builder as according_to
from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.diary_recall import builder as diary_recall
from selfknow.builders.model_replies import builder as model_replies
from selfknow.builders.self_aware import builder as self_aware
from selfknow.builders.self_aware import nearest_config as self_aware_nearest
from selfknow.builders.self_aware import original as self_aware_original
from selfknow.builders.self_knowledge import builder as self_knowledge
from selfknow.errors import UserError, nearest

_ALL = (
    diary_recall.DATASET,
    self_aware.DATASET,
    self_aware_original.DATASET,
    self_aware_nearest.DATASET,
    abstention.DATASET,
    self_knowledge.DATASET,
    according_to.DATASET,
    model_replies.DATASET,
)
_FLAGS = {"path": "source"}  # options of the command line that are not named like the argument
DATASETS = {dataset.name: dataset for dataset in _ALL}


def find_dataset(name: str) -> Dataset:
    """Return the dataset of this name.

    Raises:
        UserError: There is no such dataset; the message names the nearest one.
    """
    if name not in DATASETS:
        raise UserError(f"there is no dataset {name!r}{nearest(name, DATASETS)}")
    return DATASETS[name]


def find_configs(dataset: Dataset, configs: Sequence[str], seed: int, **options: object) -> list[DatasetConfig]:
    """Return the named configs of a dataset, without repetitions, or all of them if none is named.

    Args:
        dataset: The dataset.
        configs: The configs' names.
        seed: The seed of all random choices.
        options: Further arguments of the dataset's configs; see ``Dataset.options``.

    Raises:
        UserError: The config, the seed or the option does not exist, or the configs come under several licences.
    """
    for option in options:
        if option not in dataset.options:
            takers = ", ".join(other.name for other in _ALL if option in other.options)
            raise UserError(f"--{_FLAGS.get(option, option)} is for {takers}, not {dataset.name}")
    names = list(dict.fromkeys(configs or dataset.configs))
    dataset.licence(names)
    return [dataset.config(name, seed, **options) for name in names]
