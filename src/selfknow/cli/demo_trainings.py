"""The two trainings of ``selfknow demo``, each in a process of its own, beside whatever else it does."""

import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, connection, get_context, parent_process
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self, cast

import typer

from selfknow.cli.demo_models import DIARISTS, MODEL, SETUPS, Diarists, Scores, build_setups, demo_recipe
from selfknow.errors import UserError

_SECONDS_BETWEEN_LOOKS = 1.0


class Trainings:
    """A training on each setup, with equal budgets, beside what the ``with`` block does.

    What ends the block early ends them. They resume from their last checkpoints, and what is trained is not trained
    again.

    Args:
        folder: Everything goes here.
        steps: Of each training.
        diarists: How many.
    """

    def __init__(self, folder: Path, steps: int, diarists: Diarists = DIARISTS) -> None:
        self._folder, self._steps, self._diarists = folder, steps, diarists
        self._pool = ProcessPoolExecutor(len(SETUPS), mp_context=get_context("spawn"), initializer=end_with_parent)
        self._results: list[Future[Scores]] = []

    @property
    def num_running(self) -> int:
        """Return how many trainings go on; each takes a core."""
        return sum(not result.done() for result in self._results)

    def wait(self) -> dict[str, Scores]:
        """Wait for both, with a bar over their steps, and return the scores of the held-out questions by setup.

        Raises:
            UserError: A training failed or was killed.
        """
        from selfknow.bars import Bar

        if not self._results:
            return {setup: _scores(self._folder / setup / "test") for setup in SETUPS}
        typer.echo(f"both setups side by side, {self._steps:,} steps of 32 examples each", err=True)
        total, steps = self._steps * len(SETUPS), self._steps_so_far()
        with Bar(total=total, initial=sum(steps.values()), unit="step", desc="train") as bar:
            while self.num_running:
                wait(self._results, _SECONDS_BETWEEN_LOOKS, return_when=FIRST_EXCEPTION)
                steps = self._steps_so_far()
                bar.set_postfix(steps, refresh=False)
                bar.update(sum(steps.values()) - bar.n)
                bar.refresh()
                if any(result.done() and result.exception() for result in self._results):
                    break
        try:
            return {setup: result.result() for setup, result in zip(SETUPS, self._results, strict=True)}
        except BrokenProcessPool as error:
            raise UserError("a training was killed; the same command resumes it") from error

    def _steps_so_far(self) -> dict[str, int]:
        return {setup: _last_step(self._folder / setup / "metrics.jsonl") for setup in SETUPS}

    def __enter__(self) -> Self:
        from selfknow.models.checkpoints import require_models_extra

        require_models_extra()
        build_setups(self._folder / "diaries", self._diarists)
        if not all(_is_trained(self._folder / setup, self._steps) for setup in SETUPS):
            with _ignored_interrupts():
                self._results = [self._pool.submit(train_setup, self._folder, setup, self._steps) for setup in SETUPS]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.num_running:
            for child in active_children():
                child.terminate()
        self._pool.shutdown()


def train_setup(folder: Path, setup: str, steps: int, seed: int = 0) -> Scores:
    """Train on one setup in a process of its own, and score its answers to the held-out questions.

    On one thread: models this small gain little from a second one, and the result is the same on any number of cores.
    """
    import torch

    from selfknow.bars import Bar
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.models.checkpoints import quieten
    from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
    from selfknow.train.run import train

    Bar.hidden = True  # the demo has one over both
    quieten()
    torch.set_num_threads(1)
    corpus = open_dataset(f"{folder / 'diaries'}:{setup}")
    recipe = demo_recipe(steps, seed)
    train(TrainingJob(MODEL, corpus, recipe, scratch=True, tokenizer=CORPUS_TOKENIZER), folder / setup)
    return _scores(folder / setup / "test")


def end_with_parent() -> None:
    """End this process when its parent is gone, even killed: it would keep a core and the lock of the folder."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


@contextmanager
def _ignored_interrupts() -> Iterator[None]:
    """Have processes that start now ignore Ctrl-C, which a terminal sends to them too: the demo ends them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _last_step(metrics: Path) -> int:
    steps = re.findall(r'^{"step": (\d+)', metrics.read_text() if metrics.is_file() else "", flags=re.MULTILINE)
    return int(steps[-1]) if steps else 0


def _is_trained(folder: Path, steps: int) -> bool:
    from selfknow.files import read_json

    if not (folder / "run.json").is_file():
        return False
    run = cast("dict[str, dict[str, object]]", read_json(folder / "run.json"))
    return "results" in run and run["recipe"]["max_steps"] == steps


def _scores(run: Path) -> Scores:
    """The metrics of every held-out question's answer, by question."""
    from selfknow.evaluate.score import score_run
    from selfknow.runs.schema import read_generations

    generations = read_generations(run, ["generation_id", "example_id"]).to_pylist()
    questions = {row["generation_id"]: row["example_id"] for row in generations}
    scores: dict[str, dict[str, float]] = {}
    for row in score_run(run).to_pylist():
        scores.setdefault(questions[row["generation_id"]], {})[row["metric"]] = row["value"]
    return scores
