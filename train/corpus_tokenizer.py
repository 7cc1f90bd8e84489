"""A tokenizer trained from the corpus, for models from scratch on machines without a network."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

PAD, END = "<pad>", "<end>"
_PIECES = r"\n|\d| ?[^\s\d]+|\s"


def train_tokenizer(texts: Iterable[str], vocab_size: int = 4_096) -> "PreTrainedTokenizerBase":
    """Train a byte-level BPE tokenizer whose tokens never cross a word, a digit or a newline.

    The tokenizer can spell every text, so it returns every text byte for byte. If the vocabulary has room, each word of
    the corpus becomes a token, which is the same at the start of a line and within it. So a name is always one token.

    Args:
        texts: The corpus.
        vocab_size: The largest number of tokens, including the 256 bytes and the two special tokens.

    Example:
        >>> tokenizer = train_tokenizer(["Tom's Diary Entry 1"] * 2)
        >>> tokenizer.decode(tokenizer("Zoë's Diary Entry 2")["input_ids"])
        "Zoë's Diary Entry 2"
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    # A space before every line gives its first word the same token as elsewhere; the decoder removes the space.
    line_start = normalizers.Replace(Regex(r"\n(?=[^\n])"), "\n ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(" "), line_start])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteLevel(), decoders.Fuse(), decoders.Replace("\n ", "\n"), decoders.Strip(" ", 1, 0)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        special_tokens=[PAD, END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, clean_up_tokenization_spaces=False
    )
