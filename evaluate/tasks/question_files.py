"""Files of questions: their columns, and downloads from the Hub at a pinned or recorded commit."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from selfknow.downloads import DownloadError, dataset_file
from selfknow.errors import UserError
from selfknow.evaluate.task import Row
from selfknow.files import read_json, read_parquet

_COMMIT = re.compile(r"[0-9a-f]{40}")
_TRUTHS: Mapping[str, bool] = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def find_column(path: Path, rows: list[Row], *names: str) -> str:
    """Return the first of these columns that every row has.

    Raises:
        UserError: There is no such column, or there are no rows.
    """
    if not rows:
        raise UserError(f"{path} holds no questions")
    for name in names:
        if all(name in row for row in rows):
            return name
    raise UserError(f"{path} lacks the column {' or '.join(names)}")


def read_truth(value: object) -> bool | None:
    """Return the truth value that a cell of a user's table states; null if it states none.

    Example:
        >>> read_truth(True), read_truth("No"), read_truth(" 1 "), read_truth("maybe"), read_truth(0.5)
        (True, False, True, None, None)
    """
    return value if isinstance(value, bool) else _TRUTHS.get(str(value).strip().lower())


def answer_texts(value: object) -> list[str]:
    """Return the texts of a reference answer, which may have any common shape, without repeats.

    Args:
        value: A text, a number, a list of these, TriviaQA's struct of aliases, KILT's list of structs (structs without
            an answer are ignored), or HELM's list of references (only those tagged ``correct`` count).

    Example:
        >>> answer_texts(["Rome", "Roma", "Rome"]), answer_texts(7), answer_texts(None)
        (['Rome', 'Roma'], ['7'], [])
        >>> answer_texts([{"output": {"text": "Rome"}, "tags": ["correct"]}, {"output": {"text": "Bonn"}, "tags": []}])
        ['Rome']
    """
    return list(dict.fromkeys(_texts(value)))


def _texts(value: object) -> Iterable[str]:
    match value:
        case str():
            return [value] if value.strip() else []
        case {"aliases": aliases, **rest}:
            return [*_texts(rest.get("value")), *_texts(aliases)]
        case {"answer": answer}:
            return _texts(answer)
        case {"output": {"text": text}, "tags": list(tags)}:
            return _texts(text) if "correct" in tags else []
        case list():
            return [text for item in value for text in _texts(item)]
    return [] if value is None or isinstance(value, dict) else [str(value)]


def read_at_commit(source: Mapping[str, Any], revision: str = "", run: Path | None = None) -> tuple[list[Row], str]:
    """Return the rows of a question set on the Hub, and the commit that they were read at.

    Args:
        source: A mapping with the set's ``repo``, ``file`` and pinned ``revision``.
        revision: A commit, branch or tag instead of the pinned commit.
        run: A run folder. If it already holds a run of this set, the commit that it recorded is used, unless
            ``revision`` is a commit.

    Raises:
        UserError: The file could not be fetched.
    """
    recorded = "" if _COMMIT.fullmatch(revision) else _commit_of_run(run, source["repo"])
    return read_from_hub(source["repo"], source["file"], recorded or revision or source["revision"])


def _commit_of_run(run: Path | None, repo: str) -> str:
    if run is None or not (run / "run.json").is_file():
        return ""
    dataset = read_json(run / "run.json").get("dataset")
    return str(dataset["revision"] or "") if isinstance(dataset, dict) and dataset.get("name") == repo else ""


def read_from_hub(repo: str, file: str, revision: str) -> tuple[list[Row], str]:
    """Return the rows of one Parquet file of a dataset on the Hub, and the commit that it was read at.

    Only this file is downloaded. If the revision is a full commit and the file is in the cache, no network is needed.

    Raises:
        UserError: The file could not be fetched.
    """
    try:
        path = dataset_file(repo, file, revision)
    except DownloadError as error:
        raise UserError(
            f"{file} of {repo} at {revision} could not be fetched from the Hub ({error}): download the "
            "questions as a file and name that file"
        ) from error
    # .../snapshots/COMMIT/FILE
    return list(read_parquet(path).to_pylist()), path.parents[len(PurePosixPath(file).parts) - 1].name
