"""The command line, ``selfknow NOUN VERB``: arguments only, one file a noun."""

import sys

from selfknow.errors import UserError


def main() -> None:
    """Run the command line; what the user or the disk got wrong is one line on stderr and exit code 2."""
    from selfknow.cli.app import app

    try:
        app()
    except UserError as error:
        _fail(str(error))
    except OSError as error:  # a full or read-only disk, a missing file
        _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))


def _fail(message: str) -> None:
    print(f"selfknow: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201
    sys.exit(2)
