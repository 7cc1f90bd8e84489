"""The comparison of a dataset folder's manifest with the files there."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.builders.folder.content_hash import content_hash
from selfknow.builders.folder.manifest import MANIFEST, ConfigEntry, FileEntry, Manifest, describe_file
from selfknow.errors import UserError
from selfknow.validation.folder.fact import Fact

STATEMENTS = {
    "files_are_there": "every file that the manifest names lies in the folder",
    "no_other_files": "the folder holds no file that the manifest does not name",
    "file_names": "the Parquet files of a split are named <config>/<split>-00000-of-0000N.parquet, in order",
    "file_sizes": "files have the size that the manifest names",
    "file_hashes": "files have the SHA-256 that the manifest names",
    "files_are_readable": "Parquet files can be read to the end (otherwise the rows of the config are not checked)",
    "columns": "Parquet files have the dataset's columns and types (otherwise the rows of the config are not checked)",
    "row_counts": "files and splits have the number of rows that the manifest names",
    "content_hashes": "the rows of a config have the content hash that the manifest names",
}
_ROWS_PER_BATCH = 16_384


class _DamagedFileError(Exception):
    """A Parquet file that cannot be read, with the fact about it."""

    def __init__(self, config: str, split: str, path: str, error: Exception) -> None:
        self.fact = Fact("files_are_readable", config, split, path, "readable", f"{type(error).__name__}: {error}")
        super().__init__(self.fact.actual)


def facts_of_other_files(folder: Path, manifest: Manifest) -> list[Fact]:
    """Return the facts about files of no config: those that the manifest lists separately or does not list at all.

    Hidden files are ignored: the Hub's client leaves ``.gitattributes`` and ``.cache`` in a folder, and
    ``load_dataset`` does not see them either.
    """
    listed_paths = {file.path for file in manifest.all_files()} | {MANIFEST}
    relative_paths = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if not path.is_dir())
    visible = [path.as_posix() for path in relative_paths if not any(part.startswith(".") for part in path.parts)]
    facts = [Fact("no_other_files", None, None, path, path if path in listed_paths else None, path) for path in visible]
    return facts + [fact for file in manifest.files for fact in _facts_of_bytes(folder, None, None, file)]


def facts_of_config(folder: Path, config: str, entry: ConfigEntry, schema: pa.Schema) -> list[Fact]:
    """Read the files of one config to the end, and return the facts about them.

    Args:
        folder: The dataset folder.
        config: The name of the config.
        entry: The manifest's entry of the config.
        schema: The columns that the dataset should have.
    """
    facts = []
    for split, split_entry in entry.splits.items():
        for index, file in enumerate(split_entry.files):
            name = f"{config}/{split}-{index:05d}-of-{len(split_entry.files):05d}.parquet"
            facts.append(Fact("file_names", config, split, file.path, name, file.path))
            facts += _facts_of_bytes(folder, config, split, file)
    if any(fact.expectation == "files_are_there" and not fact.is_met for fact in facts):
        return facts
    try:
        return facts + _facts_of_rows(folder, config, entry, schema)
    except _DamagedFileError as damaged:
        return [*facts, damaged.fact]


def _facts_of_bytes(folder: Path, config: str | None, split: str | None, file: FileEntry) -> list[Fact]:
    if not (folder / file.path).is_file():
        return [Fact("files_are_there", config, split, file.path, file.path, None)]
    actual = describe_file(folder, file.path)
    return [
        Fact("files_are_there", config, split, file.path, file.path, file.path),
        Fact("file_sizes", config, split, file.path, f"{file.num_bytes} bytes", f"{actual.num_bytes} bytes"),
        Fact("file_hashes", config, split, file.path, file.sha256, actual.sha256),
    ]


def _facts_of_rows(folder: Path, config: str, entry: ConfigEntry, schema: pa.Schema) -> list[Fact]:
    facts = []
    for split, split_entry in entry.splits.items():
        num_rows_of_split = 0
        for file in split_entry.files:
            num_rows, file_schema = _read_footer(folder, config, split, file.path)
            num_rows_of_split += num_rows
            facts.append(Fact("row_counts", config, split, file.path, str(file.num_rows), str(num_rows)))
            facts += _facts_of_columns(config, split, file.path, schema, file_schema)
        facts.append(Fact("row_counts", config, split, "all files", str(split_entry.num_rows), str(num_rows_of_split)))
    batches = {split: _batches(folder, config, split, files.files) for split, files in entry.splits.items()}
    try:
        hash_of_rows = content_hash(batches)
    except UserError as error:  # a column of an unsupported type
        hash_of_rows = str(error)
    return [
        *facts,
        *(Fact("files_are_readable", config, split, "all files", "readable", "readable") for split in entry.splits),
        Fact("content_hashes", config, None, "all files", entry.content_hash, hash_of_rows),
    ]


def _facts_of_columns(config: str, split: str, path: str, schema: pa.Schema, file_schema: pa.Schema) -> Iterator[Fact]:
    for expected, field in zip_longest(schema, file_schema):
        # Equal list types can have different texts, since their items may be called "item" or "element".
        is_same = expected is not None and field is not None and expected.equals(field)
        yield Fact("columns", config, split, path, _text(expected), _text(expected if is_same else field))


def _text(field: pa.Field | None) -> str | None:
    return None if field is None else f"{field.name}: {field.type}"


def _read_footer(folder: Path, config: str, split: str, path: str) -> tuple[int, pa.Schema]:
    try:
        with pq.ParquetFile(folder / path) as file:
            schema = file.schema_arrow
            if len(set(schema.names)) < len(schema.names):
                raise pa.ArrowInvalid(f"it has a column twice: {', '.join(schema.names)}")
            return file.metadata.num_rows, schema
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _DamagedFileError(config, split, path, error) from error


def _batches(folder: Path, config: str, split: str, files: tuple[FileEntry, ...]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a split in order, after a full check of each batch."""
    for entry in files:
        try:
            with pq.ParquetFile(folder / entry.path, pre_buffer=False) as file:
                for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH, use_threads=False):
                    batch.validate(full=True)
                    yield batch
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _DamagedFileError(config, split, entry.path, error) from error
