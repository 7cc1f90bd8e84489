"""Finding run folders, here or on the Hub, and refusing those that SQL would misread."""

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.errors import UserError
from selfknow.files import parse_json
from selfknow.runs.parsed import ParsedFiles
from selfknow.runs.schema import GENERATIONS, SCORES, names_rows
from selfknow.untrusted import for_display

HUB = "hf://"


@dataclass(frozen=True)
class RunFolder:
    """What one run folder holds.

    Attributes:
        location: Absolute path, or an address on the Hub.
        description: Its ``run.json``.
        files: The Parquet files of each kind: ``examples``, ``generations``, ``scores``, and what scoring parsed.
        columns: The columns that the files of each kind have, with their types.
        layouts: For each kind the different schemas of its files: one, unless versions wrote them differently.
        retried: The files of ``generations`` that may hold further attempts.
    """

    location: str
    description: Mapping[str, Any]
    files: Mapping[str, tuple[str, ...]]
    columns: Mapping[str, Mapping[str, pa.DataType]] = field(repr=False)
    layouts: Mapping[str, frozenset[str]] = field(repr=False, default_factory=dict)
    retried: tuple[str, ...] = field(repr=False, default=())

    @property
    def run_id(self) -> str:
        """The run's id."""
        return str(self.description["run_id"])

    @property
    def dataset(self) -> Mapping[str, Any]:
        """What ``run.json`` says of the rows that were asked."""
        dataset = self.description.get("dataset")
        return dataset if isinstance(dataset, dict) else {}


SCHEMAS = {"generations": GENERATIONS, "scores": SCORES}
_PATTERNS = {"examples": "examples.parquet", "generations": "generations/*.parquet", "scores": "scores/*.parquet"}


def open_runs(
    locations: Sequence[str | Path], parsed: Mapping[str, ParsedFiles] | None = None, *, mixed_revisions: bool = False
) -> list[RunFolder]:
    """Find run folders and check that their files say what they should.

    Args:
        locations: Folders, or ``hf://datasets/ORG/NAME/FOLDER`` on the Hub.
        parsed: What else scoring may have left in them, by the name of the view that shows it.
        mixed_revisions: Let runs stand side by side that asked different contents under one name.

    Raises:
        UserError: A folder is no run, is half-written, has a column of another type, is there twice, or was asked
            another revision of the same corpus than another one.
    """
    if not locations:
        raise UserError("name at least one run folder")
    runs = [open_run(location, parsed) for location in locations]
    for number, run in enumerate(runs):
        for earlier in runs[:number]:
            if earlier.run_id == run.run_id:
                raise UserError(f"{run.location} and {earlier.location} are the same run ({run.run_id}): name one")
            if not mixed_revisions:
                _check_same_revision(earlier, run)
    return runs


def open_run(location: str | Path, parsed: Mapping[str, ParsedFiles] | None = None) -> RunFolder:
    """Find one run folder (see :func:`open_runs`)."""
    place = str(location) if str(location).startswith(HUB) else str(Path(location).expanduser().absolute())
    place = place.rstrip("/")
    files_here = fsspec.filesystem("hf") if place.startswith(HUB) else fsspec.filesystem("file")
    description = _read_description(files_here, place)
    patterns = {**_PATTERNS, **{view: files.pattern for view, files in (parsed or {}).items()}}
    schemas = {**SCHEMAS, **{view: files.schema() for view, files in (parsed or {}).items()}}
    files = {kind: _list(files_here, place, pattern) for kind, pattern in patterns.items()}
    if not files["generations"]:
        raise UserError(f"{place} holds no generations yet: run `selfknow evaluate` into it first")
    if not files["examples"]:
        raise UserError(f"{place} is an incomplete run: it has no examples.parquet")
    footers = {path: _footer(files_here, path) for paths in files.values() for path in paths}
    columns = {kind: _columns(schemas.get(kind), {path: footers[path] for path in files[kind]}) for kind in files}
    if "id" not in columns["examples"]:
        raise UserError(f"{files['examples'][0]} has no column `id`, which generations name their example by")
    if not names_rows(type_ := columns["examples"]["id"]):
        raise UserError(f"{files['examples'][0]} has a column of another type: id is {type_}, not string")
    if not any(footers[path].num_rows for path in files["generations"]):
        raise UserError(f"{place} holds no generations yet: run `selfknow evaluate` into it first")
    layouts = {kind: frozenset(str(footers[path].schema) for path in paths) for kind, paths in files.items()}
    retried = tuple(path for path in files["generations"] if _may_hold_retries(footers[path]))
    return RunFolder(place, description, files, columns, layouts, retried)


def _read_description(files: Any, place: str) -> dict[str, Any]:
    path = f"{place}/run.json"
    try:
        content = parse_json(files.cat_file(path))
    except FileNotFoundError as error:
        raise UserError(f"{place} is not a run folder: there is no run.json in it") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as JSON: {str(error).splitlines()[0]}") from error
    if not isinstance(content, dict) or not content.get("run_id"):
        raise UserError(f"{path} does not describe a run: it has no run_id")
    if not isinstance(task := content.get("task"), str | None):
        raise UserError(f"{path} is damaged: its task is {reprlib.repr(task)}, which is no name")
    return _harmless(content)


def _harmless(description: Mapping[str, Any]) -> dict[str, Any]:
    """A description whose texts can be shown anywhere; names by which generations are found stay as they are."""
    shown: dict[str, Any] = for_display(description) | {"run_id": description["run_id"]}
    models = description.get("models")
    if isinstance(models, list):
        shown["models"] = [
            {**for_display(one), **{key: one[key] for key in ("name", "revision") if key in one}}
            if isinstance(one, dict)
            else one
            for one in models
        ]
    elif isinstance(models, dict):  # of an earlier version, by name
        shown["models"] = {name: for_display(one) for name, one in models.items()}
    return shown


def _list(files: Any, place: str, pattern: str) -> tuple[str, ...]:
    folder, name = str(PurePosixPath(pattern).parent), PurePosixPath(pattern).name
    folder = place if folder == "." else f"{place}/{folder}"
    if not files.isdir(folder):
        return ()
    found = sorted(str(path).rpartition("/")[2] for path in files.ls(folder, detail=False))
    return tuple(
        f"{folder}/{entry}" for entry in found if PurePosixPath(entry).match(name) and not entry.startswith(".")
    )


def _footer(files: Any, path: str) -> pq.FileMetaData:
    try:
        with files.open(path) as file:
            footer = pq.read_metadata(file)
            names = footer.schema.to_arrow_schema().names
    except (OSError, ValueError, MemoryError, pa.ArrowException) as error:
        raise UserError(f"{path} cannot be read as Parquet (was it cut off?): {error}") from error
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UserError(f"{path} has the column {repeated[0]} twice: was it written in another shape?")
    return footer


def _may_hold_retries(footer: pq.FileMetaData) -> bool:
    """Whether a file of generations may hold a further attempt: by its statistics, or where it has none."""
    names = footer.schema.to_arrow_schema().names
    place = next((at for at in range(footer.num_columns) if footer.schema.column(at).path == "attempt"), None)
    if "attempt" not in names or place is None:
        return True
    found = [footer.row_group(group).column(place).statistics for group in range(footer.num_row_groups)]
    return any(one is None or not one.has_min_max or one.max > 0 for one in found)


def _columns(wanted: pa.Schema | None, footers: Mapping[str, pq.FileMetaData]) -> dict[str, pa.DataType]:
    found: dict[str, pa.DataType] = {}
    for path, footer in footers.items():
        schema = footer.schema.to_arrow_schema()
        if wanted is not None:
            _check_columns(path, schema, wanted)
        found |= {column.name: column.type for column in schema}
    return found


def _check_columns(path: str, found: pa.Schema, wanted: pa.Schema) -> None:
    """A null column of an older schema may be missing; whatever is there must be of its kind."""
    missing = [column.name for column in wanted if not column.nullable and column.name not in found.names]
    if missing:
        raise UserError(f"{path} lacks {', '.join(missing)}: was it written in another shape?")
    for column in wanted:
        if column.name in found.names and not _fits(found.field(column.name).type, column.type):
            got = found.field(column.name).type
            raise UserError(f"{path} has a column of another type: {column.name} is {got}, not {column.type}")


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_null(found):
        return True
    if pa.types.is_string(wanted):
        return bool(pa.types.is_string(found) or pa.types.is_large_string(found) or pa.types.is_string_view(found))
    if pa.types.is_integer(wanted):
        return bool(pa.types.is_integer(found))
    if pa.types.is_floating(wanted):
        return bool(pa.types.is_floating(found) or pa.types.is_integer(found))
    if pa.types.is_timestamp(wanted):
        return bool(pa.types.is_timestamp(found))
    return bool(pa.types.is_list(found) or pa.types.is_large_list(found))


def _check_same_revision(one: RunFolder, other: RunFolder) -> None:
    first, second = one.dataset, other.dataset
    if any(first.get(key) != second.get(key) for key in ("name", "config", "split")):
        return
    for key in ("content_hash", "revision"):
        if first.get(key) and second.get(key) and first[key] != second[key]:
            raise UserError(
                f"{one.location} and {other.location} were asked different revisions of "
                f"{first['name']} {first.get('config') or ''}".rstrip()
                + f" ({key} {str(first[key])[:12]} and {str(second[key])[:12]}): they cannot be compared row by row; "
                "--mixed-revisions compares them anyway"
            )
