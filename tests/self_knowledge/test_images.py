"""Pictures drawn and looked at over a real server get exactly the numbers that arithmetic says, on every protocol."""

import io
import json
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from PIL import Image, ImageOps

from selfknow.builders.self_knowledge.builder import task_table
from selfknow.builders.self_knowledge.sources import noise
from selfknow.errors import UserError
from selfknow.evaluate.connection import connect
from selfknow.evaluate.score import score_run
from selfknow.models.endpoint import EndpointModel
from selfknow.models.endpoint_calls import Endpoint
from selfknow.models.images.endpoint import EndpointImageGenerator
from selfknow.runs.schema import last_attempts, read_examples, read_generations
from selfknow.sql.queries import query_rows
from tests.images.picture_server import REFUSAL, Behaviour, drawn, serve
from tests.self_knowledge.asking import ask_pictures, ask_texts
from tests.self_knowledge.scripted import Scripted

TASKS = ("image-counting", "image-color", "image-position")
UNKNOWN = "no program can decide"
Number = tuple[int, int, float | None]  # n over all, n graded, mean


class Server:
    """A server and its behaviour, which a test may change."""

    def __init__(self, url: str, behaviour: Behaviour) -> None:
        self.url = url
        self.behaviour = behaviour

    def run(
        self, folder: Path, task: str, draws: str | None, sees: str | list[str], protocol: str = "separate", **more: Any
    ) -> None:
        settings = {"concurrency": 1, "tries": 1, "first_back_off_seconds": 0.01}
        verifiers = [sees] if isinstance(sees, str) else sees
        ask_pictures(
            folder,
            task,
            [EndpointImageGenerator(Endpoint(self.url, draws, **settings))] if draws else [],  # type: ignore[arg-type]
            [EndpointModel(Endpoint(self.url, name, **settings)) for name in verifiers],  # type: ignore[arg-type]
            protocol=protocol,
            **{"limit": 3, **more},
        )


@pytest.fixture
def server() -> Iterator[Server]:
    behaviour = Behaviour()
    with serve(behaviour) as url:
        yield Server(url, behaviour)


def numbers(folder: Path) -> dict[str, Number]:
    """Return n, n graded and the mean of each metric; of later stages as ``stage:metric``."""
    stages = {row["generation_id"]: row["stage"] for row in read_generations(folder).to_pylist()}
    results: dict[str, list[float | None]] = {}
    for row in score_run(folder).to_pylist():
        assert row["value"] is not None or row["reason"], row
        stage = stages[row["generation_id"]]
        front = "" if stage in ("generate", "verify") else f"{stage}:"
        results.setdefault(front + row["metric"], []).append(row["value"])
    graded = {metric: [value for value in values if value is not None] for metric, values in results.items()}
    return {
        metric: (len(results[metric]), len(values), sum(values) / len(values) if values else None)
        for metric, values in graded.items()
    }


def reasons(folder: Path, metric: str) -> set[str]:
    return {row["reason"] for row in score_run(folder).to_pylist() if row["metric"] == metric}


def rows(folder: Path, stage: str) -> list[dict[str, Any]]:
    return read_generations(folder).filter(pc.field("stage") == stage).to_pylist()


# What is self-consistent where who draws and who looks behave so. Who never says what is so calls a picture with the
# places exchanged one as it was asked for.
BEHAVIOURS = {
    "perfect": ("right", "truth", (1.0, 1.0, 1.0)),
    "always wrong": ("wrong", "other", (0.0, 0.0, 1.0)),
    "consistent but wrong": ("wrong", "asked", (1.0, 1.0, 1.0)),
    "draws wrong, sees right": ("wrong", "truth", (0.0, 0.0, 0.0)),
    "inconsistent": ("right", "other", (0.0, 0.0, 0.0)),
}


# Noise stands between a picture and the question about it, whoever draws and looks.
NOISY = ("in-context-noise", "draws wrong, sees right")


@pytest.mark.parametrize(
    ("task", "protocol", "behaviour"),
    [
        pytest.param(*cell, marks=[] if cell[1] == "separate" or cell[1:] == NOISY else pytest.mark.full)
        for cell in product(TASKS, ("separate", "in-context", "in-context-noise"), BEHAVIOURS)
    ],
)
def test_numbers_of_first_draw_then_look(
    tmp_path: Path, server: Server, task: str, protocol: str, behaviour: str
) -> None:
    draws, sees, expected = BEHAVIOURS[behaviour]
    server.run(tmp_path / "run", task, draws, sees, protocol)
    results = numbers(tmp_path / "run")
    assert results["self_consistent"] == (3, 3, expected[TASKS.index(task)])
    assert results["reply_parsed"] == (3, 3, 1.0)
    for metric in ("generation_correct", "verification_correct", "all_correct"):
        assert results[metric] == (3, 0, None)
        assert reasons(tmp_path / "run", metric) == {UNKNOWN}
    assert results["leaks_answer"] == (3, 0, None)


@pytest.mark.parametrize(
    "task", [pytest.param(task, marks=[] if task == "image-color" else pytest.mark.full) for task in TASKS]
)
def test_a_slow_server_changes_nothing(tmp_path: Path, server: Server, task: str) -> None:
    server.behaviour.seconds = 0.05
    server.run(tmp_path / "run", task, "right", "truth")
    assert numbers(tmp_path / "run")["self_consistent"] == (3, 3, 1.0)


@pytest.mark.parametrize(("sees", "reason"), [("mumbles", "no "), ("refuses", "refusal")])
@pytest.mark.parametrize("task", TASKS)
def test_a_reply_that_does_not_parse_is_null_with_its_reason(
    tmp_path: Path, server: Server, task: str, sees: str, reason: str
) -> None:
    server.run(tmp_path / "run", task, "right", sees)
    results = numbers(tmp_path / "run")
    assert results["reply_parsed"] == (3, 3, 0.0)
    assert results["self_consistent"] == (3, 0, None)
    assert all(text.startswith(reason) for text in reasons(tmp_path / "run", "self_consistent"))


@pytest.mark.parametrize("task", TASKS)
def test_who_refuses_to_draw_stays_in_every_denominator(tmp_path: Path, server: Server, task: str) -> None:
    server.run(tmp_path / "run", task, "refuses", "truth")
    results = numbers(tmp_path / "run")
    assert [results[name] for name in ("generation_correct", "self_consistent", "all_correct")] == [(3, 0, None)] * 3
    assert "reply_parsed" not in results
    [reason] = reasons(tmp_path / "run", "self_consistent")
    assert reason == "not asked: the request failed: HTTP 400: Your request was rejected by the safety system."


@pytest.mark.parametrize("task", TASKS)
def test_every_third_call_failing_leaves_the_rest_exact_and_is_made_good_by_running_again(
    tmp_path: Path, server: Server, task: str
) -> None:
    server.behaviour.fails = 3
    server.run(tmp_path / "run", task, "right", "truth", limit=9)  # 9 pictures of which 3 fail; 6 looks of which 2 fail
    results = numbers(tmp_path / "run")
    assert results["self_consistent"] == (9, 4, 1.0)
    assert results["reply_parsed"] == (6, 4, 1.0)
    server.behaviour.fails = 0
    server.run(tmp_path / "run", task, "right", "truth", limit=9)
    assert numbers(tmp_path / "run")["self_consistent"] == (9, 9, 1.0)
    assert server.behaviour.calls == 15 + 3 + 2 + 3, "only what had failed, and what could not be asked before"


@pytest.mark.parametrize(
    ("instead", "reason"),
    [
        (b"", "the picture is empty"),
        (b"<html>sold out</html>", "the reply is not a PNG, JPEG or WebP picture"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x00\x00\x00\x01\x00\x00\x08\x02\x00\x00\x00", "picture"),
    ],
    ids=["empty", "page", "half"],
)
def test_a_broken_picture_is_a_row_with_its_error_and_is_drawn_again(
    tmp_path: Path, server: Server, instead: bytes, reason: str
) -> None:
    server.behaviour.instead, server.behaviour.by_address = instead, True
    server.run(tmp_path / "run", "image-color", "right", "truth")
    assert all(reason in row["error"] and row["generation"] is None for row in rows(tmp_path / "run", "generate"))
    assert numbers(tmp_path / "run")["self_consistent"] == (3, 0, None)
    assert not server.behaviour.questions
    server.behaviour.instead = None
    server.run(tmp_path / "run", "image-color", "right", "truth")
    assert numbers(tmp_path / "run")["self_consistent"] == (3, 3, 1.0)
    assert [row["attempt"] for row in rows(tmp_path / "run", "generate")] == [0, 0, 0, 1, 1, 1]


def test_pictures_are_kept_under_their_hash_and_nothing_else_of_them_is_recorded(
    tmp_path: Path, server: Server
) -> None:
    server.run(tmp_path / "run", "image-color", "right", "truth")
    pictures = rows(tmp_path / "run", "generate")
    for row in pictures:
        with Image.open(tmp_path / "run" / row["generation"]) as image:
            assert image.tobytes() == drawn(row["prompt"])[0].tobytes()
    for row, picture in zip(rows(tmp_path / "run", "verify"), pictures, strict=True):
        question = row["prompt"].removesuffix(f"\n\n![]({picture['generation']})")
        assert question.startswith("What colour is the ")
        assert row["messages"] == [{"role": "user", "content": row["prompt"]}]
        assert row["parent_generation_id"] == picture["generation_id"]
        assert len(row["prompt"]) < 250
    described = json.loads((tmp_path / "run" / "run.json").read_text())
    assert described["settings"]["drawing"] == {"width": None, "height": None, "steps": None, "guidance": None}
    names = {row["generation"] for row in pictures}
    assert {f"images/{path.name}" for path in (tmp_path / "run" / "images").iterdir()} == names


def parts(body: dict[str, Any]) -> list[str]:
    return [part.get("text", "picture") for part in body["messages"][0]["content"]]


def test_the_picture_stands_behind_the_question_and_in_context_where_it_was_drawn(
    tmp_path: Path, server: Server
) -> None:
    row = next(row for row in task_table("image-counting", 0).to_pylist() if row["style"] == "plain")
    shown = {
        "separate": [row["verify_prompt"], "picture"],
        "in-context": [row["generate_prompt"], "picture", row["verify_prompt"]],
        "in-context-noise": [row["generate_prompt"], "picture", f"{noise()}\n\n{row['verify_prompt']}"],
    }
    for protocol, wanted in shown.items():
        server.run(tmp_path / protocol, "image-counting", "right", "truth", protocol, limit=1)
        assert parts(server.behaviour.questions[-1]) == wanted


def posted(body: dict[str, Any]) -> Image.Image:
    import base64

    [picture] = [part for part in body["messages"][0]["content"] if part["type"] == "image_url"]
    return Image.open(io.BytesIO(base64.b64decode(picture["image_url"]["url"].partition(",")[2])))


@pytest.mark.parametrize(("sees", "consistent"), [("truth", 1.0), ("other", 0.0)])
@pytest.mark.parametrize("task", TASKS)
def test_the_answer_stays_in_the_mirror(
    tmp_path: Path, server: Server, task: str, sees: str, consistent: float
) -> None:
    server.run(tmp_path / "run", task, "right", sees, "consistency")
    results = numbers(tmp_path / "run")
    assert results["self_consistent"] == (3, 3, consistent)
    # Who denies what is so of a picture denies it of its mirror image, too, where there is only yes and no.
    remaining = 1.0 if task == "image-position" else consistent
    assert results["verify-kept:self_consistent"] == (3, 3, remaining)
    assert results["verify-kept:verification_correct"] == (3, 0, None)
    first, mirrored = server.behaviour.questions[0], server.behaviour.questions[3]
    assert ImageOps.mirror(posted(first)).tobytes() == posted(mirrored).tobytes()
    assert parts(first) == parts(mirrored)


def test_of_positions_the_mirror_keeps_above_and_below_and_breaks_left_and_right(
    tmp_path: Path, server: Server
) -> None:
    for protocol, wanted in (
        ("consistency", {"above", "below"}),
        ("inconsistency", {"to the left of", "to the right of"}),
    ):
        server.run(tmp_path / protocol, "image-position", "right", "truth", protocol, limit=26)
        positions = [
            json.loads(params)["position"] for params in read_examples(tmp_path / protocol)["params"].to_pylist()
        ]
        assert (len(positions), set(positions)) == (26, wanted)
    results = numbers(tmp_path / "inconsistency")
    assert results["self_consistent"] == results["verify-broken:answer_changed"] == (26, 26, 1.0)
    server.run(tmp_path / "stubborn", "image-position", "right", "asked", "inconsistency")
    assert numbers(tmp_path / "stubborn")["verify-broken:answer_changed"] == (3, 3, 0.0)


@pytest.mark.parametrize(
    ("task", "protocol", "message"),
    [
        (
            "image-color",
            "dual",
            r"'dual' \(to draw a second picture .* would have to see the first one\); it can with sepa",
        ),
        ("image-counting", "inconsistency", r"\(no change to a picture is sure to change the answer\); it can with"),
        ("image-position", "dual", "it can with separate, in-context, in-context-noise, consistency, inconsistency"),
        ("total-count", "separate", "total-count is about texts, and an image generator writes none"),
    ],
)
def test_what_pictures_have_no_part_for_is_refused_with_the_reason(
    tmp_path: Path, server: Server, task: str, protocol: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        server.run(tmp_path / "run", task, "right", "truth", protocol)
    assert not (tmp_path / "run").exists()
    assert not server.behaviour.bodies


def test_a_language_model_draws_no_pictures(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="image-color is about pictures: name a model that draws them"):
        ask_texts(tmp_path, "image-color", [Scripted()])


def test_the_papers_wording_and_styles_are_asked_of_pictures_too(tmp_path: Path, server: Server) -> None:
    for task in TASKS:
        server.run(tmp_path / f"{task}-paper", task, "right", "truth", wording="paper")
        assert numbers(tmp_path / f"{task}-paper")["self_consistent"] == (3, 3, 1.0)
        assert server.behaviour.drawings[-1]["prompt"].startswith("Generate an image with ")
    server.run(tmp_path / "styles", "image-color", "right", "truth", style=("expert", "cot"))
    assert numbers(tmp_path / "styles")["self_consistent"] == (6, 6, 1.0)
    assert "Think step by step." in parts(server.behaviour.questions[-1])[0]


def test_samples_of_one_prompt_are_drawn_with_seeds_of_their_own(tmp_path: Path, server: Server) -> None:
    server.run(tmp_path / "run", "image-color", "right", "truth", samples=2, limit=2)
    assert len({body["seed"] for body in server.behaviour.drawings}) == 4
    assert numbers(tmp_path / "run")["self_consistent"] == (4, 4, 1.0)


def test_drawn_and_looked_at_by_several_is_a_full_matrix_in_sql(tmp_path: Path, server: Server) -> None:
    for draws in ("right", "wrong"):
        server.run(tmp_path / "run", "image-counting", draws, ["truth", "asked"], limit=4)
    score_run(tmp_path / "run")
    with connect([tmp_path / "run"]) as connection:
        results = query_rows(connection, "self_knowledge_tables")
        matrix = query_rows(connection, "self_knowledge_matrix")
    name = f"{server.url} {{}}".format
    expected = {("right", "truth"): 1.0, ("right", "asked"): 1.0, ("wrong", "truth"): 0.0, ("wrong", "asked"): 1.0}
    assert {
        (row["paper_table"], row["generator"], row["verifier"], row["task"], row["n"], row["n_graded"], row["score"])
        for row in results
        if row["task"] != "average"
    } == {
        ("Table 4", name(draws), name(sees), "image-counting", 4, 4, score) for (draws, sees), score in expected.items()
    }
    assert len(matrix) == 4


def test_table_4_comes_out_of_sql(tmp_path: Path, server: Server) -> None:
    sees = dict(zip(TASKS, ("other", "truth", "asked"), strict=True))
    folders = [tmp_path / task for task in TASKS]
    for folder in folders:
        server.run(folder, folder.name, "right" if folder.name != "image-position" else "wrong", sees[folder.name])
        score_run(folder)
    with connect(folders) as connection:
        results = query_rows(connection, "self_knowledge_tables")
    assert {
        (row["paper_table"], row["task"]): (row["n"], row["score"]) for row in results if row["task"] != "average"
    } == {
        ("Table 4", "image-counting"): (3, 0.0),
        ("Table 4", "image-color"): (3, 1.0),
        ("Table 4", "image-position"): (3, 1.0),
    }


def test_earlier_pictures_are_reused_and_none_is_drawn_anew(tmp_path: Path, server: Server) -> None:
    server.run(tmp_path / "first", "image-color", "right", "truth")
    for draws in (None, "right"):
        again = tmp_path / f"again-{draws}"
        server.run(again, "image-color", draws, "other", "in-context", reuse=tmp_path / "first")
        assert numbers(again)["self_consistent"] == (3, 3, 0.0)
        pictures = [rows(folder, "generate") for folder in (tmp_path / "first", again)]
        assert [row["generation"] for row in pictures[0]] == [row["generation"] for row in pictures[1]]
        for row in pictures[1]:
            assert (again / row["generation"]).read_bytes() == (tmp_path / "first" / row["generation"]).read_bytes()
    assert len(server.behaviour.drawings) == 3
    shutil.rmtree(tmp_path / "first" / "images")
    server.run(tmp_path / "again-None", "image-color", None, "other", "in-context", reuse=tmp_path / "first")
    with pytest.raises(UserError, match=r"the picture .* cannot be read"):
        server.run(tmp_path / "late", "image-color", None, "truth", reuse=tmp_path / "first")


def test_a_picture_that_was_changed_in_the_run_is_not_looked_at(tmp_path: Path, server: Server) -> None:
    server.behaviour.fails = 4  # the first look
    server.run(tmp_path / "run", "image-color", "right", "truth")
    server.behaviour.fails = 0
    [failed] = [row for row in last_attempts(read_generations(tmp_path / "run")).to_pylist() if row["error"]]
    [name] = [
        row["generation"] for row in rows(tmp_path / "run", "generate") if row["example_id"] == failed["example_id"]
    ]
    (tmp_path / "run" / name).write_bytes(b"another")
    with pytest.raises(UserError, match="was changed: its name is no longer its sha256"):
        server.run(tmp_path / "run", "image-color", "right", "truth")


def test_what_a_killed_write_left_is_removed(tmp_path: Path, server: Server) -> None:
    server.run(tmp_path / "run", "image-color", "right", "truth")
    left = tmp_path / "run" / "images" / ".ab.png.writing"
    left.write_bytes(b"\x89PNG")
    server.run(tmp_path / "run", "image-color", "right", "truth")
    assert not left.exists()


def test_refusals_are_told_apart_from_what_the_server_cannot_do(tmp_path: Path, server: Server) -> None:
    server.run(tmp_path / "run", "image-color", "right", "blind")
    assert all("this model sees no pictures" in row["error"] for row in rows(tmp_path / "run", "verify"))
    assert numbers(tmp_path / "run")["reply_parsed"] == (3, 0, None)
    assert REFUSAL not in reasons(tmp_path / "run", "reply_parsed")
