"""A DuckDB connection over run folders, with views of their files and this field's statistical functions."""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import duckdb
import fsspec
from duckdb import DuckDBPyConnection, DuckDBPyRelation

from selfknow.cache import cached
from selfknow.errors import UserError, argument
from selfknow.files import check_output
from selfknow.runs.reader import HUB, RunFolder, open_runs
from selfknow.select_only import check_select_only
from selfknow.sql import list_functions
from selfknow.sql.literals import as_pattern, path_list
from selfknow.sql.task import TaskSql
from selfknow.sql.views import Corpora, parsed_files, portable_functions, run_statements, statements

if TYPE_CHECKING:
    from selfknow.portraits import Portrait


class Connection(AbstractContextManager["Connection"]):
    """A DuckDB connection over run folders; use it as a context manager.

    Attributes:
        runs: The run folders.
        tasks: The tasks' queries, views and columns.
        corpora: The files of documents outside the run folders, by task, for queries to join against.
        portraits: The portraits for ``quip(text, name)``, by name.
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        runs: Sequence[RunFolder],
        tasks: Sequence[TaskSql],
        corpora: Corpora,
        portraits: "Mapping[str, Portrait]",
        workspace: tempfile.TemporaryDirectory[str],
        *,
        read_only: bool,
    ) -> None:
        self._workspace = workspace
        self._duckdb = connection
        self._read_only = read_only
        self.runs = tuple(runs)
        self.tasks = tuple(tasks)
        self.corpora = corpora
        self.portraits = portraits

    @property
    def duckdb(self) -> DuckDBPyConnection:
        """DuckDB's own connection, for everything that DuckDB can do.

        Raises:
            UserError: This connection is read-only.
        """
        if self._read_only:
            raise UserError("DuckDB's own connection can write: open it with connect(…, read_only=False)")
        return self._duckdb

    def check(self, query: str) -> None:
        """Check that a query can change nothing, if this connection is read-only.

        Raises:
            UserError: The query could change something, or DuckDB cannot parse it.
        """
        if not self._read_only:
            return
        try:
            check_select_only(self._duckdb, query)
        except duckdb.Error as error:
            raise query_error(error) from error
        except UserError as error:
            raise UserError(
                f"{error} ({argument('read_only', False, flag='read-write')} allows other statements)"
            ) from error

    def sql(self, query: str, parameters: Mapping[str, Any] | None = None) -> DuckDBPyRelation:
        """Run a query.

        Args:
            query: A SELECT, PIVOT or EXPLAIN, or any statement if this connection may write.
            parameters: A value for each ``$name`` of the query.

        Raises:
            UserError: The query could change something, or DuckDB refuses it; the message is DuckDB's.
        """
        self.check(query)
        try:
            relation = self._duckdb.sql(query, params=dict(parameters or {}))
        except duckdb.Error as error:
            raise query_error(error) from error
        if relation is None:
            raise UserError("the statement returns no rows: begin it with select")
        return relation

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Run a query and fetch all its rows. This takes two thirds of the time of :meth:`sql`, which plans it twice.

        Raises:
            UserError: The query could change something, or DuckDB refuses it; the message is DuckDB's.
        """
        self.check(query)
        try:
            rows = self._duckdb.execute(query).fetchall()
        except duckdb.Error as error:
            raise query_error(error) from error
        columns = [name for name, *_ in self._duckdb.description]
        return [dict(zip(columns, row, strict=True)) for row in rows]

    @contextmanager
    def as_tables(self, views: Iterable[str]) -> Iterator[None]:
        """Turn views into temporary tables for a block of many queries, so that each view is read only once.

        Args:
            views: Names of the views.

        Raises:
            UserError: A view does not exist or cannot be read.

        Example:
            >>> with connection.as_tables(["calls"]):  # doctest: +SKIP
            ...     connection.rows("select count(*) from calls")
        """
        with ExitStack() as stack:
            for view in views:
                try:
                    self._duckdb.execute(f'create temp table "{view}" as from main."{view}"')
                except duckdb.Error as error:
                    raise query_error(error) from error
                stack.callback(self._duckdb.execute, f'drop table temp.main."{view}"')
            yield

    def close(self) -> None:
        """Close the connection and delete its temporary files."""
        self._duckdb.close()
        self._workspace.cleanup()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(
    runs: Sequence[str | Path] | str | Path,
    tasks: Sequence[TaskSql] = (),
    portraits: "Mapping[str, Portrait | str | Path] | None" = None,
    *,
    corpora: Sequence[str | Path] = (),
    read_only: bool = True,
    mixed_revisions: bool = False,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Connection:
    """Open run folders with the views of every run and the views of ``tasks``.

    :func:`selfknow.connect` passes all tasks of this package. Its documentation explains the other arguments, the views
    and the functions.

    Raises:
        UserError: A run folder is damaged or missing (see :func:`selfknow.runs.reader.open_runs`).
    """
    locations = [runs] if isinstance(runs, str | Path) else runs
    folders = open_runs(locations, parsed_files(tasks), mixed_revisions=mixed_revisions)
    documents = find_corpora(folders, corpora, tasks)
    workspace = tempfile.TemporaryDirectory(prefix="selfknow-")
    settings = {"threads": threads, "memory_limit": memory_limit, "temp_directory": f"{workspace.name}/spilled"}
    config = {name: value for name, value in settings.items() if value is not None}
    views = Path(workspace.name) / "views.duckdb"
    try:
        if read_only:
            connection = _open_read_only(views, folders, documents, tasks, config)
        else:
            connection = _open_writable(folders, documents, tasks, config)
    except duckdb.Error as error:  # such as a number in run.json that no column can hold
        raise UserError(f"SQL cannot read {', '.join(run.location for run in folders)}: {error}") from error
    loaded_portraits = _load_portraits(portraits or {})
    if loaded_portraits:
        from selfknow.portraits.sql import register

        register(connection, loaded_portraits)
    return Connection(connection, folders, tasks, documents, loaded_portraits, workspace, read_only=read_only)


def init_script(runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql]) -> str:
    """Return a script for any DuckDB client with all views and functions, except those of portraits."""
    script = [portable_functions(), *statements(runs, corpora, tasks)]
    return "".join(f"{statement};\n\n" for statement in script)


def save_database(path: Path, runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql]) -> None:
    """Write a DuckDB database file with views of the runs. It has a few kilobytes, as it does not copy the runs.

    Raises:
        UserError: The file exists or cannot be written.
    """
    check_output(path)
    if path.exists():
        raise UserError(f"{path} exists: name a new file")
    try:
        connection = duckdb.connect(str(path))
    except duckdb.Error as error:
        raise UserError(f"{path} cannot be written: {str(error).splitlines()[0]}") from error
    with connection:
        connection.execute(portable_functions())
        _create_views(connection, runs, corpora, tasks, small_view_kind="view")


def query_error(error: duckdb.Error) -> UserError:
    """Turn an error of DuckDB into a `UserError` with DuckDB's message."""
    return UserError(str(error).strip())


def _open_writable(
    runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql], config: dict[str, Any]
) -> DuckDBPyConnection:
    connection = duckdb.connect(config=config)
    list_functions.register(connection)
    _create_views(connection, runs, corpora, tasks)
    return connection


def _open_read_only(
    views: Path, runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql], config: dict[str, Any]
) -> DuckDBPyConnection:
    """Open a read-only database of views, which can read only the files of its views."""
    views.write_bytes(_empty_database(tuple(tasks)))
    with duckdb.connect(str(views)) as writer:
        _register_hub(writer, runs, corpora)
        for statement in run_statements(runs, corpora, tasks):
            writer.execute(statement)
    connection = duckdb.connect(str(views), read_only=True, config=config)
    list_functions.register(connection)
    _register_hub(connection, runs, corpora)
    allowed = [path for run in runs for paths in run.files.values() for path in paths]
    allowed += _corpus_files(corpora)
    # DuckDB checks the pattern of a file first, and then its path.
    connection.execute(f"set allowed_paths = {path_list([*allowed, *map(as_pattern, allowed)])}")
    connection.execute("set timezone = 'UTC'")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


@cache
def _empty_database(tasks: tuple[TaskSql, ...]) -> bytes:
    """Return the bytes of a database of functions and views without runs.

    It is cached, as creating it takes longer than adding the runs.
    """
    script = list(statements([], {}, tasks, small_view_kind="table"))

    def make() -> bytes:
        with tempfile.TemporaryDirectory(prefix="selfknow-") as folder:
            path = Path(folder) / "views.duckdb"
            with duckdb.connect(str(path)) as connection:
                list_functions.register(connection)
                for statement in script:
                    connection.execute(statement)
            return path.read_bytes()

    digest = hashlib.sha256("\0".join([duckdb.__version__, *script]).encode()).hexdigest()
    return cached(f"views-{digest[:16]}.duckdb", make)


def _create_views(
    connection: DuckDBPyConnection,
    runs: Sequence[RunFolder],
    corpora: Corpora,
    tasks: Sequence[TaskSql],
    *,
    small_view_kind: str = "table",
) -> None:
    _register_hub(connection, runs, corpora)
    for statement in statements(runs, corpora, tasks, small_view_kind=small_view_kind):
        connection.execute(statement)


def _register_hub(connection: DuckDBPyConnection, runs: Sequence[RunFolder], corpora: Corpora) -> None:
    paths = [run.location for run in runs] + _corpus_files(corpora)
    if any(path.startswith(HUB) for path in paths):
        connection.register_filesystem(fsspec.filesystem("hf"))


def find_corpora(
    runs: Sequence[RunFolder], folders: Sequence[str | Path], tasks: Sequence[TaskSql]
) -> dict[str, dict[str, list[str]]]:
    """Find documents outside the run folders that each task's queries can join against.

    Args:
        runs: The run folders.
        folders: Dataset folders that the user named.
        tasks: The tasks.

    Returns:
        The Parquet files, by task and by a key that the task chooses.

    Raises:
        UserError: A named folder holds nothing that the runs ask about.
    """
    named_folders = [str(folder) for folder in folders]
    corpora: dict[str, dict[str, list[str]]] = {}
    for task in tasks:
        task_runs = [run for run in runs if run.description.get("task") == task.name]
        if task.corpus is not None and (task_runs or named_folders):
            corpora[task.name] = task.corpus.find(task_runs, named_folders)
    return corpora


def _corpus_files(corpora: Corpora) -> list[str]:
    return [path for files in corpora.values() for paths in files.values() for path in paths]


def _load_portraits(portraits: "Mapping[str, Portrait | str | Path]") -> "dict[str, Portrait]":
    if not portraits:
        return {}
    from selfknow.portraits import Portrait

    return {
        name: Portrait.from_pretrained(str(portrait)) if isinstance(portrait, str | Path) else portrait
        for name, portrait in portraits.items()
    }
