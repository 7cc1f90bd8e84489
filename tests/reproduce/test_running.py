"""Plans that run: what each cell comes to, what fails, what is resumed after a kill, and what is never repeated."""

import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.reproduce import launch
from selfknow.train.progress import read_metrics
from tests.tiny_models import save, tiny_config, tiny_corpus, tiny_model, tiny_tokenizer
from tests.warm_python import WarmPython

SIZE = "40-diarists-2-entries-2-attributes"
SHORT = ("warmup-steps=5", "validation-interval=10", "max-new-tokens=24", "precision=float32")
TABLE_1 = ["how-much-they-know/table-1", "--models", "opt-7m", "--sizes", SIZE, "--max-steps", "20"]


def in_this_process(words: Sequence[str]) -> str | None:
    """Run a cell's command without the seconds in which a process imports torch; return its error."""
    try:
        result = CliRunner().invoke(app, list(words), catch_exceptions=False, standalone_mode=False)
    except UserError as error:
        return str(error)
    sys.stderr.write(result.stderr)
    return f"exit code {result.exit_code}" if result.exit_code else None


def reproduce(*words: object) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch.Worker, "__call__", lambda _, words: in_this_process(words))
        return CliRunner().invoke(app, ["reproduce", "--jobs", "1", *map(str, words)])


def options(values: Sequence[str]) -> list[str]:
    return [word for value in values for word in ("--train", value)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small checkpoints: ``opt`` is whole, ``config`` has no weights."""
    folder = tmp_path_factory.mktemp("models")
    corpus = tiny_corpus(folder / "corpus").read("train")
    texts = [row["prompt"] + row["completion"] for row in corpus.to_pylist()]
    tokenizer = tiny_tokenizer(texts)
    save(tiny_model("opt", tokenizer), tokenizer, folder / "opt")
    tiny_config("opt", len(tokenizer)).save_pretrained(folder / "config")
    tokenizer.save_pretrained(folder / "config")
    return folder


@pytest.fixture(scope="module")
def table_1(models: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[object], Result]:
    """Table 1 in small, with a folder in place of a published checkpoint."""
    out = tmp_path_factory.mktemp("table-1") / "t"
    words = [*TABLE_1, "--checkpoint", f"opt-7m={models / 'opt'}", *options(SHORT), "--out", out]
    return out, words, reproduce(*words)


def test_table_1_has_both_columns_filled_beside_the_papers(table_1: tuple[Path, list[object], Result]) -> None:
    out, words, result = table_1
    assert result.exit_code == 0, result.stderr
    assert list((out / "data").glob(f"*/{SIZE}/manifest.json")), "the corpus is built below the plan's folder"
    rows = json.loads(reproduce(*words, "--format", "json").stdout)
    [row] = rows["queries"]["pretrained_or_scratch"]
    assert (row["suite"], row["dataset_size"], row["n_pretrained"], row["n_scratch"]) == ("OPT", SIZE, 2, 2)
    assert row["accuracy_pretrained"] is not None and row["accuracy_scratch"] is not None
    assert row["chance"] == 0.5, "one or two entries"
    [paper] = rows["published"].values()
    assert [paper[0][name] for name in ("", "Pre-trained", "Scratch")] == ["OPT-125M", "91.94%", "82.19%"]
    assert result.stdout.index("accuracy_pretrained") < result.stdout.index("91.94%")
    assert {cell["state"] for cell in rows["cells"]} == {"finished"}
    assert [cell["steps"] for cell in rows["cells"]] == [20, 20]


def test_a_finished_plan_is_only_told_again(table_1: tuple[Path, list[object], Result]) -> None:
    out, words, result = table_1
    before = {path: path.stat().st_mtime_ns for path in (*out.glob("states/*.json"), *out.glob("train/*/run.json"))}
    assert len(before) == 4
    assert reproduce(*words).stdout == result.stdout
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_plan_that_moved_is_still_finished(table_1: tuple[Path, list[object], Result], tmp_path: Path) -> None:
    out, words, result = table_1
    (tmp_path / "moved").symlink_to(out.parent)
    moved = reproduce(*words[:-1], tmp_path / "moved" / "t")
    assert moved.stdout == result.stdout


def test_a_dry_run_says_what_it_takes_without_running(
    table_1: tuple[Path, list[object], Result], tmp_path: Path
) -> None:
    _, words, _ = table_1
    result = reproduce(*words[:-1], tmp_path / "u", "--dry-run", "--throughput", "1e9")
    assert result.exit_code == 0, result.output
    assert not (tmp_path / "u" / "train").exists()
    text = result.stdout.replace(f"{tmp_path}/", "").replace(str(words[8]).partition("=")[2], "OPT")
    assert re.sub(r"-{3,}[- ]*\n", "", re.sub(r"  +", "  ", text)) == DRY_RUN
    measured = reproduce(*words[:-1], tmp_path / "u", "--dry-run", "--format", "json")
    assert all(0 < row["hours"] < 1 for row in json.loads(measured.stdout))
    assert "just now" in measured.stderr


DRY_RUN = """\
cell  state  tokens  operations  hours  command
opt-7m_40-diarists-2-entries-2-attributes_max-new-tokens-24_max-steps-20_precision-float32_b5bfdce0  \
missing  26,891  6.16e+09  0.0017  \
selfknow train opt-7m --data diary-recall:40-diarists-2-entries-2-attributes --max-new-tokens 24 --max-steps 20 \
--precision float32 --validation-interval 10 --warmup-steps 5 --checkpoint OPT \
--out u/train/opt-7m_40-diarists-2-entries-2-attributes_max-new-tokens-24_max-steps-20_precision-float32_b5bfdce0
opt-7m_40-diarists-2-entries-2-attributes_scratch_max-new-tokens-24_max-steps-20_precision-float32_ef3a7c9e  \
missing  26,891  6.16e+09  0.0017  \
selfknow train opt-7m --data diary-recall:40-diarists-2-entries-2-attributes --max-new-tokens 24 --max-steps 20 \
--precision float32 --scratch --validation-interval 10 --warmup-steps 5 --checkpoint OPT \
--out u/train/opt-7m_40-diarists-2-entries-2-attributes_scratch_\
max-new-tokens-24_max-steps-20_precision-float32_ef3a7c9e
0.0 hours for all unfinished cells, at 1.00e+09 operations per second. Tokens: one for 3.4 characters. A training is \
counted up to its limit of steps or epochs, with its validations and its test; a plateau may end it earlier. An \
evaluation is counted with the longest replies, without requests that depend on earlier replies. Operations: 6 × \
parameters × tokens.
"""


def test_a_failed_cell_does_not_stop_the_others_and_is_tried_again(models: Path, tmp_path: Path) -> None:
    plan = tmp_path / "two.yaml"
    settings = (
        "    learning_rate: 1e-3\n    max_steps: 4\n    patience: 0\n    precision: float32\n    max_new_tokens: 8\n"
    )
    plan.write_text(
        "title: Two models\nneeds: nothing\ntrain:\n"
        f"  - model: {models}/config\n    data: diary-recall:{SIZE.replace('40', '20')}\n{settings}"
        f"  - model: {models}/opt\n    data: diary-recall:{SIZE}\n{settings}"
        "evaluate:\n  - task: diary-recall\n    model: trained\n    precision: float32\n    max_new_tokens: 8\n"
        "query: accuracy_by_size\nfigures: accuracy_by_size\n"
    )
    result = reproduce(plan, "--out", tmp_path / "out", "--format", "json")
    assert result.exit_code == 1
    rows = json.loads(result.stdout)
    states = [(cell["state"], cell["error"]) for cell in rows["cells"]]
    assert [state for state, _ in states] == ["failed", "failed", "finished", "finished"]
    assert "config cannot be loaded" in states[0][1] and "its training failed" in states[1][1]
    assert rows["cells"][3]["replies"] == 2
    assert len(rows["queries"]["accuracy_by_size"]) == 1
    assert Path(rows["figures"]["accuracy_by_size"]).read_bytes().startswith(b"<svg")
    save(*_loaded(models / "opt"), models / "config")
    again = reproduce(plan, "--out", tmp_path / "out", "--format", "json")
    assert again.exit_code == 0, again.output
    assert {cell["state"] for cell in json.loads(again.stdout)["cells"]} == {"finished"}


def _loaded(folder: Path) -> Any:
    from selfknow.models.checkpoints import load_model, load_tokenizer

    return load_model(str(folder)), load_tokenizer(str(folder))


def test_a_shard_says_what_is_missing_and_the_last_one_prints_the_tables(models: Path, tmp_path: Path) -> None:
    plan = tmp_path / "seeds.yaml"
    plan.write_text(
        f"title: Seeds\nneeds: nothing\ntrain:\n  - model: {models}/opt\n    data: diary-recall:{SIZE}\n"
        "    learning_rate: 1e-3\n    max_steps: 2\n    patience: 0\n    precision: float32\n    max_new_tokens: 8\n"
        "    seed: [0, 1]\nquery: accuracy_by_size\n"
    )
    first = reproduce(plan, "--out", tmp_path / "out", "--shard", "1/2")
    assert (first.exit_code, first.stdout) == (0, "")
    assert "1 cells of other jobs are still to be run:" in first.stderr
    last = reproduce(plan, "--out", tmp_path / "out", "--shard", "2/2")
    assert last.exit_code == 0
    assert last.stdout.count("finished") == 2 and "accuracy_by_size" in last.stdout
    for wrong in ("0/2", "3/2", "2", "a/b"):
        assert isinstance(reproduce(plan, "--out", tmp_path / "out", "--shard", wrong).exception, UserError)


@pytest.mark.full
def test_nothing_is_lost_or_repeated_after_a_kill(models: Path, tmp_path: Path, python: WarmPython) -> None:
    out, plan = tmp_path / "out", tmp_path / "kill.yaml"
    plan.write_text(
        f"title: To be killed\nneeds: nothing\ntrain:\n  - model: {models}/opt\n    data: diary-recall:{SIZE}\n"
        "    learning_rate: 1e-3\n    warmup_steps: 5\n    patience: 0\n    validation_interval: 10\n"
        "    max_new_tokens: 8\n    precision: float32\n    max_steps: [2, 60]\n"
    )
    assert reproduce(plan, "--out", out, "--shard", "1/2").exit_code == 0
    [short] = (out / "train").iterdir()
    before = (short / "run.json").stat().st_mtime_ns
    running = python.start("-m", "selfknow", "reproduce", plan, "--out", out)
    deadline = time.monotonic() + 600
    while not list(out.glob("train/*/checkpoints/checkpoint-[1-9]0/trainer_state.json")):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    running.kill()
    running.wait()
    [long] = (folder for folder in (out / "train").iterdir() if folder != short)
    assert "results" not in json.loads((long / "run.json").read_text()), "it was over before it was killed"
    first_steps = [line for line in read_metrics(long / "metrics.jsonl") if line["step"] <= 10]
    again = reproduce(plan, "--out", out)
    assert again.exit_code == 0, again.stderr
    assert again.stdout.count("finished") == 2
    assert (short / "run.json").stat().st_mtime_ns == before, "what was finished is not repeated"
    lines = read_metrics(long / "metrics.jsonl")
    steps = [line["step"] for line in lines]
    assert steps == sorted(steps) and steps[-1] == 60
    assert first_steps and lines[: len(first_steps)] == first_steps, "these steps were not repeated"
