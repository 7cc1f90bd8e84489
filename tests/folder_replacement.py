"""A folder that is replaced by another one. Processes that are interrupted import it, so it imports little."""

from pathlib import Path

from selfknow.folders import replaced_whole

LAST = "manifest.json"
OLD = {"a/1.parquet": "old 1", "a/2.parquet": "old 2", "README.md": "old", LAST: "old"}
NEW = {"a/1.parquet": "new 1", "b/1.parquet": "new", LAST: "new"}


def fill(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def replace(folder: Path, files: dict[str, str]) -> None:
    """Replace a folder by one with these files."""
    with replaced_whole(folder, LAST) as new:
        fill(new, files)
