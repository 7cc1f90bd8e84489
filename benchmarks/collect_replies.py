"""The collection of real models' runs into ``datasets_src/model_replies``, for the dataset ``model-replies``.

    selfknow reproduce small-models/self-aware --models MODEL.gguf --out OUT/MODEL/self-aware
    python -m benchmarks.collect_replies OUT…           # every finished cell of every plan below these folders
    python -m benchmarks.collect_replies --add OUT…     # the same, and keeps the earlier runs of other names
    python -m benchmarks.collect_replies --score-anew self-aware    # scores the collected runs of a task again

Each cell becomes a small run folder: one part of generations, no lock, no path of this machine. A cell that trained a
model on diaries becomes the plan's evaluation of that model, or else the run of its test split. Runs that were
collected before are replaced. The same cells give the same bytes, so a second call changes nothing.
"""

import argparse
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.builders.model_replies.runs import (
    COLUMNS,
    DESCRIPTION,
    EXAMPLES,
    FOLDER,
    GENERATIONS,
    SOURCES,
    ReplyRun,
    collected_runs,
    digest_of_folder,
    models,
)
from selfknow.builders.sources import DATASETS_SRC
from selfknow.errors import UserError
from selfknow.evaluate.score import score_to_files
from selfknow.files import read_json, read_parquet, write_json
from selfknow.runs.schema import SCORES, read_examples, read_generations

_QUANTIZATION = re.compile(r"[-.](?:I?Q\d\w*|BF16|F16|F32)$", re.IGNORECASE)
_ABSOLUTE_PATH = re.compile(r"(?<![\w.:/])/(?:\w[\w.+-]*/)+\w")
_TASKS = ("self-aware", "self-knowledge", "according-to", "diary-recall")


def finished_cells(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the run folders of the finished cells of all plans below some folders.

    A training's own test is left out if a finished evaluation asked the trained model: it asks the same questions.
    """
    states = sorted(path for folder in folders for path in folder.rglob("states/*.json"))
    runs = [run for state in states if read_json(state).get("state") == "finished" and (run := _run_of(state))]
    evaluated = {model["name"] for run in runs for model in read_json(run / DESCRIPTION)["models"]}
    yield from (run for run in runs if str(run.parent.resolve()) not in evaluated)


def _run_of(state: Path) -> Path | None:
    """Return the run folder of an evaluation, or of a training's test; null if there is none."""
    folders = state.parents[1] / "evaluate" / state.stem, state.parents[1] / "train" / state.stem / "test"
    return next((folder for folder in folders if (folder / DESCRIPTION).is_file()), None)


def collected(cell: Path, folders: Path) -> ReplyRun:
    """Write a cell as a small run folder, at its name below ``folders``.

    Raises:
        UserError: The cell was never scored, holds pictures, did not ask exactly one model of ``models.tsv``, has the
            same name as another cell, or names a path of this machine.
    """
    description = without_paths(read_json(cell / DESCRIPTION))
    model, run = _model_of(cell, description), run_name(description)
    trained = _was_trained(description["models"][0])
    description["models"] = [
        {**entry, **({"name": model} if trained else {"label": model})} for entry in description["models"]
    ]
    folder = folders / model / run
    if folder.exists():
        raise UserError(f"{cell} is the second run of {model} that is called {run}: leave one of them out")
    if (cell / "images").exists():
        raise UserError(f"{cell} holds pictures, and only texts are collected")
    generations = read_generations(cell)
    # In the table a model is called as it was asked for, often by a path.
    names = pa.array([description["models"][0]["name"]] * len(generations), pa.string())
    generations = generations.set_column(generations.column_names.index("model"), "model", names)
    _write(folder / GENERATIONS, generations)
    _write(folder / EXAMPLES, read_examples(cell))
    for path, table in _tables_of(cell):
        _write(folder / path.relative_to(cell), table)
    write_json(folder / DESCRIPTION, description)
    run_id = str(description["run_id"])
    return ReplyRun(str(description["task"]), model, run, run_id, len(generations), digest_of_folder(folder))


def _tables_of(cell: Path) -> Iterator[tuple[Path, pa.Table]]:
    """Yield the scores, and the tables of parsed replies that have rows."""
    scores = sorted((cell / "scores").glob("*.parquet"))
    if not scores:
        raise UserError(f"{cell} was never scored: `selfknow score {cell}`")
    yield from ((path, read_parquet(path, SCORES)) for path in scores)
    parsed = ((path, read_parquet(path)) for path in sorted((cell / "parsed").glob("*.parquet")))
    yield from ((path, table) for path, table in parsed if len(table))


def _model_of(cell: Path, description: Mapping[str, Any]) -> str:
    evaluated = description["models"]
    names = [f"{model['origin']}-diaries" if _was_trained(model) else model_name(model["name"]) for model in evaluated]
    if len(names) != 1 or names[0] not in models():
        raise UserError(f"{cell} asked {', '.join(names)}: it must ask one model of models.tsv ({', '.join(models())})")
    return names[0]


def _was_trained(model: Mapping[str, Any]) -> bool:
    """Return true if a model was trained on a corpus of ours, from scratch."""
    return bool(model.get("from_scratch") and model.get("corpus"))


def model_name(file: str) -> str:
    """Return a model's name without its file's ending and quantisation.

    >>> model_name("gemma-3-270m-q4_k_m.gguf")
    'gemma-3-270m'
    """
    return _QUANTIZATION.sub("", file.removesuffix(".gguf"))


def run_name(description: Mapping[str, Any]) -> str:
    """Return a name for a run: its task with the settings that matter."""
    task, settings = description["task"], description["settings"]
    match task:
        case "self-aware":
            return f"{task}-{settings['form']}"
        case "self-knowledge":
            return f"{task}-{description['dataset']['config']}-{settings['protocol']}"
        case "according-to":
            text = PurePath(description["dataset"]["name"]).stem
            kind = "continuation" if settings["format"] == "continuation" else "prompts"
            return f"{task}-{kind}" + ("" if text.casefold() == "king-james-bible" else f"-{text}")
        case "diary-recall":
            corpus, [model] = description["dataset"]["parameters"], description["models"]
            setup, recipe = "simplified" if corpus["simplified"] else "standard", model["recipe"]
            epochs = "" if recipe["patience"] else f"-{recipe['max_epochs']:g}-epochs"  # fixed, whatever is learnt
            return f"{task}-{corpus['num_diarists']}-{setup}{epochs}-seed-{model['training_seed']}"
    raise UserError(f"runs of {task} are not collected")


def without_paths(description: Mapping[str, Any]) -> dict[str, Any]:
    """Replace paths of this machine in a ``run.json`` by their last part.

    Raises:
        UserError: A path is part of a longer text.
    """
    text = json.dumps(_without_folders(description))
    if match := _ABSOLUTE_PATH.search(text):
        raise UserError(f"run.json still names {text[match.start() : match.end() + 30]!r}")
    shortened: dict[str, Any] = json.loads(text)
    return shortened


def _without_folders(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_folders(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_without_folders(item) for item in value]
    if isinstance(value, str) and PurePath(value).is_absolute():
        return PurePath(value).name
    return value


def _write(path: Path, table: pa.Table) -> None:
    """Write a table with slow, strong compression, because it is written once and published often."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = table.replace_schema_metadata(None).combine_chunks()
    pq.write_table(plain, path, compression="zstd", compression_level=19, store_schema=False)


def write_table_of_runs(path: Path, runs: Sequence[ReplyRun]) -> None:
    """Write ``runs.tsv``."""
    rows = [[str(getattr(run, column)) for column in COLUMNS] for run in runs]
    path.write_text("".join("\t".join(row) + "\n" for row in [list(COLUMNS), *rows]), encoding="utf-8")


def collect(folders: Sequence[Path], sources: Path, earlier: Sequence[ReplyRun] = ()) -> list[ReplyRun]:
    """Replace the collected runs by the finished cells of every plan in some folders.

    Args:
        folders: Folders of ``selfknow reproduce``, or folders that hold such folders.
        sources: The folder ``model_replies`` of the sources.
        earlier: Runs in ``sources`` that stay, unless a cell has the same name. All others are removed.

    Returns:
        The runs, by config, model and name.

    Raises:
        UserError: There are no finished cells, or a cell cannot be collected; then nothing is changed.
    """
    cells = list(finished_cells(folders))
    if not cells:
        raise UserError(f"no plan below {', '.join(map(str, folders))} has a finished cell")
    with TemporaryDirectory() as place:
        folder = Path(place) / FOLDER
        new = {run.name: run for run in [collected(cell, folder) for cell in cells]}
        unchanged = {run.name: run for run in earlier if run.name not in new}
        for name in unchanged:
            shutil.copytree(sources / FOLDER / name, folder / name)
        shutil.rmtree(sources / FOLDER, ignore_errors=True)
        shutil.copytree(folder, sources / FOLDER)
    runs = sorted(
        [*new.values(), *unchanged.values()],
        key=lambda run: (_TASKS.index(run.config), list(models()).index(run.model), run.run),
    )
    write_table_of_runs(sources / "runs.tsv", runs)
    return runs


def score_anew(task: str, sources: Path, collected: Sequence[ReplyRun]) -> list[ReplyRun]:
    """Score the collected runs of a task with today's scorer, and leave the runs of other tasks unchanged.

    Args:
        task: The name of the task, which is a config's name, too.
        sources: The folder ``model_replies`` of the sources.
        collected: The runs in the folder.

    Returns:
        All runs, with new digests for those that were scored.
    """
    runs = []
    for run in collected:
        folder = sources / FOLDER / run.name
        if run.config == task:
            score_to_files(folder)
            (folder / "scores" / ".lock").unlink(missing_ok=True)
            for path in [*(folder / "scores").glob("*.parquet"), *(folder / "parsed").glob("*.parquet")]:
                _write(path, read_parquet(path))
        runs.append(replace(run, digest=digest_of_folder(folder)))
    write_table_of_runs(sources / "runs.tsv", runs)
    return runs


def main() -> None:
    """Collect runs or score them again, and print their number and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="*", type=Path, help="folders that plans were run in, at any depth")
    parser.add_argument("--add", action="store_true", help="keep the earlier runs of other names")
    parser.add_argument("--score-anew", metavar="TASK", help="score the collected runs of a task instead")
    arguments = parser.parse_args()
    if bool(arguments.out) == bool(arguments.score_anew):
        parser.error("give folders to collect from, or --score-anew TASK")
    sources = DATASETS_SRC / SOURCES
    if arguments.score_anew:
        runs = score_anew(arguments.score_anew, sources, collected_runs())
    else:
        runs = collect(arguments.out, sources, collected_runs() if arguments.add else ())
    num_bytes = sum(path.stat().st_size for path in (DATASETS_SRC / SOURCES).rglob("*") if path.is_file())
    print(f"{len(runs)} runs, {sum(run.replies for run in runs):,} replies, {num_bytes / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
