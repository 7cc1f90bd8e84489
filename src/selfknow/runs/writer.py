"""The writer of a run folder. It resumes after the process was killed, and refuses the folder of another run."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
from filelock import FileLock, Timeout

from selfknow.errors import UserError
from selfknow.files import read_json, read_parquet, remove_unfinished, write_json, write_parquet
from selfknow.models.any_reply import writable_reply, writable_text
from selfknow.models.facts import ModelFacts
from selfknow.models.images.pictures import FOLDER as PICTURES
from selfknow.models.interface import GRADE, Decoding, Reply, Request
from selfknow.runs.description import RunDescription, describe_run, described_models
from selfknow.runs.schema import CALL_COLUMNS, GENERATIONS, Call, generation_files

_REPLY_COLUMNS = (
    "messages",
    "generation",
    "finish_reason",
    "prompt_tokens",
    "completion_tokens",
    "logprob",
    "error",
)
_CHARACTERS_PER_PART = 1 << 26


class RunWriter:
    """The only writer of a run folder; use it as a context manager.

    Example:
        >>> with RunWriter.open(folder, description, examples) as run:            # doctest: +SKIP
        ...     run.append(model.name, model.revision, request, reply)
    """

    def __init__(
        self,
        folder: Path,
        run_id: str,
        decoding: Decoding,
        lock: FileLock,
        *,
        rows_per_part: int = 1024,
        seconds_per_part: float = 30.0,
    ) -> None:
        self.folder = folder
        self.run_id = run_id
        self.decoding = decoding
        self._lock = lock
        self._rows_per_part = rows_per_part
        self._seconds_per_part = seconds_per_part
        self._rows: dict[str, dict[str, object]] = {}  # by generation_id: an append cut off by Ctrl-C can be repeated
        self._num_characters = 0
        self._last_write = monotonic()  # the system's clock may be set back
        self._attempts: dict[Call, int] = {}
        self._answered: set[Call] = set()
        self._next_part = 0
        self._described: set[tuple[str, str | None]] = set()

    @classmethod
    def open(
        cls,
        folder: Path,
        description: RunDescription,
        examples: pa.Table,
        *,
        annotations: Sequence[str] = (),
        rows_per_part: int = 1024,
        seconds_per_part: float = 30.0,
    ) -> Self:
        """Start a run, or resume the same one.

        Args:
            folder: The run folder; created if it is missing.
            description: The identity of the run; a folder can be resumed only with the description it was started with.
            examples: The rows of the run, with a column ``id`` of unique texts.
            annotations: Columns that are not part of the run's identity. A column that holds any value replaces the
                run's earlier column of that name; a column that is null throughout leaves it unchanged.
            rows_per_part: Write a part after this many rows at the latest.
            seconds_per_part: Write a part after this many seconds at the latest. A killed process loses the rows since
                the last part.

        Raises:
            UserError: The folder holds another run or something else, or another process is writing it.
        """
        _check_ids(examples)
        _check_is_a_run_or_empty(folder)
        _make_folder(folder)
        lock = _acquire_lock(folder)
        try:
            run_id = describe_run(folder, description, examples, annotations)
            run = cls(
                folder,
                run_id,
                description.decoding,
                lock,
                rows_per_part=rows_per_part,
                seconds_per_part=seconds_per_part,
            )
            run._read_calls()
        except BaseException:
            lock.release()
            raise
        return run

    @classmethod
    def reopen(cls, folder: Path, decoding: Decoding) -> Self:
        """Open an existing run to add replies with another decoding, such as a judge's.

        Args:
            folder: The run folder.
            decoding: The decoding of the new replies; ``run.json`` keeps the decoding of the run.

        Raises:
            UserError: It is not a run folder, or another process is writing it.
        """
        description = read_json(folder / "run.json")
        lock = _acquire_lock(folder)
        run = cls(folder, str(description["run_id"]), decoding, lock)
        try:
            run._read_calls()
        except BaseException:
            lock.release()
            raise
        return run

    def _read_calls(self) -> None:
        """Remove unfinished files, then read the calls in the run's parts."""
        for part in ("generations", PICTURES):
            remove_unfinished(self.folder / part)
        parts = generation_files(self.folder)
        for path in parts:
            table = read_parquet(path, pa.schema([GENERATIONS.field(name) for name in (*CALL_COLUMNS, "error")]))
            for *call, error in zip(*(column.to_pylist() for column in table.columns), strict=True):
                self._count_attempt(tuple(call), failed=error is not None)
        numbers = [int(match[1]) for path in parts if (match := re.fullmatch(r"part-(\d+)", path.stem))]
        self._next_part = max(numbers, default=-1) + 1

    def _count_attempt(self, call: Call, *, failed: bool) -> None:
        self._attempts[call] = self._attempts.get(call, 0) + 1
        if not failed:
            self._answered.add(call)

    def describe_model(self, model: str, revision: str | None, facts: ModelFacts) -> None:
        """Record the facts about a model in ``run.json``, under ``models``, so that SQL can compare models.

        Args:
            model: Its name.
            revision: Its revision; two revisions of one name are two models.
            facts: The known facts; a null fact does not overwrite an earlier value.
        """
        path = self.folder / "run.json"
        description = read_json(path)
        models = self._known_models(description)
        before = models.get((model, revision), ModelFacts())
        after = {**models, (model, revision): before.updated(facts)}
        self._described = set(after)
        if after != described_models(description) or not isinstance(description.get("models"), list):
            entries = [
                {"name": key[0], "revision": key[1], **model_facts.as_json()} for key, model_facts in after.items()
            ]
            write_json(path, {**description, "models": entries})

    def _known_models(self, description: Mapping[str, Any]) -> dict[tuple[str, str | None], ModelFacts]:
        """Return the facts about all models of the run; earlier versions recorded them by name alone."""
        models = description.get("models")
        by_name = models if isinstance(models, dict) else {}
        calls = [dict(zip(CALL_COLUMNS, call, strict=True)) for call in self._attempts]
        keys = dict.fromkeys(
            (str(call["model"]), _text_or_null(call["revision"])) for call in calls if call["stage"] != GRADE
        )
        facts_by_model = {key: ModelFacts.from_json(by_name.get(key[0]) or {}) for key in keys}
        return facts_by_model | described_models(description)

    def pending(self, model: str, revision: str | None, requests: Iterable[Request]) -> list[Request]:
        """Return the requests that this model has not answered yet, including failed ones, in the given order."""
        return [request for request in requests if _call_key(model, revision, request) not in self._answered]

    def has_replies(self, model: str, revision: str | None) -> bool:
        """Return true if the run holds a reply of this model."""
        return any(call[-2:] == (model, revision) for call in self._answered)

    def replies_by_revision(self, model: str, *, judging: bool = False) -> Counter[str | None]:
        """Count a model's replies in the run for each of its revisions; ``judging`` counts its judgements instead."""
        calls = (dict(zip(CALL_COLUMNS, call, strict=True)) for call in self._answered)
        calls_of_model = (call for call in calls if call["model"] == model)
        return Counter(
            _text_or_null(call["revision"]) for call in calls_of_model if (call["stage"] == GRADE) == judging
        )

    def append(self, model: str, revision: str | None, request: Request, reply: Reply) -> str:
        """Record one try of one call and return its ``generation_id``; any reply can be recorded.

        From time to time, this writes the recorded rows as a part (see :meth:`flush`).
        """
        reply = writable_reply(request, reply)
        call = _call_key(model, revision, request)
        assert call not in self._answered, f"{call} was answered twice"
        attempt = self._attempts.get(call, 0)
        generation_id = _generation_id(self.run_id, call, attempt)
        prompt = reply.rendered_prompt
        if prompt is None:
            prompt = writable_text(request.text + request.started_answer)
        self._rows[generation_id] = {
            "generation_id": generation_id,
            "run_id": self.run_id,
            "attempt": attempt,
            "prompt": prompt,
            "created_at": datetime.now(UTC),
            **dict(zip(CALL_COLUMNS, call, strict=True)),
            **{name: getattr(reply, name) for name in _REPLY_COLUMNS},
        }
        self._num_characters += len(prompt) + len(reply.generation or "")
        self._count_attempt(call, failed=reply.error is not None)
        if self._is_due():
            self.flush()
        return generation_id

    def _is_due(self) -> bool:
        """Return true if the recorded rows should be written as a part now."""
        return (
            len(self._rows) >= self._rows_per_part
            or self._num_characters >= _CHARACTERS_PER_PART
            or monotonic() - self._last_write > self._seconds_per_part
        )

    def flush(self) -> None:
        """Write the rows since the last part as a new part.

        Raises:
            UserError: The rows cannot be written, for example because the disk is full. The message counts the
                replies that were written before. The next flush tries again.
        """
        try:
            self._write_part()
        except UserError as error:
            num_recorded, num_waiting = sum(self._attempts.values()), len(self._rows)
            raise UserError(
                f"{error} ({self.folder} keeps {num_recorded - num_waiting:,} replies; "
                f"{num_waiting:,} later ones must be asked again)"
            ) from error

    def _write_part(self) -> None:
        rows = list(self._rows.values())
        replies = [row for row in rows if row["stage"] != GRADE]  # a judge is not one of the run's models
        models = {(str(row["model"]), _text_or_null(row["revision"])) for row in replies}
        for name, revision in models - self._described:
            self.describe_model(name, revision, ModelFacts())
        if rows:
            path = self.folder / "generations" / f"part-{self._next_part:05d}.parquet"
            write_parquet(path, pa.Table.from_pylist(rows, schema=GENERATIONS))
            # One statement without a call: Ctrl-C between the assignments would write the rows twice.
            self._next_part, self._rows, self._num_characters = self._next_part + 1, {}, 0
        self._last_write = monotonic()

    def close(self) -> None:
        """Write the last part and release the folder."""
        try:
            self.flush()
        finally:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _call_key(model: str, revision: str | None, request: Request) -> Call:
    """Return the values that identify a call in a run; its texts equal those that are read back from a file."""
    return tuple(writable_text(part) if isinstance(part, str) else part for part in (*request.key, model, revision))


def _text_or_null(value: object) -> str | None:
    return None if value is None else str(value)


def _generation_id(run_id: str, call: Call, attempt: int) -> str:
    digest = hashlib.blake2b(json.dumps([*call, attempt]).encode(), digest_size=8).hexdigest()
    return f"{run_id}-{digest}"


def _check_ids(examples: pa.Table) -> None:
    if "id" not in examples.column_names:
        raise UserError("the examples need a column `id`")
    ids = examples["id"]
    if not pa.types.is_string(ids.type):
        raise UserError(f"the examples' column `id` is {ids.type}, not text: cast it, as generations refer to it")
    if ids.null_count or len(ids.unique()) != len(ids):
        raise UserError("the examples' column `id` holds a null or a repeated value")


def _check_is_a_run_or_empty(folder: Path) -> None:
    if folder.is_file():
        raise UserError(f"{folder} is a file: name a folder for the run")
    names_in_runs = {"run.json", "run.lock", "examples.parquet", "generations"}
    if folder.is_dir() and not (folder / "run.json").exists():
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
        if foreign := sorted(names - names_in_runs):
            raise UserError(f"{folder} is not a run folder (it holds {foreign[0]}): name a new or an empty folder")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be created: {error.strerror or error}") from error


def _acquire_lock(folder: Path) -> FileLock:
    lock = FileLock(folder / "run.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise UserError(f"another process is writing {folder}: wait for it, or name another folder") from error
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror or error}") from error
    return lock
