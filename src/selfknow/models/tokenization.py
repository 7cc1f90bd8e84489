"""How text becomes tokens, in the same way for training and for asking."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from selfknow.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_TEXTS_PER_BATCH = 4096


def encode(
    tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str], *, special_tokens: bool = True
) -> list[list[int]]:
    """Tokenize texts without an end: whatever the tokenizer puts in front of a text stays, an end-of-sequence does not.

    Args:
        tokenizer: Any fast or slow tokenizer.
        texts: The texts.
        special_tokens: Whether the tokenizer puts its own tokens in front (a chat template brings them itself).
    """
    if not texts:
        return []
    rows = cast("list[list[int]]", tokenizer(list(texts), add_special_tokens=special_tokens)["input_ids"])
    end = tokenizer.eos_token_id
    return [row[:-1] if special_tokens and len(row) > 1 and row[-1] == end else row for row in rows]


def padding_token(tokenizer: "PreTrainedTokenizerBase") -> int:
    """What rows are padded with: its padding token, or where it has none its end-of-sequence token."""
    padding = tokenizer.pad_token_id
    return int(tokenizer.eos_token_id if padding is None else padding)


def decode(tokenizer: "PreTrainedTokenizerBase", tokens: Sequence[int]) -> str:
    """The text of generated tokens, byte for byte: special tokens go, spaces are left alone."""
    return cast("str", tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))


def check_round_trip(tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str], model: str) -> None:
    """Check that a tokenizer gives every text back byte for byte, as a model that learnt it perfectly would.

    Args:
        tokenizer: The tokenizer to check.
        texts: Training answers.
        model: What the user called the checkpoint, for the message.

    Raises:
        UserError: A text comes back changed; names the first one and where it changes.
    """
    if tokenizer.eos_token_id is None:
        raise UserError(f"the tokenizer of {model} has no end-of-sequence token: a model cannot learn where to stop")
    for start in range(0, len(texts), _TEXTS_PER_BATCH):
        batch = texts[start : start + _TEXTS_PER_BATCH]
        for text, tokens in zip(batch, encode(tokenizer, batch, special_tokens=False), strict=True):
            returned = decode(tokenizer, tokens)
            if returned != text:
                place = next(
                    (i for i, (one, other) in enumerate(zip(text, returned, strict=False)) if one != other),
                    min(len(text), len(returned)),
                )
                raise UserError(
                    f"the tokenizer of {model} cannot return a training answer byte for byte: "
                    f"{text[max(0, place - 20) : place + 20]!r} comes back as "
                    f"{returned[max(0, place - 20) : place + 20]!r}"
                )
