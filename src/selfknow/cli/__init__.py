"""The command line, ``selfknow NOUN VERB``: arguments only, one file per noun."""

import os
import sys

from selfknow.errors import UserError
from selfknow.untrusted import for_terminal

_LONGEST_MESSAGE = 2_000
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def program() -> None:
    """Be the process of the command ``selfknow``: run :func:`main`, and end with its exit code."""
    from selfknow.cli.ending import Ending

    ending = Ending()
    try:
        main()
    except SystemExit as ended:
        ending.code = ended.code if isinstance(ended.code, int) else 0
        raise
    ending.code = 0


def main() -> None:
    """Run the command line; what the user or the disk got wrong is one line on stderr and exit code 2."""
    from typer import Abort
    from typer.exceptions import TyperException

    from selfknow.cli.app import app

    try:
        code = app(prog_name="selfknow", standalone_mode=False)  # a command's exit code, or None
        sys.stdout.flush()  # a full disk or a closed pipe is told of here, not by Python at its very end
        sys.exit(code)
    except TyperException as error:
        _fail(error.format_message())
    except UserError as error:
        _fail(str(error))
    except (KeyboardInterrupt, Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a full or read-only disk, a missing file
        _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))


def _fail(message: str) -> None:
    print(f"selfknow: {for_terminal(_shortened(' '.join(message.split())))}", file=sys.stderr)  # noqa: T201
    sys.exit(2)


def _shortened(message: str) -> str:
    """One line that a person reads, also where it repeats what was wrong in a file of any size."""
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[: _LONGEST_MESSAGE - 1]}…"
