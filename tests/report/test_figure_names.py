"""Single figures: found by name, and written as a picture or a page."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_reports
from selfknow.report.figure_names import figure_names, find_figure
from selfknow.report.pictures import specification
from tests.conftest import Run
from tests.model_replies.linked import RUNS
from tests.sql.given import ModelAnswers, diary, question, text, write_run

BY_NAME = {name: load() for name, load in task_reports().items()}
DIARIES, QUOTING = BY_NAME["diary-recall"], BY_NAME["according-to"]


def test_every_figure_of_every_task_has_a_name_of_its_own() -> None:
    for task in BY_NAME.values():
        names = [figure.name for figure in figure_names(task)]
        assert len(set(names)) == len(names), task.name
    assert {f"figure-{number}" for number in range(2, 9)} <= {figure.name for figure in figure_names(DIARIES)}


def test_a_figure_is_found_by_the_paper_s_name_and_by_that_of_its_query() -> None:
    for name in ("figure-5", "Figure 5", "figure_5", "diary-recall/figure-5"):
        figure = find_figure(name, [DIARIES])
        assert (figure.query, figure.part) == ("recalled_documents", "figure-5")
    for name in ("recalled-documents", "recalled_documents"):
        figure = find_figure(name, [DIARIES])
        assert (figure.query, figure.part) == ("recalled_documents", None)


def test_an_unknown_figure_is_refused_with_the_nearest_and_with_those_that_there_are() -> None:
    with pytest.raises(UserError, match=r"no figure 'figur-5': did you mean 'figure-5'"):
        find_figure("figur-5", [DIARIES])
    with pytest.raises(UserError, match=r"'5': did you mean .figure-5."):
        find_figure("5", [DIARIES])
    with pytest.raises(UserError, match=r"no figure .figure-5.: did you mean .figure-2. or .figure-4."):
        find_figure("figure-5", [QUOTING])


def test_a_name_that_two_tasks_have_is_asked_with_its_task() -> None:
    with pytest.raises(UserError, match="several tasks: name diary-recall/figure-2 or according-to/figure-2"):
        find_figure("figure-2", [DIARIES, QUOTING])
    assert find_figure("according-to/figure-2", [DIARIES, QUOTING]).query == "according_to_by_size"


def test_one_figure_is_written_as_picture_and_as_page(selfknow: Run, tmp_path: Path) -> None:
    write_run(tmp_path / "run", [question("Ann", 1, 2)], ModelAnswers(answers={"Ann": text(*diary("Ann", 1, 2))}))
    for name, beginning in (("figure-5.svg", b"<svg"), ("f.png", b"\x89PNG"), ("f.html", b"<!doctype html>")):
        result = selfknow("report", "run", "--only", "figure-5", "--out", name)
        assert (result.returncode, result.stdout, result.stderr) == (0, f"{name}\n", "")
        assert (tmp_path / name).read_bytes().startswith(beginning)
    page = (tmp_path / "f.html").read_text()
    assert 'id="recalled_documents"' in page
    assert 'id="accuracy_by_size"' not in page
    assert selfknow("report", "run", "--only", "figure-5").stdout == "figure-5.svg\n"


def test_what_one_figure_cannot_be_is_said_in_a_line(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [question("Ann", 1, 2)], ModelAnswers(answers={"Ann": ""}))
    for arguments, message in (
        (["--only", "figure-9"], "there is no figure 'figure-9': did you mean 'figure-"),
        (["--only", "metrics"], "there is no figure 'metrics'"),
        (
            ["--only", "figure-5", "--out", "f.pdf"],
            "f.pdf cannot be written: name a file that ends in .svg or .png",
        ),
        (["--only", "figure-5", "--format", "md"], "leave out --format and --figures"),
        (["--only", "figure-3"], "figure-3 has nothing to show: no model was asked in both setups"),
    ):
        result = CliRunner().invoke(app, ["report", str(run), *arguments])
        assert isinstance(result.exception, UserError)
        assert message in str(result.exception)
        assert "\n" not in str(result.exception)


def test_a_picture_cuts_off_no_label(selfknow: Run, tmp_path: Path) -> None:
    runs = sorted(map(str, (RUNS / "SmolLM2-135M-Instruct").glob("according-to-continuation*")))
    figure = ("--only", "according_to_continuation", "--out", "figure.svg")
    assert selfknow("report", *runs, *figure).returncode == 0
    assert _labels(tmp_path / "figure.svg") == [
        f"SmolLM2-135M-Instruct · {text}.txt" for text in ("King-James-Bible", "diaries", "questions")
    ]


def test_runs_of_one_model_and_text_are_told_apart_by_their_ids() -> None:
    row = {"model_label": "m", "dataset": "a.txt", "passage_words": 32, "quip_beyond_prompt": 0.5, "chance_quip": 0.1}
    ends = {"quip_beyond_prompt_low": 0.4, "quip_beyond_prompt_high": 0.6, "n": 9, "n_graded": 9}
    draw = QUOTING.figures["according_to_continuation"].draw
    assert draw is not None
    [panel] = draw([{**row, **ends, "run_id": name} for name in ("first", "second")])
    labels = [point["label"] for points in specification(panel)["datasets"].values() for point in points]
    assert labels == ["m · first", "m · second"]


def _labels(picture: Path) -> list[str]:
    texts = re.findall(r"<text[^>]*>([^<]*)", picture.read_text(encoding="utf-8"))
    return [text for text in texts if " · " in text]
