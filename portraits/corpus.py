"""The texts that a portrait is built from: files or a dataset's split, and the SQL that turns a row into a text.

A corpus is read in bounded memory, any number of times, whole or in partitions.
"""

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from selfknow.downloads import hub_filesystem
from selfknow.errors import UserError
from selfknow.portraits.text_files import read_text_file
from selfknow.select_only import check_select_only

SampleBy = Literal["line", "document"]

_READERS = {".parquet": "read_parquet", ".jsonl": "read_json", ".ndjson": "read_json", ".json": "read_json"}
_COMPRESSIONS = (".gz", ".zst")
_TEXT = ".txt"
_ROWS_AT_ONCE = 10_000


@dataclass(frozen=True)
class Corpus:
    """An iterable of Arrow arrays of texts.

    Attributes:
        files: Paths or ``hf://`` addresses of files of one type.
        text: A SQL expression over a row's columns that gives its text.
        where: A SQL condition on the rows that belong to the corpus.
        sample_by: ``line`` makes each line of a text file a text; ``document`` makes each file, which must fit in
            memory, a text.
        facts: The corpus's origin, for ``portrait.json``, such as the repo, config and split.
        rows: The rows to read of a single Parquet file: the first, and one past the last; null for all.

    Example:
        >>> corpus = Corpus.from_dataset("out/diary-recall", "1k", text="prompt || completion",
        ...                              where="kind = 'document'")  # doctest: +SKIP
        >>> Portrait.build(corpus)  # doctest: +SKIP
    """

    files: tuple[str, ...]
    text: str = "text"
    where: str | None = None
    sample_by: SampleBy = "line"
    facts: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[int, int] | None = None

    @classmethod
    def from_dataset(
        cls,
        repo: str | Path,
        config: str | None = None,
        split: str = "train",
        *,
        text: str = "text",
        where: str | None = None,
        revision: str | None = None,
    ) -> "Corpus":
        """Open a split of a dataset folder, or of a dataset on the Hub.

        Raises:
            UserError: There is no such dataset, config or split, or the Hub cannot be reached.
        """
        from selfknow.portraits.dataset_files import find_dataset_files

        files, facts = find_dataset_files(str(repo), config, split, revision)
        return cls(files=files, text=text, where=where, facts=facts)

    @classmethod
    def from_files(
        cls, paths: Sequence[str | Path], *, text: str = "text", where: str | None = None, sample_by: SampleBy = "line"
    ) -> "Corpus":
        """Open Parquet, JSONL or text files, the latter two also compressed (``.gz``, ``.zst``).

        Raises:
            UserError: A file is missing or of no known kind, or the kinds differ.
        """
        files = tuple(str(path) for path in paths)
        if not files:
            raise UserError("a corpus needs at least one file")
        for path in map(Path, files):
            if not path.is_file():
                raise UserError(f"{path} does not exist" if not path.exists() else f"{path} is not a file")
        if sample_by not in ("line", "document"):
            raise UserError(f"text files are sampled by 'line' or 'document', not {sample_by!r}")
        kinds = {_suffix(file) for file in files}
        if len(kinds) > 1:
            raise UserError(
                f"files of different kinds ({', '.join(sorted(kinds))}) cannot be one corpus: build a "
                "portrait of each kind and merge them"
            )
        if kinds == {_TEXT} and (text != "text" or where):
            raise UserError("text files have no columns: an expression and a filter are for Parquet and JSONL")
        facts = {"files": [{"path": Path(file).name, "sha256": _sha256(file)} for file in files]}
        return cls(files=files, text=text, where=where, sample_by=sample_by, facts=facts)

    @property
    def query(self) -> str:
        """The SQL query that returns the texts; ``portrait.json`` records it."""
        return f"select {self.text} from corpus{self._filter}"  # noqa: S608

    @property
    def _filter(self) -> str:
        return f" where {self.where}" if self.where else ""

    def description(self) -> dict[str, Any]:
        """Return the facts that ``portrait.json`` records of the corpus."""
        if _suffix(self.files[0]) == _TEXT:
            return {**self.facts, "sample_by": self.sample_by}
        return {**self.facts, "query": self.query}

    def __iter__(self) -> Iterator[pa.Array]:
        if _suffix(self.files[0]) != _TEXT:
            yield from self._read_rows()
        else:
            for file in self.files:
                yield from read_text_file(Path(file), whole=self.sample_by == "document")

    def partitions(self, count: int) -> list["Corpus"]:
        """Return about ``count`` parts that together hold each text of the corpus once."""
        if len(self.files) == 1 and _suffix(self.files[0]) == ".parquet" and not self.files[0].startswith("hf://"):
            import pyarrow.parquet as pq

            rows = pq.read_metadata(self.files[0]).num_rows
            bounds = sorted({rows * i // count for i in range(count + 1)})
            return [replace(self, rows=(first, last)) for first, last in itertools.pairwise(bounds)] or [self]
        groups = [self.files[i::count] for i in range(min(count, len(self.files)))]
        return [replace(self, files=group) for group in groups]

    def _read_rows(self) -> Iterator[pa.Array]:
        import duckdb

        with duckdb.connect() as connection:
            try:
                yield from self._stream(connection)
            except duckdb.Error as error:
                raise UserError(f"cannot read the corpus with `{self.query}`: {_first_line(error)}") from error

    def _stream(self, connection: Any) -> Iterator[pa.Array]:
        connection.execute("set enable_progress_bar = false")
        if self.files[0].startswith("hf://"):
            connection.register_filesystem(hub_filesystem())
        reader = _READERS[_suffix(self.files[0])]
        options = {
            "read_parquet": ", file_row_number = true" if self.rows else "",
            "read_json": ", format = 'newline_delimited', maximum_object_size = 1073741824",
        }[reader]
        source = f"{reader}([{', '.join(map(_quote_sql, self.files))}]{options})"
        first, last = self.rows or (0, 0)
        condition = f"where file_row_number >= {first} and file_row_number < {last}" if self.rows else ""
        columns = "* exclude (file_row_number)" if self.rows else "*"
        connection.execute(f"create temp view corpus as select {columns} from {source} {condition}")  # noqa: S608
        check_select_only(connection, self.query)
        batches = connection.sql(self.query).to_arrow_reader(_ROWS_AT_ONCE)
        kind = batches.schema.field(0).type
        if len(batches.schema) != 1 or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise UserError(f"`{self.query}` gives values of type {kind}, not texts")
        for batch in batches:
            yield batch.column(0)


def _suffix(file: str) -> str:
    """Return the kind of a file by its name, such as ``.parquet``.

    Raises:
        UserError: The name has no known ending.
    """
    path = Path(file)
    suffix = Path(path.stem).suffix if path.suffix in _COMPRESSIONS else path.suffix
    if suffix not in _READERS and suffix != _TEXT:
        raise UserError(
            f"{path.name}: a corpus is made of {', '.join(_READERS)} or {_TEXT} files, also compressed "
            f"({', '.join(_COMPRESSIONS)})"
        )
    return suffix


def _sha256(file: str) -> str:
    with Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _quote_sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
