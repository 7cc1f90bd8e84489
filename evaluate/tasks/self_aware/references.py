"""Reference sentences of not knowing, and the thresholds that go with an encoder."""

from dataclasses import dataclass
from pathlib import Path

from selfknow.builders.sources import read_json
from selfknow.builders.tables import read_groups
from selfknow.errors import UserError

SCORERS = ("paper", "strict")
PAPER_THRESHOLD = 0.75
_SOURCES = "self_aware/replies"


@dataclass(frozen=True)
class References:
    """What replies are compared with.

    Attributes:
        name: ``paper``, ``strict``, or the file's name.
        phrases: What is compared: the paper's without their last full stop and in lower case, as the authors' code
            compares them (``code/eval_model.py``); others as they are written.
    """

    name: str
    phrases: tuple[str, ...]


def load_references(name: str) -> References:
    """The paper's 16 phrases (``paper``), ours (``strict``), or a file's, one a line; ``#`` begins a remark.

    Raises:
        UserError: There is no such file, or it holds no phrase.
    """
    if name in SCORERS:
        lines = phrases_of(name)
    else:
        try:
            lines = tuple(Path(name).read_text(encoding="utf-8").splitlines())
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                f"the references {name!r} cannot be read: name {' or '.join(SCORERS)}, or a file of UTF-8 text"
            ) from error
    phrases = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if not phrases:
        raise UserError(f"{name} holds no reference phrase: write one a line")
    if name == "paper":
        phrases = tuple(phrase.lower().removesuffix(".") for phrase in phrases)
    return References(name, phrases)


def default_threshold(encoder: str, scorer: str) -> float:
    """The threshold calibrated for an encoder and a scorer, else the paper's 0.75 (which is its own encoder's)."""
    calibrated = read_json(f"{_SOURCES}/thresholds.json")
    assert isinstance(calibrated, dict), "thresholds.json maps encoders to thresholds"
    return float(calibrated.get(encoder, {}).get(scorer, PAPER_THRESHOLD))


def denials() -> tuple[str, ...]:
    """Words that take back what a sentence says of not knowing, without punctuation."""
    return phrases_of("denial")


def phrases_of(name: str) -> tuple[str, ...]:
    """The phrases of a list in ``phrases.tsv``: ``paper``, ``strict``, ``candidate`` or ``denial``."""
    return tuple(row["phrase"] for row in read_groups(f"{_SOURCES}/phrases.tsv", "list")[name])
