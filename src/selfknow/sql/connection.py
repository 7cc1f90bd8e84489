"""One DuckDB connection over run folders: views where the files lie, and the functions of this field beside them."""

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
from selfknow.errors import UserError
from selfknow.files import check_output
from selfknow.runs.reader import HUB, RunFolder, open_runs
from selfknow.select_only import check_select_only
from selfknow.sql.literals import as_pattern, path_list
from selfknow.sql.task import TaskSql
from selfknow.sql.views import Corpora, parsed_files, statements, views_of_files

if TYPE_CHECKING:
    from selfknow.portraits import Portrait


class Connection(AbstractContextManager["Connection"]):
    """A DuckDB connection and what it was opened over; use it as a context manager.

    Attributes:
        runs: The run folders.
        tasks: What tasks add to SQL.
        corpora: For each task the files of the documents beside its runs that queries can join against.
        portraits: The portraits that ``quip(text, name)`` knows, by name.
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
        """The connection itself, for everything that DuckDB can do.

        Raises:
            UserError: This connection is for reading only.
        """
        if self._read_only:
            raise UserError("DuckDB's own connection can write: open it with connect(…, read_only=False)")
        return self._duckdb

    def check(self, query: str) -> None:
        """Check that a query can change nothing, if this connection is for reading only.

        Raises:
            UserError: It could, or DuckDB cannot parse it.
        """
        if not self._read_only:
            return
        try:
            check_select_only(self._duckdb, query)
        except duckdb.Error as error:
            raise query_error(error) from error
        except UserError as error:
            raise UserError(f"{error} (--read-write, or read_only=False, allows others)") from error

    def sql(self, query: str, parameters: Mapping[str, Any] | None = None) -> DuckDBPyRelation:
        """Ask a query.

        Args:
            query: A SELECT, PIVOT or EXPLAIN; anything, if this connection may write.
            parameters: A value for each ``$name`` of the query.

        Raises:
            UserError: It could change something, or DuckDB refuses it; then the message is DuckDB's own.
        """
        self.check(query)
        try:
            relation = self._duckdb.sql(query, params=dict(parameters or {}))
        except duckdb.Error as error:
            raise query_error(error) from error
        if relation is None:
            raise UserError("the statement gives no rows: ask with select")
        return relation

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Ask a query and fetch all its rows: in two thirds of the time of a relation, which is planned twice.

        Raises:
            UserError: It could change something, or DuckDB refuses it; then the message is DuckDB's own.
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
        """Make views temporary tables for a block of many queries: each is planned and read once, not once a query.

        Args:
            views: Their names.

        Raises:
            UserError: There is no such view, or it cannot be read.

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
        """Let go of the connection and of its temporary files."""
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
    """Open run folders as SQL views: those of any run, and those of ``tasks``.

    :func:`selfknow.connect` hands over all tasks of this package; it says what the other arguments mean, and which
    views and functions there are.

    Raises:
        UserError: A run folder is not what it should be (see :func:`selfknow.runs.reader.open_runs`).
    """
    locations = [runs] if isinstance(runs, str | Path) else runs
    folders = open_runs(locations, parsed_files(tasks), mixed_revisions=mixed_revisions)
    found = find_corpora(folders, corpora, tasks)
    workspace = tempfile.TemporaryDirectory(prefix="selfknow-")
    settings = {"threads": threads, "memory_limit": memory_limit, "temp_directory": f"{workspace.name}/spilled"}
    config = {name: value for name, value in settings.items() if value is not None}
    views = Path(workspace.name) / "views.duckdb"
    try:
        if read_only:
            connection = _read_only(views, folders, found, tasks, config)
        else:
            connection = _writable(folders, found, tasks, config)
    except duckdb.Error as error:  # such as a number in run.json that no column can hold
        raise UserError(f"SQL cannot read {', '.join(run.location for run in folders)}: {error}") from error
    loaded = _load_portraits(portraits or {})
    if loaded:
        from selfknow.portraits.sql import register

        register(connection, loaded)
    return Connection(connection, folders, tasks, found, loaded, workspace, read_only=read_only)


def init_script(runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql]) -> str:
    """Return the same views and functions as a script for any DuckDB client, all but ``quip``, which is Python."""
    return "".join(f"{statement};\n\n" for statement in statements(runs, corpora, tasks))


def save_database(path: Path, runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql]) -> None:
    """Write a DuckDB database file of views: a few kilobytes, which read the runs where they lie.

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
        _make(connection, runs, corpora, tasks, few_rows="view")


def query_error(error: duckdb.Error) -> UserError:
    """DuckDB's own message as a mistake of the user's."""
    return UserError(str(error).strip())


def _writable(
    runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql], config: dict[str, Any]
) -> DuckDBPyConnection:
    connection = duckdb.connect(config=config)
    _make(connection, runs, corpora, tasks)
    return connection


def _read_only(
    views: Path, runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql], config: dict[str, Any]
) -> DuckDBPyConnection:
    """A database of views that is opened for reading, and may read the files of its views alone."""
    views.write_bytes(_without_runs(tuple(tasks)))
    with duckdb.connect(str(views)) as making:
        _register_hub(making, runs, corpora)
        for statement in views_of_files(runs, corpora, tasks):
            making.execute(statement)
    connection = duckdb.connect(str(views), read_only=True, config=config)
    _register_hub(connection, runs, corpora)
    allowed = [path for run in runs for paths in run.files.values() for path in paths]
    allowed += _files(corpora)
    # DuckDB asks for a file's path, and first for the pattern that it was found by.
    connection.execute(f"set allowed_paths = {path_list([*allowed, *map(as_pattern, allowed)])}")
    connection.execute("set timezone = 'UTC'")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


@cache
def _without_runs(tasks: tuple[TaskSql, ...]) -> bytes:
    """A database of these tasks' functions and views, without runs: to make them takes longer than to fill them."""
    making = list(statements([], {}, tasks, few_rows="table"))

    def made() -> bytes:
        with tempfile.TemporaryDirectory(prefix="selfknow-") as folder:
            path = Path(folder) / "views.duckdb"
            with duckdb.connect(str(path)) as connection:
                for statement in making:
                    connection.execute(statement)
            return path.read_bytes()

    digest = hashlib.sha256("\0".join([duckdb.__version__, *making]).encode()).hexdigest()
    return cached(f"views-{digest[:16]}.duckdb", made)


def _make(
    connection: DuckDBPyConnection,
    runs: Sequence[RunFolder],
    corpora: Corpora,
    tasks: Sequence[TaskSql],
    *,
    few_rows: str = "table",
) -> None:
    _register_hub(connection, runs, corpora)
    for statement in statements(runs, corpora, tasks, few_rows=few_rows):
        connection.execute(statement)


def _register_hub(connection: DuckDBPyConnection, runs: Sequence[RunFolder], corpora: Corpora) -> None:
    paths = [run.location for run in runs] + _files(corpora)
    if any(path.startswith(HUB) for path in paths):
        connection.register_filesystem(fsspec.filesystem("hf"))


def find_corpora(
    runs: Sequence[RunFolder], folders: Sequence[str | Path], tasks: Sequence[TaskSql]
) -> dict[str, dict[str, list[str]]]:
    """Find, for each task of the runs, the documents at hand that its queries can join against.

    Args:
        runs: The run folders.
        folders: Dataset folders that the user named.
        tasks: What tasks add to SQL.

    Raises:
        UserError: A named folder holds nothing that the runs were asked about.
    """
    named = [str(folder) for folder in folders]
    found: dict[str, dict[str, list[str]]] = {}
    for task in tasks:
        of_task = [run for run in runs if run.description.get("task") == task.name]
        if task.corpus is not None and (of_task or named):
            found[task.name] = task.corpus.find(of_task, named)
    return found


def _files(corpora: Corpora) -> list[str]:
    return [path for of_task in corpora.values() for paths in of_task.values() for path in paths]


def _load_portraits(portraits: "Mapping[str, Portrait | str | Path]") -> "dict[str, Portrait]":
    if not portraits:
        return {}
    from selfknow.portraits import Portrait

    return {
        name: Portrait.from_pretrained(str(portrait)) if isinstance(portrait, str | Path) else portrait
        for name, portrait in portraits.items()
    }
