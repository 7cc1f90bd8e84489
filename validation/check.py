"""The gate before publishing: checks every file and row of a dataset folder."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
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

_BATCHES_AT_A_TIME = 2  # DuckDB works outside Python's lock; each holds the tables of its set-up
_of_this_thread = threading.local()


@dataclass(frozen=True)
class Finding:
    """An expectation that a dataset folder does not meet.

    Args:
        config: The config it was found in, or None when it concerns the whole folder.
        split: The split it was found in, or None when it concerns all of them.
        expectation: The name of the expectation, such as ``answers_repeat_the_documents``.
        message: What is expected, and how often it is not so.
        examples: A few of the places, in a fixed order.
    """

    config: str | None
    split: str | None
    expectation: str
    message: str
    examples: Sequence[Mapping[str, object]]


def check_folder(folder: Path, *, data_docs: Path | None = None, progress: bool = False) -> list[Finding]:
    """Check that a dataset folder is whole, and that its rows are what its dataset promises.

    What is checked is what lies in the folder. A config whose files cannot be read, or have other columns than the
    dataset's, gets a finding that says so, and its rows are not looked at.

    Args:
        folder: The dataset folder.
        data_docs: Where Great Expectations' pages are written; ``index.html`` there opens in a browser.
        progress: Whether a progress bar is shown on stderr.

    Returns:
        The findings, in a fixed order; none when the folder may be published.

    Raises:
        MissingExtraError: Great Expectations or SciPy is not installed.
        UserError: This is no dataset folder, its manifest is damaged, nothing is known of its dataset, or the pages
            cannot be written where they should.

    Example:
        >>> check_folder(Path("diary-recall"))  # doctest: +SKIP
        []
    """
    manifest = read_manifest(folder)
    suite = _suite_of(manifest.dataset)
    from selfknow.validation.folder.suite import batch_of_folder, configs_with_rows, facts_of_folder
    from selfknow.validation.pages_folder import refuse_other_folders

    if data_docs is not None:
        refuse_other_folders(data_docs, folder)
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
    # Great Expectations takes seconds to import: that is done later, beside other work.
    if not all(map(find_spec, ("great_expectations", "scipy"))):
        raise MissingExtraError("checking a dataset folder", "validate")
    from selfknow.validation.catalogue import SUITES

    if dataset not in SUITES:
        raise UserError(f"there is no suite for the dataset {dataset!r}{nearest(dataset, SUITES)}")
    return SUITES[dataset]


def validate(batches: "Sequence[Batch]", advance: Callable[[], object]) -> "list[ExpectationSuiteValidationResult]":
    """Run the suites of batches, in a Great Expectations context that leaves nothing behind.

    The queries are asked in threads, the largest batches first; meanwhile Great Expectations is imported, and judges
    what is found as it comes.

    Args:
        batches: What is validated.
        advance: Called after each, for a progress bar.

    Returns:
        The results, in the order of the batches.

    Raises:
        RuntimeError: An expectation could not be evaluated. That is a mistake of ours, and no finding about the data.
    """
    from selfknow.validation.queries import ask

    results = {}
    with ThreadPoolExecutor(_BATCHES_AT_A_TIME) as pool:
        places = sorted(range(len(batches)), key=lambda place: -_num_bytes(batches[place]))
        asked = {pool.submit(ask, batches[place]): place for place in places}
        try:
            from selfknow.validation.expectations import judging, suite_of

            definition, frame = _definition_of_a_frame(), _empty_frame()
            for future in as_completed(asked):
                with judging(future.result()):
                    batch = definition.get_batch({"dataframe": frame})
                    result = batch.validate(suite_of(batches[asked[future]]))
                for one in result.results:
                    _raise_what_was_raised(one.expectation_config.kwargs["name"], one.exception_info)
                results[asked[future]] = result
                advance()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [results[place] for place in range(len(batches))]


def _num_bytes(batch: "Batch") -> int:
    return sum(path.stat().st_size for files in batch.files.values() for _, path in files)


def _empty_frame() -> "pd.DataFrame":
    """What Great Expectations takes for the data, which DuckDB has read."""
    import pandas as pd

    return pd.DataFrame({"file": pd.Series(dtype="str")})


def _definition_of_a_frame() -> "BatchDefinition[Any]":
    """What Great Expectations is handed frames through: made once a thread, for it takes longer than most checks."""
    import great_expectations as gx

    if not hasattr(_of_this_thread, "definition"):
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = {"globally": False}
        asset = context.data_sources.add_pandas("files").add_dataframe_asset("batch")
        _of_this_thread.definition = asset.add_batch_definition_whole_dataframe("whole")
    definition: BatchDefinition[Any] = _of_this_thread.definition
    return definition


def _raise_what_was_raised(name: str, exception_info: Mapping[str, Any]) -> None:
    """An expectation that raises looks to Great Expectations like one that is not met."""
    for info in (exception_info, *exception_info.values()):
        if isinstance(info, Mapping) and info.get("raised_exception"):
            raise RuntimeError(f"the expectation {name} could not be evaluated: {info['exception_traceback']}")


def findings(batch: "Batch", result: "ExpectationSuiteValidationResult") -> list[Finding]:
    """The findings of a batch, in the order of its expectations."""
    from selfknow.validation.expectations import exceptions_in_words

    of_name = {one.expectation_config.kwargs["name"]: one for one in result.results}
    return [
        Finding(
            config=group["config"] or batch.config,
            split=group["split"],
            expectation=expectation.name,
            message=f"{expectation.statement}: {exceptions_in_words(group['count'])}",
            examples=tuple(group["examples"]),
        )
        for expectation in batch.queries
        for group in of_name[expectation.name].result.get("details", {}).get("exceptions", ())
    ]
