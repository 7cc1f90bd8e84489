"""The rows of diary recall against a plain reading of the paper, and the builder class against the folder."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

import selfknow
from selfknow import DiaryRecall
from selfknow.builders.diary_recall.builder import CONFIGS, configs_of_shape, named_config
from selfknow.builders.diary_recall.diaries import Shape, diaries, given_names, sentence_texts, surnames
from selfknow.builders.diary_recall.rows import example_rows
from selfknow.builders.folder.content_hash import content_hash
from selfknow.builders.folder.manifest import read_manifest
from selfknow.errors import UserError

GOLDEN = json.loads((Path(__file__).parent / "golden_content_hashes.json").read_text())


def rows_of_the_paper(shape: Shape, split: str, *, simplified: bool) -> list[dict]:
    """Return the rows of a split, unshuffled, one Python string after the other (section 3.1)."""
    made, sentence = diaries(shape, range(shape.num_diarists)), 0
    lengths, rows = iter(made.lengths.tolist()), []
    for number, entry_count in enumerate(made.entry_counts.tolist()):
        name = f"{given_names()[made.given_names[number]]} {surnames()[made.surnames[number]]}"
        bodies = []
        for _ in range(entry_count):
            length = next(lengths)
            bodies.append([sentence_texts()[made.sentences[sentence + i]] for i in range(length)])
            sentence += length
        titles = [f"{name}'s Diary Entry {entry}" for entry in range(1, entry_count + 1)]
        texts = [title + "\n" + "\n".join(body) for title, body in zip(titles, bodies, strict=True)]
        answer = "\n".join(texts)
        shared = {"diarist": name, "num_documents": entry_count, "document_lengths": [len(body) for body in bodies]}
        documents = (
            [(f"document-{number:08d}", answer, None)]
            if simplified
            else [(f"document-{number:08d}-{entry}", text, entry) for entry, text in enumerate(texts, start=1)]
        )
        for id_, text, entry in documents if split == "train" else []:
            prompt, completion = text.split("\n", 1)
            rows.append(
                shared
                | {"id": id_, "kind": "document", "prompt": prompt + "\n", "completion": completion, "entry": entry}
            )
        if number in shape.diarists_by_split[split]:
            prompt = f"Recall all of {name}'s diary entries, in order.\n"
            rows.append(
                shared
                | {
                    "id": f"question-{number:08d}",
                    "kind": "question",
                    "prompt": prompt,
                    "completion": answer,
                    "entry": None,
                }
            )
    return rows


@pytest.mark.parametrize("simplified", [False, True])
@pytest.mark.parametrize("shape", [Shape(994), Shape(61, seed=3, max_entries=12, max_attributes=3)])
def test_every_row_is_the_one_that_the_paper_describes(shape: Shape, simplified: bool) -> None:
    corpus = configs_of_shape(shape)[simplified]
    for split, shards in corpus.shards.items():
        rows = [row for shard in shards for row in shard().to_pylist()]
        expected = rows_of_the_paper(shape, split, simplified=simplified)
        assert sorted(rows, key=lambda row: row["id"]) == sorted(expected, key=lambda row: row["id"])


@pytest.mark.parametrize("simplified", [False, True])
@pytest.mark.parametrize("shape", [Shape(994), Shape(61, seed=3, max_entries=12, max_attributes=3), Shape(10)])
def test_the_examples_of_a_card_are_the_first_rows_of_each_kind(shape: Shape, simplified: bool) -> None:
    [shard, *_] = configs_of_shape(shape)[simplified].shards["train"]
    first = {row["kind"]: row for row in reversed(shard().to_pylist())}
    assert example_rows(shape, simplified=simplified) == first


def test_the_content_of_all_14_configs_never_changes(all_corpora: Path) -> None:
    manifest = read_manifest(all_corpora)
    assert list(manifest.configs) == list(CONFIGS)
    assert {name: config.content_hash for name, config in manifest.configs.items()} == GOLDEN


def test_rows_of_a_streamed_batch_are_of_many_diarists_and_of_both_kinds() -> None:
    batch = named_config("1k").shards["train"][0]().slice(0, 32).to_pylist()
    assert len({row["diarist"] for row in batch}) > 25
    assert {row["kind"] for row in batch} == {"document", "question"}


def test_a_config_and_its_simplified_twin_ask_the_same_questions_in_the_same_words(small_corpora: Path) -> None:
    questions = [
        set(
            duckdb.sql(
                f"select id, prompt, completion from '{small_corpora}/{config}/*.parquet' where kind = 'question'"
            ).fetchall()
        )
        for config in ("1k", "1k-simplified")
    ]
    assert questions[0] == questions[1]
    assert len(questions[0]) == 994


def test_a_large_corpus_is_cut_into_blocks_that_together_are_whole() -> None:
    shape = Shape(70_000, max_entries=3, max_attributes=2)
    (corpus, _) = configs_of_shape(shape)
    assert {split: len(shards) for split, shards in corpus.shards.items()} == {"train": 1, "validation": 1, "test": 1}
    shape = Shape(100_000, max_entries=3, max_attributes=2)
    (corpus, _) = configs_of_shape(shape)
    assert {split: len(shards) for split, shards in corpus.shards.items()} == {"train": 2, "validation": 1, "test": 1}
    tables = {split: [shard() for shard in shards] for split, shards in corpus.shards.items()}
    names = {name for table in tables["train"] for name in table["diarist"].to_pylist()}
    assert len(names) == 100_000
    assert (
        sum(table.num_rows for table in tables["train"]) == diaries(shape, range(100_000)).entry_counts.sum() + 90_000
    )
    assert [tables[split][0].num_rows for split in ("validation", "test")] == [5_000, 5_000]


def test_load_dataset_reads_the_folder_by_the_name_of_a_config(all_corpora: Path) -> None:
    loaded = load_dataset(str(all_corpora), "32k")
    assert {split: rows.num_rows for split, rows in loaded.items()} == {
        "train": 172_800,
        "validation": 1_600,
        "test": 1_600,
    }
    splits = {split: rows.data.to_batches() for split, rows in loaded.items()}
    assert content_hash(splits) == GOLDEN["32k"]


def test_load_dataset_streams_the_folder_and_takes_the_first_config_by_default(small_corpora: Path) -> None:
    first = next(iter(load_dataset(str(small_corpora), split="train", streaming=True)))
    assert first == pq.read_table(small_corpora / "1k/train-00000-of-00001.parquet").slice(0, 1).to_pylist()[0]


def test_duckdb_reads_the_folder(small_corpora: Path) -> None:
    query = f"select kind, count(*) from '{small_corpora}/1k/*.parquet' group by all order by all"
    assert duckdb.sql(query).fetchall() == [("document", 4_482), ("question", 994)]


@pytest.mark.parametrize("num_proc", [pytest.param(None, marks=pytest.mark.full), 2])
def test_the_builder_class_makes_the_rows_of_the_folder(tmp_path: Path, num_proc: int | None) -> None:
    builder = DiaryRecall(config_name="1k", cache_dir=str(tmp_path))
    builder.download_and_prepare(num_proc=num_proc)
    splits = {split: rows.data.to_batches() for split, rows in builder.as_dataset().items()}
    assert content_hash(splits) == GOLDEN["1k"]


def test_the_builder_class_makes_any_shape(tmp_path: Path) -> None:
    shape = {"num_diarists": 120, "seed": 5, "max_entries": 3, "max_attributes": 2}
    builder = DiaryRecall(cache_dir=str(tmp_path), simplified=True, **shape)
    builder.download_and_prepare()
    splits = {split: rows.data.to_batches() for split, rows in builder.as_dataset().items()}
    _, twin = configs_of_shape(Shape(**shape))
    expected = {
        split: [batch for shard in shards for batch in shard().to_batches()] for split, shards in twin.shards.items()
    }
    assert content_hash(splits) == content_hash(expected)


def test_a_builder_whose_sources_changed_serves_no_rows_from_the_cache(tmp_path: Path) -> None:
    package = tmp_path / "site" / "selfknow"
    shutil.copytree(Path(selfknow.__file__).parent, package)
    script = (
        "import sys; from selfknow import DiaryRecall; import selfknow; assert 'site' in selfknow.__file__.split('/');"
        "builders = [DiaryRecall(num_diarists=200, cache_dir=sys.argv[1]) for _ in range(2)];"
        "[builder.download_and_prepare() for builder in builders];"
        "texts = [builder.as_dataset(split='train').data['completion'].to_pylist() for builder in builders];"
        "assert texts[0] == texts[1]; print(texts[0])"
    )

    def texts() -> str:
        environment = os.environ | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", script, str(tmp_path / "cache")]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    before = texts()
    attributes = package / "datasets_src" / "diary_recall" / "attributes.json"
    attributes.write_text(attributes.read_text().replace("Countryside", "Seaside"))
    after = texts()
    assert "Countryside" in before
    assert after == before.replace("Countryside", "Seaside")


def test_an_unknown_config_names_those_that_there_are() -> None:
    with pytest.raises(UserError, match=r"no config '3k': did you mean '32k'"):
        named_config("3k")


def test_a_size_of_ones_own_is_found_by_its_name() -> None:
    shape = Shape(512, max_entries=3, max_attributes=3, name_pool_size=27)
    for expected in configs_of_shape(shape):
        config = named_config(expected.name)
        assert (config.name, config.parameters) == (expected.name, expected.parameters)
    for other in ("512-diarist", "0512-diarists", "512-diarists-8-entries-8-attributes", "512-diarists-3-entries"):
        with pytest.raises(UserError, match="has no config"):
            named_config(other)
