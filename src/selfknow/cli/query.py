"""``selfknow query`` and ``selfknow sql``: queries over run folders, by name or in SQL."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.compare import compare
from selfknow.cli.output import print_rows
from selfknow.cli.query_output import QueryFormat, print_relation, rows_format
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.sql.connection import Connection


Runs = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN…", help="Run folders, or hf://datasets/ORG/NAME/FOLDER.", show_default=False),
]
FormatOption = Annotated[QueryFormat, typer.Option("--format", help="The format of the rows on stdout.")]
CorpusOption = Annotated[
    list[str] | None,
    typer.Option("--corpus", help="A dataset folder, for queries that need its documents; repeatable."),
]
PortraitOption = Annotated[
    list[str] | None,
    typer.Option("--portrait", help="A portrait as NAME=FOLDER, for `quip(text, 'NAME')`; repeatable."),
]
MixedOption = Annotated[
    bool, typer.Option("--mixed-revisions", help="Allow runs over different revisions of a dataset.")
]


def query(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The query. Default: list all queries.", show_default=False)
    ] = None,
    runs: Runs = None,
    output_format: FormatOption = QueryFormat.table,
    show: Annotated[bool, typer.Option("--show", help="Print the query's SQL instead of running it.")] = False,
    columns: Annotated[
        str | None, typer.Option("--columns", help="Print only these columns: NAME,NAME,…", show_default=False)
    ] = None,
    where: Annotated[
        str | None, typer.Option("--where", help="Print only the rows where this SQL is true.", show_default=False)
    ] = None,
    corpus: CorpusOption = None,
    portrait: PortraitOption = None,
    mixed_revisions: MixedOption = False,
    metric: Annotated[
        str | None, typer.Option("--metric", help="With `compare`: the metric to compare.", show_default=False)
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", help="With `compare`: the model of both sides, or twice, one for each side.", show_default=False
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--variant",
            help="With `compare`: the prompt variant of both sides, or twice, one for each side.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=0,
            help="With `compare`: show at most this many examples. Default: 10, and all as JSON or CSV.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run one of the package's queries over run folders. Without a name, list them.

    The query `compare` compares two models, or two settings, in one metric on the same examples.

    **Examples:**

    `selfknow query`

    `selfknow query overview runs/opt-125m runs/pythia-70m --format csv`

    `selfknow query metrics runs/* --columns model_label,metric,n,mean,low,high --where "n > 10"`

    `selfknow query metrics --show`

    `selfknow query compare runs/opt-125m runs/pythia-70m --metric exact_match`
    """
    from selfknow.evaluate.connection import find_query, queries
    from selfknow.sql.queries import choose_rows, run_query

    if name == "compare":
        _compare(runs, metric, model, variant, limit, output_format, mixed_revisions=mixed_revisions, show=show)
        return
    for option, value in (("--metric", metric), ("--model", model), ("--variant", variant), ("--limit", limit)):
        if value is not None:
            raise UserError(f"{option} is for `selfknow query compare RUN_A RUN_B`")
    if name is None:
        rows_of_queries = [
            {"name": query.name, "task": query.task, "title": query.title, "source": query.source}
            for query in queries().values()
        ]
        print_rows(rows_of_queries, rows_format(output_format))
        return
    query = find_query(name)
    if show:
        typer.echo(query.sql, nl=False)
        return
    portraits = portraits_by_name(portrait)
    with _connect(runs, corpus, mixed_revisions=mixed_revisions, portraits=portraits) as connection:
        names = columns.split(",") if columns else None
        rows = choose_rows(connection, run_query(connection, name).set_alias(name), names, where)
        print_relation(rows, output_format, is_filtered=where is not None)
        _print_known_errors(connection)


def _compare(
    runs: list[str] | None,
    metric: str | None,
    models: list[str] | None,
    variants: list[str] | None,
    limit: int | None,
    output_format: QueryFormat,
    *,
    mixed_revisions: bool,
    show: bool,
) -> None:
    if show:
        from selfknow.sql.compare import COMPARE

        typer.echo(COMPARE.read_text(encoding="utf-8"), nl=False)
        return
    compare(
        runs or [],
        metric,
        models=models or [],
        variants=variants or [],
        limit=limit,
        output_format=rows_format(output_format),
        mixed_revisions=mixed_revisions,
    )


def sql(
    statement: Annotated[
        str | None,
        typer.Argument(
            metavar="SQL",
            help="The SQL, or `-` to read it from stdin. With --init or --save: the first run.",
            show_default=False,
        ),
    ] = None,
    runs: Runs = None,
    output_format: FormatOption = QueryFormat.table,
    init: Annotated[
        bool, typer.Option("--init", help="Print SQL that creates the views and functions, for any DuckDB client.")
    ] = False,
    save: Annotated[
        Path | None, typer.Option("--save", help="Write a DuckDB database with the views.", show_default=False)
    ] = None,
    corpus: CorpusOption = None,
    portrait: PortraitOption = None,
    read_write: Annotated[
        bool, typer.Option("--read-write", help="Allow statements that write, and files besides the runs'.")
    ] = False,
    mixed_revisions: MixedOption = False,
) -> None:
    """Query run folders with your own SQL. Nothing is copied.

    Views: `runs`, `examples`, `generations`, `scores`, `models`, `cohorts`, `calls`, and each task's own.
    docs/sql-reference.md lists them with their columns.

    **Examples:**

    `selfknow sql "select model_label, count(*) from calls join cohorts using (cohort) group by all" runs/*`

    `selfknow sql "select generation from generations where error is null limit 3" runs/opt-125m --format json`

    `selfknow sql --init runs/* > init.sql && duckdb -init init.sql`

    `selfknow sql --save views.duckdb runs/*`
    """
    if init or save is not None:
        _write_views([*([statement] if statement else []), *(runs or [])], corpus, save, mixed_revisions)
        return
    if not statement:
        raise UserError('give an SQL statement and the runs to query: selfknow sql "select …" RUN…')
    text = sys.stdin.read() if statement == "-" else statement
    options = {"portraits": portraits_by_name(portrait), "read_only": not read_write}
    with _connect(runs, corpus, mixed_revisions=mixed_revisions, **options) as connection:
        print_relation(connection.sql(text), output_format)


def _write_views(runs: list[str], corpus: list[str] | None, path: Path | None, mixed_revisions: bool) -> None:
    from selfknow.evaluate.catalogue import task_sql
    from selfknow.runs.reader import open_runs
    from selfknow.sql.connection import find_corpora, init_script, save_database
    from selfknow.sql.views import parsed_files

    folders = open_runs(runs, parsed_files(task_sql()), mixed_revisions=mixed_revisions)
    corpora = find_corpora(folders, corpus or [], task_sql())
    if path is None:
        typer.echo(init_script(folders, corpora, task_sql()), nl=False)
    else:
        save_database(path, folders, corpora, task_sql())
        typer.echo(f"{path} holds the views of {len(folders)} runs", err=True)


def _connect(
    runs: list[str] | None, corpus: list[str] | None, *, mixed_revisions: bool, **options: object
) -> "Connection":
    from selfknow.evaluate.connection import connect

    if not runs:
        raise UserError("name at least one run folder")
    return connect(runs, corpora=corpus or [], mixed_revisions=mixed_revisions, **options)  # type: ignore[arg-type]


def _print_known_errors(connection: "Connection") -> None:
    """Print on stderr how often the scorers of these runs are known to be wrong."""
    from selfknow.sql.known_errors import errors_of

    metrics = [metric for (metric,) in connection.sql("select distinct metric from scores").fetchall()]
    for metric_error in errors_of(metrics):
        typer.echo(f"known error of {metric_error}", err=True)


def portraits_by_name(texts: list[str] | None) -> Mapping[str, str]:
    """Return the folders of ``NAME=FOLDER`` texts by name."""
    pairs = [text.partition("=") for text in texts or []]
    for name, equals, folder in pairs:
        if not (name and equals and folder):
            raise UserError(f"name a portrait as NAME=FOLDER, not {name + equals + folder!r}")
    return {name: folder for name, _, folder in pairs}
