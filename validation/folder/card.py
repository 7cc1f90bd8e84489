"""The comparison of a dataset folder's card with its manifest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from selfknow.builders.folder.manifest import CARD, Manifest
from selfknow.validation.folder.fact import Fact

STATEMENTS = {
    "card_is_readable": "the card opens with a header in YAML, between two lines ---",
    "card_files": "the card gives load_dataset the same configs, splits and files as the manifest",
    "card_columns": "the card gives load_dataset the dataset's columns",
    "card_row_counts": "the card gives load_dataset the same number of rows as the manifest",
    "card_content_hashes": "the card has the manifest's content hashes, by which load_dataset knows changed rows",
}
# The loader in C takes a tenth of the time, if PyYAML was built with it.
_LOADER: "type[yaml.SafeLoader | yaml.CSafeLoader]" = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ConfigAndSplit = tuple[str, str | None]  # the split is null in facts about a whole config


def facts_of_card(folder: Path, manifest: Manifest, schema: pa.Schema) -> list[Fact]:
    """Return the facts of the card: its files, columns, numbers of rows and content hashes, config by config."""
    try:
        header = _header(folder / CARD)
    except (OSError, ValueError, yaml.YAMLError) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return [Fact("card_is_readable", None, None, CARD, "a header", reason)]
    splits: dict[ConfigAndSplit, tuple[str, str]] = {
        (config, split): (", ".join(file.path for file in entry.files), str(entry.num_rows))
        for config, config_entry in manifest.configs.items()
        for split, entry in config_entry.splits.items()
    }
    files = {key: paths for key, (paths, _) in splits.items()}
    num_rows = {key: number for key, (_, number) in splits.items()}
    columns: dict[ConfigAndSplit, str] = {(config, None): ", ".join(schema.names) for config in manifest.configs}
    hashes: dict[ConfigAndSplit, str] = {
        (config, None): entry.content_hash for config, entry in manifest.configs.items()
    }
    return [
        Fact("card_is_readable", None, None, CARD, "a header", "a header"),
        *_compare("card_files", files, _files(header)),
        *_compare("card_columns", columns, _columns(header)),
        *_compare("card_row_counts", num_rows, _num_rows(header)),
        *_compare("card_content_hashes", hashes, _content_hashes(header)),
    ]


def _compare(
    expectation: str, expected: Mapping[ConfigAndSplit, str], actual: Mapping[ConfigAndSplit, str]
) -> list[Fact]:
    keys = dict.fromkeys([*expected, *actual])
    return [Fact(expectation, *key, CARD, expected.get(key), actual.get(key)) for key in keys]


def _header(path: Path) -> Mapping[str, Any]:
    opening, header, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    value = yaml.load(header, _LOADER)  # noqa: S506 (safe, too)
    if opening or not isinstance(value, dict):
        raise ValueError("the header is not a YAML mapping")
    return value


def _items(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings in a list; a card may also hold a single mapping instead of a list."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)]


def _files(header: Mapping[str, Any]) -> dict[ConfigAndSplit, str]:
    return {
        (str(config.get("config_name")), str(files.get("split"))): _join_paths(files.get("path"))
        for config in _items(header.get("configs"))
        for files in _items(config.get("data_files"))
    }


def _join_paths(value: object) -> str:
    """Return the paths of a split, which are a list or a single path, with commas between them."""
    paths = value if isinstance(value, list) else [value]
    return ", ".join(map(str, paths))


def _columns(header: Mapping[str, Any]) -> dict[ConfigAndSplit, str]:
    return {
        (str(info.get("config_name")), None): ", ".join(
            str(field.get("name")) for field in _items(info.get("features"))
        )
        for info in _items(header.get("dataset_info"))
    }


def _num_rows(header: Mapping[str, Any]) -> dict[ConfigAndSplit, str]:
    return {
        (str(info.get("config_name")), str(split.get("name"))): str(split.get("num_examples"))
        for info in _items(header.get("dataset_info"))
        for split in _items(info.get("splits"))
    }


def _content_hashes(header: Mapping[str, Any]) -> dict[ConfigAndSplit, str]:
    hashes = header.get("content_hashes")
    return {(str(config), None): str(digest) for config, digest in hashes.items()} if isinstance(hashes, dict) else {}
