"""The command line ``selfknow``, with a file for each command. Commands read arguments, call the package and print."""

import os
import sys

from selfknow.errors import UserError
from selfknow.untrusted import for_terminal

_LONGEST_MESSAGE = 2_000
INTERRUPTED = 130  # the exit code that shells use after Ctrl-C: 128 + SIGINT


def program() -> None:
    """Run :func:`main` as the installed command ``selfknow``, and end the process with its exit code."""
    from selfknow.cli.ending import Ending

    ending = Ending()
    try:
        main()
    except SystemExit as request:
        ending.code = request.code if isinstance(request.code, int) else 0
        raise
    ending.code = 0


def main() -> None:
    """Run the command line. An error of the user or the disk becomes one line on stderr and exit code 2."""
    from typer import Abort
    from typer.exceptions import TyperException

    from selfknow.cli.app import app

    try:
        code = app(prog_name="selfknow", standalone_mode=False)  # a command's exit code, or None
        sys.stdout.flush()  # a full disk or a closed pipe fails here, not when Python ends
        sys.exit(code)
    except TyperException as error:
        _fail(error.format_message())
    except UserError as error:
        _fail(str(error))
    except (KeyboardInterrupt, Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has stopped, such as `head`; Python must not flush into the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a full or read-only disk, a missing file
        _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))


def _fail(message: str) -> None:
    print(f"selfknow: {for_terminal(_shortened(' '.join(message.split())))}", file=sys.stderr)  # noqa: T201
    sys.exit(2)


def _shortened(message: str) -> str:
    """Return a message that is short enough to read: it may quote from a file of any size."""
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[: _LONGEST_MESSAGE - 1]}…"
