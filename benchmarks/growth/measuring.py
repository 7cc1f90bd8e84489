"""The measurement of a point: make its input, run the work in a process of its own, and remove its files."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.growth import works
from benchmarks.growth.limits import rates, size_in_mb
from benchmarks.growth.points import Point
from benchmarks.timing import measure

GIVEN, ESTIMATED = "portrait, capacity given", "portrait, capacity estimated"
CORPUS = "corpus"
SCORED, ASKED = "run, scored", "run, asked in SQL"
_SMALLEST = 1_000


def portraits(ngrams: int, folder: Path) -> list[Point]:
    """Measure a portrait with a stated capacity, and one that estimates its capacity first."""
    text = folder / "text.txt"
    measure(works.write_text, str(text), ngrams)
    read = size_in_mb(folder)
    points = []
    for series, capacity, times in ((GIVEN, ngrams, 1), (ESTIMATED, None, 2)):
        out = folder / "portrait"
        point = _measure_call("portraits", series, ngrams, folder, works.build_portrait, str(text), str(out), capacity)
        points.append(point(times * read + size_in_mb(out), works.filter_in_mb(ngrams)))
        shutil.rmtree(out)
    return points


def corpora(diarists: int, folder: Path) -> list[Point]:
    """Measure both setups; the files are written, and read once for the content hashes."""
    out = folder / "corpus"
    point = _measure_call("corpora", CORPUS, diarists, folder, works.build_corpus, diarists, str(out))
    return [point(2 * size_in_mb(out), 0)]


def scoring(generations: int, folder: Path) -> list[Point]:
    """Measure the scoring of a run."""
    run = _run(generations, folder)
    point = _measure_call("runs", SCORED, generations, folder, works.score, str(run))
    return [point(sum(size_in_mb(run / part) for part in ("generations", "scores", "parsed")), 0)]


def runs(generations: int, folder: Path) -> list[Point]:
    """Measure a query over a scored run."""
    run = _run(generations, folder)
    point = _measure_call("runs", ASKED, generations, folder, works.ask_sql, str(run))
    return [point(sum(size_in_mb(run / part) for part in ("generations", "scores")), 0)]


def _run(generations: int, folder: Path) -> Path:
    measure(works.write_replies, generations, str(folder / "run"))
    return folder / "run"


def _measure_call(
    work: str, series: str, size: int, folder: Path, function: Callable[..., object], *arguments: object
) -> Callable[[float, float], Point]:
    """Measure a call, and return a function that makes the point from the megabytes that were moved and held."""
    load = os.getloadavg()[0]
    measurement = measure(function, *arguments)
    copied, written = measure(rates, str(folder)).value

    def point(moved_in_mb: float, held_in_mb: float) -> Point:
        return Point(
            work,
            series,
            size,
            measurement.seconds,
            measurement.cpu_seconds,
            measurement.peak_memory_in_mb,
            moved_in_mb,
            copied,
            written,
            held_in_mb + _libraries_in_mb(series, folder),
            load,
        )

    return point


def _libraries_in_mb(series: str, folder: Path) -> float:
    """Return the memory that a process needs for a tiny piece of this work, which is mostly that of the libraries."""
    if series not in _LIBRARIES:
        _LIBRARIES[series] = _smallest(series, folder / "smallest")
    return _LIBRARIES[series]


_LIBRARIES: dict[str, float] = {}


def _smallest(series: str, folder: Path) -> float:
    folder.mkdir()
    text, run, out = str(folder / "text.txt"), str(folder / "run"), str(folder / "out")
    if series in (GIVEN, ESTIMATED):
        measure(works.write_text, text, _SMALLEST)
        measurement = measure(works.build_portrait, text, out, _SMALLEST)
    elif series == CORPUS:
        measurement = measure(works.build_corpus, 10, out)
    else:
        measure(works.write_replies, _SMALLEST, run)
        measurement = measure(works.score if series == SCORED else works.ask_sql, run)
    shutil.rmtree(folder)
    return measurement.peak_memory_in_mb
