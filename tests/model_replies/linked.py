"""The committed replies of real models, as a user has them after ``selfknow data build model-replies``."""

from pathlib import Path

from tests.conftest import REPOSITORY

RUNS = REPOSITORY / "datasets_src" / "model_replies" / "runs"
"""``MODEL/RUN``, a run folder each."""


def link_replies(folder: Path, runs: Path = RUNS) -> None:
    """Make ``folder/replies/runs``, as the guides' commands name it."""
    assert runs.is_dir(), f"there are no run folders of real models in {runs}"
    (folder / "replies").mkdir()
    (folder / "replies" / "runs").symlink_to(runs.resolve())
