"""``eval.yaml``: by it ``inspect eval hf/ORG/NAME/CONFIG`` asks a dataset on the Hub without any code of ours."""

from dataclasses import dataclass
from typing import Any

import yaml

from selfknow.builders.folder.manifest import Manifest

EVALUATION = "eval.yaml"
FRAMEWORK = "inspect-ai"  # as the Hub calls it, which checks the name


@dataclass(frozen=True)
class Evaluation:
    """How a dataset's rows are asked where a prompt and its completion are all there is to it.

    Attributes:
        split: The split that is asked.
        prompt: The column that is asked.
        completion: The column that the reply is compared with.
        metadata: Columns that a log carries, among them ``id``, so that our own scorer can score its import.
        scorer: One of those that Inspect allows in such a file.
    """

    split: str
    prompt: str
    completion: str
    metadata: tuple[str, ...]
    scorer: str = "exact"


def evaluation_text(evaluation: Evaluation, title: str, summary: str, manifest: Manifest) -> str:
    """The file: a task a config, called like it.

    Args:
        evaluation: How rows are asked.
        title: What people call the dataset.
        summary: One line.
        manifest: Of the folder.
    """
    tasks: list[dict[str, Any]] = [
        {
            "id": config,
            "config": config,
            "split": evaluation.split,
            "field_spec": {
                "input": evaluation.prompt,
                "target": evaluation.completion,
                "metadata": list(evaluation.metadata),
            },
            "solvers": [{"name": "generate"}],
            "scorers": [{"name": evaluation.scorer}],
        }
        for config, entry in manifest.configs.items()
        if evaluation.split in entry.splits
    ]
    content = {"name": title, "description": summary, "evaluation_framework": FRAMEWORK, "tasks": tasks}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
