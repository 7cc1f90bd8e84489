"""The end of the command's process, without the notices that libraries print while Python shuts down."""

import atexit
import os
import sys
from contextlib import suppress

from selfknow.verbosity import is_verbose


class Ending:
    """An exit handler that ends the process after all other exit handlers, before Python deletes its modules.

    While modules are deleted, DuckDB's binding lists what still refers to it ("nanobind: leaked 29 instances!"), though
    the system frees all memory a moment later. With ``selfknow -v``, Python ends as usual, and the notices show.

    Attributes:
        code: The exit code. It is 1 until the command has ended, so that a traceback gives 1.
    """

    def __init__(self) -> None:
        self.code = 1
        atexit.register(self._leave)  # the handler that is registered first runs last

    def _leave(self) -> None:
        if is_verbose():
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # a broken pipe, a closed stream, no stream
                stream.flush()
        os._exit(self.code)
