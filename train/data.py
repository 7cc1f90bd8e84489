"""Training rows, tokenized once, and the stream of their examples; any step can be read from the stream."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from torch.utils.data import Dataset

from selfknow.errors import UserError
from selfknow.models.tokenization import encode
from selfknow.train.recipe import Recipe

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_TEXTS_PER_BATCH = 8_192
Tokens = NDArray[np.int32]
Example = Mapping[str, Tokens]


@dataclass(frozen=True)
class TokenRows:
    """Rows of tokens, end to end: row i is ``values[ends[i - 1] : ends[i]]``."""

    values: Tokens
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.ends)

    def __getitem__(self, row: int) -> Tokens:
        """Return the tokens of one row."""
        return self.values[self.ends[row - 1] if row else 0 : self.ends[row]]


def token_rows(rows: Sequence[Sequence[int]]) -> TokenRows:
    """Lay rows of tokens end to end."""
    values = np.array([token for row in rows for token in row], dtype=np.int32)
    return TokenRows(values, np.cumsum([len(row) for row in rows], dtype=np.int64))


def tokenize(tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str], *, special_tokens: bool = True) -> TokenRows:
    """Tokenize texts and add an end-of-sequence token to each, because the experiment measures where a text ends."""
    end = np.array([tokenizer.eos_token_id], dtype=np.int32)
    pieces: list[Tokens] = []
    lengths: list[int] = []
    for start in range(0, len(texts), _TEXTS_PER_BATCH):
        for row in encode(tokenizer, texts[start : start + _TEXTS_PER_BATCH], special_tokens=special_tokens):
            pieces += (np.array(row, dtype=np.int32), end)
            lengths.append(len(row) + 1)
    values = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int32)
    return TokenRows(values, np.cumsum(lengths, dtype=np.int64))


@dataclass(frozen=True)
class TrainingRows:
    """The tokenized training split.

    Attributes:
        inputs: The encoder's input; null for a causal model.
        outputs: The tokens to learn. Causal model: prompt and completion. Encoder-decoder model: the answer, or the
            whole document (its title is the prompt, and is repeated in the output).
        is_question: True for questions, (n,).
        num_unlearnt: For a causal model, the number of tokens at each row's start that are not learnt, (n,); null if
            all are.
    """

    inputs: TokenRows | None
    outputs: TokenRows
    is_question: NDArray[np.bool_]
    num_unlearnt: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.outputs)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each row, including the encoder's, (n,)."""
        sides = [self.outputs] if self.inputs is None else [self.inputs, self.outputs]
        lengths: NDArray[np.int64] = np.sum([np.diff(side.ends, prepend=0) for side in sides], axis=0)
        return lengths

    def __getitem__(self, row: int) -> Example:
        """Return the tokens of one example."""
        example = {"labels": self.outputs[row]}
        if self.num_unlearnt is not None:
            example["num_unlearnt"] = self.num_unlearnt[row : row + 1]
        return example if self.inputs is None else {"input_ids": self.inputs[row], **example}


def training_rows(table: pa.Table, tokenizer: "PreTrainedTokenizerBase", *, encoder_decoder: bool) -> TrainingRows:
    """Tokenize the training split for one kind of model (Prato et al., section 3.2).

    Raises:
        UserError: The table is not the training split of a diary corpus.
    """
    if missing := {"kind", "prompt", "completion"} - set(table.column_names):
        raise UserError(f"the training split lacks the columns {', '.join(sorted(missing))}")
    is_question = np.asarray(pc.equal(table["kind"], "question").to_numpy(zero_copy_only=False), dtype=np.bool_)
    if not len(table) or is_question.all():
        raise UserError("the training split holds no documents")
    prompts, completions = table["prompt"], table["completion"]
    texts = pc.binary_join_element_wise(prompts, completions, "")
    if not encoder_decoder:
        return TrainingRows(None, tokenize(tokenizer, texts.to_pylist()), is_question)
    outputs = pc.if_else(pa.array(is_question), completions, texts)
    return TrainingRows(
        tokenize(tokenizer, prompts.to_pylist()),
        tokenize(tokenizer, outputs.to_pylist(), special_tokens=False),
        is_question,
    )


class Stream(Dataset[Example]):
    """All examples of a training run in the order they are learnt, shuffled anew every epoch.

    The order depends only on the seed and the recipe, so a run that was killed resumes with the same examples.

    Args:
        rows: The tokenized training split.
        recipe: The recipe.
        length: The number of examples in the whole run; null for as many as the recipe's steps need.
    """

    def __init__(self, rows: TrainingRows, recipe: Recipe, length: int | None = None) -> None:
        self._rows = rows
        self._seed = recipe.seed
        self._length = recipe.num_steps(len(rows)) * recipe.examples_per_step if length is None else length
        all_rows = np.arange(len(rows))
        if recipe.documents_first:
            self._first_phase = recipe.documents_first * recipe.examples_per_step
            self._phases = [all_rows[~rows.is_question], all_rows[rows.is_question]]
        else:
            self._first_phase = self._length
            self._phases = [all_rows, all_rows[:0]]
        self._cached_epoch: tuple[int, int] | None = None
        self._order = all_rows

    def __len__(self) -> int:
        """Return the number of examples in the whole training run."""
        return self._length

    @property
    def num_rows(self) -> int:
        """The number of rows of the training split; an epoch sees each once."""
        return len(self._rows)

    def num_tokens(self, num_examples: int) -> int:
        """Return the number of tokens of the first ``num_examples`` examples, including the encoder's."""
        lengths = self._rows.lengths
        total = 0
        for phase, (rows, start) in enumerate(zip(self._phases, (0, self._first_phase), strict=True)):
            end = min(num_examples, self._first_phase) if phase == 0 else num_examples
            if end > start:
                whole_epochs = (end - start) // len(rows)
                rest = [self.row(position) for position in range(start + whole_epochs * len(rows), end)]
                total += whole_epochs * int(lengths[rows].sum()) + int(lengths[rest].sum())
        return total

    def __getitem__(self, position: int) -> Example:
        """Return the example at a position of the stream."""
        return self._rows[self.row(position)]

    def row(self, position: int) -> int:
        """Return the index of the training row at a position of the stream."""
        phase = int(position >= self._first_phase)
        rows = self._phases[phase]
        epoch, index = divmod(position - phase * self._first_phase, len(rows))
        if self._cached_epoch != (phase, epoch):
            self._order = np.random.default_rng([self._seed, phase, epoch]).permutation(rows)
            self._cached_epoch = (phase, epoch)
        return int(self._order[index])

    def rows(self, positions: range) -> Iterator[int]:
        """Return the indices of the training rows at several positions."""
        return map(self.row, positions)
