"""``selfknow evaluate self-knowledge:image-…`` over a real server that draws and looks, and with local models."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from PIL import Image
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.runs.schema import read_generations
from tests.conftest import Run
from tests.images.picture_server import Behaviour, serve
from tests.images.tiny_pictures import SIDE_IN_PIXELS, tiny_pipeline, tiny_vision_model
from tests.warm_python import WarmPython

Invoke = Callable[..., Result]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run ``selfknow`` with arguments in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour()


@pytest.fixture
def server(behaviour: Behaviour) -> Iterator[str]:
    with serve(behaviour) as url:
        yield url


def command(server: str, *more: object, task: str = "image-color") -> list[str]:
    command_line = ["evaluate", f"self-knowledge:{task}", "--image-endpoint", server, "--image-model", "painter"]
    return list(
        map(str, [*command_line, "--endpoint", server, "--model", "viewer", "--limit", 4, "--out", "run", *more])
    )


def test_pictures_are_drawn_looked_at_scored_and_asked_about(
    invoke: Invoke, server: str, behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SELFKNOW_TOKEN", "reads")
    monkeypatch.setenv("SELFKNOW_IMAGE_TOKEN", "draws")
    first = invoke(*command(server, "--verifier", "denier", "--image-size", "64x64", "--format", "json"))
    assert first.exit_code == 0, first.output
    assert [(row["stage"], row["model"].split()[-1], row["answered"]) for row in json.loads(first.stdout)] == [
        ("generate", "painter", 4),
        ("verify", "viewer", 4),
        ("verify", "denier", 4),
    ]
    assert {body["token"] for body in behaviour.drawings} == {"Bearer draws"}
    assert {body["token"] for body in behaviour.questions} == {"Bearer reads"}
    assert {body["size"] for body in behaviour.drawings} == {"64x64"}
    scored = json.loads(invoke("score", "run", "--format", "json").stdout)
    means = {(row["model"].split()[-1], row["metric"]): (row["n"], row["n_graded"], row["mean"]) for row in scored}
    assert means["viewer", "self_consistent"] == (4, 4, 1.0)
    assert means["denier", "self_consistent"] == (4, 4, 0.0)
    assert means["viewer", "verification_correct"] == means["painter", "generation_correct"] == (4, 0, None)
    result = invoke("query", "self_knowledge_tables", "run", "--format", "json")
    assert result.exit_code == 0, result.output
    rows = {row["verifier"].split()[-1]: row for row in json.loads(result.stdout) if row["task"] != "average"}
    assert {row["paper_table"] for row in rows.values()} == {"Table 4"}
    assert {row["generator"] for row in rows.values()} == {f"{server} painter"}
    assert (rows["viewer"]["score"], rows["denier"]["score"], rows["viewer"]["n"]) == (1.0, 0.0, 4)
    report = invoke("report", "run", "--out", "report.html")
    assert report.exit_code == 0, report.output
    assert (tmp_path / "report.html").stat().st_size


@pytest.mark.full
def test_a_run_that_is_killed_goes_on_and_draws_nothing_twice(
    selfknow_process: Run, python: WarmPython, server: str, behaviour: Behaviour, tmp_path: Path
) -> None:
    behaviour.hangs = 2
    process = python.start("-m", "selfknow", *command(server, "--concurrency", 1), cwd=tmp_path)
    while len(behaviour.questions) < 3:
        assert process.poll() is None, "it waits for an answer that does not come"
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert len(read_generations(tmp_path / "run")) == 4, "the pictures alone are written"
    behaviour.hangs = None
    again = selfknow_process(*command(server, "--format", "json"))
    assert again.returncode == 0, again.stderr
    assert [(row["answered_before"], row["answered"]) for row in json.loads(again.stdout)] == [(4, 0), (0, 4)]
    assert len(behaviour.drawings) == 4
    ids = read_generations(tmp_path / "run")["generation_id"].to_pylist()
    assert len(ids) == len(set(ids)) == 8


def test_pictures_of_an_earlier_run_are_looked_at_again(invoke: Invoke, server: str, behaviour: Behaviour) -> None:
    assert invoke(*command(server)).exit_code == 0
    again = ["evaluate", "self-knowledge:image-color", "--protocol", "consistency", "--reuse", "run"]
    again += ["--endpoint", server, "--model", "viewer", "--limit", "4", "--out", "again", "--format", "json"]
    result = invoke(*again)
    assert result.exit_code == 0, result.output
    assert [(row["stage"], row["answered"]) for row in json.loads(result.stdout)] == [("verify", 4), ("verify-kept", 4)]
    assert len(behaviour.drawings) == 4


def test_verifiers_alone_are_asked_where_no_model_is_named(invoke: Invoke, server: str, behaviour: Behaviour) -> None:
    command_line = [
        "evaluate",
        "self-knowledge:image-color",
        "--image-endpoint",
        server,
        "--endpoint",
        server,
        "--limit",
        1,
    ]
    assert invoke(*command_line, "--verifier", "viewer", "--verifier", "denier", "--out", "run").exit_code == 0
    assert [body["model"] for body in behaviour.questions] == ["truth", "other"]


def test_failed_pictures_are_exit_code_1_and_the_same_command_draws_them(
    invoke: Invoke, server: str, behaviour: Behaviour
) -> None:
    behaviour.instead = b"sold out"
    assert invoke(*command(server)).exit_code == 1
    behaviour.instead = None
    assert invoke(*command(server)).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["self-knowledge:image-color", "--model", "m"],
            "image-color is about pictures: name a model that draws them (--image",
        ),
        (
            ["self-knowledge:fact", "--model", "m", "--image-model", "p"],
            "--image-model is for self-knowledge:image-…, not for self-knowledge:fact",
        ),
        (
            ["diary-recall:1k", "--model", "m", "--image-size", "8x8"],
            "--image-size is for self-knowledge:image-…, not for diary",
        ),
        (
            ["self-knowledge:image-color", "--image-model", "p", "--benchmark", "b"],
            "--benchmark is for self-knowledge:b",
        ),
        (["self-knowledge:image-color", "--model", "m", "--image-model", "./gone"], "./gone does not exist"),
        (
            ["self-knowledge:image-color", "--image-model", "p", "--image-endpoint", "here", "--model", "m"],
            "'here' is not the address of an endpoint: write one such as http://127.0.0.1:8000",
        ),
        (
            ["self-knowledge:image-color", "--image-endpoint", "SERVER", "--endpoint", "SERVER", "--text"],
            "--text sends plain text, and no pictures: leave it out",
        ),
        (
            ["self-knowledge:image-color", "--image-endpoint", "SERVER", "--endpoint", "SERVER", "--image-steps", "4"],
            "an image endpoint takes no steps or guidance",
        ),
        (
            ["self-knowledge:image-color", "--image-endpoint", "SERVER", "--endpoint", "SERVER", "--image-size", "8"],
            "'8' is not the size of a picture",
        ),
        (
            ["self-knowledge:image-color", "--image-endpoint", "SERVER", "--endpoint", "SERVER", "--protocol", "dual"],
            "to draw a second picture with the same answer, a model would have to see the first one",
        ),
        (["self-knowledge:image-color", "--image-endpoint", "SERVER"], "name a --model, an --endpoint, or both"),
    ],
)
def test_a_mistake_is_one_line_before_anything_is_written(
    invoke: Invoke, server: str, arguments: list[str], message: str
) -> None:
    result = invoke("evaluate", *(server if part == "SERVER" else part for part in arguments), "--out", "run")
    assert isinstance(result.exception, UserError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
    assert not Path("run").exists()


def test_a_mistake_is_exit_code_2(selfknow_process: Run) -> None:
    result = selfknow_process("evaluate", "self-knowledge:image-color", "--model", "m", "--out", "run")
    assert result.returncode == 2
    assert result.stderr.startswith("selfknow: image-color is about pictures: name a model that draws them")
    assert (result.stderr.count("\n"), result.stdout) == (1, "")


def test_local_models_draw_and_look_from_the_command_line(invoke: Invoke, tmp_path: Path) -> None:
    tiny_pipeline(tmp_path / "painter")
    tiny_vision_model(tmp_path / "viewer", ["How many cats does this picture show? 1 2 3"])
    command_line = ["evaluate", "self-knowledge:image-counting", "--image-model", "painter", "--image-steps", 2]
    command_line += ["--model", "viewer", "--max-new-tokens", 4, "--limit", 3, "--out", "run", "--format", "json"]
    result = invoke(*command_line)
    assert result.exit_code == 0, result.output
    assert [(row["stage"], row["model"], row["answered"]) for row in json.loads(result.stdout)] == [
        ("generate", "painter", 3),
        ("verify", "viewer", 3),
    ]
    generations = read_generations(tmp_path / "run").to_pylist()
    assert all(len(row["revision"]) == 40 for row in generations)
    for row in generations[:3]:
        with Image.open(tmp_path / "run" / row["generation"]) as image:
            assert image.size == (SIDE_IN_PIXELS, SIDE_IN_PIXELS)
    settings = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]
    assert settings["drawing"] == {"width": None, "height": None, "steps": 2, "guidance": None}
    again = invoke(*command_line)
    assert [(row["answered_before"], row["answered"]) for row in json.loads(again.stdout)] == [(3, 0)] * 2
    scored = json.loads(invoke("score", "run", "--format", "json").stdout)
    assert {row["metric"]: row["n"] for row in scored if row["model"] == "viewer"}["self_consistent"] == 3
    [row, _] = json.loads(invoke("query", "self_knowledge_tables", "run", "--format", "json").stdout)
    assert (row["paper_table"], row["generator"], row["verifier"], row["n"]) == ("Table 4", "painter", "viewer", 3)
