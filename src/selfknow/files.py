"""Files that exist whole or not at all, whatever happens while they are written."""

import contextlib
import csv
import errno
import io
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from selfknow.errors import UserError
from selfknow.untrusted import from_spreadsheet

if TYPE_CHECKING:
    import pyarrow as pa

_TEMPORARY_SUFFIX = ".writing"
_SURROGATE = re.compile(r"\\[uU][dD][89a-fA-F]")


def user_path(name: str) -> Path:
    """Return the path that a user typed, with ``~`` expanded; it need not exist.

    Raises:
        UserError: The text is too long for a path, or names the home of an unknown user.
    """
    try:
        path = Path(name).expanduser()
        path.lstat()
    except RuntimeError as error:
        raise UserError(f"{name} is in the home folder of an unknown user") from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UserError(f"{name[:60]}… is too long for the name of a file or folder") from error
    except ValueError:  # a null character; such a path cannot exist
        pass
    return path


def check_output(path: Path, endings: Sequence[str] = ()) -> None:
    """Check that a command can write the file that its user named: a new file, or a regular file to replace.

    Args:
        path: The file.
        endings: Endings that its name may have, in lower case, such as ``.csv``; any by default.

    Raises:
        UserError: The name has another ending, or belongs to a folder, link, pipe or device.

    Example:
        >>> check_output(Path("report.pdf"), [".html", ".md"])
        Traceback (most recent call last):
        ...
        selfknow.errors.UserError: report.pdf cannot be written: name a file that ends in .html or .md
    """
    try:
        mode = path.lstat().st_mode
    except OSError:
        mode = stat.S_IFREG  # a new file; any other problem will show when it is written
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
        raise UserError(f"{path} is a {kinds.get(stat.S_IFMT(mode), 'device or pipe')}: name a file")
    if endings and path.suffix.lower() not in endings:
        raise UserError(f"{path} cannot be written: name a file that ends in {' or '.join(endings)}")


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing so that it exists whole or not at all, even if the process is killed.

    The bytes go to a temporary file beside it, which is synced and renamed if the block ends without an error.

    Args:
        path: The file; its folder is created if it is missing.

    Raises:
        UserError: The disk is full, or the folder cannot be written.

    Example:
        >>> with written_whole(Path("lists.npz")) as file:  # doctest: +SKIP
        ...     np.savez(file, rows=rows)
    """
    temporary = path.with_name(f".{path.name}{_TEMPORARY_SUFFIX}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if not isinstance(error, OSError):
            raise
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise UserError(f"no space left for {path}: free some and run the same command again to resume") from error
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file's bytes as :func:`written_whole` does."""
    with written_whole(path) as file:
        file.write(content)


def _sync_folder(folder: Path) -> None:
    """Sync a folder, so that a rename in it survives a power cut; not every system can open a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_unfinished(folder: Path) -> None:
    """Remove the temporary files of killed writes from a folder; only the folder's one writer may call it."""
    for path in folder.glob(f".*{_TEMPORARY_SUFFIX}"):
        path.unlink(missing_ok=True)


def write_json(path: Path, content: Mapping[str, object]) -> None:
    """Write a mapping as indented UTF-8 JSON, whole or not at all."""
    write_whole(path, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())


def write_parquet(path: Path, table: "pa.Table") -> None:
    """Write a table as one Parquet file, whole or not at all."""
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    write_whole(path, buffer.getvalue())


def parse_json(text: str | bytes) -> Any:
    """Parse a JSON document from an untrusted source; bytes are UTF-8.

    Raises:
        ValueError: It is not JSON, is nested too deeply, or holds half of a surrogate pair, which no text may hold.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("it holds half of a surrogate pair, which no text may hold") from error
    return value


def read_json(path: Path) -> dict[str, object]:
    """Read a JSON object.

    Raises:
        UserError: The file does not exist, or does not hold a JSON object.
    """
    try:
        content = parse_json(path.read_bytes())
    except FileNotFoundError as error:
        raise UserError(f"{path} does not exist") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(content, dict):
        raise UserError(f"{path} does not hold a JSON object")
    return content


@contextlib.contextmanager
def parquet_errors(path: Path) -> Iterator[None]:
    """Turn errors of reading a Parquet file in the block into a `UserError` of one line.

    Raises:
        UserError: The file is missing, or is not a complete Parquet file.
    """
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError as error:
        raise UserError(f"{path} does not exist") from error
    except (OSError, ValueError, MemoryError, pa.ArrowException) as error:
        raise UserError(f"{path} cannot be read as Parquet (was it cut off?): {error}") from error


def with_schema(table: "pa.Table", schema: "pa.Schema", path: Path) -> "pa.Table":
    """Select the columns of a schema from a table, and cast them to its types.

    Args:
        table: Rows of a file.
        schema: The columns to select.
        path: The file, for error messages.

    Raises:
        UserError: The table lacks a column, has it twice, or holds values of another type.
    """
    import pyarrow as pa

    if missing := [name for name in schema.names if name not in table.column_names]:
        raise UserError(f"{path} lacks the columns {', '.join(missing)}")
    try:
        return table.select(schema.names).cast(schema)
    except KeyError as error:
        raise UserError(f"{path} has a column twice: {error}") from error
    except (pa.ArrowException, ValueError) as error:
        raise UserError(f"{path} has a column of another type: {error}") from error


def read_parquet(path: Path, schema: "pa.Schema | None" = None) -> "pa.Table":
    """Read one Parquet file; with a schema, only the schema's columns.

    Raises:
        UserError: The file is missing, is not a complete Parquet file, fails its checksums, lacks a column or holds
            another type.
    """
    import pyarrow.parquet as pq

    with parquet_errors(path):
        table = pq.read_table(path, partitioning=None, page_checksum_verification=True)
        table.validate(full=True)
    return table if schema is None else with_schema(table, schema, path)


def read_rows(path: Path) -> list[Mapping[str, Any]]:
    """Read a user's table: Parquet, CSV with a header, JSON, or else JSON Lines.

    A JSON file holds a list of objects, or an object with exactly one such list.

    Raises:
        UserError: The file cannot be read, or does not hold rows.
    """
    rows: Any
    try:
        match path.suffix:
            case ".parquet":
                return list(read_parquet(path).to_pylist())
            case ".csv":
                with path.open(encoding="utf-8-sig", newline="") as file:
                    return [_from_spreadsheet(row) for row in csv.DictReader(file)]
            case ".json":
                rows = _only_list(parse_json(path.read_bytes()))
            case _:
                return list(read_json_lines(path))
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text: convert it first ({error})") from error
    except (OSError, ValueError, csv.Error) as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{path} holds no rows: expected a JSON object in each line, or a JSON list of objects")
    return rows


def _only_list(content: Any) -> Any:
    """Return the only list of objects in a JSON object; return any other content unchanged."""
    if not isinstance(content, dict):
        return content
    lists = [value for value in content.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    return lists[0] if len(lists) == 1 else content


def _from_spreadsheet(row: Mapping[str, Any]) -> dict[str, Any]:
    """Undo :func:`~selfknow.untrusted.for_spreadsheet` in a CSV row, except in surplus or missing cells."""
    return {name: from_spreadsheet(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read the objects of a JSON Lines file one at a time; empty lines are skipped.

    Raises:
        UserError: The file cannot be read, is not UTF-8, or a line is not a JSON object; the message names the line.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if not text.strip():
                    continue
                try:
                    row = parse_json(text)
                except ValueError as error:
                    raise UserError(
                        f"{path} cannot be read: line {number} is not JSON (was the file cut off?): {error}"
                    ) from error
                if not isinstance(row, dict):
                    raise UserError(f"{path} holds no rows: line {number} is not a JSON object")
                yield row
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text: convert it first ({error})") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}") from error
