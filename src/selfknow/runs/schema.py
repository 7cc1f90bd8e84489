"""The schema of a run folder, which loses no generation and which any DuckDB can read.

::

    RUN/run.json                         the run's task, dataset, models and settings (see RunDescription)
    RUN/examples.parquet                 the rows of the run, with the columns of their dataset; `id` is the key
    RUN/generations/part-00000.parquet   one row per try of a call (GENERATIONS); a part is never half written
    RUN/scores/NAME.parquet              one row per metric of a generation (SCORES), overwritten by `selfknow score`
    RUN/parsed/NAME.parquet              tables that scoring parsed from the generations, such as documents or facts
    RUN/images/SHA256.png                drawn pictures; the generation is the file's path in the run
    RUN/run.lock                         held by the one writer; the system frees it when the writer dies

A row of ``generations`` is one try of one call of one model:

=====================  =========  ====================================================================================
generation_id          string     unique in every run: run_id, then a hash of model, revision, call and attempt
run_id                 string     the run's id, as in run.json
example_id             string     `id` in examples.parquet
stage                  string     answer, probe, stop, next-title, generate, verify, dual, explain, judge, …
variant                string     form, style, probe or prompt, which tells calls of one stage apart
sample                 int32      0, 1, … for several answers to one prompt
attempt                int32      0, 1, …: a failed try stays as a row; the last attempt of a call counts
parent_generation_id   string?    the generation that this call builds on
model                  string     a folder, a GGUF file, a Hub id, or an endpoint's address and model
revision               string?    commit of a Hub model, or hash of a local checkpoint's files
prompt                 string     the exact text that the model received; a picture is ``![](images/SHA256.png)``
messages               list?      of {role, content}: the messages to a chat model; null for completion models
generation             string?    the text that the model added, or its picture's path; null only if the try failed
finish_reason          string?    stop, length (cut off), or forced (a fixed continuation was scored)
prompt_tokens          int32?
completion_tokens      int32?
logprob                float64?   natural log, summed over the generated (or forced) tokens, before any temperature
error                  string?    the reason of a failed try; null otherwise
created_at             timestamp  UTC, microseconds
=====================  =========  ====================================================================================

A call is (example_id, stage, variant, sample, parent_generation_id, model, revision).
"""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from selfknow.errors import UserError
from selfknow.files import read_parquet, write_parquet

_MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])

GENERATIONS = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("example_id", pa.string(), nullable=False),
        pa.field("stage", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("sample", pa.int32(), nullable=False),
        pa.field("attempt", pa.int32(), nullable=False),
        pa.field("parent_generation_id", pa.string()),
        pa.field("model", pa.string(), nullable=False),
        pa.field("revision", pa.string()),
        pa.field("prompt", pa.string(), nullable=False),
        pa.field("messages", pa.list_(_MESSAGE)),
        pa.field("generation", pa.string()),
        pa.field("finish_reason", pa.string()),
        pa.field("prompt_tokens", pa.int32()),
        pa.field("completion_tokens", pa.int32()),
        pa.field("logprob", pa.float64()),
        pa.field("error", pa.string()),
        pa.field("created_at", pa.timestamp("us", tz="UTC"), nullable=False),
    ]
)

SCORES = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("reason", pa.string()),
    ]
)

KEPT_REPLIES_FILE = "parsed/kept_replies.parquet"
KEPT_REPLIES = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("start_character", pa.int32(), nullable=False),
        pa.field("end_character", pa.int32(), nullable=False),
    ]
)
"""The schema of ``parsed/kept_replies.parquet``: the part of each reply that was measured. The end is exclusive."""

CALL_COLUMNS = ("example_id", "stage", "variant", "sample", "parent_generation_id", "model", "revision")
"""The columns whose values identify a call."""

Call = tuple[object, ...]
"""The values of a call in these columns."""


def generation_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a run's generations, in order."""
    return sorted((folder / "generations").glob("*.parquet"))


def read_generations(folder: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read all generations of a run.

    Args:
        folder: The run folder.
        columns: The columns to read; null: all.

    Raises:
        UserError: There are none, or a part cannot be read or has other columns.
    """
    schema = GENERATIONS if columns is None else pa.schema([GENERATIONS.field(name) for name in columns])
    files = generation_files(folder)
    if not files:
        raise UserError(f"{folder} holds no generations: run `selfknow evaluate` into it first")
    return pa.concat_tables([read_parquet(path, schema) for path in files])


def read_examples(folder: Path) -> pa.Table:
    """Read a run's examples with their ``id`` as text; runs made by other programs may have numbers.

    Raises:
        UserError: The file cannot be read, or has no ``id`` that names its rows.
    """
    path = folder / "examples.parquet"
    return with_ids_as_text(read_parquet(path), str(path))


def with_ids_as_text(examples: pa.Table, name: str) -> pa.Table:
    """Return examples whose column ``id`` is text, as generations have it.

    Args:
        examples: Rows with an ``id`` that is text or a whole number.
        name: The name of the rows in an error message, such as their file.

    Raises:
        UserError: There is no such column.
    """
    if "id" not in examples.column_names:
        raise UserError(f"{name} has no column `id`, which generations refer to")
    index = examples.column_names.index("id")
    if (type_ := examples.schema.field(index).type) == pa.string():
        return examples
    if not is_id_type(type_):
        raise UserError(f"{name} has a column of another type: id is {type_}, not string")
    return examples.set_column(index, "id", examples["id"].cast(pa.string()))


def is_id_type(type_: pa.DataType) -> bool:
    """Return true for a type whose values can be ids: text, or whole numbers."""
    if pa.types.is_dictionary(type_):
        return is_id_type(type_.value_type)
    text = pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_)
    return bool(text or pa.types.is_integer(type_))


def last_attempts(generations: pa.Table) -> pa.Table:
    """Return the last attempt of every call, the only one that counts: its reply if there is one, else its failure."""
    num_rows = len(generations)
    rows = pa.array(range(num_rows), pa.int64())
    # The largest number of a call is its last attempt; of equal attempts, the later row.
    order = pc.add(pc.multiply(generations["attempt"].cast(pa.int64()), num_rows), rows)
    calls = generations.select(CALL_COLUMNS).append_column("order", order)
    last = calls.group_by(CALL_COLUMNS).aggregate([("order", "max")])["order_max"]
    if len(last) == num_rows:
        return generations  # no call was tried twice: spare a large run the copy
    return generations.take(pa.array(sorted(number % num_rows for number in last.to_pylist()), pa.int64()))


def write_scores(folder: Path, name: str, scores: pa.Table) -> None:
    """Write a scorer's rows as ``scores/NAME.parquet``, in place of its earlier ones."""
    write_parquet(folder / "scores" / f"{name}.parquet", scores.cast(SCORES))
