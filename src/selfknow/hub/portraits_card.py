"""The card of a repo of portraits, which lists them."""

from collections.abc import Mapping
from string import Template
from typing import Any

from selfknow.builders.sources import read_text

_COLUMNS = ("width", "stride", "items", "bytes", "false positive rate")


def portraits_card(repo: str, portraits: Mapping[str, Mapping[str, Any]]) -> str:
    """The card: how a portrait is loaded by its name, and a table of all of them.

    Args:
        repo: ``org/name``.
        portraits: Each portrait's description, by name.
    """
    names = sorted(portraits, key=lambda name: (portraits[name]["items"], name))
    lines = [
        f"| portrait | corpus | {' | '.join(_COLUMNS)} |",
        f"| --- | --- |{' ---: |' * len(_COLUMNS)}",
        *(f"| `{name}` | {_corpus(portraits[name])} | {' | '.join(_facts(portraits[name]))} |" for name in names),
    ]
    return Template(read_text("portraits/repo_card.md")).substitute(
        repo=repo, first=names[0], num_portraits=len(names), table="\n".join(lines)
    )


def _facts(description: Mapping[str, Any]) -> list[str]:
    """The cells of a portrait's row; the rate is the actual one, from the bits that are set."""
    bits, ones, hashes = (description[name] for name in ("size_in_bits", "ones", "hashes"))
    whole = (f"{description[name]:,}" for name in ("width", "stride", "items"))
    return [*whole, f"{bits // 8:,}", f"{(ones / bits) ** hashes:.2g}"]


def _corpus(description: Mapping[str, Any]) -> str:
    corpus = description["corpus"]
    named = " ".join(str(corpus[part]) for part in ("repo", "path", "config", "split") if corpus.get(part))
    return named.replace("|", "\\|").replace("\n", " ")
