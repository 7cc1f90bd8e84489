"""The check that Data Docs are written to a folder that holds nothing else."""

from pathlib import Path

from selfknow.errors import UserError

INDEX = "index.html"
MARK = '<meta name="generator" content="selfknow data check">'


def check_pages_folder(data_docs: Path, folder: Path) -> None:
    """Check that a folder may hold the pages; this is called before a long check begins.

    Args:
        data_docs: The folder for the pages.
        folder: The dataset folder to check.

    Raises:
        UserError: ``data_docs`` lies in the dataset folder, which may hold no other files, or it holds other files than
            earlier pages.
    """
    if data_docs.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{data_docs} lies in the dataset folder, which may hold no other files: give another folder")
    if data_docs.exists() and not data_docs.is_dir():
        raise UserError(f"{data_docs} is a file, not a folder")
    if data_docs.exists() and any(data_docs.iterdir()) and not _is_ours(data_docs):
        raise UserError(f"{data_docs} holds other files than Data Docs: give a new or an empty folder")


def _is_ours(data_docs: Path) -> bool:
    index = data_docs / INDEX
    return index.is_file() and MARK in index.read_text(encoding="utf-8", errors="replace")
