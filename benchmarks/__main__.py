"""The measurements of docs/benchmarks.md that need only this machine, one after the other (``make bench``).

The commands below take options of their own: ``python -m benchmarks.NAME --help``.
"""

import argparse
import ast
import importlib
import sys
from pathlib import Path

ALONE = (
    *("diary_recall", "data_check", "portraits", "portraits_queries", "training"),
    *("self_aware_scoring", "sql", "self_knowledge"),
)
"""The benchmarks that need no file and no model."""


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
    """Run the benchmarks of :data:`ALONE`."""
    listed = "\n".join(f"  {name:24} {text}" for name, text in commands().items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"{__doc__}\n{listed}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args()
    for name in ALONE:
        print(f"\n{name}\n", flush=True)
        sys.argv = [name]
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
