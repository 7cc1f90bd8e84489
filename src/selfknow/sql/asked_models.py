"""The models of each run and the facts about them, from its ``run.json``; no fact is guessed from a folder's name.

Runs of an earlier version do not list their models. Their models come from their generations, and facts that nobody
recorded are null.
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
        name: Its ``generations.model``: a folder, a Hub id, or an endpoint's address and model.
        revision: Its ``generations.revision``.
        facts: Its facts in ``run.json``.
    """

    run: RunFolder
    name: str
    revision: str | None
    facts: ModelFacts

    @property
    def is_trained_here(self) -> bool:
        """True for a model that this package trained."""
        return self.facts.recipe is not None

    @property
    def known(self) -> KnownModel | None:
        """The paper's model that it is, or was trained from, by the exact name; null if there is none."""
        return known_model(self.facts.origin) or (None if self.is_trained_here else known_model(self.name))

    @property
    def published(self) -> KnownModel | None:
        """The paper's model that it is; null if its weights are not the published ones."""
        return None if self.is_trained_here or self.facts.from_scratch else self.known

    @property
    def pretrained(self) -> bool | None:
        """True if it started from a pretrained checkpoint; null if unknown."""
        if self.facts.from_scratch is not None:
            return not self.facts.from_scratch
        return True if self.published is not None and self.published.checkpoint is not None else None

    @property
    def num_parameters(self) -> int | None:
        """Its recorded number of parameters, or else that of the published model."""
        published = self.published
        return self.facts.num_parameters or (None if published is None else published.num_parameters)

    @property
    def instruction_tuned(self) -> bool | None:
        """True if it was tuned on instructions; null if unknown."""
        if self.facts.instruction_tuned_from is not None:
            return True
        if self.facts.instruction_tuned is not None or self.published is None:
            return self.facts.instruction_tuned
        return self.published.instruction_tuned_from is not None

    @property
    def instruction_tuned_from(self) -> str | None:
        """The base model that was tuned on instructions; null if unknown or not tuned."""
        if self.facts.instruction_tuned_from is not None or self.published is None:
            return self.facts.instruction_tuned_from
        return None if self.facts.instruction_tuned is False else self.published.instruction_tuned_from

    @property
    def corpus_key(self) -> str | None:
        """The identity of its training corpus: the content hash, or else the config."""
        corpus = self.facts.corpus or {}
        key = corpus.get("content_hash") or corpus.get("config")
        return None if key is None else str(key)

    @property
    def corpus_seed(self) -> int | None:
        """The seed of its training corpus."""
        parameters = (self.facts.corpus or {}).get("parameters")
        seed = parameters.get("seed") if isinstance(parameters, dict) else None
        return seed if isinstance(seed, int) else None

    def identity(self, name_label: str) -> tuple[Any, ...]:
        """Return a key of the model that ignores its training corpus and its training seed.

        Args:
            name_label: The label by its name alone, for a model without known facts.
        """
        facts = self.facts
        shape = (facts.label, facts.quantization, facts.precision)
        if self.is_trained_here:
            start = facts.parent_revision or facts.parent
            training = (facts.origin or facts.architecture, facts.num_parameters, facts.from_scratch, start)
            return ("trained", *training, facts.recipe_hash, *shape)
        if facts.origin is not None or known_model(self.name) is not None:
            return ("named", facts.origin or self.name, self.revision, facts.from_scratch, *shape)
        if facts.architecture is not None:
            return ("weights", self.revision, *shape)
        return ("called", name_label, facts.from_scratch, *shape)


def asked_models(runs: Sequence[RunFolder]) -> list[AskedModel]:
    """Return all models of all runs."""
    earlier_runs = [run for run in runs if not isinstance(run.description.get("models"), list)]
    names = _read_models(earlier_runs) if earlier_runs else {}
    return [model for run in runs for model in _models_of_run(run, names.get(run.run_id))]


def _models_of_run(run: RunFolder, names: Sequence[tuple[str, str | None]] | None) -> Iterator[AskedModel]:
    """Yield a run's models with their facts.

    Args:
        run: The run.
        names: The names and revisions in the generations of an earlier version's run; null: ``run.json`` lists them.
    """
    if names is None:
        for (name, revision), facts in described_models(run.description).items():
            yield AskedModel(run, name, revision, facts)
        return
    models = run.description.get("models")
    facts_by_name = models if isinstance(models, dict) else {}
    for name, revision in names:
        values = facts_by_name.get(name)
        yield AskedModel(run, name, revision, ModelFacts.from_json(values if isinstance(values, dict) else {}))


def _read_models(runs: Sequence[RunFolder]) -> dict[str, list[tuple[str, str | None]]]:
    """Read the names and revisions of models in the generations of runs, by the runs' ids."""
    with duckdb.connect(config={"threads": 1}) as connection:
        if any(run.location.startswith(HUB) for run in runs):
            connection.register_filesystem(fsspec.filesystem("hf"))
        return {run.run_id: connection.execute(_select_models(run)).fetchall() for run in runs}


def _select_models(run: RunFolder) -> str:
    revision = "revision" if "revision" in run.columns["generations"] else "null"
    source = f"read_parquet({file_list(run.files['generations'])}, union_by_name = true, hive_partitioning = false)"
    models = f"select distinct model::varchar, {revision}::varchar as revision from {source}"  # noqa: S608
    return f"{models} where stage <> '{GRADE}' order by all"
