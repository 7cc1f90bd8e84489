"""``selfknow lm-eval-tasks``: where the tasks for lm-evaluation-harness lie."""

from pathlib import Path

import typer


def lm_eval_tasks() -> None:
    """Print the folder of the tasks for lm-evaluation-harness, for its `--include_path`.

    **Example:** `selfknow lm-eval-tasks`, as in `lm_eval run --include_path $(selfknow lm-eval-tasks) --tasks …`
    """
    from selfknow import integrations

    typer.echo(Path(integrations.__file__).parent / "lm_eval_tasks")
