"""The preparation of a tokenizer for training: every special token is in place, and no training answer is changed."""

from typing import TYPE_CHECKING

from selfknow.models.tokenization import encode

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_PAD = "<pad>"
_NEWLINE = "\n"


def prepare(tokenizer: "PreTrainedTokenizerBase") -> "PreTrainedTokenizerBase":
    """Prepare a checkpoint's tokenizer for training on diaries.

    A tokenizer without a separate padding token gets one, since the label of an end-of-sequence must never look like
    padding. A tokenizer that turns newlines into spaces, as T5's does, gets a newline token, and a decoder that puts no
    space after it. Every tokenizer gets the chat template that renders a question and its newline.

    Returns:
        The tokenizer to use; another object if its decoder had to change.
    """
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
        tokenizer.add_special_tokens({"pad_token": _PAD})
    if not _keeps_newlines(tokenizer):
        tokenizer = _with_newline(tokenizer)
    tokenizer.chat_template = chat_template(tokenizer)
    return tokenizer


def _keeps_newlines(tokenizer: "PreTrainedTokenizerBase") -> bool:
    tokens = encode(tokenizer, ["a\nb"], special_tokens=False)[0]
    return tokenizer.decode(tokens, clean_up_tokenization_spaces=False) == "a\nb"


def _with_newline(tokenizer: "PreTrainedTokenizerBase") -> "PreTrainedTokenizerBase":
    """Add a newline token, and remove the space that a word-start marker leaves after it.

    The changed pipeline lives in a plain fast tokenizer, because T5's own class rebuilds its decoder when loaded.
    """
    from tokenizers import AddedToken, decoders
    from transformers import PreTrainedTokenizerFast

    tokenizer.add_tokens([AddedToken(_NEWLINE, normalized=False)])
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or _keeps_newlines(tokenizer):
        return tokenizer
    after_newline = decoders.Replace(f"{_NEWLINE} ", _NEWLINE)
    backend.decoder = decoders.Sequence([backend.decoder, decoders.Fuse(), after_newline])
    special = {name: str(token) for name, token in tokenizer.special_tokens_map.items() if isinstance(token, str)}
    return PreTrainedTokenizerFast(tokenizer_object=backend, clean_up_tokenization_spaces=False, **special)


def chat_template(tokenizer: "PreTrainedTokenizerBase") -> str:
    """Return a Jinja template that renders the tokenizer's first special tokens, the last message and one newline.

    A server renders this template and tokenizes the result without special tokens, so a first token such as OPT's must
    come from the template.
    """
    plain = encode(tokenizer, ["a"], special_tokens=False)[0]
    special = encode(tokenizer, ["a"])[0]
    prefix = str(tokenizer.decode(special[: len(special) - len(plain)]))
    quoted = prefix.replace("\\", "\\\\").replace("'", "\\'")
    start = f"{{{{- '{quoted}' -}}}}" if prefix else ""
    return start + (
        "{%- set content = messages[-1]['content'] -%}"
        "{{- content -}}"
        "{%- if content[-1:] != '\\n' -%}{{- '\\n' -}}{%- endif -%}"
    )
