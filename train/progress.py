"""The progress of a training: a bar on stderr, and ``metrics.jsonl``."""

import json
import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from selfknow.bars import Bar
from selfknow.files import write_whole

_LABELS = {"loss": "loss", "eval_exact_match": "exact match", "eval_recall_of_documents": "recall of documents"}


class ProgressBar(TrainerCallback):
    """A progress bar on stderr: steps, loss, exact match, recall of documents and the time left."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._postfix: dict[str, str] = {}

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Start the bar at the training's first step."""
        if state.is_world_process_zero:
            self._bar = Bar(total=state.max_steps, initial=state.global_step, unit="step", desc="train")

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Advance the bar to the current step."""
        if self._bar is not None:
            self._bar.update(state.global_step - self._bar.n)

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Show the last loss and the last validation."""
        logs: dict[str, float] = kwargs["logs"]
        for name, label in _LABELS.items():
            if name in logs:
                self._postfix[label] = f"{logs[name]:.4f}"
        if self._bar is not None:
            self._bar.set_postfix(self._postfix)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Close the bar."""
        if self._bar is not None:
            self._bar.close()


class MetricsFile(TrainerCallback):
    """A file of JSON lines: the step, the seconds since this process started training, and the metrics.

    A training that resumes drops the lines of the steps that it repeats.

    Args:
        path: ``metrics.jsonl``.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._start = time.monotonic()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Keep the lines up to the step that the training starts from."""
        self._start = time.monotonic()
        if state.is_world_process_zero:
            lines = [line for line in read_metrics(self._path) if line["step"] <= state.global_step]
            write_whole(self._path, "".join(json.dumps(line) + "\n" for line in lines).encode())

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Write a line, if there are metrics besides the Trainer's own."""
        if not state.is_world_process_zero:
            return
        seconds = round(time.monotonic() - self._start, 2)
        logs: dict[str, float] = kwargs["logs"]
        metrics = {name: value for name, value in logs.items() if name != "epoch" and not name.startswith("train_")}
        if metrics:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"step": state.global_step, "seconds": seconds, **metrics}) + "\n")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read the lines of a ``metrics.jsonl``; a last line that a kill cut off is ignored."""
    if not path.exists():
        return []
    lines: list[dict[str, Any]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            break
    return lines
