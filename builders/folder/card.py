"""The card of a dataset folder: YAML that ``load_dataset`` reads, and the text a person reads."""

from collections.abc import Mapping
from string import Template

import datasets
import yaml
from huggingface_hub import DatasetCardData

from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.folder.manifest import ConfigEntry, Manifest
from selfknow.builders.sources import read_text

# The Hub's size categories, by the number of rows that they stay below.
_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M", 10_000_000: "1M<n<10M"}
_LARGEST_SIZE = "10M<n<100M"


def card_text(dataset: Dataset, configs: list[DatasetConfig], manifest: Manifest) -> str:
    """Return the card: a header in YAML, and the dataset's ``card.md`` with its parts filled in.

    The content hashes stand in the header because ``load_dataset`` computes its cache key for a local folder from it.
    So rows that have changed are never served from an older cache.
    """
    parts = {
        "configs": _table_of_configs(manifest.configs),
        "version": manifest.version,
        "selfknow_version": manifest.selfknow_version,
        "seed": str(manifest.seed),
        "source_hash": manifest.source_hash,
        "own_citation": _own_citation(dataset),
        **dataset.card_parts(configs),
    }
    text = Template(read_text(f"{dataset.sources}/card.md")).substitute(parts)
    header = yaml.safe_dump(_header(dataset, configs, manifest), sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{header}---\n\n{text}"


def lines_of_row(row: Mapping[str, object]) -> str:
    r"""Return a row as a card shows it, one column per line.

    >>> lines_of_row({"id": "labels", "entry": None})
    "id: 'labels'\nentry: None"
    """
    return "\n".join(f"{name}: {value!r}" for name, value in row.items())


def _own_citation(dataset: Dataset) -> str:
    """Return the BibTeX entry of the dataset itself."""
    return "\n".join(
        (
            f"@misc{{selfknow-{dataset.name},",
            f"  title  = {{{dataset.metadata.get('pretty_name', dataset.name)}: {dataset.summary}}},",
            "  author = {{The authors of selfknow}},",
            f"  note   = {{Dataset, version {dataset.version}}},",
            "  year   = {2026}",
            "}",
        )
    )


def _header(dataset: Dataset, configs: list[DatasetConfig], manifest: Manifest) -> dict[str, object]:
    num_rows = sum(split.num_rows for config in manifest.configs.values() for split in config.splits.values())
    licence = {"license": dataset.licence([config.name for config in configs])}
    data = DatasetCardData(**{**dataset.metadata, **licence})  # type: ignore[arg-type]
    infos = {config.name: _info(dataset, config, manifest.configs[config.name]) for config in configs}
    datasets.info.DatasetInfosDict(infos).to_dataset_card_data(data)
    size_category = next((name for size, name in _SIZES.items() if num_rows < size), _LARGEST_SIZE)
    return {
        **data.to_dict(),  # type: ignore[no-untyped-call]
        "size_categories": [size_category],
        "configs": [
            {
                "config_name": name,
                "data_files": [
                    {"split": split, "path": [file.path for file in entry.files]}
                    for split, entry in config.splits.items()
                ],
                **({"default": True} if name == configs[0].name else {}),
            }
            for name, config in manifest.configs.items()
        ],
        "content_hashes": {name: config.content_hash for name, config in manifest.configs.items()},
    }


def _info(dataset: Dataset, config: DatasetConfig, entry: ConfigEntry) -> datasets.DatasetInfo:
    splits = entry.splits.values()
    return datasets.DatasetInfo(
        features=datasets.Features.from_arrow_schema(config.schema),
        config_name=config.name,
        splits=datasets.SplitDict.from_split_dict(
            [
                {"name": name, "num_examples": split.num_rows, "num_bytes": split.num_arrow_bytes}
                for name, split in entry.splits.items()
            ],
            dataset_name=dataset.name,
        ),
        download_size=sum(file.num_bytes for split in splits for file in split.files),
        dataset_size=sum(split.num_arrow_bytes for split in splits),
    )


def _table_of_configs(configs: Mapping[str, ConfigEntry]) -> str:
    splits = list(next(iter(configs.values())).splits)
    lines = ["| config | " + " | ".join(splits) + " | content hash |", "| --- |" + " ---: |" * len(splits) + " --- |"]
    for name, config in configs.items():
        counts = " | ".join(f"{config.splits[split].num_rows:,}" for split in splits)
        lines.append(f"| `{name}` | {counts} | `{config.content_hash[:16]}…` |")
    return "\n".join(lines)
