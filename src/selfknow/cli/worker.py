"""``python -m selfknow.cli.worker``: one command after the other in one process, which opens a model once.

Each line on stdin is the JSON list of a command's arguments. After the command's own output, a line on stderr holds its
exit code. The process ends when the process that started it ends or is killed; otherwise it would keep a core busy and
a folder locked.
"""

import json
import os
import signal
import sys
import traceback
from queue import SimpleQueue
from threading import Thread

from selfknow.reproduce.launch import END


def serve() -> None:
    """Run commands until stdin ends, or one is interrupted."""
    from selfknow.cli import INTERRUPTED
    from selfknow.models.opening import cache_models

    # The parent stops this process with SIGINT, which is ignored by default under `nohup`.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    commands: SimpleQueue[str] = SimpleQueue()
    Thread(target=_read, args=(commands,), daemon=True).start()
    with cache_models():
        code = 0
        while code != INTERRUPTED:
            code = _run(json.loads(commands.get()))
            sys.stdout.flush()
            sys.stderr.write(f"\n{END}{code}\n")
            sys.stderr.flush()


def _read(commands: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        commands.put(line)
    os._exit(1)  # the parent has ended: do not finish a running command


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
