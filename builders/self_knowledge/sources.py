"""The sources of the self-knowledge tasks, read from ``datasets_src/self_knowledge``."""

import csv
import datetime
import json
from functools import cache
from typing import Any

import yaml

from selfknow.builders.sources import read_json, read_lines, read_text

SOURCES = "self_knowledge"
"""The folder of these sources, in ``datasets_src``."""


@cache
def choices() -> dict[str, Any]:
    """Read the values of task parameters that Tan et al. leave open, such as the range of word counts."""
    return _object("choices.json")


@cache
def words() -> dict[str, list[str]]:
    """Read the lists of words: keywords, prepositions, positive words, sports, objects, colours, …."""
    return _object("words.json")


@cache
def categories() -> dict[str, list[str]]:
    """Read the complete lists of names, by category. Names of the same thing share an entry, separated by ``|``."""
    return _object("categories.json")


@cache
def paper_templates() -> dict[str, Any]:
    """Read the paper's template strings, verbatim."""
    return _object("paper_templates.json")


@cache
def prompts() -> dict[str, Any]:
    """Read our own prompts: those of each of the ``tasks``, and ``frames`` around them for styles such as ``cot``."""
    value: dict[str, Any] = yaml.safe_load(read_text(f"{SOURCES}/prompts.yaml"))
    return value


@cache
def births() -> tuple[tuple[str, datetime.date], ...]:
    """Read well-known people and their dates of birth, in the order of the file."""
    rows = csv.DictReader(read_lines(f"{SOURCES}/births.csv"))
    return tuple((row["name"], datetime.date(int(row["year"]), int(row["month"]), int(row["day"]))) for row in rows)


@cache
def benchmark_questions() -> tuple[dict[str, Any], ...]:
    """Read the multiple-choice questions that serve as examples: id, question, four options, answer."""
    return tuple(json.loads(line) for line in read_lines(f"{SOURCES}/benchmark_questions.jsonl"))


@cache
def noise() -> str:
    """Read the paragraph that the protocol with noise puts between its two prompts (Tan et al., section 6.2)."""
    return read_text(f"{SOURCES}/noise.txt").strip()


def _object(name: str) -> dict[str, Any]:
    value = read_json(f"{SOURCES}/{name}")
    assert isinstance(value, dict), f"{name} must hold an object"
    return value
