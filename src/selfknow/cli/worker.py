"""``python -m selfknow.cli.worker``: one command after the other in one process, which opens a model once.

A line of JSON on stdin holds a command's words; for each a line on stdout says its exit code. What the command itself
prints on stdout goes nowhere, and what it prints on stderr goes to stderr before its exit code is said.
"""

import json
import os
import sys
import traceback


def serve() -> None:
    """Run commands until stdin ends."""
    from selfknow.models.opening import keeping_models

    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as results, keeping_models():
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        for line in sys.stdin:
            code = _run(json.loads(line))
            sys.stdout.flush()
            sys.stderr.flush()
            results.write(f"{code}\n")
            results.flush()


def _run(words: list[str]) -> int:
    from selfknow.cli import main

    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    serve()
