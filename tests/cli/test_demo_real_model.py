"""The demo's real model: fetched from a package index, asked all that it is asked, and neither of it twice."""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from selfknow.cli.demo import announced_steps
from selfknow.cli.demo_asking import Asked, threads_beside
from selfknow.cli.demo_models import STEPS
from selfknow.cli.demo_page import TITLE, write_page
from selfknow.cli.demo_plan import RealModelPlan, real_model_plan
from selfknow.cli.demo_real_model import (
    ask_creations,
    ask_first,
    ask_quotes,
    ask_unknown,
    fetch_for_demo,
    print_answers,
)
from selfknow.cli.demo_steps import DoneSteps, Step, announce
from selfknow.cli.demo_texts import clean, portray
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.run import ask
from tests.package_index import serve_packages, write_wheel
from tests.tiny_gguf import TEMPLATE, write_gguf

pytestmark = pytest.mark.models
VERSE = "And God saw the light, that [it was] good: and God divided the light from the darkness. "
MODULE = f'from pythonbible.bible.bible import Bible\n\nbible = Bible(None, """\n{VERSE * 30}""", {{}})\n'


@dataclass(frozen=True)
class Demonstrated:
    folder: Path
    index: Path
    plan: RealModelPlan
    runs: list[Path]


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> Demonstrated:
    """A tiny model from the index, asked a little of everything."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as monkeypatch:
        serve_packages(folder / "index", folder / "cache", monkeypatch)
        path = write_gguf(folder / "tiny.gguf", template=TEMPLATE).path
        model = write_wheel(folder / "index", "tiny-model", "tiny_model/tiny.gguf", path.read_bytes())
        text = write_wheel(folder / "index", "tiny-bible", "tiny_bible/text.py", MODULE.encode())
        sizes = {"first_questions": 3, "questions": 4, "instances": 1, "passages": 3, "passage_words": 8}
        lengths = {"answer_tokens": 6, "creation_tokens": 6, "continuation_tokens": 40}
        tasks = ("total-count", "fact")
        plan = RealModelPlan(model, text, tasks=tasks, prompts="according-to", **sizes, **lengths)  # type: ignore[arg-type]
        fetched = fetch_for_demo(plan)
        assert fetched == (model.path, text.path)
        unseen = portray("Nothing of this stands in any book that was printed before today.", folder, "unseen")
        asked = Asked(folder, fetched[0], model.title)
        runs = [ask_first(asked, plan), *ask_unknown(asked, plan), *ask_creations(asked, plan)]
        quotes, written = ask_quotes(asked, plan, fetched[1], unseen.portrait, folder)
    assert written.path.read_text() == (clean(VERSE) + " ") * 29 + clean(VERSE)
    return Demonstrated(folder, folder / "index", plan, [*runs, *quotes])


def test_every_run_is_whole_and_scored(demonstrated: Demonstrated) -> None:
    asked = {}
    for run in demonstrated.runs:
        [(number,)] = duckdb.sql(f"select count(*) from '{run}/generations/*.parquet'").fetchall()
        asked[run.name] = number
        assert list((run / "scores").glob("*.parquet"))
    assert asked == {
        "first-answers": 3,
        "self-aware-direct": 4,
        "self-aware-instruction": 4,
        "self-knowledge-total-count": 2,
        "self-knowledge-fact": 2,
        "according-to-prompts": 12,
        "according-to-continuation": 3,
    }


def test_each_answer_is_printed_with_its_question_and_how_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model knows each answer but one, which it gets wrong; of one question it says that nobody knows."""
    rows = open_dataset("self-aware").read("answerable").to_pylist()
    answers = {row["question"]: row["answers"][0] for row in rows}
    replies: list[str] = []

    def reply(prompt: str) -> str:
        [right] = [answer for question, answer in answers.items() if question in prompt] or [None]
        replies.append("The answer is\nunknown." if right is None else right if replies else "A purple \x1b[31mteapot.")
        return replies[-1]

    run = ask("self-aware", reply, out=tmp_path, limit=6, form="instruction", quiet=True)
    run.score()
    print_answers(run.folder)
    lines = capsys.readouterr().out.splitlines()
    shown = list(zip(lines[::3], lines[1::3], lines[2::3], strict=True))
    assert len(shown) == 6
    unknown = [answer for question, *answer in shown if question.endswith("? (it has no answer)")]
    known = [answer for question, *answer in shown if question.endswith("? (it has an answer)")]
    assert unknown == [["  The answer is unknown.", "  read as: abstains"]] * len(unknown) != []
    assert sorted(reading for _, reading in known) == ["  read as: answers, rightly"] * (len(known) - 1) + [
        "  read as: answers, wrongly"
    ]
    assert "  A purple ␛[31mteapot." in [answer for answer, _ in known]


def test_a_model_leaves_the_cores_of_the_trainings_and_takes_them_back() -> None:
    import torch

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(4)
        for num_busy, expected in ((0, 4), (2, 2), (3, 1), (64, 1)):
            with threads_beside(num_busy):
                assert torch.get_num_threads() == expected
            assert torch.get_num_threads() == 4
    finally:
        torch.set_num_threads(before)


def test_a_passage_goes_to_the_model_as_it_is_and_a_question_in_its_template(demonstrated: Demonstrated) -> None:
    prompts = {}
    for run in demonstrated.runs:
        rows = duckdb.sql(f"select prompt from '{run}/generations/*.parquet'").fetchall()
        prompts[run.name] = [prompt for (prompt,) in rows]
    assert all(prompt.startswith("user: ") for prompt in prompts["self-aware-direct"])
    assert all(
        len(prompt.split()) == 8 and prompt in clean(VERSE * 2) for prompt in prompts["according-to-continuation"]
    )


def test_a_second_call_opens_no_model_and_fetches_nothing(
    demonstrated: Demonstrated, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_packages(demonstrated.folder / "empty-index", demonstrated.folder / "cache", monkeypatch)
    assert fetch_for_demo(demonstrated.plan) is not None
    kept = capsys.readouterr().out
    assert kept.count("kept: ") == 2
    changed_at = [file.stat().st_mtime_ns for run in demonstrated.runs for file in run.rglob("*.parquet")]
    model = demonstrated.plan.model.path
    moved = model.rename(model.with_suffix(".moved"))
    asked = Asked(demonstrated.folder, model, demonstrated.plan.model.title)
    runs = [ask_first(asked, demonstrated.plan), *ask_unknown(asked, demonstrated.plan)]
    runs += ask_creations(asked, demonstrated.plan)
    moved.rename(model)
    assert runs == demonstrated.runs[:5]
    assert "chance_f1" in capsys.readouterr().out
    assert [file.stat().st_mtime_ns for run in demonstrated.runs for file in run.rglob("*.parquet")] == changed_at


def test_all_runs_make_one_page_which_is_written_once(
    demonstrated: Demonstrated, capsys: pytest.CaptureFixture[str]
) -> None:
    page, done = demonstrated.folder / "report.html", DoneSteps(demonstrated.folder)
    write_page(demonstrated.runs, page, done)
    assert capsys.readouterr().out == f"the report on what the models know: {page}\n"
    written = page.read_text(encoding="utf-8")
    for words in (TITLE, "What does it not know?", "Does it understand what it creates?", "Does it quote?"):
        assert words in written
    page.write_text("kept")
    write_page(demonstrated.runs, page, done)
    assert page.read_text() == "kept"


def test_where_nothing_can_be_fetched_one_line_says_so(
    demonstrated: Demonstrated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_packages(tmp_path / "index", tmp_path / "cache", monkeypatch)
    assert fetch_for_demo(demonstrated.plan) is None
    said = capsys.readouterr()
    assert said.out == ""
    last = said.err.strip().splitlines()[-1]
    assert last.startswith("the real model is left out: pip cannot fetch tiny-model==1.0: ")


def test_what_is_downloaded_is_said_first_and_only_while_it_is_missing(
    demonstrated: Demonstrated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = real_model_plan()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    announce([Step("fetch", 20, (plan.model, plan.text)), Step("train", 240)])
    first, *rows, last = capsys.readouterr().out.splitlines()
    assert first.startswith("downloads SmolLM2-135M-Instruct (93 MB) and the King James Bible (10 MB)")
    assert [row.split("  ")[0] for row in rows[2:]] == ["1. fetch", "2. train"]
    assert last.startswith("together about 4.3 min on two idle cores")
    monkeypatch.setenv("XDG_CACHE_HOME", str(demonstrated.folder / "cache"))
    announce([Step("fetch", 20, (demonstrated.plan.model, demonstrated.plan.text))])
    assert capsys.readouterr().out.startswith("downloads nothing\n")


def test_the_real_model_comes_first_and_the_trainings_last_within_five_minutes() -> None:
    steps = announced_steps(real_model_plan(), STEPS)
    assert 200 < sum(step.seconds for step in steps) < 300
    assert sum(step.seconds for step in steps[:2]) < 90, "the first answers"
    assert ["first answers" in step.title for step in steps].index(True) == 1
    assert ["train" in step.title for step in steps].index(True) == len(steps) - 3


def test_without_the_real_model_the_trainings_take_what_is_left() -> None:
    alone = {step.title: step.seconds for step in announced_steps(None, STEPS)}
    beside = {step.title: step.seconds for step in announced_steps(real_model_plan(), STEPS)}
    [training] = [title for title in alone if "train" in title]
    assert 120 < alone[training] < 180
    assert 10 <= beside[training] < alone[training] / 2
    assert not any("train" in step.title for step in announced_steps(None, None))


def test_a_stopped_step_keeps_what_it_has_and_one_told_something_else_begins_anew(tmp_path: Path) -> None:
    done, run = DoneSteps(tmp_path), tmp_path / "run"
    done.begin("ask", {"limit": 4}, run)
    run.mkdir()
    done.begin("ask", {"limit": 4}, run)
    assert run.is_dir()
    assert not done.has("ask", {"limit": 4})
    done.finish("ask", {"limit": 4})
    assert DoneSteps(tmp_path).has("ask", {"limit": 4})
    assert not done.has("ask", {"limit": 5})
    done.begin("ask", {"limit": 5}, run)
    assert not run.exists()
