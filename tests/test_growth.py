"""``python -m benchmarks.growth``, with its smallest corpus."""

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY


@pytest.fixture
def growth(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that runs the benchmark, which is in the repository and not in the package."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(REPOSITORY)])
    main = importlib.import_module("benchmarks.growth.__main__").main

    def run(*arguments: object) -> None:
        monkeypatch.setattr(sys, "argv", ["growth", *map(str, arguments)])
        main()

    return run


@pytest.mark.full
def test_growth_measures_what_is_missing_goes_on_after_a_kill_and_draws(
    growth: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points = tmp_path / "points.jsonl"
    arguments = ["--only", "corpora", "--largest", 1_000, "--points", points, "--images", tmp_path]
    growth(*arguments)
    first = capsys.readouterr()
    assert first.err.startswith("corpus, 1,000: ")
    [head, _, row] = first.out.splitlines()
    cells = dict(zip(head.split("|"), row.replace(",", "").split("|"), strict=True))
    assert (cells[" work "], cells[" size "]) == (" corpus ", " 1000 ")
    assert 0 < float(cells[" copying (s) "]) < float(cells[" CPU (s) "])
    # A process counts as no smaller than the one that started it, so these two may be those of all tests so far.
    assert float(cells[" at least (MB) "]) > 50
    assert float(cells[" memory (MB) "]) > 50
    for name in ("light", "dark"):
        picture = (tmp_path / f"growth-{name}.svg").read_text()
        assert "diarists" in picture
        assert "n-grams" not in picture, "only what was measured is drawn"
    assert list(tmp_path.glob(".growth-*")) == [], "nothing that it worked with is left"

    measured = points.read_bytes()
    points.write_bytes(measured + measured[:40])  # as a kill leaves it while it writes the next line
    (tmp_path / "growth-dark.svg").unlink()
    growth(*arguments)
    assert capsys.readouterr() == (first.out, ""), "what was measured is not measured again"
    assert (tmp_path / "growth-dark.svg").exists()


def test_the_peak_of_a_measured_function_leaves_out_the_memory_of_the_process_that_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(REPOSITORY)])  # the new process imports from there, too
    timing = importlib.import_module("benchmarks.timing")
    large = b"1" * 200_000_000
    assert timing.measure(len, "").peak_memory_in_mb < len(large) / 1e6
    assert timing.timed(bytes.upper, large).peak_memory_in_mb > 2 * len(large) / 1e6
