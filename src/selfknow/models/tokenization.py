"""Tokenization, the same for training and for evaluation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from selfknow.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_TEXTS_PER_BATCH = 4096


def encode(
    tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str], *, special_tokens: bool = True
) -> list[list[int]]:
    """Tokenize texts without an end-of-sequence token at their end; special tokens at the beginning stay.

    Args:
        tokenizer: Any fast or slow tokenizer.
        texts: The texts.
        special_tokens: Add the tokenizer's special tokens; leave them out after a chat template, which has its own.
    """
    if not texts:
        return []
    rows = cast("list[list[int]]", tokenizer(list(texts), add_special_tokens=special_tokens)["input_ids"])
    end = tokenizer.eos_token_id
    return [row[:-1] if special_tokens and len(row) > 1 and row[-1] == end else row for row in rows]


def padding_token(tokenizer: "PreTrainedTokenizerBase") -> int:
    """Return a tokenizer's padding token, or its end-of-sequence token if it has none."""
    padding = tokenizer.pad_token_id
    return int(tokenizer.eos_token_id if padding is None else padding)


def decode(tokenizer: "PreTrainedTokenizerBase", tokens: Sequence[int]) -> str:
    """Decode generated tokens without special tokens, and leave spaces unchanged."""
    return cast("str", tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))


def check_round_trip(tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str], model: str) -> None:
    """Check that a tokenizer returns every text byte for byte; else a model could not learn the text exactly.

    Args:
        tokenizer: The tokenizer to check.
        texts: Training answers.
        model: The user's name for the checkpoint, for the message.

    Raises:
        UserError: A text comes back changed; the message shows the first one and its first change.
    """
    if tokenizer.eos_token_id is None:
        raise UserError(f"the tokenizer of {model} has no end-of-sequence token: a model cannot learn where to stop")
    for start in range(0, len(texts), _TEXTS_PER_BATCH):
        batch = texts[start : start + _TEXTS_PER_BATCH]
        for text, tokens in zip(batch, encode(tokenizer, batch, special_tokens=False), strict=True):
            returned = decode(tokenizer, tokens)
            if returned != text:
                pairs = enumerate(zip(text, returned, strict=False))
                differences = (index for index, (before, after) in pairs if before != after)
                start_of_change = next(differences, min(len(text), len(returned)))
                around = slice(max(0, start_of_change - 20), start_of_change + 20)
                raise UserError(
                    f"the tokenizer of {model} cannot return a training answer byte for byte: "
                    f"{text[around]!r} comes back as {returned[around]!r}"
                )
