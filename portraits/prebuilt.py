"""The prebuilt portraits of the diary corpora: one folder with a portrait of every config's documents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from selfknow.bars import Bar
from selfknow.errors import UserError, nearest
from selfknow.files import parse_json
from selfknow.portraits.corpus import Corpus
from selfknow.portraits.description import DESCRIPTION
from selfknow.portraits.portrait import Portrait

TEXT = "prompt || completion"
WHERE = "kind = 'document'"


def build_prebuilt(
    dataset: Path,
    folder: Path,
    configs: Sequence[str] = (),
    *,
    threads: int | None = None,
    overwrite: bool = False,
    progress: bool = False,
) -> list[Portrait]:
    """Portray the documents of diary corpora, each config in a folder of its name.

    A portrait that is there already, whole and of the same content, is kept: a run that was killed goes on.

    Args:
        dataset: A ``diary-recall`` folder.
        folder: Where the portraits are written.
        configs: The configs; all that the dataset has by default.
        threads: All cores unless told.
        overwrite: Whether portraits of other content are replaced.
        progress: Whether a progress bar is shown on stderr.

    Raises:
        UserError: The dataset has no such config or no manifest, or a portrait of other content is in the way.
    """
    held = _configs(dataset)
    if unknown := [config for config in configs if config not in held]:
        raise UserError(f"{dataset} has no config {unknown[0]!r}{nearest(unknown[0], held)}")
    portraits = []
    for config in Bar(configs or held, desc="portraits", unit="portrait", disable=not progress):
        corpus = Corpus.from_dataset(dataset, config, text=TEXT, where=WHERE)
        portraits.append(_kept(folder / config, corpus) or _built(folder / config, corpus, threads, overwrite))
    return portraits


def _configs(dataset: Path) -> list[str]:
    try:
        return list(parse_json((dataset / "manifest.json").read_bytes())["configs"])
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(
            f"{dataset} is no dataset folder with a manifest: build it with `selfknow data build`"
        ) from None


def _kept(folder: Path, corpus: Corpus) -> Portrait | None:
    if not (folder / DESCRIPTION).is_file():
        return None
    portrait = Portrait.load(folder)
    same: Any = portrait.description.corpus == corpus.description()
    if not same:
        return None
    portrait.verify()
    return portrait


def _built(folder: Path, corpus: Corpus, threads: int | None, overwrite: bool) -> Portrait:
    portrait = Portrait.build(corpus, threads=threads, folder=folder)
    portrait.save(folder, overwrite=overwrite)
    return portrait
