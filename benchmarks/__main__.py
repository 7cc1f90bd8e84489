"""The measurements of docs/benchmarks.md that need only this machine, one after the other (``make bench``).

The commands below take options of their own: ``python -m benchmarks.NAME --help``.
"""

import argparse
import ast
import subprocess
import sys
import time
from pathlib import Path

RUNS = {
    "portraits": 1,
    "portraits_queries": 1,
    "diary_recall": 2,
    "data_check": 2,
    "training": 2,
    "self_aware_scoring": 1,
    "sql 800": 3,
    "self_knowledge 1": 2,
    "scoring 2000": 1,
}
"""The minutes on idle cores of each benchmark that needs no file and no model, by its name and arguments."""
FULL_RUNS = {
    "portraits --sizes 1000000,7800000,30000000,300000000": 5,
    "portraits_queries": 1,
    "diary_recall": 2,
    "data_check": 2,
    "training": 2,
    "self_aware_scoring": 1,
    "sql 8000": 8,
    "self_knowledge 9": 5,
    "according_to_sql 24": 4,
    "scoring 1000000": 60,
}
"""The same benchmarks at full size: a million replies of every task, and portraits of 300 million n-grams."""


def commands() -> dict[str, str]:
    """Return every benchmark with a command line, and the first line of its docstring."""
    docstrings = {}
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = ".".join(path.relative_to(Path(__file__).parent).with_suffix("").parts).removesuffix(".__main__")
        if name != "__main__" and '__name__ == "__main__"' in text:
            docstrings[name] = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return docstrings


def main() -> None:
    """Run the benchmarks of :data:`RUNS` or :data:`FULL_RUNS`, each in a process of its own."""
    listed = "\n".join(f"  {name:24} {text}" for name, text in commands().items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"{__doc__}\n{listed}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--full", action="store_true", help="larger portraits, and a million replies of every task")
    runs = FULL_RUNS if parser.parse_args().full else RUNS
    print(f"{len(runs)} benchmarks, about {sum(runs.values())} minutes on idle cores")
    for command, minutes in runs.items():
        print(f"\npython -m benchmarks.{command}   (about {minutes} min)\n", flush=True)
        name, *arguments = command.split()
        start = time.monotonic()
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *arguments], check=True)
        print(f"\ntook {(time.monotonic() - start) / 60:.1f} min")


if __name__ == "__main__":
    main()
