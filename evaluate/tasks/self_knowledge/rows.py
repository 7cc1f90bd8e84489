"""The rows of a self-knowledge run: the examples of a task, and reused texts of an earlier run."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from selfknow.errors import UserError
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.task import Reuse, ReusedReply, Row, Rows
from selfknow.evaluate.tasks.completions import completion_settings, frame_stop
from selfknow.evaluate.tasks.self_knowledge.benchmark import rows_of
from selfknow.evaluate.tasks.self_knowledge.options import BenchmarkOptions, PictureOptions, SelfKnowledgeOptions
from selfknow.evaluate.tasks.self_knowledge.protocols import GENERATE, Example, Setup
from selfknow.evaluate.tasks.self_knowledge.worked import worked_examples
from selfknow.files import read_json
from selfknow.models.images.generators import ImageSettings
from selfknow.models.images.pictures import find, store
from selfknow.models.interface import Reply, Request
from selfknow.runs.description import DatasetReference
from selfknow.runs.schema import last_attempts, read_generations

_COLUMNS = {"id", "task", "style", "generate_prompt", "verify_prompt", "params"}
_REPLY = ("generation", "finish_reason", "prompt_tokens", "completion_tokens", "logprob")


def open_rows(name: str, options: SelfKnowledgeOptions) -> Rows:
    """Read the rows of a set, and choose those of the run.

    Args:
        name: The set, such as ``self-knowledge:total-count`` or ``FOLDER:CONFIG``.
        options: The options of the run.

    Raises:
        UserError: There is no such set, benchmark, protocol, wording or style, the task does not fit the protocol,
            or the earlier run cannot be read.
    """
    dataset = open_dataset(name)
    benchmark = options.benchmark if isinstance(options, BenchmarkOptions) else None
    table, reference, own_questions = rows_of(dataset, options.split, benchmark, options.protocol)
    return choose_rows(dataset.config, table, reference, options, own_questions)


def choose_rows(
    config: str,
    table: pa.Table,
    reference: DatasetReference,
    options: SelfKnowledgeOptions,
    own_questions: pa.Table | None = None,
) -> Rows:
    """Choose the rows that fit a protocol, wording and styles.

    Args:
        config: The task.
        table: The rows of the task.
        reference: The dataset that they come from.
        options: The options of the run.
        own_questions: Rows of a benchmark's own questions, which are asked beside the new ones.

    Raises:
        UserError: There is no such protocol, wording or style, the task does not fit the protocol, or the earlier
            run cannot be read.
    """
    setup = setup_of(config, options)
    all_examples = examples_of(table, setup)
    setup.check(all_examples, pictures=isinstance(options, PictureOptions) and options.has_pictures)
    examples = _first(all_examples, setup, options.limit)
    table = table.filter(pc.field("id").isin(list(examples)))
    if own_questions is not None:
        chosen_questions = _first(examples_of(own_questions, setup), setup, options.limit)
        table = pa.concat_tables([table, own_questions.filter(pc.field("id").isin(list(chosen_questions)))])
    settings: dict[str, object] = {
        "protocol": setup.protocol,
        "wording": setup.wording,
        "styles": list(setup.styles),
        "samples": options.samples,
        "limit": options.limit,
        "completion": _completion(setup, options),
        "reuse": str(read_json(options.reuse / "run.json")["run_id"]) if options.reuse else None,
        **({"context": "conversation"} if setup.is_in_context else {}),
        **({"drawing": image_settings(options).as_json()} if isinstance(options, PictureOptions) else {}),
    }
    return Rows(table, reference, settings, reuse=_reuse(setup, examples, options.reuse) if options.reuse else None)


def _completion(setup: Setup, options: SelfKnowledgeOptions) -> dict[str, object] | None:
    """Return the settings for completion models; null if they get the prompts unchanged."""
    examples = worked_examples()
    entries, writing = (examples[part].get(setup.task, ()) for part in ("tasks", "writing"))
    if not entries or options.examples is False or (options.examples is None and setup.wording == "paper"):
        return None
    return completion_settings([entries, writing, examples["cot"]], len(entries), frame_stop())


def setup_of(config: str, options: SelfKnowledgeOptions) -> Setup:
    """Return the setup of a config's task: protocol, wording and styles."""
    return Setup(config, options.protocol, options.wording, options.style or ("plain",))


def image_settings(options: PictureOptions) -> ImageSettings:
    """Return the size, steps and guidance of pictures; null for a generator's own default."""
    return ImageSettings.from_size(options.image_size, options.image_steps, options.image_guidance)


def examples_of(table: pa.Table, setup: Setup) -> list[Example]:
    """Return the examples of a table, in the styles of a setup.

    Raises:
        UserError: The table holds no rows of self-knowledge.
    """
    if not set(table.column_names) >= _COLUMNS:
        raise UserError(f"these are not rows of self-knowledge: their columns are {', '.join(table.column_names)}")
    examples = [Example.of(row, setup.wording) for row in table.to_pylist()]
    return [example for example in examples if example.style in setup.styles]


def _first(examples: Sequence[Example], setup: Setup, limit: int | None) -> dict[str, Example]:
    """Return the first ``limit`` examples of every style that fit the protocol, by their ids."""
    fitting = [example for example in examples if setup.has_part(example)]
    ids: set[str] = set()
    for style in setup.styles:
        ids.update([example.id for example in fitting if example.style == style][:limit])
    return {example.id: example for example in fitting if example.id in ids}


def _reuse(setup: Setup, examples: Mapping[str, Example], earlier: Path) -> Reuse:
    """Return the texts of an earlier run that fit the examples; each copy has the original as its parent."""
    texts = [
        row
        for row in last_attempts(read_generations(earlier)).to_pylist()
        if row["stage"] == GENERATE and row["error"] is None
    ]
    texts_by_example: dict[str, list[Row]] = {}
    for text in texts:
        texts_by_example.setdefault(text["example_id"], []).append(text)
    sources = {example.id: example.params["source_id"] or example.id for example in examples.values()}
    replies = [
        _reused(setup, example, text, earlier)
        for example in examples.values()
        for text in texts_by_example.get(sources[example.id], [])
    ]
    description = f"texts for {next(iter(sources.values()))}, …"
    return Reuse(earlier, replies, description, sorted({text["model"] for text in texts}))


def _reused(setup: Setup, example: Example, text: Row, earlier: Path) -> ReusedReply:
    request = Request(
        example.id,
        text["prompt"],
        GENERATE,
        setup.variant,
        text["sample"],
        parent_generation_id=text["generation_id"],
    )
    keep = partial(take_over_picture, text["generation"], earlier) if example.is_about_a_picture else None
    reply = Reply(**{name: text[name] for name in _REPLY})
    return ReusedReply(text["model"], text["revision"], request, reply, keep)


def take_over_picture(name: str, earlier: Path, folder: Path) -> None:
    """Copy a picture of an earlier run into this one.

    Args:
        name: The picture's name in both runs.
        earlier: The run folder that holds it.
        folder: The run folder that gets the copy.

    Raises:
        UserError: The picture is missing in the earlier run, or was changed.
    """
    store(folder, find(earlier, name).read_bytes())
