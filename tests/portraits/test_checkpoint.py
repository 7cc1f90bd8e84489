"""A build that was stopped goes on where it was, and its portrait is the same to the byte."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from selfknow.portraits import Corpus, Portrait, building, checkpoint
from selfknow.portraits.filter import capacity
from selfknow.portraits.filter.texts import arrow_batches

LINES = 120


@dataclass(frozen=True)
class Stopped(Corpus):
    """A corpus that is interrupted after so many lines of both passes together."""

    after: int = 10**9

    def __iter__(self) -> Iterator[pa.Array]:
        for array in super().__iter__():
            for start in range(len(array)):
                READ.append(1)
                if len(READ) > self.after:
                    raise KeyboardInterrupt
                yield array.slice(start, 1)


READ: list[int] = []


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a text file; builds keep their progress after every few lines."""
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(building, "arrow_batches", partial(arrow_batches, max_bytes=512))
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"The sum of {i} and {i + 1} is {2 * i + 1}, said number {i}.\n" for i in range(LINES)))
    return path


def build(path: Path, out: Path, after: int = 10**9, width: int = 12) -> Portrait:
    READ.clear()
    corpus = Corpus.from_files([path])
    stopped = Stopped(corpus.files, facts=corpus.facts, after=after)
    portrait = Portrait.build(stopped, width=width, threads=1, folder=out)
    portrait.save(out)
    return portrait


@pytest.mark.parametrize("exact_ngrams", [1 << 21, 500], ids=["counted", "sketched"])
@pytest.mark.parametrize("after", [1, 30, 119, 121, 150, 239])
def test_a_stopped_build_ends_with_the_same_bytes(
    after: int, exact_ngrams: int, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capacity, "_EXACT_NGRAMS", exact_ngrams)
    whole = build(corpus, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        build(corpus, tmp_path / "stopped", after)
    resumed = build(corpus, tmp_path / "stopped")
    assert resumed.description == whole.description
    for name in ("bits.rbloom", "portrait.json", "README.md"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (tmp_path / "stopped" / ".building").exists(), "what a whole portrait needs no more is gone"


def test_a_stopped_build_does_not_count_again(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        build(corpus, tmp_path / "stopped", after=LINES + 60)
    build(corpus, tmp_path / "stopped")
    assert len(READ) == LINES, "the second pass alone: the first was done"


@pytest.mark.parametrize("change", ["corpus", "width", "progress", "arrays"])
def test_progress_of_another_build_or_damaged_progress_is_not_gone_on_with(
    change: str, corpus: Path, tmp_path: Path
) -> None:
    stopped = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        build(corpus, stopped, after=LINES + 60)
    width = 14 if change == "width" else 12
    if change == "corpus":
        corpus.write_text(corpus.read_text().replace("sum", "SUM"))
    elif change == "progress":
        (stopped / ".building" / "progress.json").write_text('{"key": 1}')
    elif change == "arrays":
        [path] = (stopped / ".building").glob("*.npz")
        path.write_bytes(path.read_bytes()[:-50])
    resumed, whole = build(corpus, stopped, width=width), build(corpus, tmp_path / "whole", width=width)
    assert resumed.description == whole.description
    assert (stopped / "bits.rbloom").read_bytes() == (tmp_path / "whole" / "bits.rbloom").read_bytes()


def test_texts_that_nothing_identifies_are_not_kept(corpus: Path, tmp_path: Path) -> None:
    texts = corpus.read_text().splitlines()
    Portrait.build(texts, width=12, threads=1, folder=tmp_path / "list")
    assert not (tmp_path / "list").exists()
