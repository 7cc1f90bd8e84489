"""Functions for the YAML files beside this module: the rows of a task, and our own scores of a reply."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from selfknow.integrations.asking import Asking, Call, cut_at_stop, score_calls
from selfknow.models.interface import Reply, Request
from selfknow.runs.importers.own_task import MARK, OwnSample

if TYPE_CHECKING:
    import datasets

_OPTIONS = (
    *("limit", "split", "form", "prompt_format"),
    *("portrait", "prompts", "placement", "corpus_name", "corpus_address"),
)


def rows(*, selfknow_set: str, only_prompt: str | None = None, **metadata: Any) -> "dict[str, datasets.Dataset]":
    """Return the rows of a task, for ``custom_dataset``.

    Args:
        selfknow_set: Name for ``selfknow evaluate``; ``{questions}`` in it stands for the value in ``--metadata``.
        only_prompt: The only prompt to ask; for according-to.
        metadata: The task's options, and other arguments of lm-evaluation-harness, which are ignored.

    Raises:
        UserError: There is no such dataset, or an option has no such value.
    """
    import datasets

    options = {name: metadata[name] for name in _OPTIONS if metadata.get(name) is not None}
    if only_prompt is not None:
        options["prompts"] = only_prompt
    asking = Asking.open(selfknow_set.replace("{questions}", str(metadata.get("questions", "nq"))), **options)
    openings = [opening for opening in asking.openings if only_prompt in (None, opening.variant)]
    return {"test": datasets.Dataset.from_list([_document(asking, opening) for opening in openings])}


def _document(asking: Asking, opening: Request) -> dict[str, str]:
    own = asking.sample(opening)
    answer = next((own.row[name] for name in ("completion", "answers") if own.row.get(name)), "")
    return {
        "id": opening.example_id,
        "prompt": opening.prompt,
        "target": answer if isinstance(answer, str) else "; ".join(answer),
        MARK: json.dumps(own.as_json(), ensure_ascii=False),
    }


def scores(document: Mapping[str, str], replies: Sequence[str]) -> dict[str, float]:
    """Score a reply with our own scorer, for ``process_results``; the mean leaves out a metric that does not apply.

    Args:
        document: A row of :func:`rows`.
        replies: The reply, as a list of one.
    """
    own = OwnSample(**json.loads(document[MARK]))
    request = Request(document["id"], document["prompt"], own.stage, own.variant)
    call = Call(request, Reply(cut_at_stop(replies[0], own.decoding["stop"])))
    outcomes = score_calls(own, [call])
    return {metric: outcome.value for _, metric, outcome in outcomes if outcome.value is not None}
