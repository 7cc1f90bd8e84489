"""The check of a dataset folder by the SQL of its expectations alone, without Great Expectations.

What is damaged is found by the queries. Great Expectations judges what they find for each dataset's good
folder, and for damaged ones in tests/validation.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import duckdb

from selfknow.validation import check
from selfknow.validation.check import Finding
from selfknow.validation.queries import run_queries
from selfknow.validation.suite import Batch


def check_by_sql(folder: Path) -> list[Finding]:
    """Return what ``check_folder`` returns."""
    with patch.object(check, "validate", validate_by_sql):
        return check.check_folder(folder)


def validate_by_sql(batches: Sequence[Batch], advance: Callable[[], object]) -> list[Any]:
    """Return what ``validate`` returns, as far as findings need it."""
    return [_result(batch) for batch in batches]


def _result(batch: Batch) -> SimpleNamespace:
    results = []
    for name, exceptions in run_queries([batch], threads=1)[0].items():
        if isinstance(exceptions, duckdb.Error):
            raise exceptions
        config = SimpleNamespace(kwargs={"name": name})
        results.append(SimpleNamespace(expectation_config=config, result={"details": {"exceptions": exceptions}}))
    return SimpleNamespace(results=results)
