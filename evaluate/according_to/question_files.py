"""Reading rows of questions: JSON lines, a JSON list, CSV or Parquet, or one file of a dataset on the Hub."""

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from selfknow.errors import UserError
from selfknow.evaluate.files import read_parquet

Row = Mapping[str, Any]
_COMMIT = re.compile(r"[0-9a-f]{40}")


def is_commit(revision: str) -> bool:
    """Whether this is a whole commit hash, which a branch or a tag is not."""
    return bool(_COMMIT.fullmatch(revision))


def read_rows(path: Path) -> list[Row]:
    """All rows of a file.

    Raises:
        UserError: It cannot be read, or holds something else.
    """
    try:
        match path.suffix:
            case ".parquet":
                return list(read_parquet(path).to_pylist())
            case ".csv":
                with path.open(encoding="utf-8-sig", newline="") as file:
                    return list(csv.DictReader(file))
            case ".json":
                rows = json.loads(path.read_text(encoding="utf-8-sig"))
            case _:
                lines = path.read_text(encoding="utf-8-sig").split("\n")
                rows = [json.loads(line) for line in lines if line.strip()]
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text: convert it first ({error})") from error
    except (OSError, ValueError, csv.Error) as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{path} holds no rows: one JSON object a line is wanted, or a JSON list of them")
    return rows


def find_column(path: Path, rows: list[Row], *names: str) -> str:
    """The first of these columns that every row has.

    Raises:
        UserError: There is none, or there are no rows.
    """
    if not rows:
        raise UserError(f"{path} holds no questions")
    for name in names:
        if all(name in row for row in rows):
            return name
    raise UserError(f"{path} lacks the column {' or '.join(names)}")


def read_from_hub(repo: str, file: str, revision: str) -> tuple[list[Row], str]:
    """The rows of one Parquet file of a dataset on the Hub, and the commit that it was read at.

    Only this file is downloaded. At a whole commit it is taken from the cache, if it is there, without a network.

    Raises:
        UserError: It cannot be had.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        path = Path(hf_hub_download(repo, file, repo_type="dataset", revision=revision))
    except (HfHubHTTPError, OfflineModeIsEnabled, OSError, ValueError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise UserError(
            f"{file} of {repo} at {revision} cannot be had from the Hub ({first_line}): "
            "get its questions as a file and name that"
        ) from error
    # .../snapshots/COMMIT/FILE
    return list(read_parquet(path).to_pylist()), path.parents[len(PurePosixPath(file).parts) - 1].name
