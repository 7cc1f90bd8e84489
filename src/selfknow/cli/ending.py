"""The end of the command's process, without the notices that libraries print while Python takes itself apart."""

import atexit
import os
import sys
from contextlib import suppress

from selfknow.verbosity import is_verbose


class Ending:
    """Ends the process when all that was registered to run at its end has run.

    Python would now take every module apart. DuckDB's binding then lists what still refers to it ("nanobind: leaked 29
    instances!"), though the system takes it all back a moment later. ``selfknow -v`` lets Python go on, and shows it.

    Attributes:
        code: The exit code; 1 until the command has ended, as after a traceback.
    """

    def __init__(self) -> None:
        self.code = 1
        atexit.register(self._leave)  # what is registered first runs last

    def _leave(self) -> None:
        if is_verbose():
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # closed, broken, or not there at all
                stream.flush()
        os._exit(self.code)
