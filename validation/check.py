"""The check of every file and row of a dataset folder, which a folder must pass before it is published."""

import gc
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.bars import Bar
from selfknow.builders.folder.manifest import read_manifest
from selfknow.errors import MissingExtraError, UserError, nearest

if TYPE_CHECKING:
    import pandas as pd
    from great_expectations.core import ExpectationSuiteValidationResult
    from great_expectations.core.batch_definition import BatchDefinition

    from selfknow.validation.suite import Batch, DatasetSuite

_GROUPS_AT_A_TIME = 2  # DuckDB can run them in parallel, but each group of batches keeps its tables in memory
_thread_state = threading.local()


@dataclass(frozen=True)
class Finding:
    """An expectation that a dataset folder does not meet.

    Args:
        config: The config, or None if the finding concerns the whole folder.
        split: The split, or None if the finding concerns all of them.
        expectation: The name of the expectation, such as ``answers_repeat_the_documents``.
        message: The expectation in words, and the number of exceptions (cases that do not meet it).
        examples: A few of the exceptions, in a fixed order.
    """

    config: str | None
    split: str | None
    expectation: str
    message: str
    examples: Sequence[Mapping[str, object]]


def check_folder(folder: Path, *, data_docs: Path | None = None, progress: bool = False) -> list[Finding]:
    """Check that a dataset folder is complete, and that its rows meet the expectations of its dataset.

    Only the files in the folder are checked. If the files of a config cannot be read, or have the wrong columns, the
    config gets a finding and its rows are not checked.

    Args:
        folder: The dataset folder.
        data_docs: A folder for Great Expectations' pages; open ``index.html`` there in a browser.
        progress: Show a progress bar on stderr.

    Returns:
        The findings, in a fixed order; none if the folder may be published.

    Raises:
        MissingExtraError: Great Expectations or SciPy is not installed.
        UserError: The folder is not a dataset folder, its manifest is damaged, its dataset is unknown, or the pages
            cannot be written to ``data_docs``.

    Example:
        >>> check_folder(Path("diary-recall"))  # doctest: +SKIP
        []
    """
    manifest = read_manifest(folder)
    suite = _suite_of(manifest.dataset)
    from selfknow.validation.folder.suite import batch_of_folder, configs_with_rows, facts_of_folder
    from selfknow.validation.pages_folder import check_pages_folder

    if data_docs is not None:
        check_pages_folder(data_docs, folder)
    with Bar(total=len(manifest.configs), unit="check", disable=not progress) as bar:
        facts = facts_of_folder(folder, manifest, suite, bar.update)
        configs = configs_with_rows(manifest, facts)
        batches = [batch_of_folder(facts, suite), *suite.batches(folder, manifest, configs)]
        bar.total = len(manifest.configs) + len(batches)
        results = validate(batches, bar.update)
    if data_docs is not None:
        from selfknow.validation.data_docs import write_pages

        write_pages(
            data_docs, batches, results, title=f"{manifest.dataset} {manifest.version}, {folder.resolve().name}"
        )
    return [finding for batch, result in zip(batches, results, strict=True) for finding in findings(batch, result)]


def _suite_of(dataset: str) -> "DatasetSuite":
    # Great Expectations takes seconds to import, so only look for it here; it is imported while queries run.
    if not all(map(find_spec, ("great_expectations", "scipy"))):
        raise MissingExtraError("checking a dataset folder", "validate")
    from selfknow.validation.catalogue import SUITES

    if dataset not in SUITES:
        raise UserError(f"there is no suite for the dataset {dataset!r}{nearest(dataset, SUITES)}")
    return SUITES[dataset]


def validate(batches: "Sequence[Batch]", advance: Callable[[], object]) -> "list[ExpectationSuiteValidationResult]":
    """Run the suites of batches, in a Great Expectations context that writes no files.

    The queries run in threads, the largest files first; batches over the same files run one after the other. Meanwhile
    Great Expectations is imported, and then judges the exceptions of each batch as soon as its queries have run.

    Args:
        batches: The batches to validate.
        advance: Called after each batch, for a progress bar.

    Returns:
        The results, in the order of the batches.

    Raises:
        RuntimeError: An expectation could not be evaluated, which is a mistake of ours, not a finding about the data.
    """
    from selfknow.validation.queries import group_by_shared_files, run_queries

    results = {}
    groups = sorted(
        group_by_shared_files(batches), key=lambda group: -sum(_num_bytes(batches[index]) for index in group)
    )
    groups_at_a_time = min(_GROUPS_AT_A_TIME, len(groups))
    # More threads than cores cost CPU time.
    threads = max(1, (os.cpu_count() or 1) // groups_at_a_time)
    with ThreadPoolExecutor(groups_at_a_time) as pool, _paused_garbage_collection():
        group_of_future = {
            pool.submit(run_queries, [batches[index] for index in group], threads): group for group in groups
        }
        try:
            from selfknow.validation.expectations import provide_exceptions, suite_of

            definition, frame = _frame_definition(), _empty_frame()
            for future in as_completed(group_of_future):
                for index, exceptions in zip(group_of_future[future], future.result(), strict=True):
                    with provide_exceptions(exceptions):
                        batch = definition.get_batch({"dataframe": frame})
                        result = batch.validate(suite_of(batches[index]))
                    for judgement in result.results:
                        _raise_if_failed(judgement.expectation_config.kwargs["name"], judgement.exception_info)
                    results[index] = result
                    advance()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [results[index] for index in range(len(batches))]


@contextmanager
def _paused_garbage_collection() -> Iterator[None]:
    """Pause Python's garbage collection, which takes a sixth of the time of importing Great Expectations."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _num_bytes(batch: "Batch") -> int:
    return sum(path.stat().st_size for files in batch.files.values() for _, path in files)


def _empty_frame() -> "pd.DataFrame":
    """Return an empty frame for Great Expectations, which needs one; DuckDB has read the real data."""
    import pandas as pd

    return pd.DataFrame({"file": pd.Series(dtype="str")})


def _frame_definition() -> "BatchDefinition[Any]":
    """Return a batch definition of Great Expectations, made once per thread because making it is slow."""
    import great_expectations as gx

    if not hasattr(_thread_state, "definition"):
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = {"globally": False}
        asset = context.data_sources.add_pandas("files").add_dataframe_asset("batch")
        _thread_state.definition = asset.add_batch_definition_whole_dataframe("whole")
    definition: BatchDefinition[Any] = _thread_state.definition
    return definition


def _raise_if_failed(name: str, exception_info: Mapping[str, Any]) -> None:
    """Raise an error if an expectation could not be evaluated; Great Expectations reports such a one as not met."""
    for info in (exception_info, *exception_info.values()):
        if isinstance(info, Mapping) and info.get("raised_exception"):
            raise RuntimeError(f"the expectation {name} could not be evaluated: {info['exception_traceback']}")


def findings(batch: "Batch", result: "ExpectationSuiteValidationResult") -> list[Finding]:
    """Return the findings of a batch, in the order of its expectations."""
    from selfknow.validation.expectations import exceptions_in_words

    judgements = {judgement.expectation_config.kwargs["name"]: judgement for judgement in result.results}
    return [
        Finding(
            config=group["config"] or batch.config,
            split=group["split"],
            expectation=expectation.name,
            message=f"{expectation.statement}: {exceptions_in_words(group['count'])}",
            examples=tuple(group["examples"]),
        )
        for expectation in batch.queries
        for group in judgements[expectation.name].result.get("details", {}).get("exceptions", ())
    ]
