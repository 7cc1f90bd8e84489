"""A function is known by what it is: the same one goes on, another one is refused in one line."""

import functools
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import selfknow
from selfknow.errors import UserError
from selfknow.models.function import FunctionModel
from selfknow.models.function_identity import UnknowableError, hash_of_function
from tests.conftest import REPOSITORY

SOURCE = """
HINT = "briefly"
def shorten(text, most=9):
    return text[:most]
def answer(prompt, first="A", *, last="Z"):
    try:
        return [shorten(word) + HINT for word in prompt.split()] + [first, last]
    except ValueError:
        return "none"
"""


def defined(source: str, file: str = "<cell 1>", name: str = "answer", **values: Any) -> Callable[..., Any]:
    """Return a function as a notebook's cell defines it."""
    namespace = {"__name__": "__main__", **values}
    exec(compile(source, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function


def test_the_file_and_the_line_of_a_function_say_nothing() -> None:
    moved = "# A comment.\n\n\n" + SOURCE.replace("    try:", "\n    # Another.\n    try:")
    assert hash_of_function(defined(SOURCE)) == hash_of_function(defined(moved, "elsewhere/answers.py"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"briefly"', '"at length"'),
        ("most=9", "most=8"),
        ("text[:most]", "text[most:]"),
        ('first="A"', 'first="B"'),
        ('last="Z"', 'last="Y"'),
        ("ValueError", "KeyError"),
        ('"none"', '"nothing"'),
        ("prompt.split()", "prompt.lower()"),
        ("+ HINT", "+ first"),
    ],
)
def test_whatever_a_function_does_tells_it_from_another(before: str, after: str) -> None:
    assert before in SOURCE
    assert hash_of_function(defined(SOURCE)) != hash_of_function(defined(SOURCE.replace(before, after)))


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Says:
    text: object

    def __call__(self, prompt: str) -> object:
        return self.text

    def say(self, prompt: str) -> object:
        return self.text


def closure(value: object) -> Callable[[str], object]:
    return lambda prompt: value


@pytest.mark.parametrize(
    "make", [closure, Says, lambda value: Says(value).say, lambda value: functools.partial(print, value)]
)
@pytest.mark.parametrize(
    ("value", "other"),
    [
        (lambda: 1, lambda: 2),
        (lambda: 1, lambda: True),
        (lambda: "a", lambda: b"a"),
        (lambda: ["a", ["b"]], lambda: ["a", "b"]),
        (lambda: {"a": 1}, lambda: {"a": 2}),
        (lambda: {"a", "b", "c"}, lambda: {"a", "b"}),
        (lambda: Colour.RED, lambda: Colour.BLUE),
        (lambda: re.compile("a"), lambda: re.compile("b")),
        (lambda: Path("a"), lambda: Path("b")),
        (lambda: pa.array([1]).to_numpy(), lambda: pa.array([2]).to_numpy()),
        (lambda: Says(1), lambda: Says(2)),
        (lambda: str.upper, lambda: str.lower),
        (lambda: {"a": 1}.get, lambda: {"a": 2}.get),
        (lambda: closure(1), lambda: closure(2)),
        (lambda: functools.cache(closure(1)), lambda: functools.cache(closure(2))),
    ],
)
def test_values_that_a_function_holds_tell_it_from_another(
    make: Callable[[object], Callable[..., object]], value: Callable[[], object], other: Callable[[], object]
) -> None:
    assert hash_of_function(make(value())) == hash_of_function(make(value()))
    assert hash_of_function(make(value())) != hash_of_function(make(other()))


def test_a_function_is_the_same_in_every_process() -> None:
    source = (
        f"SOURCE = {SOURCE!r}\nWORDS = {{'a', 'b', 'c', 'd', 'e'}}\n"
        "from selfknow.models.function_identity import hash_of_function\n"
        "exec(SOURCE)\nprint(hash_of_function(lambda prompt: [answer(prompt), WORDS]))"
    )
    hashes = set()
    for seed in ("1", "2"):
        process = subprocess.run(
            [sys.executable, "-c", source],
            capture_output=True,
            text=True,
            check=True,
            cwd=REPOSITORY,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(REPOSITORY / "src")},
        )
        hashes.add(process.stdout)
    assert len(hashes) == 1


def test_a_function_may_call_itself_and_hold_itself() -> None:
    source = "def answer(prompt): return answer(prompt[1:]) if prompt else 'end'"
    assert hash_of_function(defined(source)) == hash_of_function(defined(source))
    assert hash_of_function(defined(source)) != hash_of_function(defined(source.replace("end", "END")))
    itself: list[object] = []
    itself.append(itself)
    assert hash_of_function(closure(itself))


@pytest.mark.parametrize(
    ("value", "kind"),
    [(threading.Lock(), "lock"), ({"client": threading.Lock()}, "dict"), ((letter for letter in "a"), "generator")],
)
def test_what_has_no_value_to_compare_is_named(value: object, kind: str) -> None:
    with pytest.raises(UnknowableError, match=f"it uses value, of type {kind}"):
        hash_of_function(closure(value))
    with pytest.raises(UnknowableError, match=f"it uses client, of type {kind}"):
        hash_of_function(defined("def answer(prompt): return client.ask(prompt)", client=value))
    with pytest.raises(UserError, match=r"pass name='…', and a new name whenever") as refused:
        FunctionModel(closure(value))
    assert "\n" not in str(refused.value)
    assert FunctionModel(closure(value), "mine").revision is None


def test_what_is_too_deep_or_too_large_is_not_waited_for() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(UnknowableError):
        hash_of_function(closure(deep))
    with pytest.raises(UnknowableError):
        hash_of_function(closure("x" * (65 << 20)))


@pytest.fixture
def questions(tmp_path: Path) -> str:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "1 + 1?", "answer": "#### 2"}\n{"question": "2 + 2?", "answer": "#### 4"}\n')
    return f"gsm8k:{path}"


def test_a_lambda_that_was_redefined_is_refused_and_the_same_goes_on(
    questions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for before in (0, 2):
        run = selfknow.ask(questions, lambda prompt: "#### 2", out=tmp_path / "run")
        assert [progress.answered_before for progress in run.progress] == [before]
    assert "answer: 2 of 2 replies of <lambda> are already in the run" in capsys.readouterr().err
    mine, other = (FunctionModel(function).revision for function in (lambda prompt: "#### 2", lambda prompt: "#### 4"))
    with pytest.raises(UserError) as refused:
        selfknow.ask(questions, lambda prompt: "#### 4", out=tmp_path / "run", quiet=True)
    assert f"holds 2 replies of another function <lambda> ({mine}), not of this one ({other})" in str(refused.value)
    assert "\n" not in str(refused.value)
    run = selfknow.ask(questions, lambda prompt: "#### 4", out=tmp_path / "run", quiet=True, name="four")
    assert [(progress.model, progress.answered_before, progress.answered) for progress in run.progress] == [
        ("four", 0, 2)
    ]


def test_a_function_with_a_name_is_known_by_it_alone(questions: str, tmp_path: Path) -> None:
    lock = threading.Lock()

    def locked(prompt: str) -> str:
        with lock:
            return "#### 2"

    with pytest.raises(UserError, match=r"the function locked cannot be compared .* \(it uses lock, of type lock\)"):
        selfknow.ask(questions, locked, out=tmp_path / "run", quiet=True)
    for before in (0, 2):
        run = selfknow.ask(questions, locked, out=tmp_path / "run", quiet=True, name="locked-1")
        assert [(progress.model, progress.answered_before) for progress in run.progress] == [("locked-1", before)]


def test_a_name_is_for_a_function(questions: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="name= is for a function"):
        selfknow.ask(questions, "some/model", out=tmp_path / "run", name="mine")


def test_another_judge_of_one_name_is_refused(tmp_path: Path) -> None:
    run = selfknow.ask("self-aware", lambda prompt: "I do not know.", out=tmp_path / "run", quiet=True, limit=2)
    assert run.judge(lambda prompt: "right").answered >= 1
    assert run.judge(lambda prompt: "right").answered == 0
    with pytest.raises(UserError, match="of another function <lambda>"):
        run.judge(lambda prompt: "wrong")
