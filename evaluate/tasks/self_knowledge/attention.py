"""The attention score of local models: does a model look back at a keyword when it writes it again?

Tan et al., Can I understand what I create?, section 6.1 and Table 5. The paper's text lacks the formula and the number
of tokens. It only says to average the last layer's attention over heads, and to keep the earlier tokens with the most
attention. The 15% come from a secondary source about the paper. The score is **ours**:

    For every occurrence of the keyword in the text, from the second on, take the token before it, at which the model
    decides to write it. Of all tokens up to there, keep the ceil(15%) with the most attention. The occurrence's recall
    is the share of earlier occurrences with a token among these. The score is the mean recall over the occurrences.

S_1, …, S_n are the tokens of the n occurrences, and K_j the kept tokens before S_j:

    score = 1/(n-1) * sum over j = 2, …, n of |{i < j: S_i meets K_j}| / (j-1)

A keyword of several tokens counts as seen if any of them is kept. Chance is about 15% for a keyword of one token. The
tokenizer splits the text anew, which may give other tokens than those that the model generated.

Attention has a module and a table of its own, because no other score loads the writer.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from selfknow.errors import UserError, argument
from selfknow.evaluate.outcome import Outcome, scores_table
from selfknow.evaluate.task import FinishedRun, Row
from selfknow.evaluate.tasks.self_knowledge.protocols import GENERATE

if TYPE_CHECKING:
    from selfknow.models.local import LocalModel

TABLE = "self-knowledge-attention"
"""The name of the score's file in ``scores/``."""
ONLY_WRITER = "writer"
TOP_SHARE = 0.15  # from a secondary source: the paper's text has no number


def attention_score(attention: NDArray[np.floating], occurrences: Sequence[range]) -> float | None:
    """Return the score of one text.

    Args:
        attention: The last layer's attention, averaged over heads, shape (tokens, tokens); row i is that of token i.
        occurrences: The tokens of each occurrence of the keyword, in order.

    Returns:
        A score from 0 to 1; None if the keyword does not occur twice.

    >>> looks_back = np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.1, 0.8, 0.1, 0], [0.25, 0.25, 0.25, 0.25]])
    >>> attention_score(looks_back, [range(1, 2), range(3, 4)])
    1.0
    """
    recalls = []
    for num_earlier, occurrence in enumerate(occurrences):
        if num_earlier == 0:
            continue
        deciding_token = occurrence.start - 1
        earlier = attention[deciding_token, : deciding_token + 1]
        most_attended = set(np.argsort(-earlier, kind="stable")[: math.ceil(TOP_SHARE * len(earlier))].tolist())
        recalls.append(
            sum(bool(most_attended & set(occurrence)) for occurrence in occurrences[:num_earlier]) / num_earlier
        )
    return sum(recalls) / len(recalls) if recalls else None


def occurrences_of(keyword: str, text: str, offsets: Sequence[tuple[int, int]], start: int) -> list[range]:
    """Return the tokens of each occurrence of a keyword in the written text.

    Args:
        keyword: A whole word, in upper or lower case.
        text: The prompt and the written text.
        offsets: The character span of each token, as ``(start, end)``.
        start: The index of the written text's first character.
    """
    occurrences = []
    for match in re.finditer(rf"(?<!\w){re.escape(keyword)}(?!\w)", text, re.IGNORECASE):
        tokens = [place for place, (low, high) in enumerate(offsets) if low < match.end() and match.start() < high]
        if match.start() >= start and tokens:
            occurrences.append(range(tokens[0], tokens[-1] + 1))
    return occurrences


def score_text(model: "LocalModel", prompt: str, written: str, keyword: str, *, chat: bool) -> float | None:
    """Return the score of one text that a local model wrote.

    Args:
        model: A causal model.
        prompt: The rendered prompt.
        written: The text that it wrote.
        keyword: The keyword.
        chat: True if the prompt was rendered with a chat template, which already contains the special tokens.

    Raises:
        UserError: The model shows no attention.
    """
    import torch

    text = prompt + written
    encoded = model.tokenizer(text, return_tensors="pt", return_offsets_mapping=True, add_special_tokens=not chat)
    offsets = [(int(low), int(high)) for low, high in encoded.pop("offset_mapping")[0]]
    inputs = {name: encoded[name].to(model.model.device) for name in ("input_ids", "attention_mask")}
    with torch.inference_mode():
        output = model.model(**inputs, output_attentions=True)
    layers = getattr(output, "attentions", None)
    if not layers or layers[-1] is None:
        raise UserError(
            f"{model.name} has no attention to show (its kind is {model.model.config.model_type}): name a transformer"
        )
    attention = layers[-1][0].float().mean(dim=0).cpu().numpy()
    return attention_score(attention, occurrences_of(keyword, text, offsets, len(prompt)))


def load_writer(run: FinishedRun, name: str) -> "LocalModel":
    """Load the local model that wrote in a run of ``designated-count``.

    Args:
        run: The run.
        name: The model's name in the run, or ``writer`` for the run's only writer.

    Raises:
        UserError: The run is of another task, the model wrote nothing in it, there are several writers (all raised
            before anything is loaded), the weights have changed, the model is not causal, or its tokenizer has no
            offsets.
    """
    if name == ONLY_WRITER:
        name = _only_writer(run)
    texts = _texts(run, name)
    from selfknow.models.checkpoints import quieten, require_models_extra

    require_models_extra()
    quieten()
    from selfknow.models.local import LocalModel

    model = LocalModel.load(name, precision="saved")
    if model.model.config.is_encoder_decoder:
        raise UserError(f"{name} is an encoder-decoder: the score is defined for causal models only")
    if not model.tokenizer.is_fast:
        raise UserError(f"{name} has no fast tokenizer: its attention cannot be laid over the text")
    if any(row["revision"] != model.revision for row in texts):
        raise UserError(f"{name} is no longer the model that wrote in {run.folder}: its files have changed")
    return model


def _only_writer(run: FinishedRun) -> str:
    writers = {row["model"] for row in run.rows("model", "stage") if row["stage"] == GENERATE}
    if len(writers) != 1:
        raise UserError(
            f"{', '.join(sorted(writers)) or 'nobody'} wrote in {run.folder}: name one of them with "
            f"{argument('attention')}"
        )
    return str(writers.pop())


def _texts(run: FinishedRun, name: str) -> list[Row]:
    """Return the texts that a model wrote in a run of ``designated-count``."""
    texts = [row for row in run.rows() if row["stage"] == GENERATE and row["generation"] is not None]
    tasks = set(run.examples["task"].to_pylist())
    if tasks != {"designated-count"}:
        raise UserError(f"attention is scored in a run of designated-count: {run.folder} is one of {', '.join(tasks)}")
    texts_of_model = [row for row in texts if row["model"] == name]
    if not texts_of_model:
        writers = ", ".join(sorted({row["model"] for row in texts})) or "nobody"
        raise UserError(
            f"{name} wrote nothing in {run.folder}, but {writers} did: use a local model's name in that run; an "
            "endpoint does not return its attention"
        )
    return texts_of_model


def score_attention(run: FinishedRun, model: "LocalModel", *, quiet: bool = False) -> pa.Table:
    """Score the texts of a local model in a run of ``designated-count``, as metric ``attention_score``.

    Args:
        run: The run.
        model: The model that wrote them. It is switched to eager attention, the only kind that returns its weights.
        quiet: Show no progress bar.

    Returns:
        A table in the shape of :data:`selfknow.runs.schema.SCORES`.

    Raises:
        UserError: The model has no attention.
    """
    from selfknow.bars import Bar

    model.model.set_attn_implementation("eager")
    keywords = {row["id"]: json.loads(row["params"])["word"] for row in run.examples.to_pylist()}
    scores = []
    for row in Bar(_texts(run, model.name), disable=quiet, unit="text", desc="attention"):
        chat, keyword = row["messages"] is not None, keywords[row["example_id"]]
        value = score_text(model, row["prompt"], row["generation"], keyword, chat=chat)
        outcome = Outcome(value, None if value is not None else "the keyword does not occur twice")
        scores.append((row["generation_id"], "attention_score", outcome))
    return scores_table(scores)
