"""The verbosity of other libraries: messages that need no action are hidden unless ``selfknow -v`` shows them."""

import logging
import os
import sys
import warnings
from typing import TextIO

from selfknow.errors import SelfknowWarning

_VERBOSE = "SELFKNOW_VERBOSE"  # in the environment, so that the processes we start know it too
_LEVELS = {
    "datasets": "DATASETS_VERBOSITY",
    "diffusers": "DIFFUSERS_VERBOSITY",
    "huggingface_hub": "HF_HUB_VERBOSITY",
    "transformers": "TRANSFORMERS_VERBOSITY",
}


def is_verbose() -> bool:
    """Return True if all messages of other libraries are shown."""
    return os.environ.get(_VERBOSE) == "1"


def hide_weights_bar() -> None:
    """Hide transformers' progress bar over weights, unless ``-v`` is on; it would also fill log files."""
    from transformers.utils import logging

    if not is_verbose():
        logging.disable_progress_bar()


def set_up(*, verbose: bool) -> None:
    """Set the verbosity of this process and of those it starts; the command line calls it before other imports.

    Unless ``verbose`` is true, this hides messages about the Hub client's retries, advice from transformers and
    datasets (but not errors), and Python warnings except our own, which appear once each. A level that the user set in
    the environment stays.
    """
    printed: set[str] = set()

    def show(  # the signature of `warnings.showwarning`
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, SelfknowWarning):
            if str(message) not in printed:
                printed.add(str(message))
                print(f"selfknow: {message}", file=sys.stderr)  # noqa: T201
        elif is_verbose():
            (file or sys.stderr).write(warnings.formatwarning(message, category, filename, lineno, line))

    warnings.showwarning = show
    if verbose:
        os.environ[_VERBOSE] = "1"
    if is_verbose():
        return
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    for library, level in _LEVELS.items():
        if os.environ.setdefault(level, "error") == "error":
            logging.getLogger(library).setLevel(logging.ERROR)  # for a library that is imported already
