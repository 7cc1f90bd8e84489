"""The packages of docs/dependencies.md beside those that are installed: ``python -m benchmarks.dependencies``.

The command prints each dependency with its version and the licence in its metadata. It fails if the page lacks a
dependency of pyproject.toml. ``--installed`` prints every installed package, and fails if a package that
constraints.txt pins names no licence. Other packages are not checked: they differ between machines, and some CUDA
libraries of torch name no licence.
"""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distributions, files, metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
UNKNOWN = "unknown"
# The licences of packages whose wheels name none, from their repositories (sqruff: Cargo.toml of quarylabs/sqruff).
LICENCES_OF_REPOSITORIES = {"sqruff": "Apache-2.0"}


def main() -> None:
    """Print the table; the exit code is 1 if the page lacks a package, or a package a licence."""
    if sys.argv[1:] == ["--installed"]:
        _print_installed()
        return
    listed = listed_packages((ROOT / "docs/dependencies.md").read_text())
    for name in declared_packages((ROOT / "pyproject.toml").read_text()):
        print(" | ".join([name, *_version_and_licence(name), "" if name in listed else "NOT IN docs/dependencies.md"]))
    sys.exit(set(listed) != set(declared_packages((ROOT / "pyproject.toml").read_text())))


def declared_packages(pyproject: str) -> list[str]:
    """Return the distinct names of the packages that the core and the extras need, without our own."""
    project = tomllib.loads(pyproject)["project"]
    extras = project["optional-dependencies"].values()
    needed = [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]
    names = dict.fromkeys(re.split(r"[\[<>=;]", requirement)[0] for requirement in needed)
    return [name for name in names if name != project["name"]]


def listed_packages(page: str) -> list[str]:
    """Return the packages of the page's table."""
    rows = re.findall(r"^\| (\S+) \|", page, flags=re.MULTILINE)
    return [row for row in rows if row not in {"package", "---"}]


def _print_installed() -> None:
    names = sorted({distribution.metadata["Name"] for distribution in distributions()}, key=str.lower)
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
    """Return a package's normalized name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _version_and_licence(name: str) -> tuple[str, str]:
    try:
        package = metadata(name)
    except PackageNotFoundError:
        return "not installed", ""
    classifiers = package.get_all("Classifier") or []
    licences = [name.rpartition(" :: ")[2] for name in classifiers if name.startswith("License")]
    licence = (
        package.get("License-Expression")
        or "; ".join(licences)
        or package.get("License")
        or _in_its_files(name)
        or LICENCES_OF_REPOSITORIES.get(name)
        or UNKNOWN
    )
    return package["Version"], licence.splitlines()[0][:60]


def _in_its_files(name: str) -> str | None:
    """Return the first line of the licence file of a package; null if it has none."""
    for file in files(name) or ():
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            return next((line.strip() for line in file.read_text().splitlines() if line.strip()), None)
    return None


if __name__ == "__main__":
    main()
