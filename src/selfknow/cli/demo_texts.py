"""The texts that the demo's models may quote: a real one from the package index, and the diaries."""

import ast
from dataclasses import dataclass
from pathlib import Path

from selfknow.errors import UserError
from selfknow.files import write_whole


@dataclass(frozen=True)
class PortrayedText:
    """A text and its portrait.

    Attributes:
        path: The text, UTF-8.
        portrait: The portrait's folder.
    """

    path: Path
    portrait: Path


def write_real_text(module: Path, folder: Path, name: str) -> PortrayedText:
    """Take the text out of a module of ``pythonbible``, clean it, and portray it.

    Args:
        module: The module: one call with the whole text as an argument. It is read, never run.
        folder: Where the text and its portrait go.
        name: Of both.

    Raises:
        UserError: The module holds no text.
    """
    try:
        tree = ast.parse(module.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError) as error:
        raise UserError(f"{module} cannot be read: {error}") from error
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if not texts:
        raise UserError(f"{module} holds no text")
    return portray(clean(max(texts, key=len)), folder, name)


def clean(text: str) -> str:
    """A text as people quote it: no brackets around words that the translators added, straight quotes, one line.

    A perfect quotation would otherwise break at each bracket.

    Example:
        >>> clean("And God saw the light,  that [it was] good")
        'And God saw the light, that it was good'
    """
    return " ".join(text.translate(str.maketrans("’", "'", "[]")).split())


def write_diaries(corpus: Path, folder: Path) -> PortrayedText:
    """The documents of a diary corpus as one text with its portrait.

    Args:
        corpus: The folder of one config.
        folder: Where the text and its portrait go.
    """
    import duckdb

    with duckdb.connect() as connection:
        rows = connection.read_parquet(str(corpus / "train-*.parquet")).filter("kind = 'document'").order("id")
        documents = [prompt + completion for prompt, completion in rows.project("prompt, completion").fetchall()]
    return portray("\n\n".join(documents), folder, "diaries")


def portray(text: str, folder: Path, name: str) -> PortrayedText:
    """Write a text and its portrait, or take those that are there."""
    from selfknow.portraits import Corpus, Portrait
    from selfknow.portraits.description import DESCRIPTION

    written = PortrayedText(folder / f"{name}.txt", folder / f"{name}-portrait")
    if not (written.path.is_file() and written.path.read_bytes() == text.encode()):
        write_whole(written.path, text.encode())
    corpus = Corpus.from_files([written.path], sample_by="document")
    known = (written.portrait / DESCRIPTION).is_file() and Portrait.load(written.portrait).description.corpus
    if known != corpus.description():
        Portrait.build(corpus, progress=True).save(written.portrait, overwrite=True)
    return written
