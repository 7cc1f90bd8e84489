"""Finished cells of plans become small run folders that hold the same, without a trace of the machine."""

import importlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.model_replies.runs import COLUMNS, GENERATIONS, ReplyRun, collected_runs, run_folders
from selfknow.errors import UserError
from selfknow.evaluate.connection import connect
from selfknow.files import write_json
from tests.conftest import REPOSITORY

RUN = next(run for run in collected_runs() if run.name == "SmolLM2-135M-Instruct/self-aware-direct")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(REPOSITORY)
    return importlib.import_module("benchmarks.collect_replies")


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    """Return a collected run as a plan leaves it: in several parts, with a lock, and with paths of a machine."""
    cell = tmp_path / "out" / "what-they-dont-know" / "evaluate" / "cell"
    shutil.copytree(run_folders() / RUN.name, cell)
    table = pq.read_table(cell / GENERATIONS)
    for number, start in enumerate(range(0, len(table), 100)):
        pq.write_table(table.slice(start, 100), cell / "generations" / f"part-{number:05d}.parquet")
    (cell / "run.lock").touch()
    change(
        cell,
        lambda content: {**content, "settings": {**content["settings"], "portrait": {"name": "/data/portraits/kjv"}}},
    )
    finish(cell)
    return cell


def change(cell: Path, of: Callable[[dict], dict]) -> None:
    write_json(cell / "run.json", of(json.loads((cell / "run.json").read_text())))


def finish(cell: Path, state: str = "finished") -> None:
    states = cell.parents[1] / "states"
    states.mkdir(exist_ok=True)
    write_json(states / f"{cell.name}.json", {"state": state})


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_cell_becomes_a_run_in_one_part_without_a_path(tool: ModuleType, cell: Path, tmp_path: Path) -> None:
    [run] = tool.collect([tmp_path / "out"], tmp_path / "sources")
    folder = tmp_path / "sources" / "runs" / RUN.name
    assert (run.name, run.run_id, run.replies) == (RUN.name, RUN.run_id, RUN.replies)
    assert set(content(folder)) == set(content(run_folders() / RUN.name))
    text = json.loads((folder / "run.json").read_text())
    assert text["settings"]["portrait"] == {"name": "kjv"}
    for path in [*folder.rglob("*.parquet")]:
        remaining = pq.read_table(run_folders() / RUN.name / path.relative_to(folder))
        assert pq.read_table(path).equals(remaining), path
    with connect(folder) as connection:
        assert connection.rows("select count(*) as n from self_aware_replies") == [{"n": RUN.replies}]


def test_a_model_that_was_asked_for_by_its_path_is_the_model_of_its_replies(
    tool: ModuleType, cell: Path, tmp_path: Path
) -> None:
    path = f"/data/models/{json.loads((cell / 'run.json').read_text())['models'][0]['name']}"
    change(cell, lambda content: {**content, "models": [{**content["models"][0], "name": path}]})
    for part in (cell / "generations").glob("*.parquet"):
        table = pq.read_table(part)
        names = pa.array([path] * len(table))
        pq.write_table(table.set_column(table.column_names.index("model"), "model", names), part)
    tool.collect([tmp_path / "out"], tmp_path / "sources")
    with connect(tmp_path / "sources" / "runs" / RUN.name) as connection:
        assert connection.rows("select count(*) as n from self_aware_replies") == [{"n": RUN.replies}]


def test_collecting_twice_changes_nothing(tool: ModuleType, cell: Path, tmp_path: Path) -> None:
    tool.collect([tmp_path / "out"], tmp_path / "sources")
    before = content(tmp_path / "sources")
    tool.collect([tmp_path / "out"], tmp_path / "sources")
    assert content(tmp_path / "sources") == before
    header, row = before["runs.tsv"].decode().splitlines()
    assert header.split("\t") == list(COLUMNS)
    assert row.split("\t")[:5] == ["self-aware", RUN.model, RUN.run, RUN.run_id, str(RUN.replies)]


def ask_trained_model(run: ReplyRun, cell: Path, place: Path) -> None:
    """Leave a collected run as the cell that asked the model in this folder."""
    shutil.copytree(run_folders() / run.name, cell)
    change(cell, lambda content: {**content, "models": [{**content["models"][0], "name": str(place)}]})
    table = pq.read_table(cell / GENERATIONS)
    names = pa.array([str(place)] * len(table))
    pq.write_table(table.set_column(table.column_names.index("model"), "model", names), cell / GENERATIONS)


@pytest.mark.parametrize("name", ["diary-recall-512-standard-seed-0", "diary-recall-512-standard-60-epochs-seed-0"])
def test_of_a_trained_model_the_run_is_collected_in_which_it_was_asked(
    tool: ModuleType, tmp_path: Path, name: str
) -> None:
    remaining = next(run for run in collected_runs() if run.run == name)
    cell = tmp_path / "out" / "laptop" / "train" / "opt-7m_256"
    ask_trained_model(remaining, cell / "test", Path("/data/out/train/opt-7m_256/model"))
    finish(cell)
    [run] = tool.collect([tmp_path / "out"], tmp_path / "sources")
    assert run == remaining
    assert content(tmp_path / "sources" / "runs" / run.name) == content(run_folders() / remaining.name)


def test_a_plans_evaluation_of_a_trained_model_replaces_the_trainings_own_test(
    tool: ModuleType, tmp_path: Path
) -> None:
    own, other = [
        next(run for run in collected_runs() if run.run == f"diary-recall-256-standard-seed-{seed}") for seed in (0, 1)
    ]
    laptop = tmp_path / "out" / "laptop"
    training, evaluation = laptop / "train" / "opt-7m_256", laptop / "evaluate" / "diary-recall_opt-7m_256"
    ask_trained_model(own, training / "test", training / "model")
    finish(training)
    assert tool.collect([tmp_path / "out"], tmp_path / "sources") == [own]
    ask_trained_model(other, evaluation, training)
    finish(evaluation, "running")
    assert tool.collect([tmp_path / "out"], tmp_path / "sources") == [own]
    finish(evaluation)
    assert tool.collect([tmp_path / "out"], tmp_path / "sources") == [other]


def test_earlier_runs_stay_if_they_are_named_and_no_cell_has_their_name(
    tool: ModuleType, cell: Path, tmp_path: Path
) -> None:
    sources = tmp_path / "sources"
    earlier = next(run for run in collected_runs() if run.name == "gemma-3-270m/self-aware-icl")
    shutil.copytree(run_folders() / earlier.name, sources / "runs" / earlier.name)
    shutil.copytree(run_folders() / earlier.name, sources / "runs" / RUN.name)
    runs = tool.collect([tmp_path / "out"], sources, [earlier, replace(RUN, replies=1)])
    assert [run.name for run in runs] == [RUN.name, earlier.name]
    assert runs[0].replies == RUN.replies
    assert runs[1] == earlier
    assert content(sources / "runs" / earlier.name) == content(run_folders() / earlier.name)
    assert tool.collect([tmp_path / "out"], sources) == runs[:1]
    assert not (sources / "runs" / earlier.name).exists()


def test_collected_runs_hold_the_scores_of_todays_scorer(tool: ModuleType, tmp_path: Path) -> None:
    [run] = [run for run in collected_runs() if run.name == "gemma-3-270m/self-aware-direct"]
    folder = Path(shutil.copytree(run_folders() / run.name, tmp_path / "runs" / run.name))
    scored = folder / "scores" / "self-aware-sentences.parquet"
    pq.write_table(pq.read_table(scored).slice(0, 0), scored)
    assert tool.score_anew("self-knowledge", tmp_path, [run]) != [run], "of another task it scores nothing"
    assert tool.score_anew("self-aware", tmp_path, [run]) == [run]
    assert content(folder) == content(run_folders() / run.name)


def test_what_has_not_finished_is_left_out(tool: ModuleType, cell: Path, tmp_path: Path) -> None:
    other = shutil.copytree(cell, cell.with_name("other"))
    finish(other, "failed")
    assert len(tool.collect([tmp_path / "out"], tmp_path / "sources")) == 1
    finish(cell, "running")
    with pytest.raises(UserError, match="has a finished cell"):
        tool.collect([tmp_path / "out"], tmp_path / "sources")


def test_what_cannot_be_collected_is_refused(tool: ModuleType, cell: Path, tmp_path: Path) -> None:
    def refused(why: str) -> None:
        with pytest.raises(UserError, match=why):
            tool.collect([tmp_path / "out"], tmp_path / "sources")

    other = shutil.copytree(cell, cell.with_name("other"))
    finish(other)
    refused("is the second run of SmolLM2-135M-Instruct that is called self-aware-direct")
    shutil.rmtree(other)
    description = json.loads((cell / "run.json").read_text())
    change(cell, lambda content: {**content, "note": "portrait of /data/portraits/kjv"})
    refused("run.json still names '/data/portraits/kjv")
    change(cell, lambda _: {**description, "models": [{"name": "opt-125m.gguf"}]})
    refused("asked opt-125m: it must ask one model of models.tsv")
    change(cell, lambda _: description)
    shutil.rmtree(cell / "scores")
    refused("was never scored")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2-135M-Instruct"),
        ("gemma-3-270m-q4_k_m.gguf", "gemma-3-270m"),
        ("llama-BF16.gguf", "llama"),
        ("Qwen2.5-0.5B.gguf", "Qwen2.5-0.5B"),
    ],
)
def test_a_model_is_called_without_its_quantisation(tool: ModuleType, file: str, name: str) -> None:
    assert tool.model_name(file) == name


def test_a_run_is_called_after_what_it_asked_and_how(tool: ModuleType) -> None:
    code = {"task": "self-knowledge", "dataset": {"config": "code"}, "settings": {"protocol": "dual"}}
    assert tool.run_name(code) == "self-knowledge-code-dual"
    quoting = {"task": "according-to", "dataset": {"name": "king-james-bible"}, "settings": {"format": "short"}}
    assert tool.run_name(quoting) == "according-to-prompts"
    continuing = {**quoting, "settings": {"format": "continuation"}}
    for text, ending in (("texts/King-James-Bible.txt", ""), ("texts/diaries.txt", "-diaries")):
        assert tool.run_name({**continuing, "dataset": {"name": text}}) == f"according-to-continuation{ending}"
    with pytest.raises(UserError, match="runs of gsm8k are not collected"):
        tool.run_name({"task": "gsm8k", "settings": {}})
