"""The validation of a training, on held-out questions and on samples of the documents and questions that it learns.

Decoding is greedy, and a reply counts only if it is right byte for byte, including its end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from selfknow.evaluate.tasks.diary_recall.prompts import Example, answer_requests, target
from selfknow.evaluate.tasks.diary_recall.score import answer_scores
from selfknow.models.interface import Decoding, Request
from selfknow.models.local import LocalModel
from selfknow.models.tokenization import encode
from selfknow.train.stopping import EXACT_MATCH, RECALL_OF_DOCUMENTS, RECALL_OF_TRAINING_QUESTIONS

if TYPE_CHECKING:
    import pyarrow as pa
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

SCORES = (EXACT_MATCH, "right_count", "right_content")
RECALL_OF_HELD_OUT_DOCUMENTS = "recall_of_held_out_documents"
_SEED = 0  # all trainings on a corpus are validated on the same samples, whatever their seed
_ROOM = 8  # tokens that a reply may have beyond its text's, since a model may spell it in shorter tokens


@dataclass(frozen=True)
class ValidationRows:
    """The rows that a training is validated on.

    Attributes:
        questions: Held-out questions; if there are none, there is no validation.
        documents: Training documents to recall.
        held_out: The ids of those documents whose diarist no training question asks about.
        training_questions: Training questions to answer.
    """

    questions: Sequence[Example] = ()
    documents: Sequence[Example] = ()
    held_out: frozenset[str] = frozenset()
    training_questions: Sequence[Example] = ()


def fixed_sample(rows: "pa.Table", limit: int) -> "pa.Table":
    """Draw at most ``limit`` rows, always the same ones, in their order; a limit of 0 draws all."""
    if not limit or len(rows) <= limit:
        return rows
    return rows.take(np.sort(np.random.default_rng(_SEED).permutation(len(rows))[:limit]))


def choose_validation_rows(train: "pa.Table", validation: "pa.Table", limit: int) -> ValidationRows:
    """Choose the rows that every validation asks.

    Half of the documents are by held-out diarists, if there are enough. Training asks nothing about those diarists, so
    the model sees their documents least often, and it needs them to answer held-out questions.

    Args:
        train: The training split.
        validation: The validation split.
        limit: The largest number of held-out questions, of documents and of training questions; 0: all.
    """
    import pyarrow.compute as pc

    is_question = pc.equal(train["kind"], "question")
    questions, documents = train.filter(is_question), train.filter(pc.invert(is_question))
    is_asked = pc.is_in(documents["diarist"], value_set=questions["diarist"].combine_chunks())
    others, held_out = documents.filter(is_asked), documents.filter(pc.invert(is_asked))
    if limit:
        held_out = fixed_sample(held_out, max((limit + 1) // 2, limit - len(others)))
        num_others = limit - len(held_out)
        # To fixed_sample, 0 would mean all rows.
        others = fixed_sample(others, num_others) if num_others else others.slice(0, 0)
    return ValidationRows(
        questions=fixed_sample(validation, limit).to_pylist(),
        documents=[*held_out.to_pylist(), *others.to_pylist()],
        held_out=frozenset(map(str, held_out["id"].to_pylist())),
        training_questions=fixed_sample(questions, limit).to_pylist(),
    )


@dataclass(frozen=True)
class Validation:
    """A validation by generating whole replies.

    Attributes:
        tokenizer: The model's tokenizer.
        rows: The rows to ask.
        decoding: Greedy decoding, up to the recipe's longest answer.
        batch_size: Replies generated at once.
    """

    tokenizer: "PreTrainedTokenizerBase"
    rows: ValidationRows = field(default_factory=ValidationRows)
    decoding: Decoding = field(default_factory=Decoding)
    batch_size: int = 64

    def counts(self, model: "PreTrainedModel", rank: int = 0, world_size: int = 1) -> dict[str, float]:
        """Ask this process's share of the rows, and count the right replies for each metric."""
        local = LocalModel(model, self.tokenizer, "training", batch_size=self.batch_size, chat=False)
        documents = self._recalls(local, self.rows.documents[rank::world_size], of_documents=True)
        questions = self._recalls(local, self.rows.training_questions[rank::world_size])
        return {
            **self._sum_scores(local, self.rows.questions[rank::world_size]),
            RECALL_OF_DOCUMENTS: sum(documents.values()),
            RECALL_OF_HELD_OUT_DOCUMENTS: sum(exact for name, exact in documents.items() if name in self.rows.held_out),
            RECALL_OF_TRAINING_QUESTIONS: sum(questions.values()),
        }

    def shares(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Turn counts over all processes into shares; if there are no held-out documents, their share is missing."""
        totals = {
            **dict.fromkeys(SCORES, len(self.rows.questions)),
            RECALL_OF_DOCUMENTS: len(self.rows.documents),
            RECALL_OF_HELD_OUT_DOCUMENTS: len(self.rows.held_out),
            RECALL_OF_TRAINING_QUESTIONS: len(self.rows.training_questions),
        }
        shares = {name: counts[name] / total for name, total in totals.items() if total}
        # Without rows to recall, nothing is left to learn.
        return {RECALL_OF_DOCUMENTS: 1.0, RECALL_OF_TRAINING_QUESTIONS: 1.0, **shares}

    def _sum_scores(self, local: LocalModel, questions: Sequence[Example]) -> dict[str, float]:
        entries = {str(example["id"]): target(example) for example in questions}
        sums = dict.fromkeys(SCORES, 0.0)
        for request, reply in local.generate(list(answer_requests(questions)), self.decoding):
            metrics, _ = answer_scores(reply.generation or "", entries[request.example_id], reply.finish_reason)
            for name in sums:
                sums[name] += metrics[name].value or 0.0
        return sums

    def _recalls(self, local: LocalModel, rows: Sequence[Example], *, of_documents: bool = False) -> dict[str, bool]:
        """Return, by id, true if the model recalls the row's text byte for byte and ends there."""
        # An encoder-decoder model learns to answer a document's title with the whole document.
        with_prompt = of_documents and bool(local.model.config.is_encoder_decoder)
        texts = {str(row["id"]): (str(row["prompt"]) if with_prompt else "") + str(row["completion"]) for row in rows}
        lengths = map(len, encode(self.tokenizer, list(texts.values())))
        requests = [
            Request(str(row["id"]), str(row["prompt"]), max_new_tokens=length + _ROOM)
            for row, length in zip(rows, lengths, strict=True)
        ]
        return {
            request.example_id: reply.generation == texts[request.example_id] and reply.finish_reason == "stop"
            for request, reply in local.generate(requests, self.decoding)
        }
