"""A config of a dataset as pure functions, and the Hugging Face builder that runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa

from selfknow.builders.folder.evaluation import Evaluation
from selfknow.builders.sources import fingerprint
from selfknow.errors import UserError


@dataclass(frozen=True)
class DatasetConfig:
    """One config of a dataset.

    Args:
        name: The config's name.
        parameters: The parameters that it is made from: values that JSON can hold.
        schema: The schema of every shard.
        shards: The functions that make each split's rows, in order. Each makes one file, and can be called alone.
        files: Further files of the dataset folder: the file to copy, by its path in the folder.
    """

    name: str
    parameters: Mapping[str, object]
    schema: pa.Schema
    shards: Mapping[str, list[Callable[[], pa.Table]]]
    files: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """A dataset: its configs and the texts about it.

    Args:
        name: The name on the Hub, without the organisation.
        version: The dataset's version, which rises whenever the content of a config changes.
        sources: The folder in ``datasets_src`` that it is made from; ``card.md`` there is the text of its card.
        summary: A description of one line.
        configs: The names of its configs, in order.
        config: A function that makes a named config with a seed.
        metadata: The fields of the card's YAML, besides configs, features and content hashes.
        card_parts: A function that makes the parts of the card's text that depend on the rows.
        licence_of: A function that returns the licence of a config, if configs have different licences.
        options: The names of further keyword arguments of ``config``: ``path`` (a file of the user's), ``encoder``.
        evaluation: The fields of ``eval.yaml``, if a row's prompt and completion are all that Inspect needs.
    """

    name: str
    version: str
    sources: str
    summary: str
    configs: tuple[str, ...]
    config: Callable[..., DatasetConfig]
    metadata: Mapping[str, object]
    card_parts: Callable[[list[DatasetConfig]], Mapping[str, str]]
    licence_of: Callable[[str], str] | None = None
    options: tuple[str, ...] = ()
    evaluation: Evaluation | None = None

    def licence(self, configs: Sequence[str]) -> str:
        """Return the licence of a folder with these configs; a card names one licence for its whole repo.

        Raises:
            UserError: The configs come under several licences.
        """
        if self.licence_of is None:
            return str(self.metadata["license"])
        licences = {self.licence_of(config): config for config in configs if config in self.configs}
        if len(licences) > 1:
            licence_list = ", ".join(f"{config} under {licence}" for licence, config in licences.items())
            raise UserError(
                f"{self.name} has configs under several licences ({licence_list}): build each in a folder of its own"
            )
        return next(iter(licences), "unknown")


class ConfigBuilder(datasets.ArrowBasedBuilder):
    """A Hugging Face builder of one config; its cache never serves rows made from older sources or code."""

    sources: ClassVar[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"hash": fingerprint(self.sources), **kwargs})

    def dataset_config(self) -> DatasetConfig:
        """Return the config that ``self.config`` names."""
        raise TypeError(f"{type(self).__name__} does not override dataset_config")

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=datasets.Features.from_arrow_schema(self.dataset_config().schema))

    def _split_generators(self, dl_manager: object) -> list[datasets.SplitGenerator]:  # noqa: ARG002
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"split": split, "shards": list(range(len(shards)))})
            for split, shards in self.dataset_config().shards.items()
        ]

    def _generate_tables(self, split: str, shards: list[int]) -> Iterator[tuple[int, pa.Table]]:
        for shard in shards:
            yield shard, self.dataset_config().shards[split][shard]()
