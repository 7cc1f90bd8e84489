"""How the demo asks a model: runs that go on where they stopped, each scored, and none asked twice."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.cli.demo_steps import DoneSteps, ticking
from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    from selfknow.models.local import LocalModel

_BATCH_SIZE = 32


class Asked:
    """One model and its runs, in ``FOLDER/runs``. It is opened once, and only if there is something to ask.

    Args:
        folder: The demo's.
        model: A checkpoint folder or a GGUF file.
        label: What tables call the model.
        num_busy_cores: Says how many cores are taken at the moment.
    """

    def __init__(self, folder: Path, model: Path, label: str, num_busy_cores: Callable[[], int] = lambda: 0) -> None:
        self._folder, self._label, self._model = folder, label, str(model)
        self._num_busy_cores = num_busy_cores
        self._done = DoneSteps(folder)
        self._open = cache(self._load)

    def ask(self, task: str, name: str, *, chat: bool | None = None, **options: Any) -> Path:
        """Ask a task and score the replies.

        Args:
            task: As :func:`selfknow.ask` calls it.
            name: Of the run folder.
            chat: Whether through the chat template; by default where the model has one.
            options: Those of :func:`selfknow.ask`.

        Returns:
            The run folder.
        """
        from selfknow.evaluate.run import ask

        run = self._folder / "runs" / name
        told = {"task": task, "model": self._model, **options}
        if not self._done.has(name, told):
            self._done.begin(name, told, run)
            with threads_beside(self._num_busy_cores()):
                ask(task, self._open(chat), out=run, label=self._label, **options).score()
            self._done.finish(name, told)
        return run

    def _load(self, chat: bool | None) -> "LocalModel":
        if chat is None:
            with ticking(f"opening {self._label}"):
                return _open_model(self._model)
        usual = self._open(None)
        return type(usual)(
            usual.model,
            usual.tokenizer,
            usual.name,
            usual.revision,
            batch_size=_BATCH_SIZE,
            chat=chat,
            quantization=usual.quantization,
        )


def _open_model(model: str) -> "LocalModel":
    from selfknow.models.checkpoints import quieten, require_models_extra
    from selfknow.models.local import LocalModel

    require_models_extra()
    quieten()
    return LocalModel.load(model, batch_size=_BATCH_SIZE)


@contextmanager
def threads_beside(num_busy_cores: int) -> Iterator[None]:
    """Let torch use as many threads as cores are free: threads that share a core wait for each other all the time."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(max(1, before - num_busy_cores))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def print_query(name: str, runs: Sequence[Path], columns: Sequence[str], **only: object) -> None:
    """Print some columns of a query over runs.

    Args:
        name: The query.
        runs: Run folders.
        columns: Which, in this order.
        only: Values by column: other rows are left out.
    """
    from selfknow.evaluate.connection import connect
    from selfknow.sql.queries import query_rows

    with connect(runs) as connection:
        rows = query_rows(connection, name)
    chosen = [row for row in rows if all(row[column] == value for column, value in only.items())]
    print_rows([{column: row[column] for column in columns} for row in chosen])
