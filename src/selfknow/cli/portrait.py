"""``selfknow portrait``: portraits of corpora, built, queried and published."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli import portrait_ask, portrait_overlap, portrait_publish
from selfknow.cli.compact_help import CommandGroup
from selfknow.cli.output import Format, print_rows
from selfknow.cli.portrait_ask import FormatOption, PortraitArgument, TextOption, WhereOption, load
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.portraits import Corpus, Portrait

app = CommandGroup(
    "portrait", "Build, query and publish portraits: small files that tell which text a corpus contains."
)


class Engine(StrEnum):
    """The engine that builds a portrait."""

    local = "local"
    ray = "ray"


class SampleBy(StrEnum):
    """The part of a text file that counts as one text."""

    line = "line"
    document = "document"


class Normalization(StrEnum):
    """The normalization of a text before its n-grams are taken."""

    none = "none"
    data_portraits = "data-portraits"


OutOption = Annotated[Path, typer.Option("--out", help="The folder to write.", show_default=False)]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace the portrait that is there.")]


@app.command()
def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE…", help="A dataset folder, `org/name` on the Hub, or Parquet, JSONL or text files."
        ),
    ],
    out: OutOption,
    config: Annotated[str | None, typer.Option(help="The dataset's config.", show_default=False)] = None,
    split: Annotated[str, typer.Option(help="The dataset's split.")] = "train",
    revision: Annotated[str | None, typer.Option(help="The dataset's revision on the Hub.", show_default=False)] = None,
    text: TextOption = "text",
    where: WhereOption = None,
    sample_by: Annotated[
        SampleBy, typer.Option(help="In text files, each line or each whole file counts as one text.")
    ] = SampleBy.line,
    width: Annotated[int, typer.Option(min=1, help="Characters of an n-gram: 25 for QUIP, 50 for membership.")] = 25,
    stride: Annotated[
        int, typer.Option(min=1, help="Characters between the starts of n-grams: 1 for QUIP, or the width.")
    ] = 1,
    capacity: Annotated[
        int | None,
        typer.Option(min=1, help="Make room for this many distinct n-grams. Default: an estimate.", show_default=False),
    ] = None,
    false_positive_rate: Annotated[float, typer.Option(help="The false positive rate at capacity.")] = 1e-3,
    normalization: Annotated[
        Normalization, typer.Option(help="The normalization of texts and queries.")
    ] = Normalization.none,
    threads: Annotated[
        int | None, typer.Option(min=1, help="The number of threads. Default: one per core.", show_default=False)
    ] = None,
    engine: Annotated[Engine, typer.Option(help="Build on this machine, or on a Ray cluster.")] = Engine.local,
    ray_address: Annotated[str | None, typer.Option(help="The Ray cluster's address.", show_default=False)] = None,
    overwrite: OverwriteOption = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Build a corpus's portrait: a Bloom filter of its character n-grams, in a folder to load or publish.

    If a build is killed, the same command resumes it. The same corpus gives the same bytes in any
    order, with any number of threads, and on either engine.

    **Examples:**

    `selfknow portrait build diary-recall --config 1k --text "prompt || completion" --where "kind='document'" --out 1k`

    `selfknow portrait build corpus/*.jsonl.zst --out corpus-portrait --normalization data-portraits`

    `selfknow portrait build wiki.txt.gz --width 50 --stride 50 --out wiki-tiles`
    """
    from selfknow.portraits import Portrait

    corpus = _corpus(sources, config, split, revision, text, where, sample_by)
    if engine is Engine.ray:
        from selfknow.portraits.distributed import build_on_ray

        portrait = build_on_ray(
            corpus, width=width, stride=stride, capacity=capacity, false_positive_rate=false_positive_rate,
            normalization=normalization.value, address=ray_address, progress=True,
        )  # fmt: skip
    else:
        portrait = Portrait.build(
            corpus, width=width, stride=stride, capacity=capacity, false_positive_rate=false_positive_rate,
            normalization=normalization.value, threads=threads, progress=True, folder=out,
        )  # fmt: skip
    portrait.save(out, overwrite=overwrite)
    _print_info(portrait, output_format)


@app.command()
def info(
    portrait: PortraitArgument,
    verify: Annotated[bool, typer.Option("--verify", help="Also check every bit; exit code 1 if one differs.")] = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Show a portrait's corpus, its size, how full it is, and its false positive rate.

    **Example:** `selfknow portrait info out/1k --verify`
    """
    loaded = load(portrait)
    if verify:
        try:
            loaded.verify()
        except UserError as error:
            typer.echo(f"selfknow: {error}", err=True)
            raise typer.Exit(1) from None
    _print_info(loaded, output_format)


@app.command()
def merge(
    portraits: Annotated[
        list[str], typer.Argument(metavar="PORTRAIT…", help="Two or more portraits with the same options.")
    ],
    out: OutOption,
    overwrite: OverwriteOption = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Merge portraits with the same width, stride, normalization, capacity and rate.

    **Example:** `selfknow portrait merge out/a out/b --out out/both`
    """
    if len(portraits) < 2:
        raise UserError("merging needs two or more portraits")
    merged = load(portraits[0])
    for other in portraits[1:]:
        merged = merged | load(other)
    merged.save(out, overwrite=overwrite)
    _print_info(merged, output_format)


@app.command("import")
def import_(
    index: Annotated[
        Path, typer.Argument(metavar="INDEX", help="The dump, a file called `<name>.<width>-<stride>.bf`.")
    ],
    out: OutOption,
    width: Annotated[
        int | None, typer.Option(help="Characters of an n-gram. Default: as in the file's name.", show_default=False)
    ] = None,
    stride: Annotated[
        int | None,
        typer.Option(
            help="Characters between the starts of n-grams. Default: as in the file's name.", show_default=False
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Turn a RedisBloom dump of the Data Portraits tool into a portrait with the same answers, without Redis.

    **Example:** `selfknow portrait import wiki.25-1.bf --out wiki`
    """
    from selfknow.portraits.filter.redisbloom import import_redisbloom

    import_redisbloom(index, out, width=width, stride=stride, overwrite=overwrite)
    _print_info(load(str(out)), output_format)


@app.command()
def prebuilt(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="A `diary-recall` folder.")],
    out: OutOption,
    configs: Annotated[
        list[str] | None, typer.Argument(help="The dataset's configs. Default: all.", show_default=False)
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="The number of threads. Default: one per core.", show_default=False)
    ] = None,
    overwrite: OverwriteOption = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Build a portrait of every config of the diary corpora, ready to publish.

    If a build is killed, the same command resumes it.

    **Example:** `selfknow portrait prebuilt diary-recall --out diary-portraits`
    """
    from selfknow.portraits.prebuilt import build_prebuilt

    portraits = build_prebuilt(dataset, out, configs or (), threads=threads, overwrite=overwrite, progress=True)
    keys = ("items", "estimated_distinct_items", "size_in_bytes", "actual_false_positive_rate")
    rows = []
    for portrait in portraits:
        values = portrait.info()
        rows.append({"portrait": portrait.description.corpus["config"]} | {key: values[key] for key in keys})
    print_rows(rows, output_format)


def _corpus(
    sources: list[str],
    config: str | None,
    split: str,
    revision: str | None,
    text: str,
    where: str | None,
    sample_by: SampleBy,
) -> "Corpus":
    from selfknow.portraits import Corpus

    if all(Path(source).is_file() for source in sources) or len(sources) > 1:
        return Corpus.from_files(sources, text=text, where=where, sample_by=sample_by.value)
    if Path(sources[0]).suffix in {".parquet", ".jsonl", ".txt", ".gz", ".zst"} and not Path(sources[0]).is_dir():
        raise UserError(f"{sources[0]} does not exist")
    return Corpus.from_dataset(sources[0], config, split, text=text, where=where, revision=revision)


def _print_info(portrait: "Portrait", output_format: Format) -> None:
    values = portrait.info()
    if output_format is Format.table:
        corpus = {f"corpus {name}": value for name, value in values.pop("corpus").items()}
        print_rows([{"": name, "value": _shown(value)} for name, value in (values | corpus).items()], output_format)
    else:
        print_rows([values], output_format)


def _shown(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "no" if value is None else str(value)


portrait_ask.register(app)
portrait_overlap.register(app)
portrait_publish.register(app)
