"""The prompts of according-to: Table 1's phrases put into the formats of Appendix A."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from selfknow.builders.sources import read_text

SOURCES = "according_to"
PLACEMENTS = ("appended", "prepended", "both")
NULL = "null"  # the id of the prompt whose phrase is empty
CORPUS, CORPUS_ADDRESS, QUESTION, ANSWER = "{corpus}", "{corpus_address}", "{question}", "{answer}"


@cache
def phrases() -> tuple[Mapping[str, str], ...]:
    """Read the prompts of Table 1: id, kind, phrase."""
    return tuple(yaml.safe_load(read_text(f"{SOURCES}/prompts.yaml")))


@cache
def formats() -> Mapping[str, Mapping[str, str]]:
    """Read the prompts of each format: ``answer`` and, in two steps, ``explain``."""
    value: dict[str, dict[str, str]] = yaml.safe_load(read_text(f"{SOURCES}/formats.yaml"))
    return value


@cache
def question_sets() -> Mapping[str, Mapping[str, Any]]:
    """Read the paper's question sets: their place on the Hub, their columns and the format of their prompts."""
    value: dict[str, dict[str, Any]] = yaml.safe_load(read_text(f"{SOURCES}/question_sets.yaml"))
    return value


def rows(placement: str) -> list[dict[str, str | None]]:
    """Return the twelve prompts in every format, with the phrase in one of the :data:`PLACEMENTS`."""
    return [
        {
            "id": f"{name}-{prompt['id']}",
            "prompt_id": prompt["id"],
            "kind": prompt["kind"],
            "format": name,
            "placement": placement,
            "phrase": prompt["phrase"],
            "answer_prompt": _place_phrase(wording["answer"], prompt["phrase"], placement),
            "explain_prompt": _place_phrase(wording.get("explain"), prompt["phrase"], placement),
        }
        for name, wording in formats().items()
        for prompt in phrases()
    ]


def _place_phrase(template: str | None, phrase: str, placement: str) -> str | None:
    """Return a template with the phrase in its place; null if the format has no such template."""
    if template is None:
        return None
    before = phrase if placement in ("prepended", "both") else ""
    after = phrase if placement in ("appended", "both") else ""
    slots = {
        "{before}": f"{before} " if before else "",
        "{after}": f" {after}" if after else "",
        "{phrase_after}": after,
    }
    for marker, text in slots.items():
        template = template.replace(marker, text)
    return template
