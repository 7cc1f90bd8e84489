"""Where questions come from: a dataset on the Hub, at a commit that is recorded, or a file."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.evaluate.files import read_json, read_parquet

Row = Mapping[str, Any]


def commit_of_run(run: Path | None, repo: str) -> str:
    """The commit of a Hub dataset that a run asked before; empty where it asked something else, or there is none."""
    if run is None or not (run / "run.json").is_file():
        return ""
    dataset = read_json(run / "run.json").get("dataset")
    return str(dataset["revision"] or "") if isinstance(dataset, dict) and dataset.get("name") == repo else ""


def from_hub(entry: Mapping[str, Any], commit: str) -> tuple[list[Row], str]:
    """The rows of a dataset on the Hub, and their commit.

    Args:
        entry: Its repo, config and split.
        commit: Which; empty: the newest.

    Raises:
        UserError: They cannot be had.
    """
    from datasets import load_dataset
    from huggingface_hub import HfApi

    try:
        revision = str(HfApi().dataset_info(entry["repo"], revision=commit or None).sha)
        loaded = load_dataset(entry["repo"], entry["config"], split=entry["split"], revision=revision)
    except Exception as error:  # Hugging Face raises what its many layers raise
        first_line = str(error).strip().split("\n")[0]
        raise UserError(
            f"{entry['repo']} cannot be had from the Hub ({first_line}): get its questions as a file and name that"
        ) from error
    return list(loaded), revision


def read_rows(path: Path) -> list[Row]:
    """The rows of a file: JSON lines, a JSON list (``.json``), CSV or Parquet.

    Raises:
        UserError: It cannot be read, or holds something else.
    """
    try:
        match path.suffix:
            case ".parquet":
                return list(read_parquet(path).to_pylist())
            case ".csv":
                with path.open(encoding="utf-8", newline="") as file:
                    return list(csv.DictReader(file))
            case ".json":
                rows = json.loads(path.read_text(encoding="utf-8"))
            case _:
                lines = path.read_text(encoding="utf-8").split("\n")
                rows = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{path} holds no rows: one JSON object a line is wanted, or a JSON list of them")
    return rows
