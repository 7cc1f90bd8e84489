"""The part of ``selfknow demo`` that builds a portrait of ``1k`` and asks it about five diary entries."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    from selfknow.portraits import Portrait

CONFIG = "1k"
FOREIGN_VALUE = "Lighthouse"  # a value of no attribute
_LESSON = """\
What a score says: quotes are exact to the character. An unknown word or name breaks every n-gram that crosses it. A
miss is certain, and about one hit in a thousand is false.
What it does not say: whose words they are, or that they belong together. Diary entries share a few sentences. So an
entry with another value, or a body that nobody wrote, can be quoted in full, half from one diarist and half from
another. The exact join shows the difference."""


def show_portrait(dataset: Path, out: Path) -> None:
    """Build a portrait of the documents of ``1k``, score five entries, and show their quotes.

    Args:
        dataset: A ``diary-recall`` folder with ``1k``.
        out: The folder that the portrait is written to.
    """
    from selfknow.portraits.prebuilt import build_prebuilt
    from selfknow.portraits.quote_view import as_terminal

    (portrait,) = build_prebuilt(dataset, out, [CONFIG], overwrite=True)
    description = portrait.description
    size = (
        f"{description.items:,} n-grams of {description.width} characters in {description.shape.size_in_bytes:,} bytes"
    )
    typer.echo(f"{size}, false positive rate {description.actual_false_positive_rate:.4f}")
    typer.echo(f"{description.corpus['query']}\n")
    entries = diary_entries(dataset)
    print_rows(score_entries(portrait, dataset, entries))
    for name in list(entries)[2:]:
        typer.echo(f"\n{name}, with its quotes in brackets:")
        typer.echo(as_terminal(entries[name], portrait.quotes(entries[name]), colour=False))
    typer.echo(f"\n{_LESSON}")


def diary_entries(dataset: Path, seed: int = 0) -> dict[str, str]:
    """Return a true entry, two altered copies of it, an entry of an unknown diarist, and a random body."""
    from selfknow.builders.diary_recall.diaries import attributes, given_names, surnames

    generator = random.Random(seed)  # noqa: S311 - no secret
    documents = _documents(dataset)
    values = attributes()
    title, body = generator.choice([(title, body) for title, body in documents if body.count("\n") == 5])
    lines = body.split("\n")
    attribute, value = lines[2].split(": ")
    others = [other for other in values[attribute] if other != value]
    titles = {title for title, _ in documents}
    bodies = {body for _, body in documents}
    return {
        "a true diary entry": title + body,
        "another value": _with_value(title, lines, attribute, generator.choice(others)),
        "a foreign word": _with_value(title, lines, attribute, FOREIGN_VALUE),
        "an unknown diarist": _unused(lambda: _made_up_title(generator, given_names(), surnames()), titles) + body,
        "a random body": _unused(lambda: _random_body(generator, values), bodies),
    }


def score_entries(portrait: "Portrait", dataset: Path, entries: dict[str, str]) -> list[dict[str, object]]:
    """Return a row for each entry: QUIP raw and corrected, the longest quote, and if it is a document of the corpus."""
    scores = portrait.quip(list(entries.values()))
    known = {title + body for title, body in _documents(dataset)}
    return [
        {
            "entry": name,
            "characters": len(text),
            "QUIP": float(score),
            "corrected": float(corrected),
            "longest quote": max((quote.end - quote.start for quote in portrait.quotes(text)), default=0),
            "a document (exact join)": "yes" if text in known else "no",
        }
        for (name, text), score, corrected in zip(entries.items(), scores, portrait.corrected(scores), strict=True)
    ]


def _with_value(title: str, lines: list[str], attribute: str, value: str) -> str:
    return title + "\n".join([*lines[:2], f"{attribute}: {value}", *lines[3:]])


def _documents(dataset: Path) -> list[tuple[str, str]]:
    import duckdb

    with duckdb.connect() as connection:
        rows = connection.read_parquet(str(dataset / CONFIG / "train-*.parquet"))
        return rows.filter("kind = 'document'").project("prompt, completion").fetchall()


def _unused(make: Callable[[], str], used: set[str]) -> str:
    while (text := make()) in used:
        pass
    return text


def _made_up_title(generator: random.Random, given_names: tuple[str, ...], surnames: tuple[str, ...]) -> str:
    return f"{generator.choice(given_names)} {generator.choice(surnames)}'s Diary Entry 1\n"


def _random_body(generator: random.Random, values: dict[str, tuple[str, ...]]) -> str:
    attributes = generator.sample(sorted(values), 6)
    return "\n".join(f"{attribute}: {generator.choice(values[attribute])}" for attribute in attributes)
