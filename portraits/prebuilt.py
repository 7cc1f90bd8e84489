"""The prebuilt portraits of the diary corpora: a portrait of each config's documents, in one folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from selfknow.bars import Bar
from selfknow.errors import UserError, nearest
from selfknow.files import parse_json
from selfknow.portraits.corpus import Corpus
from selfknow.portraits.description import DESCRIPTION
from selfknow.portraits.portrait import Portrait

TEXT = "prompt || completion"  # SQL of a document's text
WHERE = "kind = 'document'"  # SQL that leaves out the questions


def build_prebuilt(
    dataset: Path,
    folder: Path,
    configs: Sequence[str] = (),
    *,
    threads: int | None = None,
    overwrite: bool = False,
    progress: bool = False,
) -> list[Portrait]:
    """Build a portrait of each config's documents, in a folder named after the config.

    A complete portrait of the same content is not built again, so a killed run resumes.

    Args:
        dataset: A ``diary-recall`` folder.
        folder: Folder to write the portraits to.
        configs: Configs to portray; all of the dataset's by default.
        threads: Number of threads; all cores by default.
        overwrite: Replace portraits of other content.
        progress: Show a progress bar on stderr.

    Raises:
        UserError: The dataset has no such config or no manifest, or the folder holds a portrait of other content.
    """
    available = _read_configs(dataset)
    if unknown := [config for config in configs if config not in available]:
        raise UserError(f"{dataset} has no config {unknown[0]!r}{nearest(unknown[0], available)}")
    portraits = []
    for config in Bar(configs or available, desc="portraits", unit="portrait", disable=not progress):
        corpus = Corpus.from_dataset(dataset, config, text=TEXT, where=WHERE)
        portraits.append(_load(folder / config, corpus) or _build(folder / config, corpus, threads, overwrite))
    return portraits


def _read_configs(dataset: Path) -> list[str]:
    try:
        return list(parse_json((dataset / "manifest.json").read_bytes())["configs"])
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(
            f"{dataset} is not a dataset folder with a readable manifest: build it with `selfknow data build`"
        ) from None


def _load(folder: Path, corpus: Corpus) -> Portrait | None:
    """Load the portrait in a folder if it is a portrait of this corpus."""
    if not (folder / DESCRIPTION).is_file():
        return None
    portrait = Portrait.load(folder)
    is_same: Any = portrait.description.corpus == corpus.description()
    if not is_same:
        return None
    portrait.verify()
    return portrait


def _build(folder: Path, corpus: Corpus, threads: int | None, overwrite: bool) -> Portrait:
    portrait = Portrait.build(corpus, threads=threads, folder=folder)
    portrait.save(folder, overwrite=overwrite)
    return portrait
