"""``selfknow data``: datasets, from their sources to a checked folder."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from selfknow.cli import data_publish
from selfknow.cli.compact_help import CommandGroup
from selfknow.cli.data_check import check
from selfknow.cli.data_count import count
from selfknow.cli.data_pair import pair
from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.builders.dataset import Dataset, DatasetConfig
    from selfknow.builders.folder.manifest import ConfigEntry

OptionValue = TypeVar("OptionValue")
_NUM_CPUS = os.cpu_count() or 1

app = CommandGroup("data", "List, build, check and publish the datasets.")

FormatOption = Annotated[Format, typer.Option("--format", help="The format of the result on stdout.")]


@app.command("list")
def list_(output_format: FormatOption = Format.table) -> None:
    """List the datasets and their configs.

    **Example:** `selfknow data list --format csv`
    """
    from selfknow.builders.catalogue import DATASETS

    rows = [
        {"dataset": dataset.name, "version": dataset.version, "config": config, "summary": dataset.summary}
        for dataset in DATASETS.values()
        for config in dataset.configs
    ]
    print_rows(rows, output_format)


@app.command()
def build(
    dataset_name: Annotated[str, typer.Argument(metavar="DATASET", help="The dataset, such as `diary-recall`.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to build, new or empty.", show_default=False)],
    configs: Annotated[
        list[str] | None, typer.Argument(help="The configs to build. Default: all.", show_default=False)
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="The number of files written at once.")] = _NUM_CPUS,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the dataset folder that is there.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="The seed of all random choices.")] = 0,
    num_diarists: Annotated[
        int | None,
        typer.Option(help="diary-recall: build a corpus of this many diarists, in both setups."),
    ] = None,
    max_entries: Annotated[
        int | None, typer.Option(help="With --num-diarists: diarists have 1 to this many entries. Default: 8.")
    ] = None,
    max_attributes: Annotated[
        int | None, typer.Option(help="With --num-diarists: entries have 1 to this many attributes. Default: 8.")
    ] = None,
    name_pool_size: Annotated[
        int | None,
        typer.Option(help="With --num-diarists: the number of given names, and of surnames. Default: 4000."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="diary-recall: build a corpus of your own in both setups, from a .parquet, .csv, .tsv or .jsonl file "
            "with the columns `name`, `document` and, if you like, `order`.",
            show_default=False,
        ),
    ] = None,
    max_characters: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --from: the largest total length of the documents about a name, in characters. "
            "Default: 8000 (2,048 tokens).",
        ),
    ] = None,
    held_out_percent: Annotated[
        int | None,
        typer.Option(
            "--held-out",
            min=1,
            max=40,
            help="With --from: the percentage of names in validation, and in test. Default: 5.",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            help="A local file instead of a download. self-aware-original: the authors' SelfAware.json; "
            "self-aware-nearest: any pool of answerable questions; abstention: the config's file, "
            "or the folder of its files.",
            exists=True,
            show_default=False,
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="self-aware-nearest: a sentence encoder on the Hub, a folder, or `packaged`, which works offline. "
            "Default: the paper's.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Build a dataset folder: Parquet files, a card and a manifest, ready to publish.

    The same sources and seed give the same content on any machine, with any number of jobs.

    **Examples:**

    `selfknow data build diary-recall --out diary-recall`

    `selfknow data build diary-recall 1k 1k-simplified --out small`

    `selfknow data build diary-recall --num-diarists 512 --max-entries 3 --max-attributes 3 --out tiny`

    `selfknow data build diary-recall --from table.parquet --out mine`

    `selfknow data build self-aware-original --source SelfAware.json --out self-aware-original`

    `selfknow data build self-aware-nearest nq-open --encoder packaged --out self-aware-nearest`

    `selfknow data build abstention kuq --out abstention-kuq`
    """
    from selfknow.builders.catalogue import find_configs, find_dataset
    from selfknow.builders.folder.write import build_folder

    dataset = find_dataset(dataset_name)
    shape = _without_nulls(
        num_diarists=num_diarists,
        max_entries=max_entries,
        max_attributes=max_attributes,
        name_pool_size=name_pool_size,
    )
    if table is None and (max_characters is not None or held_out_percent is not None):
        raise UserError("--max-characters and --held-out need --from")
    if table is not None:
        arguments_to_refuse = [*(configs or []), *map(_flag, shape)]
        dataset, built_configs = _own_dataset(
            dataset,
            table,
            arguments_to_refuse,
            max_characters=max_characters,
            seed=seed,
            held_out_percent=held_out_percent,
        )
    elif shape:
        built_configs = _configs_of_shape(dataset, configs, seed, shape)
    else:
        sources = _without_nulls(path=source, encoder=encoder)
        built_configs = find_configs(dataset, configs or [], seed, **sources)
    manifest = build_folder(dataset, built_configs, out, seed=seed, jobs=jobs, overwrite=overwrite, progress=True)
    print_rows([_row_of(name, config) for name, config in manifest.configs.items()])


def _without_nulls(**options: OptionValue | None) -> dict[str, OptionValue]:
    return {name: value for name, value in options.items() if value is not None}


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _row_of(name: str, config: "ConfigEntry") -> dict[str, object]:
    num_rows = {split: entry.num_rows for split, entry in config.splits.items()}
    return {"config": name, **num_rows, "content_hash": config.content_hash}


def _configs_of_shape(
    dataset: "Dataset", configs: list[str] | None, seed: int, shape: dict[str, int]
) -> "list[DatasetConfig]":
    from selfknow.builders.diary_recall import builder as diary_recall
    from selfknow.builders.diary_recall.diaries import Shape

    first_flag = _flag(next(iter(shape)))
    if dataset is not diary_recall.DATASET:
        raise UserError(f"only diary-recall takes {first_flag}, not {dataset.name}")
    if "num_diarists" not in shape:
        raise UserError(f"{first_flag} needs --num-diarists: the paper fixes the named sizes")
    if configs:
        raise UserError(f"--num-diarists makes a size of your own: leave out {', '.join(configs)}")
    return diary_recall.configs_of_shape(Shape(seed=seed, **shape))


def _own_dataset(
    dataset: "Dataset",
    table: Path,
    arguments_to_refuse: list[str],
    *,
    max_characters: int | None,
    seed: int,
    held_out_percent: int | None,
) -> "tuple[Dataset, list[DatasetConfig]]":
    from selfknow.builders.diary_recall import builder as diary_recall
    from selfknow.builders.diary_recall.diaries import HELD_OUT_PERCENT
    from selfknow.builders.diary_recall.own_corpus import own_configs, own_corpus, own_dataset
    from selfknow.builders.diary_recall.own_table import MOST_CHARACTERS, read_own_table

    if dataset is not diary_recall.DATASET:
        raise UserError(f"only diary-recall can be built from your own table, not {dataset.name}")
    if arguments_to_refuse:
        raise UserError(
            f"--from makes a corpus of your own, in both setups: leave out {', '.join(arguments_to_refuse)}"
        )
    documents = read_own_table(table, most_characters=max_characters or MOST_CHARACTERS)
    corpus = own_corpus(documents, table.stem.lower(), seed, held_out_percent or HELD_OUT_PERCENT)
    return own_dataset(corpus), own_configs(corpus)


app.command()(check)
data_publish.register(app)
app.command()(pair)
app.command()(count)
