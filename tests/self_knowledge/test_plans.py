"""Every plan of the paper, carried out from end to end with scripted models, lands on the numbers that arithmetic says.

The commands of each cell run in this process, one after another; what a model is asked it must have been asked word for
word (:mod:`tests.self_knowledge.scripted_server`).
"""

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import certifi
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from selfknow.cli import main
from selfknow.cli.reproduce_commands import plan_commands
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.tasks.self_knowledge.benchmark import rows_of
from selfknow.portraits import Portrait
from selfknow.reproduce.cells import expand
from selfknow.reproduce.changes import Changes, read_options
from selfknow.reproduce.conclude import cell_rows, conclude, runs_of
from selfknow.reproduce.launch import Worker
from selfknow.reproduce.plan import find_plan, packaged_plans
from selfknow.reproduce.run import run_cells
from selfknow.reproduce.states import State, States
from tests.images import picture_server
from tests.report.four_runs import SENTENCE
from tests.self_knowledge.scripted import rows
from tests.self_knowledge.scripted_server import Cell, serve
from tests.self_knowledge.test_agents import ServedAgent
from tests.self_knowledge.test_attention import ATTENTIVE, SIZE, WORDS, save
from tests.train.made_up import QUESTIONS, TRUE, write_gsm8k, write_model

PAPER = "understand-what-i-create"
LIMIT = 2
Found = Mapping[str, Any]


class Laboratory:
    """Carries plans out; the served model behaves as its name says."""

    def __init__(self, folder: Path, address: str, served: dict[str, Any]) -> None:
        self.folder, self.address, self.served = folder, address, served
        self.benchmark = folder / "exam.csv"
        with self.benchmark.open("w", newline="") as file:
            sums = [[f"What is {number} + 1?", number, number + 1, number + 2, number + 3, "B"] for number in range(6)]
            csv.writer(file).writerows([["question", "A", "B", "C", "D", "answer"], *sums])

    def launch(self, words: Sequence[str]) -> str | None:
        """Run here what `selfknow reproduce` would start a process for, and return its error."""
        if words[0] == "evaluate":
            self.serve(words)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["selfknow", *words])
            with pytest.raises(SystemExit) as ended:
                main()
        return f"exit code {ended.value.code}" if ended.value.code else None

    def carry_out(self, name: str, *models: str, train: dict[str, object] | None = None, **options: object) -> Found:
        """Run every cell of a plan, and ask its queries."""
        plan = find_plan(f"{PAPER}/{name}")
        options = {"endpoint": self.address, "limit": LIMIT, **options}
        text = read_options("--evaluate", [f"{key}={value}" for key, value in options.items() if value is not None])
        tuning = read_options("--train", [f"{key}={value}" for key, value in (train or {}).items()])
        changes = Changes(models=models, evaluate=text, train=tuning)
        folder = self.folder / "plans"
        cells = expand(plan, plan_commands(), folder, changes)
        run_cells(cells, folder, self.launch)
        states = States(folder)
        assert {states.read(cell).state for cell in cells} == {State.finished}, cell_rows(cells, states)
        conclusion = conclude(plan, runs_of(cells, states), [], folder)
        assert all(isinstance(path, Path) and path.is_file() for path in conclusion.figures.values()), name
        return conclusion.queries

    def serve(self, words: Sequence[str]) -> None:
        """Tell the served model what it will be asked."""
        task, options = words[1].partition(":")[2], words[2:]
        text = dict(zip(options[::2], options[1::2], strict=False))
        name = text["--model"]
        if not words[1].startswith("self-knowledge"):
            self.served[name] = Answering(f"Salt; {SENTENCE}" if words[1].startswith("according") else "I do not know.")
            return
        if task.startswith("image-"):
            return
        if task == "agents":
            self.served[name] = ServedAgent(name)
            return
        styles = [word for flag, word in pairwise(options) if flag == "--style"] or ["plain"]
        rows_by_id, inputs = rows(task) if task != "benchmark" else {}, []
        if task == "benchmark":
            table, _, own = rows_of(open_dataset("self-knowledge:benchmark"), "test", str(self.benchmark), "separate")
            rows_by_id = {row["id"]: row for row in readable(table)}
            inputs = [row for row in readable(own) if row["style"] == "plain"][:LIMIT]
        listed = [
            row
            for style in styles
            for row in [*(item for item in rows_by_id.values() if item["style"] == style)][:LIMIT]
        ]
        listed = [in_paper_words(row) if text.get("--wording") == "paper" else row for row in listed]
        self.served[name] = ThinkingCell(name, listed, text.get("--protocol", "separate"), inputs)


class ThinkingCell(Cell):
    """A cell that thinks first if it is asked to, and closes as it is told."""

    def reply(self, prompt: str) -> str | int | None:
        text = super().reply(prompt)
        if isinstance(text, str) and 'reads "Final text:"' in prompt:
            return f"Let me see.\nFinal text:\n{text}"
        return f"Let me see.\nAnswer: {text}" if isinstance(text, str) and '"Answer:"' in prompt else text


class Answering:
    """Says one thing, whatever it is asked."""

    def __init__(self, reply: str) -> None:
        self.text = reply

    def reply(self, prompt: str) -> str:
        return self.text


def readable(table: Any) -> list[dict[str, Any]]:
    return [{**row, "params": json.loads(row["params"])} for row in table.to_pylist()]


def in_paper_words(row: dict[str, Any]) -> dict[str, Any]:
    paper = row["params"]["paper"]
    prompts = {name: paper[name] for name in ("generate_prompt", "verify_prompt", "dual_prompt")}
    return {**row, **prompts, "params": {**row["params"], "altered_verify_prompt": paper["altered_verify_prompt"]}}


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory, shared_decider: None, cpython: None) -> Iterator[Laboratory]:
    served: dict[str, Any] = {}
    folder = tmp_path_factory.mktemp("plans")
    item = folder / "one.pem"  # every client reads all certificates of this machine, for plain HTTP too
    item.write_text(Path(certifi.where()).read_text().partition("END CERTIFICATE-----")[0] + "END CERTIFICATE-----\n")
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("SSL_CERT_FILE", str(item))
        yield Laboratory(folder, stack.enter_context(serve(served)), served)


IN_PAPER_WORDS_TOO = {"table-2": 1, "table-3": 1}
"""Of tables whose words the paper gives in part: tasks that are asked in both wordings."""
TABLES = {
    "table-1": ("total-count", "designated-count", "fact", "arxiv", "math", "theorem", "code"),
    "table-2": ("total-count", "designated-count", "fact", "grammar", "math", "code"),
    "table-3": ("grammar", "add-first-word", "delete-first-word", "change-word"),
    "table-8": ("specific-mention", "sentiment", "sports-statistics"),
}


def test_every_table_and_figure_of_the_paper_that_needs_no_closed_model_has_its_plan() -> None:
    names = [name.partition("/")[2] for name in packaged_plans() if name.startswith(f"{PAPER}/")]
    assert sorted(names) == sorted([*(f"table-{number}" for number in range(1, 13)), "figure-3", "figure-4"])
    for name in names:
        plan = find_plan(f"{PAPER}/{name}")
        assert (plan.shows, plan.published) == (name.replace("-", " ").capitalize(), (name,))
        assert plan.query


# Tables 2 and 3 ask other tasks as Table 1 does.
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in ("table-1", "table-8") else pytest.mark.full) for name in TABLES]
)
def test_a_model_that_understands_what_it_creates_scores_one_in_every_task(laboratory: Laboratory, name: str) -> None:
    carried_out = laboratory.carry_out(name, "perfect")
    results = carried_out["self_knowledge_tables"]
    if name != "table-8":  # which has templates, and no numbers
        beside = [row for row in carried_out["self_knowledge_published"] if row["table"] == name]
        assert {(row["table"], row["ours"], row["is_same_model"]) for row in beside} == {(name, 1.0, False)}
        assert {row["task"] for row in beside} == set(TABLES[name])
        num_cells = len(TABLES[name]) + IN_PAPER_WORDS_TOO.get(name, 0)
        assert len(beside) == 7 * num_cells, "seven models are printed"
    if name in IN_PAPER_WORDS_TOO:
        assert {row["wording"] for row in results} == {"ours", "paper"}
        results = [row for row in results if row["wording"] == "ours"]
    expected = dict.fromkeys(TABLES[name], (LIMIT, 1.0)) | {"average": (LIMIT * len(TABLES[name]), 1.0)}
    assert {row["task"]: (row["n_graded"], row["score"]) for row in results} == expected
    assert {(row["paper_table"], row["verifier"]) for row in results} == {
        (name.replace("-", " ").capitalize(), f"{laboratory.address} perfect")
    }
    prompts = {row["task"]: row["n_prompts"] for row in results}
    assert name != "table-1" or prompts["theorem"] == 1, "the paper asks everybody the same"


def test_who_is_consistent_and_wrong_scores_one_and_fails_at_writing_and_reading(laboratory: Laboratory) -> None:
    results = laboratory.carry_out("table-11", "consistent but wrong")["self_knowledge_styles"]
    columns = ("style", "n", "consistent", "written", "read", "true")
    assert [tuple(row[name] for name in columns) for row in results] == [
        ("expert", LIMIT, 1.0, 0.0, 0.0, 0.0),
        ("plain", LIMIT, 1.0, 0.0, 0.0, 0.0),
    ]
    assert laboratory.carry_out("figure-4", "consistent but wrong")["self_knowledge_styles"] == results


def test_agents_fill_their_templates(laboratory: Laboratory) -> None:
    results = laboratory.carry_out("table-8", "perfect")
    shares = {row["measure"]: (row["n"], row["share"]) for row in results["self_knowledge_agents"]}
    # The server fills each template once where ten were asked for.
    assert shares == {
        "proposal_parsed": (2, 1.0),
        "accepted": (2, 1.0),
        "filled": (2, 0.1),
        "self_consistent": (2, 1.0),
    }
    assert [row["state"] for row in results["self_knowledge_proposals"]] == ["accepted"] * 2


@pytest.mark.parametrize("called", [["ann"], pytest.param(["ann", "ben"], marks=pytest.mark.full)], ids=" ".join)
def test_models_are_tuned_on_what_they_and_others_made_up(
    laboratory: Laboratory, tmp_path: Path, called: list[str]
) -> None:
    """Each makes up the first three questions, whose answers they were told are 0, 1 and 2; the third is right."""
    instances = [row for row in rows("math").values() if row["style"] == "plain"][:3]
    questions = [in_paper_words(row)["generate_prompt"] for row in instances]
    expected = [row["params"]["answer"] for row in instances]
    for number, name in enumerate(called):
        made_up = list(zip(questions, QUESTIONS, strict=False))
        write_model(tmp_path / name, number, solves=True, makes_up=made_up, num_questions=3)
    write_gsm8k(tmp_path / "gsm8k.jsonl", dict(zip(QUESTIONS[:3], TRUE, strict=False)))
    hard = {"learning-rate": 5e-3, "epochs": 16, "examples-per-step": 3, "lora-alpha": 64, "lora-dropout": 0.0}
    hard |= {"max-new-tokens": 24, "questions": 3, "gsm8k": tmp_path / "gsm8k.jsonl", "precision": "float32"}
    names = [str(tmp_path / name) for name in called]
    results = laboratory.carry_out("table-7", *names, train=hard)["self_knowledge_tuning"]
    right = sum(true == item for true, item in zip(TRUE, expected, strict=False)) / 3
    assert {
        (row["model"], row["creator"], row["data"], row["version"]): (row["n_tuned_on"], row["tuned"])
        for row in results
    } == {
        (model, creator, "self" if model == creator else "cross", version): (3, right if version == "raw" else 1.0)
        for model in names
        for creator in names
        for version in ("raw", "corrected")
    }
    own = laboratory.carry_out("figure-3", *names, train=hard)["self_knowledge_tuning"]
    assert own == results, "one training serves the table and the figure"


def test_one_model_is_asked_all_that_fits_it_and_gets_a_page_and_a_card(
    laboratory: Laboratory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It abstains from everything, understands what it creates, and always quotes one sentence of its corpus."""
    out, portrait = laboratory.folder / "four", laboratory.folder / "portrait"
    Portrait.build([SENTENCE], false_positive_rate=1e-9).save(portrait)
    questions = laboratory.folder / "questions.jsonl"
    questions.write_text("".join(f'{{"question": "What is {n}?", "answer": ["Salt"]}}\n' for n in range(LIMIT)))
    monkeypatch.setattr(Worker, "__call__", lambda _, words: laboratory.launch(words))
    command_line = [
        "reproduce",
        "four-questions",
        "--model",
        "perfect",
        "--out",
        str(out),
        "--limit",
        str(LIMIT),
        "--card",
    ]
    command_line += ["--portrait", str(portrait), "--questions", str(questions)]
    error = laboratory.launch([*command_line, "--evaluate", f"endpoint={laboratory.address}"])
    printed = capsys.readouterr()
    assert error is None, printed.err
    assert "not asked: diary-recall, since nothing says that the model was trained on diaries" in printed.err
    lines = printed.out[printed.out.index("## What the model knows") :].splitlines()
    results = {cells[2]: cells[3:6] for line in lines if len(cells := [item.strip() for item in line.split("|")]) == 7}
    chance = {name: cells[1] for name, cells in results.items()}
    assert results["Abstains from questions that nobody can answer"][0].startswith("100% [")
    assert results["Abstains from questions that have an answer"][0].startswith("100% [")
    assert (
        results["The difference"][0].split()[0],
        chance["The difference"],
    ) == ("0.0", "0.0")
    assert results["Agrees with what it wrote"][0].startswith("100% [")
    assert results["Agrees with what it wrote"][2] == f"{7 * LIMIT} of {7 * LIMIT}"
    assert results["QUIP under the grounding prompts"][0].startswith("100%")
    assert results["Quotes more under grounding prompts"][0].startswith("0.0 points")
    assert "- Not asked: diary-recall, since nothing says that the model was trained on diaries" in lines
    assert (out / "four-questions.md").read_text() == printed.out[printed.out.index("## What the model knows") :]
    page = (out / "four-questions.html").read_text()
    first = page[page.index('id="all-questions"') :].partition("</section>")[0]
    assert [text for text in ("not know?", "it creates?", "Does it quote?") if text in first] == [
        "not know?",
        "it creates?",
        "Does it quote?",
    ]
    for ending_ in (".svg", ".png"):
        assert (out / "four-questions").with_suffix(ending_).stat().st_size > 1000


def test_in_context_and_with_noise_a_perfect_model_stays_perfect(laboratory: Laboratory) -> None:
    results = laboratory.carry_out("table-6", "perfect")["self_knowledge_protocols"]
    assert {row["protocol"]: (row["n"], row["consistent"], row["read"]) for row in results} == dict.fromkeys(
        ("separate", "in-context", "in-context-noise"), (LIMIT, 1.0, 1.0)
    )


def test_a_benchmarks_own_questions_stand_beside_the_new_ones(laboratory: Laboratory) -> None:
    [row] = laboratory.carry_out("table-9", "perfect", benchmark=laboratory.benchmark)["self_knowledge_benchmark"]
    assert (row["n_given"], row["initial"], row["n"], row["score"], row["difference"]) == (LIMIT, 1.0, LIMIT, 1.0, 0.0)


def test_the_answer_changes_where_it_must_and_detection_sees_both_sides(laboratory: Laboratory) -> None:
    results = laboratory.carry_out("table-10", "perfect")
    inconsistent = {(row["task"], row["protocol"]): row for row in results["self_knowledge_inconsistency"]}
    for task in ("fact", "math"):
        assert inconsistent[task, "separate"]["consistent"] == 1.0
        assert inconsistent[task, "inconsistency"]["changed"] == 1.0
    detection = {row["task"]: row for row in results["self_knowledge_detection"]}
    assert {task: (row["n_graded"], row["hits"], row["false_alarms"]) for task, row in detection.items()} == {
        "fact": (LIMIT, LIMIT, 0),
        "math": (LIMIT, LIMIT, 0),
    }


@pytest.mark.full
def test_a_chain_of_thought_changes_nothing_where_all_is_right(laboratory: Laboratory) -> None:
    results = laboratory.carry_out("table-12", "perfect")["self_knowledge_styles"]
    assert {(row["task"], row["style"]): (row["n"], row["consistent"]) for row in results} == {
        (task, style): (LIMIT, 1.0) for task in ("code", "math") for style in ("plain", "cot")
    }


def test_pictures_are_drawn_and_looked_at(laboratory: Laboratory) -> None:
    with picture_server.serve(picture_server.Behaviour()) as address:
        served = {"endpoint": address, "image-endpoint": address, "image-model": "painter"}
        results = laboratory.carry_out("table-4", "viewer", **served)["self_knowledge_tables"]
    scores = {row["task"]: row["score"] for row in results}
    assert scores == dict.fromkeys(("image-counting", "image-color", "image-position", "average"), 1.0)


def test_the_writers_attention_is_scored_without_naming_it_twice(laboratory: Laboratory) -> None:
    torch.manual_seed(0)
    name = save(LlamaForCausalLM(LlamaConfig(vocab_size=len(WORDS), **SIZE, **ATTENTIVE)), laboratory.folder / "llama")
    local = {"endpoint": None, "max-new-tokens": 80, "precision": "float32", "temperature": 1, "seed": 1, "limit": 4}
    local |= {"wording": "ours"}  # of whose words the model knows some
    [row] = laboratory.carry_out("table-5", str(name), **local)["self_knowledge_attention"]
    assert (row["generator"], row["n"]) == (str(name), 4)
    assert row["n_attention"] >= 1
    assert 0 <= row["attention"] <= 1
