"""What other libraries print on stderr: left out where nobody could do anything about it, shown by ``selfknow -v``."""

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
    """Whether everything is shown that other libraries print."""
    return os.environ.get(_VERBOSE) == "1"


def hide_weights_bar() -> None:
    """Have transformers read weights without a bar, which it draws into log files too, unless ``-v`` was given."""
    from transformers.utils import logging

    if not is_verbose():
        logging.disable_progress_bar()


def set_up(*, verbose: bool) -> None:
    """Decide for this process, and those it starts, what is shown; for the command line, before anything is imported.

    Without ``verbose``: no retries of the Hub's client, no advice of transformers or datasets (their errors stay), and
    no Python warnings but our own, each once. A level that the user set in the environment stays.
    """
    told: set[str] = set()

    def show(  # the signature of `warnings.showwarning`
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, SelfknowWarning):
            if str(message) not in told:
                told.add(str(message))
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
            logging.getLogger(library).setLevel(logging.ERROR)  # of one that was imported already
