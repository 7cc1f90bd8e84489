"""Rows of questions: their columns, and one file of a dataset on the Hub."""

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
