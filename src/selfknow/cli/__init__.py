"""The command line, ``selfknow NOUN VERB``: arguments only, one file a noun."""

import os
import sys

from selfknow.errors import UserError

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main() -> None:
    """Run the command line; what the user or the disk got wrong is one line on stderr and exit code 2."""
    from typer import Abort
    from typer.exceptions import TyperException

    from selfknow.cli.app import app

    try:
        sys.exit(app(prog_name="selfknow", standalone_mode=False))  # a command's exit code, or None
    except TyperException as error:
        _fail(error.format_message())
    except UserError as error:
        _fail(str(error))
    except (KeyboardInterrupt, Abort):
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a full or read-only disk, a missing file
        _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))


def _fail(message: str) -> None:
    if message:  # a call without arguments has printed the help instead
        print(f"selfknow: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201
    sys.exit(2)
