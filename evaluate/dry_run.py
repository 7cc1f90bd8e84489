"""Dry runs: the requests of a run are made and counted, but not sent.

The driver asks stand-ins instead of the models, in a copy of the run folder. A stand-in's replies are as long as
allowed, so the prompts of later stages that quote them are as long as possible, too.
"""

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import MissingExtraError, UserError, argument
from selfknow.evaluate.ask import ask_task
from selfknow.evaluate.collect import Progress
from selfknow.evaluate.task import Options, Rows, Task
from selfknow.models.interface import Decoding, LanguageModel, Reply, Request
from selfknow.models.opening import ModelOptions
from selfknow.models.token_counts import BYTES_PER_TOKEN, count_prompt, longest_reply
from selfknow.row_table import RowTable

if TYPE_CHECKING:
    from selfknow.models.images.generators import DrawResult, ImageGenerator, ImageSettings

_FILLER = "a "
"""The text that a stand-in repeats as its reply; most tokenizers read each repetition as one token."""
_COUNTS = ("requests", "prompt_tokens", "reply_tokens")


class Cost(RowTable):
    """The requests and tokens of a run, a row per stage and model; numbers that depend on replies are null.

    Attributes:
        notes: The assumptions behind the numbers, a sentence each.
    """

    def __init__(self, rows: Sequence[dict[str, object]], notes: Iterable[str]) -> None:
        super().__init__(rows)
        self.notes = tuple(notes)

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *self.notes])


@dataclass
class Tally:
    """The tokens of one stage and model.

    Attributes:
        prompt_tokens: The tokens of all prompts.
        reply_tokens: The largest possible number of tokens of all replies.
        is_estimate: True if the tokens of a prompt were estimated.
        quotes_replies: True if a prompt contains a reply of an earlier stage.
    """

    prompt_tokens: int = 0
    reply_tokens: int = 0
    is_estimate: bool = False
    quotes_replies: bool = False


Tallies = dict[tuple[str, str], Tally]


def count_run(
    task: Task[Any, Any],
    rows: Rows,
    options: Options,
    opening: ModelOptions,
    folder: Path,
    decoding: Decoding,
) -> Cost:
    """Count the remaining requests of a run; the arguments are those of :func:`selfknow.evaluate.ask.ask_task`.

    Raises:
        UserError: The folder holds another run, or a model cannot be found.
    """
    tallies: Tallies = defaultdict(Tally)
    counting = CountingOptions(**vars(opening), tallies=tallies)
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary)
        try:
            _copy_run(folder, copy)
            models = task.open_models(options, counting, copy)
            progress = ask_task(task, rows, options, models, copy, decoding, quiet=True)
        except UserError as error:
            raise UserError(str(error).replace(str(copy), str(folder))) from error
    return Cost(_rows(progress, tallies), _notes(progress, tallies, decoding))


def _copy_run(folder: Path, copy: Path) -> None:
    """Copy a run folder: its description as files, everything else as links."""
    for path in folder.iterdir() if folder.exists() else ():
        if path.name in ("run.json", "examples.parquet"):
            shutil.copy(path, copy)
        elif path.name in ("generations", "images"):
            (copy / path.name).mkdir()
            for file in path.iterdir():
                (copy / path.name / file.name).symlink_to(file.absolute())
        elif path.name != "run.lock":
            (copy / path.name).symlink_to(path.absolute())


def _rows(progress: Sequence[Progress], tallies: Tallies) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for stage_progress in progress:
        tally = tallies[stage_progress.stage, stage_progress.model]
        row: dict[str, object] = {
            "stage": stage_progress.stage,
            "model": stage_progress.model,
            "requests": stage_progress.answered,
            "prompt_tokens": tally.prompt_tokens,
            "reply_tokens": tally.reply_tokens,
        }
        if _is_unknown(stage_progress, progress):
            row |= dict.fromkeys(_COUNTS)
        rows.append(row)
    if len(rows) > 1:
        rows.append({"stage": "all", "model": "", **{name: _column_sum(rows, name) for name in _COUNTS}})
    return rows


def _column_sum(rows: Sequence[dict[str, object]], name: str) -> int:
    """Return the sum of a column's known numbers."""
    values = [row[name] for row in rows]
    return sum(value for value in values if isinstance(value, int))


def _is_unknown(stage_progress: Progress, progress: Sequence[Progress]) -> bool:
    """Return true if a later stage has no requests, because they can only be made from real replies."""
    return stage_progress.requested == 0 and stage_progress.stage != progress[0].stage


def _notes(progress: Sequence[Progress], tallies: Tallies, decoding: Decoding) -> Iterator[str]:
    yield f"nothing was asked; every reply is counted as {decoding.max_new_tokens:,} tokens, the maximum"
    estimated = sorted({model for (_, model), tally in tallies.items() if tally.is_estimate})
    if estimated:
        yield f"the prompt tokens of {', '.join(estimated)} are estimated at one token per {BYTES_PER_TOKEN} bytes"
    quoting = _unique(stage for (stage, _), tally in tallies.items() if tally.quotes_replies)
    if quoting:
        yield (
            "prompts of these stages quote replies, counted at full length until the real ones exist: "
            f"{', '.join(quoting)}"
        )
    unknown = _unique(stage_progress.stage for stage_progress in progress if _is_unknown(stage_progress, progress))
    if unknown:
        yield f"the requests of these stages depend on the replies, and are not counted: {', '.join(unknown)}"


def _unique(stages: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(stages))


class StandIn:
    """A stand-in for a model, which counts requests and replies at full length.

    Args:
        model: The model, without its weights.
        tallies: The tallies to add to.
    """

    def __init__(self, model: LanguageModel, tallies: Tallies) -> None:
        self._model = model
        self._tallies = tallies
        self.name = model.name
        self.revision = model.revision

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Count requests, and yield replies with the largest possible number of tokens."""
        for request in requests:
            tally = self._tallies[request.stage, self.name]
            prompt = count_prompt(self._model, request)
            limit = longest_reply(self._model, request, decoding)
            tally.prompt_tokens += prompt.tokens
            tally.reply_tokens += limit
            tally.is_estimate |= prompt.is_estimate
            tally.quotes_replies |= request.parent_generation_id is not None
            # An estimate is made from bytes, so a token of the reply takes BYTES_PER_TOKEN of them.
            repetitions_per_token = BYTES_PER_TOKEN / len(_FILLER) if prompt.is_estimate else 1
            yield request, Reply(_FILLER * round(limit * repetitions_per_token), "length")


@dataclass(frozen=True)
class ModelWithoutTokenizer:
    """A model with only a name, whose tokens are estimated."""

    name: str
    revision: str | None = None

    def generate(  # noqa: D102
        self,
        requests: Sequence[Request],  # noqa: ARG002
        decoding: Decoding,  # noqa: ARG002
    ) -> Iterator[tuple[Request, Reply]]:
        raise AssertionError("a stand-in answers")


@dataclass(frozen=True, kw_only=True)
class CountingOptions(ModelOptions):
    """Model options that open a stand-in for the model; only configuration and tokenizer are read, no weights."""

    tallies: Tallies = field(default_factory=dict)

    def language_model(self, *, image_input: bool = False, image_output: bool = False) -> LanguageModel:
        """Return a stand-in for the model.

        Raises:
            UserError: The model cannot be opened, or it both draws and reads pictures.
        """
        if image_output:
            raise UserError(
                f"a model that draws and sees is not counted before it runs: leave out {argument('dry_run', True)}"
            )
        is_local = isinstance(self.model, str) and self.endpoint is None
        if is_local:
            model = self._without_weights(str(self.model), image_input=image_input)
        else:
            model = super().language_model(image_input=image_input)
        return StandIn(model, self.tallies)

    def _without_weights(self, name: str, *, image_input: bool) -> LanguageModel:
        from selfknow.models import checkpoints

        try:
            checkpoints.require_models_extra()
        except MissingExtraError:
            return ModelWithoutTokenizer(name)
        from selfknow.models.local import LocalModel

        checkpoints.quieten()
        config = checkpoints.load_config(name)
        revision = checkpoints.revision(name, config)
        if image_input:  # the number of tokens of a picture depends on the model's own processor
            return ModelWithoutTokenizer(name, revision)
        return LocalModel.without_weights(config, checkpoints.load_tokenizer(name), name, revision, chat=self.chat)

    def image_generator(self, name: str | None, address: str | None, settings: "ImageSettings") -> "ImageGenerator":
        """Return a stand-in for an image generator, which draws a dot."""
        return _Dots(super().image_generator(name, address, settings))


class _Dots:
    """A stand-in for an image generator: every picture is one pixel."""

    def __init__(self, generator: "ImageGenerator") -> None:
        self.name = generator.name
        self.revision = generator.revision

    def draw(
        self,
        requests: Sequence[Request],
        settings: "ImageSettings",  # noqa: ARG002
        seed: int,  # noqa: ARG002
    ) -> "Iterator[tuple[Request, DrawResult]]":
        """Return a dot for each request."""
        from PIL import Image

        from selfknow.models.images.generators import DrawResult

        file = BytesIO()
        Image.new("RGB", (1, 1)).save(file, "PNG")
        for request in requests:
            yield request, DrawResult(file.getvalue())
