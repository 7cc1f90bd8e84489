"""The card of a repo of portraits, with a table of them."""

from collections.abc import Mapping
from importlib.resources import files
from string import Template

from selfknow.portraits.description import Description

_COLUMNS = ("width", "stride", "items", "bytes", "false positive rate")


def portraits_card(repo: str, portraits: Mapping[str, Description]) -> str:
    """Return the card: code that loads a portrait by its name, and a table of all, the smallest corpus first.

    Args:
        repo: ``org/name``.
        portraits: Descriptions, by the portrait's name.
    """
    names = sorted(portraits, key=lambda name: (portraits[name].items, name))
    lines = [
        f"| portrait | corpus | {' | '.join(_COLUMNS)} |",
        f"| --- | --- |{' ---: |' * len(_COLUMNS)}",
        *(f"| `{name}` | {_corpus(portraits[name])} | {' | '.join(_facts(portraits[name]))} |" for name in names),
    ]
    text = files("selfknow").joinpath("datasets_src/portraits/repo_card.md").read_text(encoding="utf-8")
    return Template(text).substitute(repo=repo, first=names[0], num_portraits=len(names), table="\n".join(lines))


def _facts(description: Description) -> list[str]:
    """Return the cells of a portrait's row, with its actual false positive rate."""
    numbers = (description.width, description.stride, description.items, description.shape.size_in_bytes)
    return [*(f"{number:,}" for number in numbers), f"{description.actual_false_positive_rate:.2g}"]


def _corpus(description: Description) -> str:
    corpus = description.corpus
    name = " ".join(str(corpus[part]) for part in ("repo", "path", "config", "split") if corpus.get(part))
    return name.replace("|", "\\|").replace("\n", " ")
