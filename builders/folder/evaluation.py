"""``eval.yaml``, with which ``inspect eval hf/ORG/NAME/CONFIG`` evaluates a dataset on the Hub without our code."""

from dataclasses import dataclass
from typing import Any

import yaml

from selfknow.builders.folder.manifest import Manifest

EVALUATION = "eval.yaml"
FRAMEWORK = "inspect-ai"  # the Hub accepts no other spelling
# The reply is compared byte for byte, as in our exact_match; Inspect's `exact` ignores case and dots.
WHOLE_REPLY = r"(?s)\A(.*)\Z"


@dataclass(frozen=True)
class Evaluation:
    """The columns of a dataset that Inspect needs: a prompt and its completion.

    Attributes:
        split: The split to evaluate.
        prompt: The column with the prompt.
        completion: The column that the reply is compared with.
        metadata: Columns that Inspect copies to its log, such as ``id``, so that our own scorer can score the log.
    """

    split: str
    prompt: str
    completion: str
    metadata: tuple[str, ...]


def evaluation_text(evaluation: Evaluation, title: str, summary: str, manifest: Manifest) -> str:
    """Return the text of ``eval.yaml``: a task for each config, of the same name.

    Args:
        evaluation: The columns to use.
        title: The dataset's title.
        summary: A description of one line.
        manifest: The folder's manifest.
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
            "scorers": [{"name": "pattern", "args": {"pattern": WHOLE_REPLY, "ignore_case": False}}],
        }
        for config, entry in manifest.configs.items()
        if evaluation.split in entry.splits
    ]
    content = {"name": title, "description": summary, "evaluation_framework": FRAMEWORK, "tasks": tasks}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
