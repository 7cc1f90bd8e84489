"""``python -m selfknow.integrations.lm_eval_tasks`` prints the folder of the task files, for ``--include_path``."""

from pathlib import Path

print(Path(__file__).parent)  # noqa: T201
