"""How the demo asks a model: runs that go on where they stopped, each scored, and none asked twice."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.cli.demo_steps import DoneSteps
from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    from selfknow.evaluate.models.local import LocalModel

_BATCH_SIZE = 32


class Asked:
    """One model and its runs, in ``FOLDER/runs``. It is opened once, and only if there is something to ask.

    Args:
        folder: The demo's.
        model: A checkpoint folder or a GGUF file.
        label: What tables call the model.
    """

    def __init__(self, folder: Path, model: Path, label: str) -> None:
        self._folder, self._label, self._model = folder, label, str(model)
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
            ask(task, self._open(chat), out=run, label=self._label, **options).score()
            self._done.finish(name, told)
        return run

    def _load(self, chat: bool | None) -> "LocalModel":
        from selfknow.evaluate.models.checkpoints import quieten, require_models_extra
        from selfknow.evaluate.models.local import LocalModel

        require_models_extra()
        quieten()
        if chat is None:
            return LocalModel.load(self._model, batch_size=_BATCH_SIZE)
        usual = self._open(None)
        return LocalModel(
            usual.model,
            usual.tokenizer,
            usual.name,
            usual.revision,
            batch_size=_BATCH_SIZE,
            chat=chat,
            quantization=usual.quantization,
        )


def print_query(name: str, runs: Sequence[Path], columns: Sequence[str], **only: object) -> None:
    """Print some columns of a query over runs.

    Args:
        name: The query.
        runs: Run folders.
        columns: Which, in this order.
        only: Values by column: other rows are left out.
    """
    from selfknow.evaluate.sql.connection import connect
    from selfknow.evaluate.sql.queries import query_rows

    with connect(runs) as connection:
        rows = query_rows(connection, name)
    chosen = [row for row in rows if all(row[column] == value for column, value in only.items())]
    print_rows([{column: row[column] for column in columns} for row in chosen])
