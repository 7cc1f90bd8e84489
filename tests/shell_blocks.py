"""The guides' shell blocks: run in this process, with small stand-ins for large downloads and long trainings.

A block that cannot run here is followed by a comment ``<!-- The tests do not run this: REASON. -->``.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from selfknow.cli.app import app
from tests.conftest import REPOSITORY

SHELL = ("bash", "sh", "console", "shell-session")
_REASON = r"<!-- The tests do not run this: ([^\n]+) -->"
_BLOCK = re.compile(rf"^```([\w-]*)\n(.*?)^```$(?:\n+{_REASON})?", re.MULTILINE | re.DOTALL)

STAND_INS: Mapping[str, str] = {
    **dict.fromkeys(("MODEL", "PROPOSER", "JUDGE", "SmolLM2-135M-Instruct.Q4_1.gguf", "smol"), "tiny"),
    **dict.fromkeys(("opt-7m", "opt-125m"), "tiny"),
    "according-to:nq": "according-to:nq.jsonl",
    "gsm8k": "gsm8k:gsm8k.jsonl",
    "1000000": "1000",
    "100": "2",  # of the replies that people read
}
"""Small stand-ins for a page's words that name no file here: a tiny model, a few questions."""
LESS: Mapping[str, Mapping[str, str]] = {
    "evaluate": {"--limit": "2", "--max-new-tokens": "8"},
    "judge": {"--max-new-tokens": "8"},
    "reproduce": {"--throughput": "1e12", "--sizes": "1k", "--dry-run": ""},
    "train": {"--max-steps": "2", "--validation-limit": "2", "--max-new-tokens": "4", "--learning-rate": "1e-3"},
}
"""Options that tests add to a page's command, or replace, to make everything smaller."""
_MATCHES = 2  # the most files or runs that replace a pattern


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes:
        language: The word behind the fence; may be empty.
        text: The text between the fences.
        reason: The reason that tests do not run it; empty if they do.
    """

    language: str
    text: str
    reason: str


def blocks(page: Path) -> list[Block]:
    """Return all fenced blocks of a page, in order."""
    return [Block(*(part or "" for part in parts)) for parts in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def commands(block: Block) -> Iterator[list[str]]:
    """Yield the words of each command of a shell block, without comments, output, and the file that takes it."""
    for line in re.sub(r"\\\n\s*", "", block.text).splitlines():
        if block.language not in ("bash", "sh"):
            if not line.startswith("$ "):
                continue
            line = line.removeprefix("$ ")
        for command in line.split(" && "):
            words = shlex.split(command, comments=True)
            yield words[: words.index(">")] if ">" in words else words


def run(words: Sequence[str]) -> None:
    """Run a command in the current folder, with stand-ins."""
    arguments = [word for word in _small(list(words[1:])) if word]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, f"selfknow {shlex.join(arguments)}\n{result.stderr}"


def _small(words: list[str]) -> Iterator[str]:
    """Replace words by their stand-ins, and add options that make everything smaller."""
    less = LESS.get(words[0], {})
    for before, word in pairwise(["", *words]):
        if "--endpoint" in (before, word) or before in less or word in less:
            continue
        if "*" in word and " " not in word:
            yield from sorted(map(str, Path().glob(word)))[:_MATCHES]
        else:
            yield word if before == "--out" or Path(word).exists() else STAND_INS.get(word, word)
    for option in less.items():
        yield from option


def parse(words: Sequence[str]) -> None:
    """Read a command as the command line does, without running it.

    Raises:
        click.ClickException: There is no such command or option.
    """
    command, context, rest = _program(), None, list(words[1:])
    name: str | None = "selfknow"
    while True:
        context = command.make_context(name, rest, parent=context)
        if not hasattr(command, "resolve_command"):
            return
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])


@cache
def _program() -> Any:
    return typer.main.get_command(app)


def pages() -> dict[str, Path]:
    """Return every page, by its path in the repository."""
    paths = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *(REPOSITORY / "docs").glob("*.md")]
    paths += (REPOSITORY / "datasets_src").rglob("*card.md")
    return {path.relative_to(REPOSITORY).as_posix(): path for path in sorted(paths)}
