"""The packages of docs/dependencies.md beside those that are installed: ``python -m benchmarks.dependencies``.

It prints each dependency with its version and the licence that its own metadata names, and fails where the page lacks
one that pyproject.toml has. ``--installed`` prints every package that is installed, what dependencies need among them,
and fails where one that constraints.txt pins names no licence. What is not pinned differs between machines: the CUDA
libraries that a build of torch brings, some of which name none.
"""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distributions, files, metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
UNKNOWN = "unknown"
# Licences of packages whose wheel names none: as their repository does (sqruff: Cargo.toml of quarylabs/sqruff).
LICENCES_OF_REPOSITORIES = {"sqruff": "Apache-2.0"}


def main() -> None:
    """Print the table; exit code 1 where the page is not complete, or a licence is missing."""
    if sys.argv[1:] == ["--installed"]:
        _print_installed()
        return
    listed = listed_packages((ROOT / "docs/dependencies.md").read_text())
    for name in declared_packages((ROOT / "pyproject.toml").read_text()):
        print(" | ".join([name, *_version_and_licence(name), "" if name in listed else "NOT IN docs/dependencies.md"]))
    sys.exit(set(listed) != set(declared_packages((ROOT / "pyproject.toml").read_text())))


def declared_packages(pyproject: str) -> list[str]:
    """Return the names of what the core and the extras need, each once; our own extras are left out."""
    project = tomllib.loads(pyproject)["project"]
    needed = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    names = dict.fromkeys(re.split(r"[\[<>=;]", one)[0] for one in needed)
    return [name for name in names if name != project["name"]]


def listed_packages(page: str) -> list[str]:
    """Return the packages of the page's table."""
    rows = re.findall(r"^\| (\S+) \|", page, flags=re.MULTILINE)
    return [row for row in rows if row not in {"package", "---"}]


def _print_installed() -> None:
    names = sorted({one.metadata["Name"] for one in distributions()}, key=str.lower)
    rows = [(name, *_version_and_licence(name)) for name in names]
    for row in rows:
        print(" | ".join(row))
    unlicensed = unlicensed_pins(rows, (ROOT / "constraints.txt").read_text())
    sys.exit(f"pinned in constraints.txt, but without a licence: {', '.join(unlicensed)}" if unlicensed else 0)


def unlicensed_pins(rows: list[tuple[str, str, str]], constraints: str) -> list[str]:
    """Return the names of rows ``(name, version, licence)`` that are pinned and whose licence is unknown."""
    pinned = {_normalized(name) for name in re.findall(r"^([\w.-]+)==", constraints, flags=re.MULTILINE)}
    return [name for name, _, licence in rows if licence == UNKNOWN and _normalized(name) in pinned]


def _normalized(name: str) -> str:
    """Return a package's name as the index compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _version_and_licence(name: str) -> tuple[str, str]:
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return "not installed", ""
    classifiers = [one.rpartition(" :: ")[2] for one in found.get_all("Classifier") or [] if one.startswith("License")]
    licence = (
        found.get("License-Expression")
        or "; ".join(classifiers)
        or found.get("License")
        or _in_its_files(name)
        or LICENCES_OF_REPOSITORIES.get(name)
        or UNKNOWN
    )
    return found["Version"], licence.splitlines()[0][:60]


def _in_its_files(name: str) -> str | None:
    """Return the first line of the licence that a package brings as a file alone."""
    for file in files(name) or ():
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            return next((line.strip() for line in file.read_text().splitlines() if line.strip()), None)
    return None


if __name__ == "__main__":
    main()
