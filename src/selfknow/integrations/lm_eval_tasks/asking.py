"""What the YAML files beside this module call: the rows that are asked, and our own scores of a reply."""

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


def rows(*, selfknow_set: str, only_prompt: str | None = None, **told: Any) -> "dict[str, datasets.Dataset]":
    """The rows of a task, as ``custom_dataset`` wants them.

    Args:
        selfknow_set: As ``selfknow evaluate`` calls it; ``{questions}`` in it is what ``--metadata`` says.
        only_prompt: Of according-to: the one prompt that the task asks.
        told: The task's options, and what else lm-evaluation-harness passes on, which is left alone.

    Raises:
        UserError: There is no such set, or an option has no such value.
    """
    import datasets

    options = {name: told[name] for name in _OPTIONS if told.get(name) is not None}
    if only_prompt is not None:
        options["prompts"] = only_prompt
    asking = Asking.open(selfknow_set.replace("{questions}", str(told.get("questions", "nq"))), **options)
    chosen = [one for one in asking.openings if only_prompt in (None, one.variant)]
    return {"test": datasets.Dataset.from_list([_document(asking, opening) for opening in chosen])}


def _document(asking: Asking, opening: Request) -> dict[str, str]:
    own = asking.sample(opening)
    right = next((own.row[name] for name in ("completion", "answers") if own.row.get(name)), "")
    return {
        "id": opening.example_id,
        "prompt": opening.prompt,
        "target": right if isinstance(right, str) else "; ".join(right),
        MARK: json.dumps(own.as_json(), ensure_ascii=False),
    }


def scores(document: Mapping[str, str], replies: Sequence[str]) -> dict[str, float]:
    """Our own scores of a reply, as ``process_results`` wants them; one that does not apply is left out of the mean.

    Args:
        document: As :func:`rows` made it.
        replies: The reply.
    """
    own = OwnSample(**json.loads(document[MARK]))
    request = Request(document["id"], document["prompt"], own.stage, own.variant)
    call = Call(request, Reply(cut_at_stop(replies[0], own.decoding["stop"])))
    outcomes = score_calls(own, [call])
    return {metric: outcome.value for _, metric, outcome in outcomes if outcome.value is not None}
