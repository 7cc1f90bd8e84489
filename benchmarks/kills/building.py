"""Kills of ``selfknow data build --overwrite`` and ``selfknow portrait build --overwrite``."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.kills.activity import Activity, bytes_below
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.manifest import MANIFEST, describe_file, read_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.errors import UserError
from selfknow.files import read_json
from selfknow.portraits import Corpus, Portrait, building, checkpoint
from selfknow.portraits.description import DESCRIPTION
from selfknow.portraits.filter.texts import arrow_batches


def _build(place: Path, version: str, diarists: int) -> None:
    corpora = configs_of_shape(Shape(num_diarists=diarists))
    folder = place / "diaries"
    build_folder(replace(DATASET, version=version), corpora, folder, overwrite=True)


def _phase_of_dataset(place: Path) -> str:
    folder = place / "diaries"
    if not (folder / MANIFEST).is_file():
        return "between the two renames"
    if read_manifest(folder).version == "2.0.0":
        return "exchanged"
    growing = place / ".diaries.building" / "new"
    written = len(list(growing.rglob("*.parquet"))) if growing.exists() else 0
    return f"{written} of 6 files written" if growing.exists() else "before the first file"


def _faults_of_dataset(place: Path, sound: Path, ended: bool) -> Iterable[str]:
    folder = place / "diaries"
    if (folder / MANIFEST).is_file():
        manifest = read_manifest(folder)
        for entry in manifest.all_files():
            if describe_file(folder, entry.path, entry.num_rows) != entry:
                yield f"{entry.path} of version {manifest.version} is not what its manifest says"
    elif not (place / ".diaries.building" / "old" / MANIFEST).is_file():
        yield "neither the earlier dataset nor the new one is complete"
    if ended:
        if bytes_below(folder) != bytes_below(sound / "diaries"):
            yield "the folder is not that of an undisturbed build"
        if unfinished := [path.name for path in place.iterdir() if path.name.startswith(".diaries")]:
            yield f"{unfinished[0]} was left behind"


DATA_BUILD = Activity(
    "data build",
    lambda place: _build(place, "1.0.0", 16),
    lambda place: _build(place, "2.0.0", 48),
    _phase_of_dataset,
    _faults_of_dataset,
)

_LINES = 1_500


def _corpus(place: Path) -> Path:
    path = place / "corpus.txt"
    path.write_text("".join(f"{i} times {i + 1} is {i * (i + 1)}, and that is {i % 7} more.\n" for i in range(_LINES)))
    return path


def _portray(place: Path) -> None:
    # Such a small corpus would otherwise write no checkpoint. Only this process, a fork, has the new values.
    checkpoint.SECONDS_BETWEEN = 0.0
    building.arrow_batches = partial(arrow_batches, max_bytes=8_192)
    corpus, out = Corpus.from_files([str(place / "corpus.txt")]), place / "portrait"
    Portrait.build(corpus, threads=1, folder=out).save(out, overwrite=True)


def _prepare_portrait(place: Path) -> None:
    _corpus(place)
    Portrait.build(["an earlier portrait of another corpus, that was here before"]).save(place / "portrait")


def _phase_of_portrait(place: Path) -> str:
    names = {path.name for path in (place / "portrait").iterdir()}
    if DESCRIPTION not in names:
        return "bits exchanged, no description yet"
    if any(name.endswith(".writing") for name in names):
        return "writing"
    if not _is_earlier(place):
        return "whole"
    progress = place / "portrait" / ".building" / "progress.json"
    return f"{read_json(progress)['doing']}, progress kept" if progress.exists() else "nothing kept yet"


def _is_earlier(place: Path) -> bool:
    return not Portrait.load(place / "portrait").description.corpus


def _faults_of_portrait(place: Path, sound: Path, ended: bool) -> Iterable[str]:
    folder = place / "portrait"
    if (folder / DESCRIPTION).is_file():
        try:
            Portrait.load(folder).verify()
        except UserError as error:
            yield f"a portrait looks complete, but is not: {error}"
    if ended and bytes_below(folder) != bytes_below(sound / "portrait"):
        yield "the portrait is not that of an undisturbed build"


PORTRAIT_BUILD = Activity(
    "portrait build",
    _prepare_portrait,
    _portray,
    _phase_of_portrait,
    _faults_of_portrait,
)
