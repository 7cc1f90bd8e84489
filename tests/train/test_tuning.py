"""Tuning on creations: the paper's settings, what is learnt, and the whole experiment by one command."""

import json
import os
import shlex
import shutil
import time
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.evaluate.connection import connect
from selfknow.evaluate.tasks.gsm8k.questions import prompt
from selfknow.evaluate.tasks.self_knowledge.collecting import collect_creations
from selfknow.evaluate.tasks.self_knowledge.corrections import import_sheet
from selfknow.evaluate.tasks.self_knowledge.creations import CORRECTED, RAW, Creations, read_creations
from selfknow.models.interface import Request
from selfknow.models.local import LocalModel
from selfknow.models.rendering import Renderer
from selfknow.runs.schema import last_attempts, read_generations
from selfknow.sql.queries import run_query
from selfknow.train.batch import Batch
from selfknow.train.job import with_adapters
from selfknow.train.packing import IGNORED, Collator
from selfknow.train.progress import read_metrics
from selfknow.train.recipe import Recipe
from selfknow.train.solutions import solve_creations
from selfknow.train.trainer import training_arguments
from selfknow.train.tuning import TuningJob, tuning_rows
from selfknow.train.tuning_experiment import is_own
from selfknow.train.tuning_memory import GIB, tuning_memory
from selfknow.train.tuning_settings import TuningSettings
from tests.conftest import REPOSITORY
from tests.test_documents import console_blocks
from tests.tiny_models import save, tiny_model, tiny_tokenizer
from tests.train.made_up import QUESTIONS, TRUE, Solver, Writer, solution, write_gsm8k, write_math_run, write_model
from tests.train.made_up import RAW as ASKED_FOR
from tests.warm_python import WarmPython

DOCUMENT = REPOSITORY / "docs" / "tuning.md"
# To know a few questions by heart takes more than the paper's settings.
HARD = "--learning-rate 5e-3 --epochs 16 --examples-per-step 8 --lora-alpha 64 --lora-dropout 0 --max-new-tokens 24"
SHORT = "--epochs 1 --max-new-tokens 24"
CHAT = "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}\n{% endfor %}<assistant>"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, shared_decider: None, full_suite: bool) -> Path:
    """Write two models, their creations (the second's in reverse, so that no raw answer is right), and GSM8K's file."""
    folder = tmp_path_factory.mktemp("tuning")
    for number, (name, questions) in enumerate((("ann", QUESTIONS), ("ben", QUESTIONS[::-1]))):
        if name == "ann" or full_suite:  # the second model is tuned in the full suite alone
            write_model(folder / name, seed=number, solves=name == "ann" and full_suite)
        write_math_run(folder / "runs" / name, Writer(name, questions))
        made = collect_creations(folder / "runs" / name, folder / "made" / name, quiet=True)
        import_sheet(made.folder, fill_in(made.folder / "sheet.csv"))
        solve_creations(made.folder, Solver(name), quiet=True)
    write_gsm8k(folder / "gsm8k.jsonl", dict(zip(QUESTIONS, TRUE, strict=True)))
    return folder


def fill_in(sheet: Path) -> Path:
    """Answer the only open question of a sheet: 7."""
    [heading, row] = sheet.read_text().splitlines()
    sheet.write_text(f"{heading}\n{row.removesuffix(',')},7\n")
    return sheet


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Limit PyTorch to one thread: small models are faster with it, and do not wait for cores that others use."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def command(
    out: object = "tuned", models: str = "ann", creations: str = "ann ben", hard: str = HARD, more: str = ""
) -> list[str]:
    who = [f"--creations made/{name}" for name in creations.split()] + [f"--model {name}" for name in models.split()]
    return f"advanced creations tune {' '.join(who)} --gsm8k gsm8k.jsonl --out {out} {hard} {more}".split()


def tune(here: Path, arguments: list[str]) -> tuple[int, Any, str]:
    with chdir(here):
        result = CliRunner().invoke(app, [*arguments, "--format", "json"])
    if isinstance(result.exception, UserError):  # the program's entry makes exit code 2 of it
        return 2, None, str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, json.loads(result.stdout) if result.stdout else None, result.stderr


@pytest.fixture(scope="module")
def tuned(here: Path) -> Path:
    """Tune a model on its own creations and on another's, until it knows them by heart."""
    code, _, stderr = tune(here, command())
    assert code == 0, stderr
    return here / "tuned"


@pytest.fixture(scope="module")
def wired(here: Path) -> Any:
    """Return the rows of a model tuned for one epoch on its own creations and on another's, in the folder ``wired``."""
    code, rows, stderr = tune(here, command("wired", hard=SHORT))
    assert code == 0, stderr
    return rows


def replies(run: Path) -> dict[str, str]:
    """Return the replies of a run by question."""
    rows = last_attempts(read_generations(run)).to_pylist()
    return {QUESTIONS[int(row["example_id"].split("-")[1])]: row["generation"] for row in rows}


@pytest.mark.full
def test_a_model_says_what_it_learnt_right_or_wrong(here: Path, tuned: Path) -> None:
    ann = tuned / "ann"
    solutions = {question: solution(answer) for question, answer in zip(QUESTIONS, TRUE, strict=True)}
    assert replies(ann / "ann-corrected" / "gsm8k") == solutions
    assert replies(ann / "ben-corrected" / "gsm8k") == solutions
    raw = {question: solution(answer) for question, answer in zip(QUESTIONS, ASKED_FOR, strict=True)}
    assert replies(ann / "ann-raw" / "gsm8k") == raw
    raw_of_ben = {question: solution(answer) for question, answer in zip(QUESTIONS[::-1], ASKED_FOR, strict=True)}
    assert replies(ann / "ben-raw" / "gsm8k") == raw_of_ben


@pytest.mark.full
def test_table_7_comes_from_the_run_folders(here: Path, tuned: Path) -> None:
    columns = ("model", "creator", "data", "version", "n_tuned_on", "n_initial", "initial", "n_tuned", "tuned")
    columns += ("n_pairs", "difference", "n_gained", "n_lost")
    with connect(sorted(tuned.glob("*/*/gsm8k"))) as connection:
        accuracies = run_query(connection, "self_knowledge_tuning").project(", ".join(columns)).fetchall()
    ann, ben = "ann", "ben"
    # Before, the first question alone was answered rightly, and of the raw answers two of its own are right.
    assert accuracies == [
        (ann, ann, "self", "raw", 8, 8, 1 / 8, 8, 2 / 8, 8, 1 / 8, 2, 1),
        (ann, ann, "self", "corrected", 8, 8, 1 / 8, 8, 1.0, 8, 7 / 8, 7, 0),
        (ann, ben, "cross", "raw", 8, 8, 1 / 8, 8, 0.0, 8, -1 / 8, 0, 1),
        (ann, ben, "cross", "corrected", 8, 8, 1 / 8, 8, 1.0, 8, 7 / 8, 7, 0),
    ]


OF_ANN = [
    ("ann", "ann", "self", "raw"),
    ("ann", "ann", "self", "corrected"),
    ("ann", "ben", "cross", "raw"),
    ("ann", "ben", "cross", "corrected"),
]


def test_a_model_is_tuned_on_every_version_of_all_creations(wired: Any) -> None:
    assert [(row["model"], row["creator"], row["data"], row["version"]) for row in wired] == OF_ANN
    assert all(row["n_pairs"] == 8 and row["initial"] == 1 / 8 for row in wired)


@pytest.mark.full
def test_every_model_is_tuned_on_every_version_of_all_creations(here: Path, wired: Any) -> None:
    code, rows, stderr = tune(here, command("wired", "ann ben", hard=SHORT))
    assert code == 0, stderr
    assert [(row["model"], row["creator"], row["data"], row["version"]) for row in rows] == [
        *OF_ANN,
        ("ben", "ben", "self", "raw"),
        ("ben", "ben", "self", "corrected"),
        ("ben", "ann", "cross", "raw"),
        ("ben", "ann", "cross", "corrected"),
    ]
    assert all(row["n_pairs"] == 8 and row["initial"] == 1 / 8 for row in rows)


def times(folder: Path) -> dict[Path, int]:
    """Return the time at which each file was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


@pytest.mark.full
def test_a_complete_experiment_is_left_as_it_is(here: Path, wired: Any) -> None:
    before = times(here / "wired")
    assert tune(here, command("wired", hard=SHORT))[:2] == (0, wired)
    assert times(here / "wired") == before


@pytest.mark.full
def test_an_experiment_that_was_killed_ends_as_an_unbroken_one(
    here: Path, tuned: Path, tmp_path: Path, python: WarmPython
) -> None:
    out = tmp_path / "out"
    arguments = command(out, creations="ann", more="--version raw")
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = python.start("-m", "selfknow", *arguments, env=environment, cwd=here)
    while process.poll() is None and not list(out.glob("*/ann-raw/checkpoints/*/trainer_state.json")):
        time.sleep(0.01)
    process.kill()
    assert process.wait() != 0, "the experiment was over before it was killed"
    broken, whole = out / "ann", tuned / "ann"
    assert not (broken / "ann-raw" / "model").exists(), "the training was over before it was killed"
    asked_before = list((broken / "initial" / "gsm8k" / "generations").iterdir())
    code, _, stderr = tune(here, arguments)
    assert code == 0, stderr
    assert list((broken / "initial" / "gsm8k" / "generations").iterdir()) == asked_before, "it is not asked again"
    lines = [read_metrics(folder / "ann-raw" / "metrics.jsonl") for folder in (broken, whole)]
    losses = [[line["loss"] for line in each if "loss" in line] for each in lines]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
    weights = [load_file(folder / "ann-raw" / "model" / "model.safetensors") for folder in (broken, whole)]
    for name, value in weights[1].items():
        torch.testing.assert_close(weights[0][name], value, rtol=1e-3, atol=1e-4)
    assert replies(broken / "ann-raw" / "gsm8k") == replies(whole / "ann-raw" / "gsm8k")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("--epochs 3", "holds another training (its settings.epochs is 1, not 3)"),
        ("--limit 2", "holds 8 questions, and --limit 2 asks only 2: a run may grow, not shrink"),
        ("--version mended", "there is no version 'mended': choose from raw, corrected"),
        ("--model nowhere/at/all", "nowhere/at/all does not exist"),
        ("--gsm8k none.jsonl", "there is no file none.jsonl"),
        ("--lora-dropout 1", "lora_dropout must be at least 0 and below 1, not 1.0"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(here: Path, wired: Any, more: str, message: str) -> None:
    code, rows, stderr = tune(here, command("wired", hard=SHORT, more=more))
    assert (code, rows) == (2, None)
    assert message in stderr
    assert "\n" not in stderr


def test_creations_that_are_not_corrected_are_refused_before_anything_is_done(here: Path, tmp_path: Path) -> None:
    run = write_math_run(tmp_path / "run", Writer("cat", [*QUESTIONS[:6], "How many boats?", "How many trees?"]))
    collect_creations(run, tmp_path / "cat", quiet=True)
    code, _, stderr = tune(here, command(tmp_path / "out", more=f"--creations {tmp_path / 'cat'}"))
    assert code == 2
    assert "2 of the 8 questions in" in stderr
    assert "selfknow advanced creations import" in stderr
    assert not (tmp_path / "out").exists()


def test_two_things_of_one_name_are_refused(here: Path, tmp_path: Path) -> None:
    shutil.copytree(here / "made" / "ann", tmp_path / "ann")
    code, _, stderr = tune(here, command(tmp_path / "out", more=f"--creations {tmp_path / 'ann'}"))
    assert code == 2
    assert "two folders of creations have the same name ann" in stderr


def test_a_model_is_its_creations_creator_by_its_folder_or_to_the_last_weight(here: Path, tmp_path: Path) -> None:
    shutil.copytree(here / "ann", tmp_path / "moved")
    made = read_creations(here / "made" / "ann")
    assert (made.creator, made.revision) == ("ann", None), "a scripted writer has no weights"
    revision = LocalModel.load(str(tmp_path / "moved")).revision
    job = TuningJob(str(tmp_path / "moved"), made, RAW)
    with chdir(here):
        assert not is_own(job, revision)
        assert is_own(replace(job, creations=replace(made, revision=revision)), revision)
        assert is_own(replace(job, model=str(here / "ann")), "another")


@pytest.mark.full
def test_the_document_shows_what_the_commands_print(
    here: Path, tuned: Path, tmp_path: Path, python: WarmPython
) -> None:
    folder = shutil.copytree(here, tmp_path / "here")
    shutil.rmtree(folder / "made" / "ann")
    commands = console_blocks(DOCUMENT.read_text())
    assert [each.removeprefix("selfknow advanced ").split()[:2] for each, _ in commands] == [
        ["creations", "collect"],
        ["creations", "import"],
        ["creations", "solve"],
        ["creations", "tune"],
        ["selfknow", "query"],
    ]
    for shown, expected in commands:
        if " import " in shown:
            fill_in(folder / "made" / "ann" / "sheet.csv")
        words = [word for part in shlex.split(shown)[1:] for word in matching(folder, part)]
        process = python.run("-m", "selfknow", *words, cwd=folder)
        assert process.stdout == expected, process.stderr


def matching(folder: Path, word: str) -> list[str]:
    """Expand a word as a shell does: into the paths that match, or the word itself."""
    return sorted(str(path.relative_to(folder)) for path in folder.glob(word)) if "*" in word else [word]


def creations_of(num_questions: int) -> Creations:
    row = {"raw": "5", "corrected": "7", "state": "corrected", "decided_by": "person"}
    row |= {"raw_solution": solution("5"), "corrected_solution": solution("7")}
    rows = [{"id": str(number), "question": f"How many {number}?", **row} for number in range(num_questions)]
    return Creations(Path("made"), "ann", None, rows)


def test_the_papers_settings_are_the_defaults(here: Path, tmp_path: Path) -> None:
    job = TuningJob(str(here / "ann"), creations_of(100), CORRECTED)
    tokenizer = job.make_tokenizer(tmp_path)
    model: Any = job.make_model(tokenizer)
    adapters = model.peft_config["default"]
    assert (adapters.r, adapters.lora_alpha, adapters.lora_dropout) == (64, 16, 0.1)
    arguments = training_arguments(job.recipe, tmp_path, 19, Batch(16, 1), validates=False)
    assert (arguments.learning_rate, arguments.per_device_train_batch_size) == (1e-4, 16)
    assert (arguments.optim, arguments.weight_decay) == ("adamw_torch_fused", 0.01)
    assert (arguments.lr_scheduler_type, arguments.warmup_steps) == ("constant_with_warmup", 0)
    stream = job.stream(tokenizer, encoder_decoder=False)
    assert len(stream) == 3 * 100
    assert [sorted(stream.rows(range(start, start + 100))) for start in (0, 100, 200)] == [list(range(100))] * 3
    assert job.recipe.max_steps == 19, "of 16, the last one of 12"
    assert TuningSettings(epochs=50).recipe(8).validation_interval == 3, "ten checkpoints at the most"


def test_frozen_weights_are_bfloat16_and_what_is_trained_is_float32(here: Path, tmp_path: Path) -> None:
    settings = TuningSettings(precision="bfloat16", lora_rank=4)
    job = TuningJob(str(here / "ann"), creations_of(3), CORRECTED, settings)
    model: Any = job.make_model(job.make_tokenizer(tmp_path / "tokenizer"))
    dtypes = {(parameter.requires_grad, parameter.dtype) for parameter in model.parameters()}
    assert dtypes == {(False, torch.bfloat16), (True, torch.float32)}
    whole = TuningJob(str(here / "ann"), creations_of(3), CORRECTED, replace(settings, lora_rank=0))
    parameters = whole.make_model(job.make_tokenizer(tmp_path / "again")).parameters()
    assert {parameter.dtype for parameter in parameters} == {torch.float32}, "what is trained is never rounded"


def test_the_memory_of_a_tuning_is_computed_before_anything_is_loaded(here: Path, tmp_path: Path) -> None:
    code, rows, stderr = tune(here, command(tmp_path / "out", hard="", more="--dry-run --precision bfloat16"))
    assert code == 0, stderr
    assert not (tmp_path / "out").exists()
    assert [(row["creations"], row["n_tuned_on"]) for row in rows] == [
        (f"{name}-{version}", 8) for name in ("ann", "ben") for version in ("raw", "corrected")
    ]
    network = LocalModel.load(str(here / "ann")).model
    layers = [
        module
        for name, module in network.named_modules()
        if isinstance(module, torch.nn.Linear) and "lm_head" not in name
    ]
    num_trained = sum(64 * (layer.in_features + layer.out_features) for layer in layers)
    num_parameters = sum(parameter.numel() for parameter in network.parameters())
    for row in rows:
        assert (row["num_parameters"], row["num_trained"], row["num_steps"]) == (num_parameters, num_trained, 2)
        assert row["weights_gib"] == pytest.approx((2 * num_parameters + 4 * num_trained) / GIB)
        assert row["gradients_gib"] + row["optimizer_gib"] == pytest.approx(12 * num_trained / GIB)
        assert row["total_gib"] > row["weights_gib"] + 12 * num_trained / GIB


@pytest.mark.parametrize("gradient_checkpointing", [False, True])
def test_what_the_backward_pass_needs_is_what_it_is_seen_to_keep(here: Path, gradient_checkpointing: bool) -> None:
    recipe = Recipe(1e-3, lora_rank=4, gradient_checkpointing=gradient_checkpointing)
    computed = tuning_memory(str(here / "ann"), recipe, num_tokens=50, num_rows=3)
    model = with_adapters(LocalModel.load(str(here / "ann"), precision="float32").model, recipe).train()
    weights = {parameter.data_ptr() for parameter in model.parameters()}
    sizes: dict[int, int] = {}
    held = []

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        held.append(tensor)
        sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    tokens, mask = torch.zeros((3, 50), dtype=torch.long), torch.zeros((3, 1, 50, 50))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        logits = model(input_ids=tokens, attention_mask=mask, use_cache=False).logits.reshape(150, -1)
        torch.nn.functional.cross_entropy(logits, torch.zeros(150, dtype=torch.long))
    seen = sum(size for place, size in sizes.items() if place not in weights)
    of_logits = 2 * logits.numel() * 4
    if not gradient_checkpointing:
        weights_of_attention = 2 * 3 * 4 * 50 * 50 * 4  # layers, rows, heads, tokens, tokens; in bytes
        assert seen + of_logits <= computed.activations <= (seen + of_logits + weights_of_attention) * 1.02
    else:  # and of one layer at a time what it needs
        plain = tuning_memory(str(here / "ann"), replace(recipe, gradient_checkpointing=False), 50, 3)
        assert seen + of_logits < computed.activations < plain.activations


def test_adapters_of_other_trainings_are_scaled_as_before(here: Path) -> None:
    model: Any = with_adapters(LocalModel.load(str(here / "ann")).model, Recipe(1e-3, lora_rank=4))
    adapters = model.peft_config["default"]
    assert (adapters.r, adapters.lora_alpha, adapters.lora_dropout) == (4, 8, 0.0)
    with pytest.raises(UserError, match="give a lora_rank too"):
        Recipe(1e-3, lora_alpha=16)


@pytest.mark.parametrize("template", [None, CHAT])
@pytest.mark.parametrize("architecture", ["gpt_neox", "t5"])
def test_a_question_is_learnt_as_it_is_asked_and_only_its_solution_is_learnt(
    architecture: str, template: str | None, tmp_path: Path
) -> None:
    tokenizer = tiny_tokenizer([prompt("How many 0?"), solution("7")])
    tokenizer.chat_template = template
    name = save(tiny_model(architecture, tokenizer), tokenizer, tmp_path / "model")
    encoder_decoder = architecture == "t5"
    job = TuningJob(name, creations_of(3), CORRECTED)
    rows = tuning_rows(job, tokenizer, encoder_decoder=encoder_decoder)
    start = tokenizer.pad_token_id if encoder_decoder else None
    batch = Collator(tokenizer.pad_token_id, start)([rows[number] for number in range(3)])
    learnt = [tokenizer.decode(row[row != IGNORED]) for row in batch["labels"]]
    assert "".join(learnt) == "".join(f"{solution('7')}{tokenizer.eos_token}" for _ in range(3))
    local = LocalModel.load(name)
    renderer = Renderer(local.tokenizer, local.chat, start)
    rendered = renderer.render(Request("0", prompt("How many 0?")))
    read = rows[0]["input_ids"] if encoder_decoder else rows[0]["labels"][: int(rows[0]["num_unlearnt"][0])]
    assert read.tolist() == rendered.tokens
    assert ("<user>" in rendered.text) == (template is not None)


def test_a_question_that_is_too_long_for_the_model_is_refused(here: Path, tmp_path: Path) -> None:
    made = creations_of(1)
    long = replace(made, rows=[{**made.rows[0], "question": "Why? " * 200}])
    job = TuningJob(str(here / "ann"), long, RAW)
    with pytest.raises(UserError, match="more than the 128 of"):
        job.stream(job.make_tokenizer(tmp_path), encoder_decoder=False)
