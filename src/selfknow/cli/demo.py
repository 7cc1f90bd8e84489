"""``selfknow demo``: the whole of it in small, step after step."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.demo_models import train_and_compare
from selfknow.cli.demo_portrait import show_portrait
from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    import datasets

CONFIGS = ("1k", "1k-simplified")


def demo(
    out: Annotated[Path, typer.Option("--out", help="Where the demo works; replaced when it is there.")] = Path(
        "out/demo"
    ),
    train: Annotated[
        bool, typer.Option("--train", help="Also train two small models: half an hour on two cores.")
    ] = False,
) -> None:
    """Build, check and load the smallest corpora, show one diary, and ask a portrait who wrote what.

    **Example:** `selfknow demo --out out/demo`
    """
    folder = out / "diary-recall"
    shutil.rmtree(folder, ignore_errors=True)
    _build(folder)
    _check(folder)
    _load(folder)
    _heading("5. A Bloom portrait of 1k, and what it says of four entries")
    show_portrait(folder, out / "diary-portraits")
    if train:
        _heading("6. Train a small model on each setup: does it know how much it knows?")
        if not train_and_compare(out / "models"):
            raise typer.Exit(1)


def _heading(text: str) -> None:
    typer.secho(f"\n{text}", bold=True)


def _build(folder: Path) -> None:
    from selfknow.builders.catalogue import find_corpora, find_dataset
    from selfknow.builders.folder import build_folder

    _heading(f"1. Build {' and '.join(CONFIGS)}")
    dataset = find_dataset("diary-recall")
    build_folder(dataset, find_corpora(dataset, CONFIGS, seed=0), folder, progress=True)
    typer.echo(f"in {folder}; selfknow data build makes all 14 configs the same way")


def _check(folder: Path) -> None:
    from selfknow.validation.check import check_folder

    _heading("2. Check what lies there with Great Expectations")
    findings = check_folder(folder)
    if findings:
        typer.echo(f"{len(findings)} expectations failed: selfknow data check {folder} shows them")
        raise typer.Exit(1)
    typer.echo("every expectation is met")


def _load(folder: Path) -> None:
    import datasets

    from selfknow.builders.diaries import paper_sizes

    _heading('3. Load it: load_dataset(folder, "1k")')
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
    _heading("4. One question of the test split, and its answer")
    typer.echo(question["prompt"] + question["completion"])


def _count(splits: "datasets.DatasetDict") -> dict[str, int]:
    counts = {"documents": splits["train"]["kind"][:].count("document")}
    return counts | {f"{split} Q/A": rows["kind"][:].count("question") for split, rows in splits.items()}
