"""The experiment of Tan et al., section 6.3: models before and after tuning on their own and each other's creations.

::

    FOLDER/MODEL/initial/gsm8k                  the run folder of GSM8K before
    FOLDER/MODEL/CREATIONS-raw/                 a training on one version of one folder of creations …
    FOLDER/MODEL/CREATIONS-raw/gsm8k            … and the run folder of GSM8K after
    FOLDER/MODEL/CREATIONS-corrected/…

Every stage resumes where it stopped; complete stages are not repeated.
"""

import gc
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from selfknow.errors import UserError
from selfknow.evaluate.ask import ask_task
from selfknow.evaluate.score import score_to_files
from selfknow.evaluate.task import Models
from selfknow.evaluate.tasks.gsm8k.questions import Questions
from selfknow.evaluate.tasks.gsm8k.task import GSM8K, Gsm8kOptions, question_rows
from selfknow.evaluate.tasks.self_knowledge.creations import VERSIONS, Creations
from selfknow.models import checkpoints
from selfknow.models.deferred import DeferredModel
from selfknow.models.interface import Decoding
from selfknow.train.run import train
from selfknow.train.tuning import TuningJob, longest_example
from selfknow.train.tuning_memory import GIB, tuning_memory
from selfknow.train.tuning_settings import TuningSettings

_LONGEST_NAME = 100  # characters of a folder's name


@dataclass(frozen=True)
class Experiment:
    """The models of an experiment, the creations they are tuned on, and the questions they are asked.

    Attributes:
        models: Checkpoint folders, GGUF files or Hub ids.
        creations: The creations that each model is tuned on, its own and others'.
        questions: The questions before and after.
        versions: The versions of the creations: raw, corrected, or both.
        settings: The settings of the tuning.
        decoding: The decoding of replies.
        limit: The largest number of questions; null for all.
        batch_size: The number of questions asked at once.
        chat: Render questions with the chat template; null renders so if the tokenizer has one.
        micro_batch_size: The largest number of questions in a forward pass of the tuning; null for all of a step.
    """

    models: tuple[str, ...]
    creations: tuple[Creations, ...]
    questions: Questions
    versions: tuple[str, ...] = VERSIONS
    settings: TuningSettings = field(default_factory=TuningSettings)
    decoding: Decoding = field(default_factory=Decoding)
    limit: int | None = None
    batch_size: int = 64
    chat: bool | None = None
    micro_batch_size: int | None = None

    def check(self) -> None:
        """Check, before the first stage, the inputs that would otherwise fail half-way.

        Raises:
            UserError: A model is missing, a version is incomplete, or two models or folders have the same name.
        """
        for model in self.models:
            checkpoints.locate(model)
        for creations in self.creations:
            for version in self.versions:
                creations.answers(version)
            for version in self.versions:
                creations.version(version)
        names = {
            "models": [short_name(model) for model in self.models],
            "folders of creations": [creations.folder.resolve().name for creations in self.creations],
        }
        for kind, short_names in names.items():
            if duplicates := {name for name in short_names if short_names.count(name) > 1}:
                raise UserError(
                    f"two {kind} have the same name {duplicates.pop()}: give them different names, because "
                    "their results go into folders of those names"
                )

    def jobs(self, model: str) -> Iterator[tuple[str, TuningJob]]:
        """Yield the tunings of a model, each with the name of its folder."""
        for creations in self.creations:
            for version in self.versions:
                name = f"{creations.folder.resolve().name}-{version}"
                job = TuningJob(model, creations, version, self.settings, self.chat, self.batch_size)
                yield name, replace(job, micro_batch_size=self.micro_batch_size)


def plan_experiment(experiment: Experiment) -> list[dict[str, object]]:
    """Return the trainings of an experiment and the memory that each takes, without starting any.

    Returns:
        A row for each training with ``model``, ``creations``, ``n_tuned_on``, ``num_steps``, ``longest_tokens``,
        ``num_parameters``, ``num_trained``, its memory in GiB (:meth:`TuningMemory.as_gib`), ``card_gib`` (the memory
        of this machine's GPU; null without one) and ``fits`` (true if the GPU has enough memory).

    Raises:
        UserError: See :meth:`Experiment.check`.
    """
    from selfknow.train.hardware import gpu_memory_in_bytes

    experiment.check()
    gpu_memory = gpu_memory_in_bytes()
    rows: list[dict[str, object]] = []
    for model in experiment.models:
        for name, job in experiment.jobs(model):
            longest = longest_example(job)
            num_questions = len(job.creations.version(job.version))
            micro_batch_size = min(job.micro_batch_size or job.recipe.examples_per_step, num_questions)
            memory = tuning_memory(model, job.recipe, longest, micro_batch_size)
            rows.append(
                {
                    "model": model,
                    "creations": name,
                    "n_tuned_on": num_questions,
                    "num_steps": job.recipe.max_steps,
                    "longest_tokens": longest,
                    "num_parameters": memory.num_parameters,
                    "num_trained": memory.num_trained,
                    **memory.as_gib(),
                    "card_gib": None if gpu_memory is None else gpu_memory / GIB,
                    "fits": None if gpu_memory is None else memory.total < gpu_memory,
                }
            )
    return rows


@dataclass(frozen=True)
class ExperimentResult:
    """The results of an experiment.

    Attributes:
        runs: The run folders of GSM8K.
        failed: The number of questions without an answer; another run asks them again.
    """

    runs: tuple[Path, ...]
    failed: int


def run_experiment(experiment: Experiment, folder: Path, *, quiet: bool = False) -> ExperimentResult:
    """Ask every model the questions, tune it, and ask it again; complete stages are skipped.

    Args:
        experiment: The models, creations and questions.
        folder: The folder for the results.
        quiet: Show no progress bars of the stages.

    Raises:
        UserError: See :meth:`Experiment.check`; or a folder holds another training or run.
    """
    from selfknow.bars import Bar

    experiment.check()
    runs, failed = [], 0
    num_stages = len(experiment.models) * (1 + len(experiment.creations) * len(experiment.versions))
    with Bar(total=num_stages, unit="model", desc="tune", disable=quiet) as bar:
        for model in experiment.models:
            model_folder = folder / short_name(model)
            bar.set_postfix_str(f"{model}, initial")
            runs.append(model_folder / "initial" / "gsm8k")
            failed += _ask(experiment, model, runs[-1])
            bar.update()
            for name, job in experiment.jobs(model):
                bar.set_postfix_str(f"{model}, {name}")
                train(job, model_folder / name)
                gc.collect()  # the Trainer's reference cycles would keep its model in memory
                runs.append(model_folder / name / "gsm8k")
                failed += _ask(experiment, str(model_folder / name), runs[-1], job)
                bar.update()
    return ExperimentResult(tuple(runs), failed)


def _ask(experiment: Experiment, model: str, run: Path, job: TuningJob | None = None) -> int:
    """Ask a model GSM8K, score its replies, and return the number of questions without an answer."""
    # Ask without examples, since the tuning's prompt has none either.
    options = Gsm8kOptions(limit=experiment.limit, examples=False)
    rows = question_rows(experiment.questions, options, None if job is None else _tuning(job))
    deferred = DeferredModel(model, batch_size=experiment.batch_size, chat=experiment.chat)
    decoding = replace(experiment.decoding, stop=(*experiment.decoding.stop, *rows.decoding.stop))
    (progress,) = ask_task(GSM8K, rows, options, Models([deferred]), run, decoding)
    if progress.answered or not list((run / "scores").glob("*.parquet")):
        score_to_files(run)
    return progress.failed


def _tuning(job: TuningJob) -> dict[str, object]:
    """Return the description of a tuned model for ``run.json``."""
    facts = job.as_json()
    return {
        **{name: facts[name] for name in ("model", "revision", "creator", "version", "content_hash", "num_questions")},
        "is_own": is_own(job, facts["revision"]),
        "settings": asdict(job.settings),
    }


def is_own(job: TuningJob, revision: object) -> bool:
    """Return true if a job tunes the model that wrote the questions, by its name or by its revision."""
    creator = job.creations.creator
    same_name = creator == job.model or Path(creator).expanduser().resolve() == Path(job.model).expanduser().resolve()
    return same_name or (revision is not None and revision == job.creations.revision)


def short_name(model: str) -> str:
    """Return a folder name for a model.

    Example:
        >>> short_name("meta-llama/Llama-2-7b-chat-hf")
        'meta-llama--Llama-2-7b-chat-hf'
    """
    return re.sub(r"[^\w.-]+", "--", model.strip("./~"))[-_LONGEST_NAME:].lstrip("-.") or "model"
