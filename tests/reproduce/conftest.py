"""Tests of plans: processes that tests start can be interrupted, also where the tests themselves ignore Ctrl-C."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def interruptible_processes() -> Iterator[None]:
    """Have processes that a test starts take SIGINT; a parallel test worker ignores it, and they would inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
