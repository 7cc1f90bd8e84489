"""Compare docs/dependencies.md with the packages that are installed: ``python -m benchmarks.dependencies``.

It prints each dependency with its version and the licence that its own metadata names, and fails where the page lacks
one that pyproject.toml has.
"""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the table; exit code 1 where the page is not complete."""
    listed = listed_packages((ROOT / "docs/dependencies.md").read_text())
    for name in declared_packages((ROOT / "pyproject.toml").read_text()):
        print(" | ".join([name, *_version_and_licence(name), "" if name in listed else "NOT IN docs/dependencies.md"]))
    sys.exit(set(listed) != set(declared_packages((ROOT / "pyproject.toml").read_text())))


def declared_packages(pyproject: str) -> list[str]:
    """The names of what the core and the extras need, each once; our own extras are left out."""
    project = tomllib.loads(pyproject)["project"]
    needed = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    names = dict.fromkeys(re.split(r"[\[<>=;]", one)[0] for one in needed)
    return [name for name in names if name != project["name"]]


def listed_packages(page: str) -> list[str]:
    """The packages of the page's table."""
    rows = re.findall(r"^\| (\S+) \|", page, flags=re.MULTILINE)
    return [row for row in rows if row not in {"package", "---"}]


def _version_and_licence(name: str) -> tuple[str, str]:
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return "not installed", ""
    classifiers = [one.rpartition(" :: ")[2] for one in found.get_all("Classifier") or [] if one.startswith("License")]
    licence = found.get("License-Expression") or "; ".join(classifiers) or found.get("License") or "unknown"
    return found["Version"], licence.splitlines()[0][:60]


if __name__ == "__main__":
    main()
