"""A reader of run folders on disk or on the Hub. It refuses folders that SQL would misread."""

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.errors import UserError, argument
from selfknow.files import parse_json
from selfknow.runs.parsed import ParsedFiles
from selfknow.runs.schema import GENERATIONS, SCORES, is_id_type
from selfknow.untrusted import for_display

HUB = "hf://"
"""The first characters of an address on the Hub."""


@dataclass(frozen=True)
class RunFolder:
    """A run folder's description and files.

    Attributes:
        location: Absolute path, or an address on the Hub.
        description: Its ``run.json``.
        files: The Parquet files of each kind: ``examples``, ``generations``, ``scores``, and those of ``parsed/``.
        columns: The columns of each kind of file, with their types.
        layouts: The distinct schemas of each kind of file, as text; several if different versions wrote the files.
        retried: The files of ``generations`` in which a call may have a second attempt.
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
        """The dataset that the run asked, as ``run.json`` describes it."""
        dataset = self.description.get("dataset")
        return dataset if isinstance(dataset, dict) else {}


SCHEMAS = {"generations": GENERATIONS, "scores": SCORES}
_PATTERNS = {"examples": "examples.parquet", "generations": "generations/*.parquet", "scores": "scores/*.parquet"}


def open_runs(
    locations: Sequence[str | Path], parsed: Mapping[str, ParsedFiles] | None = None, *, mixed_revisions: bool = False
) -> list[RunFolder]:
    """Open run folders and check their files.

    Args:
        locations: Folders, or ``hf://datasets/ORG/NAME/FOLDER`` on the Hub.
        parsed: Files that scoring may have written into ``parsed/``, by the name of the SQL view that shows them.
        mixed_revisions: Allow runs over different revisions of a dataset.

    Raises:
        UserError: A folder is not a run folder, is incomplete, has a column of an unexpected type or is named twice, or
            two runs have different revisions of one dataset.
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
    """Open one run folder and check its files (see :func:`open_runs`)."""
    is_on_hub = str(location).startswith(HUB)
    root = (str(location) if is_on_hub else str(Path(location).expanduser().absolute())).rstrip("/")
    filesystem = fsspec.filesystem("hf" if is_on_hub else "file")
    description = _read_description(filesystem, root)
    patterns = {**_PATTERNS, **{view: files.pattern for view, files in (parsed or {}).items()}}
    schemas = {**SCHEMAS, **{view: files.schema() for view, files in (parsed or {}).items()}}
    files = {kind: _list_files(filesystem, root, pattern) for kind, pattern in patterns.items()}
    if not files["generations"]:
        raise UserError(f"{root} holds no generations yet: run `selfknow evaluate` into it first")
    if not files["examples"]:
        raise UserError(f"{root} is an incomplete run: it has no examples.parquet")
    footers = {path: _read_footer(filesystem, path) for paths in files.values() for path in paths}
    columns = {kind: _columns(schemas.get(kind), {path: footers[path] for path in files[kind]}) for kind in files}
    if "id" not in columns["examples"]:
        raise UserError(f"{files['examples'][0]} has no column `id`, which generations refer to")
    if not is_id_type(type_ := columns["examples"]["id"]):
        raise UserError(f"{files['examples'][0]} has a column of another type: id is {type_}, not string")
    if not any(footers[path].num_rows for path in files["generations"]):
        raise UserError(f"{root} holds no generations yet: run `selfknow evaluate` into it first")
    layouts = {kind: frozenset(str(footers[path].schema) for path in paths) for kind, paths in files.items()}
    retried = tuple(path for path in files["generations"] if _may_hold_retries(footers[path]))
    return RunFolder(root, description, files, columns, layouts, retried)


def _read_description(filesystem: fsspec.AbstractFileSystem, root: str) -> dict[str, Any]:
    path = f"{root}/run.json"
    try:
        content = parse_json(filesystem.cat_file(path))
    except FileNotFoundError as error:
        raise UserError(f"{root} is not a run folder: there is no run.json in it") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as JSON: {str(error).splitlines()[0]}") from error
    if not isinstance(content, dict) or not content.get("run_id"):
        raise UserError(f"{path} does not describe a run: it has no run_id")
    if not isinstance(task := content.get("task"), str | None):
        raise UserError(f"{path} is damaged: its task is {reprlib.repr(task)}, not a name")
    return _make_safe(content)


def _make_safe(description: Mapping[str, Any]) -> dict[str, Any]:
    """Make a description's texts safe to show, except the names and revisions that generations refer to."""
    safe: dict[str, Any] = for_display(description) | {"run_id": description["run_id"]}
    models = description.get("models")
    if isinstance(models, list):
        safe["models"] = [_make_model_safe(entry) if isinstance(entry, dict) else entry for entry in models]
    elif isinstance(models, dict):  # an earlier version wrote a mapping from their names
        safe["models"] = {name: for_display(entry) for name, entry in models.items()}
    return safe


def _make_model_safe(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {**for_display(entry), **{key: entry[key] for key in ("name", "revision") if key in entry}}


def _list_files(filesystem: fsspec.AbstractFileSystem, root: str, pattern: str) -> tuple[str, ...]:
    folder, name = str(PurePosixPath(pattern).parent), PurePosixPath(pattern).name
    folder = root if folder == "." else f"{root}/{folder}"
    if not filesystem.isdir(folder):
        return ()
    entries = sorted(str(path).rpartition("/")[2] for path in filesystem.ls(folder, detail=False))
    return tuple(
        f"{folder}/{entry}" for entry in entries if PurePosixPath(entry).match(name) and not entry.startswith(".")
    )


def _read_footer(filesystem: fsspec.AbstractFileSystem, path: str) -> pq.FileMetaData:
    try:
        with filesystem.open(path) as file:
            footer = pq.read_metadata(file)
            names = footer.schema.to_arrow_schema().names
    except (OSError, ValueError, MemoryError, pa.ArrowException) as error:
        raise UserError(f"{path} cannot be read as Parquet (was it cut off?): {error}") from error
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UserError(f"{path} has the column {repeated[0]} twice: did another program write it?")
    return footer


def _may_hold_retries(footer: pq.FileMetaData) -> bool:
    """Return false for a file of generations whose statistics exclude further attempts."""
    names = footer.schema.to_arrow_schema().names
    paths = [footer.schema.column(column).path for column in range(footer.num_columns)]
    index = paths.index("attempt") if "attempt" in paths else None
    if "attempt" not in names or index is None:
        return True
    groups = [footer.row_group(group).column(index).statistics for group in range(footer.num_row_groups)]
    return any(statistics is None or not statistics.has_min_max or statistics.max > 0 for statistics in groups)


def _columns(expected: pa.Schema | None, footers: Mapping[str, pq.FileMetaData]) -> dict[str, pa.DataType]:
    columns: dict[str, pa.DataType] = {}
    for path, footer in footers.items():
        schema = footer.schema.to_arrow_schema()
        if expected is not None:
            _check_columns(path, schema, expected)
        columns |= {column.name: column.type for column in schema}
    return columns


def _check_columns(path: str, schema: pa.Schema, expected: pa.Schema) -> None:
    """Check the types of a file's columns. A nullable column may be missing, as in files of earlier versions."""
    missing = [column.name for column in expected if not column.nullable and column.name not in schema.names]
    if missing:
        raise UserError(f"{path} lacks {', '.join(missing)}: did another program or version write it?")
    for column in expected:
        if column.name in schema.names and not _is_compatible(schema.field(column.name).type, column.type):
            type_ = schema.field(column.name).type
            raise UserError(f"{path} has a column of another type: {column.name} is {type_}, not {column.type}")


def _is_compatible(type_: pa.DataType, expected: pa.DataType) -> bool:
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    if pa.types.is_null(type_):
        return True
    if pa.types.is_string(expected):
        return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))
    if pa.types.is_integer(expected):
        return bool(pa.types.is_integer(type_))
    if pa.types.is_floating(expected):
        return bool(pa.types.is_floating(type_) or pa.types.is_integer(type_))
    if pa.types.is_timestamp(expected):
        return bool(pa.types.is_timestamp(type_))
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _check_same_revision(run: RunFolder, other: RunFolder) -> None:
    first, second = run.dataset, other.dataset
    if any(first.get(key) != second.get(key) for key in ("name", "config", "split")):
        return
    for key in ("content_hash", "revision"):
        if first.get(key) and second.get(key) and first[key] != second[key]:
            dataset = f"{first['name']} {first.get('config') or ''}".rstrip()
            raise UserError(
                f"{run.location} and {other.location} used different revisions of {dataset} "
                f"({key} {str(first[key])[:12]} and {str(second[key])[:12]}) and cannot be compared row by row; "
                f"{argument('mixed_revisions', True)} compares them anyway"
            )
