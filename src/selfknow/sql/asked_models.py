"""Who was asked in each run, as ``run.json`` knows it: names of folders mean nothing here.

Runs of an earlier version do not list their models. Only of those the generations are read to find who was asked, and
what nobody wrote down stays null.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import fsspec

from selfknow.models.facts import ModelFacts
from selfknow.models.interface import GRADE
from selfknow.models.known import KnownModel, known_model
from selfknow.runs.description import described_models
from selfknow.runs.reader import HUB, RunFolder
from selfknow.sql.literals import file_list


@dataclass(frozen=True)
class AskedModel:
    """A model in a run.

    Attributes:
        run: The run.
        name: As ``generations.model`` has it: a folder, a Hub id, an endpoint's address and model.
        revision: As ``generations.revision`` has it.
        facts: What ``run.json`` knows of it.
    """

    run: RunFolder
    name: str
    revision: str | None
    facts: ModelFacts

    @property
    def is_trained_here(self) -> bool:
        """Whether a training of this package made it."""
        return self.facts.recipe is not None

    @property
    def known(self) -> KnownModel | None:
        """The model of the paper that it is or was trained from; by its exact name alone."""
        return known_model(self.facts.origin) or (None if self.is_trained_here else known_model(self.name))

    @property
    def published(self) -> KnownModel | None:
        """The model of the paper that it is, as published."""
        return None if self.is_trained_here or self.facts.from_scratch else self.known

    @property
    def pretrained(self) -> bool | None:
        """Whether it started from a pretrained checkpoint; null where nobody knows."""
        if self.facts.from_scratch is not None:
            return not self.facts.from_scratch
        return True if self.published is not None and self.published.checkpoint is not None else None

    @property
    def num_parameters(self) -> int | None:
        """Its true size, or that of the published model."""
        published = self.published
        return self.facts.num_parameters or (None if published is None else published.num_parameters)

    @property
    def instruction_tuned(self) -> bool | None:
        """Whether it was tuned on instructions; null where nobody knows."""
        if self.facts.instruction_tuned_from is not None:
            return True
        if self.facts.instruction_tuned is not None or self.published is None:
            return self.facts.instruction_tuned
        return self.published.instruction_tuned_from is not None

    @property
    def instruction_tuned_from(self) -> str | None:
        """The model that it was tuned from on instructions."""
        if self.facts.instruction_tuned_from is not None or self.published is None:
            return self.facts.instruction_tuned_from
        return None if self.facts.instruction_tuned is False else self.published.instruction_tuned_from

    @property
    def corpus_key(self) -> str | None:
        """What tells the corpus that it was trained on from others: its content, or else its config."""
        corpus = self.facts.corpus or {}
        found = corpus.get("content_hash") or corpus.get("config")
        return None if found is None else str(found)

    @property
    def corpus_seed(self) -> int | None:
        """The seed that its corpus was drawn with."""
        parameters = (self.facts.corpus or {}).get("parameters")
        seed = parameters.get("seed") if isinstance(parameters, dict) else None
        return seed if isinstance(seed, int) else None

    def identity(self, own_label: str) -> tuple[Any, ...]:
        """What makes it this model, but for the corpus it was trained on and the seed of the training.

        Args:
            own_label: What it is called where nothing else is known of it.
        """
        facts = self.facts
        shape = (facts.label, facts.quantization, facts.precision)
        if self.is_trained_here:
            start = facts.parent_revision or facts.parent
            made = (facts.origin or facts.architecture, facts.num_parameters, facts.from_scratch, start)
            return ("trained", *made, facts.recipe_hash, *shape)
        if facts.origin is not None or known_model(self.name) is not None:
            return ("named", facts.origin or self.name, self.revision, facts.from_scratch, *shape)
        if facts.architecture is not None:
            return ("weights", self.revision, *shape)
        return ("called", own_label, facts.from_scratch, *shape)


def asked_models(runs: Sequence[RunFolder]) -> list[AskedModel]:
    """All models of all runs."""
    earlier = [run for run in runs if not isinstance(run.description.get("models"), list)]
    read = _in_generations(earlier) if earlier else {}
    return [model for run in runs for model in _of_run(run, read.get(run.run_id))]


def _of_run(run: RunFolder, read: Sequence[tuple[str, str | None]] | None) -> Iterator[AskedModel]:
    """The models of a run: those that it lists, or of an earlier version those that were ``read`` in it."""
    if read is None:
        for (name, revision), facts in described_models(run.description).items():
            yield AskedModel(run, name, revision, facts)
        return
    said = run.description.get("models")
    of_name = said if isinstance(said, dict) else {}
    for name, revision in read:
        known = of_name.get(name)
        yield AskedModel(run, name, revision, ModelFacts.from_json(known if isinstance(known, dict) else {}))


def _in_generations(runs: Sequence[RunFolder]) -> dict[str, list[tuple[str, str | None]]]:
    """Who was asked in runs of an earlier version, by their ids."""
    with duckdb.connect(config={"threads": 1}) as connection:
        if any(run.location.startswith(HUB) for run in runs):
            connection.register_filesystem(fsspec.filesystem("hf"))
        return {run.run_id: connection.execute(_who_was_asked(run)).fetchall() for run in runs}


def _who_was_asked(run: RunFolder) -> str:
    revision = "revision" if "revision" in run.columns["generations"] else "null"
    source = f"read_parquet({file_list(run.files['generations'])}, union_by_name = true, hive_partitioning = false)"
    who = f"select distinct model::varchar, {revision}::varchar as revision from {source}"  # noqa: S608
    return f"{who} where stage <> '{GRADE}' order by all"
