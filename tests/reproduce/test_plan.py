"""Plans: what is refused, and with which line; what the command line changes; every packaged plan is right."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.cli.reproduce_commands import plan_commands
from selfknow.errors import UserError
from selfknow.reproduce.cells import Cell, expand, shard
from selfknow.reproduce.changes import Changes, read_options
from selfknow.reproduce.plan import find_plan, packaged_plans, read_plan
from selfknow.reproduce.states import Record, State, States

PLAN = """\
title: Small
needs: nothing
train:
  - model: [opt-7m, pythia-70m]
    data: [diary-recall:1k, diary-recall:1k-simplified]
    scratch: [false, true]
  - model: opt-125m
    data: diary-recall:2k
evaluate:
  - task: diary-recall
    model: trained
    probes: true
  - task: [self-aware, self-knowledge:math]
    model: [org/chat, org/base]
    limit: 3
score: {scorer: [paper, strict]}
query: [accuracy_by_size, probes]
"""
OUT = Path("/t")


def write(folder: Path, text: str = PLAN) -> Path:
    path = folder / "small.yaml"
    path.write_text(text)
    return path


def cells(folder: Path, text: str = PLAN, **changes: object) -> list[Cell]:
    return expand(read_plan(write(folder, text)), plan_commands(), OUT, Changes(**changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title", "titel", r"small.yaml, line 1: unknown key 'titel': did you mean 'title'\?"),
        ("needs: nothing\n", "", "line 1: a plan must have a `needs`, in one line"),
        ("needs: nothing", "needs: [a, b]", "line 2: `needs` must be a text in one line"),
        ("    data: diary-recall:2k\n", "", "line 7: a block under `train` must have a `data`"),
        ("    data: diary-recall:2k", "    model: opt-125m", "line 8: 'model' is there twice"),
        ("opt-125m", "opt-125", r"line 7: there is no model 'opt-125': did you mean 'opt-125m'\?"),
        ("scratch:", "scrach:", r"line 6: `selfknow train` has no option 'scrach': did you mean 'scratch'\?"),
        ("scratch: [false, true]", "scratch: 1", "line 6: 'scratch' takes true or false, not 1"),
        ("scratch: [false, true]", "scratch: [true, true]", "line 6: True is named twice in `scratch`"),
        ("scratch: [false, true]", "max_steps: true", "line 6: 'max-steps' takes a value, not true or false"),
        ("scratch: [false, true]", "max_steps: soon", "line 6: .*--max-steps.* integer"),
        ("scratch: [false, true]", "seed: [[0, 1]]", "line 6: 'seed' takes one value"),
        ("scratch: [false, true]", "seed: []", "line 6: `seed` is an empty list: leave it out"),
        ("scratch: [false, true]", "out: here", "line 6: `selfknow train` has no option 'out'"),
        ("task: diary-recall", "task: diary-recal", r"line 10: there is no task 'diary-recal': did you mean"),
        ("probes: true", "form: icl", "line 12: `selfknow evaluate diary-recall` has no option 'form'"),
        ("limit: 3", "limit: 0", "line 15: .*--limit"),
        ("scorer: [", "scorers: [", "line 16: `selfknow score` of diary-recall, self-aware, self-knowledge has no opt"),
        ("[accuracy_by_size, p", "[accuracy_by_sice, p", "line 17: there is no query 'accuracy_by_sice': did you mean"),
        ("score: {", "score: {{", "line 17: this is not YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert PLAN.count(old) >= 1
    with pytest.raises(UserError, match=message):
        cells(tmp_path, PLAN.replace(old, new, 1))


def test_a_plan_that_trains_nothing_has_no_trained_models(tmp_path: Path) -> None:
    text = "title: a\nneeds: b\nevaluate:\n  - task: diary-recall\n    model: trained\n"
    with pytest.raises(UserError, match=r"line 5: `trained` means the models under `train`"):
        cells(tmp_path, text)


def test_cells_are_the_product_and_each_evaluation_stands_behind_its_training(tmp_path: Path) -> None:
    rows = cells(tmp_path)
    assert [cell.name for cell in rows][:4] == [
        "opt-7m_1k",
        "diary-recall_opt-7m_1k_probes",
        "opt-7m_1k_scratch",
        "diary-recall_opt-7m_1k_scratch_probes",
    ]
    assert sum(cell.kind == "train" for cell in rows) == 2 * 2 * 2 + 1
    simplified = next(cell for cell in rows if cell.name == "diary-recall_pythia-70m_1k-simplified_probes")
    assert simplified.shown(Path("/t")) == (
        "selfknow evaluate diary-recall:1k-simplified --model train/pythia-70m_1k-simplified --probes "
        "--out evaluate/diary-recall_pythia-70m_1k-simplified_probes && "
        "selfknow score evaluate/diary-recall_pythia-70m_1k-simplified_probes"
    )
    evaluations = next(cell for cell in rows if cell.name == "self-aware_org-chat_limit-3")
    assert [words[-1] for words in evaluations.commands] == [str(evaluations.folder), "paper", "strict"]
    other = next(cell for cell in rows if cell.name == "self-knowledge-math_org-chat_limit-3")
    assert other.score == ((),), "its scorer has no such option"


def test_models_and_sizes_of_the_plan_narrow_it_down_and_others_take_their_place(tmp_path: Path) -> None:
    def trained(**changes: object) -> list[str]:
        return [cell.name for cell in cells(tmp_path, **changes) if cell.kind == "train"]

    assert trained(models=("opt-125m",)) == ["opt-125m_2k"]
    assert trained(sizes=("2k",)) == ["opt-125m_2k"]
    assert trained(models=("opt-7m",), sizes=("1k",)) == [
        *("opt-7m_1k", "opt-7m_1k_scratch", "opt-7m_1k-simplified", "opt-7m_1k-simplified_scratch"),
    ]
    elsewhere = trained(models=("opt-350m",), sizes=("4k",))
    assert elsewhere == [*(name.replace("opt-7m_1k", "opt-350m_4k") for name in trained(models=("opt-7m",)))]
    with pytest.raises(UserError, match="nothing is left of small"):
        cells(tmp_path, PLAN.partition("  - task: [self")[0], models=("opt-125m",), sizes=("1k",))


def test_options_of_the_command_line_take_the_place_of_the_plans(tmp_path: Path) -> None:
    rows = cells(
        tmp_path,
        train=read_options("--train", ["max_steps=5", "packing=false", "seed=1", "seed=2"]),
        models=("opt-125m",),
    )
    assert rows[0].options == ("--max-steps", "5", "--no-packing", "--seed", "1")
    assert [cell.name for cell in rows if cell.kind == "train"] == [
        "opt-125m_2k_no-packing_seed-1_max-steps-5",
        "opt-125m_2k_no-packing_seed-2_max-steps-5",
    ]
    with pytest.raises(UserError, match="--train max-stps=5: `selfknow train` has no option 'max-stps': did you mean"):
        cells(tmp_path, train=read_options("--train", ["max-stps=5"]))
    with pytest.raises(UserError, match=r"--train takes NAME=VALUE, such as --train seed=1, not 'seed'"):
        read_options("--train", ["seed"])


def test_a_name_hangs_on_its_cell_alone(tmp_path: Path) -> None:
    names = {cell.name for cell in cells(tmp_path)}
    turned = PLAN.replace("    data: [diary-recall:1k, diary-recall:1k-simplified]\n    scratch: [false, true]", "")
    turned = turned.replace(
        "[opt-7m, pythia-70m]", "[pythia-70m, opt-7m]\n    scratch: [true, false]\n    data: diary-recall:1k"
    )
    assert {cell.name for cell in cells(tmp_path, turned)} < names
    long = cells(tmp_path, PLAN, train=read_options("--train", ["tokenizer=/a/very/long/way/to/go", "lora-rank=2"]))
    longer = cells(tmp_path, PLAN, train=read_options("--train", ["tokenizer=/another/way/to/go", "lora-rank=2"]))
    assert not {cell.name for cell in long if cell.kind == "train"} & {cell.name for cell in longer}, "two paths"
    assert all(len(cell.name) <= 120 for cell in long)


def test_credentials_in_an_address_are_in_no_name_state_or_command_that_is_shown(tmp_path: Path) -> None:
    def evaluations(address: str) -> Cell:
        plan = PLAN.partition("train:")[0] + "evaluate:\n  - task: self-aware\n    model: m\n"
        [cell] = cells(tmp_path, plan, evaluate=read_options("--evaluate", [f"endpoint={address}"]))
        return cell

    cell, other = evaluations("https://ann:planted@host:80?api_key=planted"), evaluations("https://host:80")
    assert "https://ann:planted@host:80?api_key=planted" in cell.words, "who is asked is told"
    assert cell.name == other.name
    assert cell.shown(tmp_path) == other.shown(tmp_path)
    States(tmp_path).write(cell, Record(State.failed, 1.0, "as asked"))
    assert "planted" not in "".join(path.read_text() for path in (tmp_path / "states").iterdir())
    assert States(tmp_path).read(cell).state is State.failed


ASKED = """\
evaluate:
  - name: before
    task: [self-aware, self-knowledge:math]
    model: OUT/fetched/model.gguf
  - name: after
    task: according-to:continuation
    model: OUT/train/small-standard-seed-1
    portrait: OUT/portrait
"""
LEARNT = """\
train:
  - name: small
    model: opt-7m
    data: ["OUT/diaries:simplified", "OUT/diaries:standard"]
    seed: [0, 1]
    scratch: true
"""
NAMED = f"title: Named\nneeds: nothing\n{ASKED}{LEARNT}"


def test_a_name_keeps_its_cells_apart_and_keys_run_in_the_files_order(tmp_path: Path) -> None:
    rows = cells(tmp_path, NAMED)
    assert [cell.name for cell in rows] == [
        *("before-self-aware", "before-math"),
        *("small-simplified-seed-0", "small-simplified-seed-1", "small-standard-seed-0"),
        *("small-standard-seed-1", "after"),
    ]
    turned = cells(tmp_path, NAMED.replace(ASKED + LEARNT, LEARNT + ASKED))
    assert [cell.name for cell in turned] == [cell.name for cell in (*rows[2:], *rows[:2])]
    with pytest.raises(UserError, match="two cells are called before-self-aware"):
        cells(tmp_path, NAMED.replace("name: after", "name: before-self-aware"))
    with pytest.raises(UserError, match="line 4: `name` must be a text in one line"):
        cells(tmp_path, NAMED.replace("name: before", "name: [a, b]"))


def test_out_is_the_plans_folder_and_what_is_trained_there_is_waited_for(tmp_path: Path) -> None:
    rows = {cell.name: cell for cell in cells(tmp_path, NAMED)}
    after, training = rows["after"], rows["small-standard-seed-1"]
    assert after.trained_by is training
    assert (after.model, after.settings["portrait"]) == ("/t/train/small-standard-seed-1", "/t/portrait")
    assert training.data == "/t/diaries:standard"
    assert rows["before-math"].trained_by is None


def test_a_name_is_the_same_wherever_the_plans_folder_lies(tmp_path: Path) -> None:
    unnamed = "\n".join(line for line in NAMED.splitlines() if "name: " not in line).replace("    task", "  - task")
    unnamed = unnamed.replace("    model: opt-7m", "  - model: opt-7m")
    plan = read_plan(write(tmp_path, unnamed))
    here, there = (expand(plan, plan_commands(), folder) for folder in (OUT, Path("/elsewhere/t")))
    assert [cell.name for cell in here] == [cell.name for cell in there]


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 5))
def test_every_cell_is_in_exactly_one_shard_beside_its_training(count: int, trainings: int, questions: int) -> None:
    made = [Cell("train", f"t{i}", "m", "d:1", (), OUT) for i in range(trainings)]
    evaluations = [
        Cell("evaluate", f"{item.name}-{i}", "m", "d", (), OUT, item) for item in made for i in range(questions % 3)
    ]
    alone = [Cell("evaluate", f"e{i}", "m", "d", (), OUT) for i in range(questions)]
    whole = [*made, *evaluations, *alone]
    shards = [shard(whole, f"{number}/{count}") for number in range(1, count + 1)]
    assert sorted(cell.name for part in shards for cell in part) == sorted(cell.name for cell in whole)
    for part in shards:
        names = {cell.name for cell in part}
        assert all(cell.trained_by is None or cell.trained_by.name in names for cell in part)
    for number in (0, count + 1):
        with pytest.raises(UserError, match="I from 1 to N"):
            shard(whole, f"{number}/{count}")


@pytest.mark.parametrize("name", packaged_plans())
def test_every_packaged_plan_is_right(name: str) -> None:
    plan = find_plan(name)
    assert expand(plan, plan_commands(), OUT, Changes(models=() if plan.train else ("org/any",)))
    assert plan.shows or name.endswith(("/laptop", "four-questions")) or name.startswith(("small-models/", "demo"))
    assert len(plan.title) <= 100


def test_an_unknown_plan_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"there is no plan 'how-much-they-know/table-2': did you mean 'how-much"):
        find_plan("how-much-they-know/table-2")
