"""Does a model look back at a keyword when it writes it again? An attention-based score, for local models.

Tan et al., Can I understand what I create?, section 6.1 and Table 5. The formula is lost from the paper's text; what it
says is: attention of the last layer, averaged over heads, and of the earlier tokens only the 15% with the highest kept.
The score is **ours**:

    Of every occurrence of the keyword in what was written, from the second on, take the token in front of it, where the
    model decides to write it. Of all tokens up to there keep the ceil(15%) that it attends to most. Its recall is the
    share of the earlier occurrences of which a token is among those. The score is the mean recall over the occurrences.

A keyword of several tokens counts as seen with any of them. Chance is about 15% for a keyword of one token.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from selfknow.errors import UserError
from selfknow.evaluate.self_knowledge.protocols import GENERATE, Example
from selfknow.evaluate.store import SCORES, last_attempts, read_examples, read_generations, write_scores

if TYPE_CHECKING:
    from selfknow.evaluate.local import LocalModel

TOP_SHARE = 0.15


def attention_score(attention: NDArray[np.floating], occurrences: Sequence[range]) -> float | None:
    """The score of one text.

    Args:
        attention: Of the last layer, averaged over heads, shape (tokens, tokens); row i is what token i attends to.
        occurrences: The tokens of each occurrence of the keyword, in order.

    Returns:
        From 0 to 1; null where the keyword does not occur twice.

    >>> looks_back = np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.1, 0.8, 0.1, 0], [0.25, 0.25, 0.25, 0.25]])
    >>> attention_score(looks_back, [range(1, 2), range(3, 4)])
    1.0
    """
    recalls = []
    for number, occurrence in enumerate(occurrences):
        if number == 0:
            continue
        deciding = occurrence.start - 1
        earlier = attention[deciding, : deciding + 1]
        kept = set(np.argsort(-earlier, kind="stable")[: math.ceil(TOP_SHARE * len(earlier))].tolist())
        recalls.append(sum(bool(kept & set(one)) for one in occurrences[:number]) / number)
    return sum(recalls) / len(recalls) if recalls else None


def occurrences_of(keyword: str, text: str, offsets: Sequence[tuple[int, int]], start: int) -> list[range]:
    """The tokens of each occurrence of a keyword in what was written.

    Args:
        keyword: As a whole word, in upper or lower case.
        text: Prompt and what was written.
        offsets: Of each token the first character and the one behind the last.
        start: Where what was written begins, in characters.
    """
    found = []
    for match in re.finditer(rf"(?<!\w){re.escape(keyword)}(?!\w)", text, re.IGNORECASE):
        tokens = [place for place, (low, high) in enumerate(offsets) if low < match.end() and match.start() < high]
        if match.start() >= start and tokens:
            found.append(range(tokens[0], tokens[-1] + 1))
    return found


def score_text(model: "LocalModel", prompt: str, written: str, keyword: str) -> float | None:
    """The score of one text that a local model wrote.

    Args:
        model: A causal model.
        prompt: As rendered.
        written: What it wrote.
        keyword: The keyword.
    """
    import torch

    text = prompt + written
    encoded = model.tokenizer(text, return_tensors="pt", return_offsets_mapping=True, add_special_tokens=not model.chat)
    offsets = [(int(low), int(high)) for low, high in encoded.pop("offset_mapping")[0]]
    with torch.inference_mode():
        output = model.model(**encoded.to(model.model.device), output_attentions=True)
    attention = output.attentions[-1][0].float().mean(dim=0).cpu().numpy()
    return attention_score(attention, occurrences_of(keyword, text, offsets, len(prompt)))


def score_attention(folder: Path, model: "LocalModel") -> pa.Table:
    """Score what a local model wrote in a run of ``designated-count``, as metric ``attention_score``.

    Args:
        folder: The run; the scores go to ``scores/self-knowledge-attention.parquet``.
        model: The model that wrote it; it is switched to eager attention, the only one that shows its weights.

    Raises:
        UserError: The run holds nothing that this model wrote with a keyword, or its tokenizer tells no offsets.
    """
    if not model.tokenizer.is_fast or model.model.config.is_encoder_decoder:
        raise UserError(
            f"{model.name} is no causal model with a fast tokenizer: its attention cannot be laid over the text"
        )
    examples = {row["id"]: Example.of(row, "ours") for row in read_examples(folder).to_pylist()}
    rows = [
        row
        for row in last_attempts(read_generations(folder)).to_pylist()
        if row["stage"] == GENERATE and row["model"] == model.name and row["generation"] is not None
    ]
    if not rows or any(examples[row["example_id"]].task != "designated-count" for row in rows):
        raise UserError(f"{folder} is no run of designated-count in which {model.name} wrote anything")
    model.model.set_attn_implementation("eager")
    scores = []
    for row in rows:
        keyword = examples[row["example_id"]].params["word"]
        value = score_text(model, row["prompt"], row["generation"], keyword)
        reason = None if value is not None else "the keyword does not occur twice"
        metric = {"metric": "attention_score", "value": value, "reason": reason}
        scores.append({"generation_id": row["generation_id"], **metric})
    table = pa.Table.from_pylist(scores, schema=SCORES)
    write_scores(folder, "self-knowledge-attention", table)
    return table
