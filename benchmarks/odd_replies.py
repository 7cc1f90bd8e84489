"""Counts of arbitrary replies of servers and functions: ``python -m benchmarks.odd_replies --count 10000``.

Every second request gets an arbitrary reply. From a server, it is a sound answer that was damaged, random JSON, or any
bytes; from a function, it is any Python object or an exception. The other requests get a sound reply. Afterwards every
request must be a row, with a text or with the reason why there is none, and every sound reply must be there unchanged.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from benchmarks.mutations.damage import damaged_bytes, damaged_json
from benchmarks.tables import print_table
from selfknow.evaluate.collect import collect
from selfknow.models.endpoint import Endpoint, EndpointModel
from selfknow.models.function import FunctionModel
from selfknow.models.interface import Decoding, LanguageModel, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import read_generations
from selfknow.runs.writer import RunWriter
from tests.evaluate.faulty_server import Behaviour, serve

_SHARES = {"chat completions": 0.5, "TGI": 0.25, "a function": 0.25}
_SOUND = "It is sound."


@dataclass
class Tally:
    """Counts of the replies of one source.

    Attributes:
        odd: Arbitrary replies.
        read: The replies that became a row with a text.
        refused: The replies that became a row with a reason.
        lost: Requests without a row, and sound replies that were changed.
        ended: Runs that an exception ended.
    """

    odd: int = 0
    read: int = 0
    refused: int = 0
    lost: int = 0
    ended: int = 0


def main() -> None:
    """Count, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.odd_replies", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000, help="arbitrary replies of all sources together")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tallies = {source: count(source, round(options.count * share), options.seed) for source, share in _SHARES.items()}
    total = Tally(*map(sum, zip(*(vars(tally).values() for tally in tallies.values()), strict=True)))
    print_table(
        ["replies of", "arbitrary", "read", "refused, with the reason", "lost", "runs that ended"],
        (
            [source, *(f"{number:,}" for number in vars(tally).values())]
            for source, tally in {**tallies, "together": total}.items()
        ),
    )
    sys.exit(1 if total.lost or total.ended else 0)


def count(source: str, number: int, seed: int) -> Tally:
    """Count the outcomes of arbitrary replies, each asked beside a sound one.

    Args:
        source: The source of replies, as in the table.
        number: The number of arbitrary replies.
        seed: The seed of the replies.
    """
    requests = [Request(str(place), f"question {place}") for place in range(2 * number)]
    rows = pa.table({"id": [request.example_id for request in requests]})
    description = RunDescription("odd-replies", DatasetReference("odd"), Decoding())
    tally = Tally(odd=number)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with RunWriter.open(folder, description, rows) as run:
            try:
                _ask(source, seed, lambda model: collect(run, model, requests, quiet=True))
            except Exception as error:
                sys.stderr.write(f"{source}: the run ended: {type(error).__name__}: {str(error)[:200]}\n")
                tally.ended += 1
        replies = {row["example_id"]: row for row in read_generations(folder).to_pylist()}
    for request in requests:
        row = replies.get(request.example_id)
        if row is None or (row["generation"] is None) == (row["error"] is None):
            tally.lost += 1
        elif not _is_odd(request.prompt):
            tally.lost += row["generation"] != _SOUND
        else:
            tally.read += row["error"] is None
            tally.refused += row["error"] is not None
    return tally


def _is_odd(prompt: str) -> bool:
    return int(prompt.rpartition(" ")[2]) % 2 == 1


def _ask(source: str, seed: int, ask: Callable[[LanguageModel], object]) -> None:
    if source == "a function":
        ask(FunctionModel(lambda prompt: _object(Random(f"{seed}:{prompt}")) if _is_odd(prompt) else _SOUND, "odd"))
        return

    def answers(prompt: str, sound: Any) -> Any:
        if _is_odd(prompt):
            return _answer(json.dumps(sound).encode(), Random(f"{seed}:{source}:{prompt}"))
        return sound if "choices" in sound else [{**sound[0], "generated_text": _SOUND}]

    with serve(Behaviour(says=lambda prompt: _SOUND, answers=answers)) as url:  # noqa: ARG005
        ask(EndpointModel(Endpoint(url, text=source == "TGI", tries=1)))


def _answer(sound: bytes, chance: Random) -> bytes:
    """Return a random answer of a server: mostly damaged JSON, sometimes JSON of another shape, or damaged bytes."""
    draw = chance.random()
    if draw < 0.7:
        return damaged_json(sound, chance)
    return json.dumps(_json(chance)).encode() if draw < 0.85 else damaged_bytes(sound, chance)


def _json(chance: Random, depth: int = 4) -> Any:
    names = ("choices", "message", "content", "usage", "prompt_tokens", "finish_reason", "text", "details", "type", "x")
    kind = chance.randrange(9 if depth else 7)
    if kind == 7:
        return [_json(chance, depth - 1) for _ in range(chance.randrange(4))]
    if kind == 8:
        return {chance.choice(names): _json(chance, depth - 1) for _ in range(chance.randrange(5))}
    number = chance.choice((0, 7, -1, 2**31, 2**70, 0.5))
    return (None, True, number, float("nan"), float("inf"), "half \ud83d", chance.choice(names))[kind]


class _Mute:
    """An object that raises an exception if its text or its class is read."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("no class")


def _object(chance: Random) -> Any:
    """Return a random object, as a function may return, or raise an exception."""
    kind = chance.randrange(8)
    if kind == 0:
        raise chance.choice((ValueError, KeyError, MemoryError, RecursionError, UnicodeError, StopIteration))(
            "half \ud83d"
        )
    if kind == 1:
        raise OSError(chance.choice((28, 5)), "x" * chance.choice((1, 100_000)))
    if kind == 2:
        return chance.choice((_Mute(), object, _Mute, print, iter(()), 3j, {1}, b"bytes", bytearray(3)))
    if kind == 3:
        return "x" * chance.choice((0, 1, 1 << 16, (1 << 24) + 1))
    if kind == 4:
        return "".join(chr(chance.choice((0, 10, 65, 0xD800, 0xDFFF, 0xFFFE, 0x1F600))) for _ in range(9))
    return _json(chance)


if __name__ == "__main__":
    main()
