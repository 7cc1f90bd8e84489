"""Corpora of files of many kinds and of dataset folders, their partitions, and faulty inputs."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.portraits import Corpus, Portrait
from selfknow.portraits.filter.texts import arrow_batches

TEXTS = ["Größe 1\u2028x", "two", "", "three " * 30]


def texts_of(corpus: Corpus) -> list[str | None]:
    return [text for array in corpus for text in array.to_pylist()]


def write_jsonl(path: Path) -> bytes:
    content = "".join(json.dumps({"text": text, "n": i}) + "\n" for i, text in enumerate(TEXTS)).encode()
    path.write_bytes(content)
    return content


def test_every_kind_of_file_gives_the_same_texts(tmp_path: Path) -> None:
    jsonl = write_jsonl(tmp_path / "a.jsonl")
    lines = ("\r\n".join(TEXTS) + "\n").encode()
    for name, content in {"a.jsonl": jsonl, "a.txt": lines}.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
        (tmp_path / f"{name}.zst").write_bytes(pa.compress(content, codec="zstd", asbytes=True))
    pq.write_table(pa.table({"text": TEXTS}), tmp_path / "a.parquet")
    for name in ("a.parquet", "a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.txt", "a.txt.gz", "a.txt.zst"):
        assert texts_of(Corpus.from_files([tmp_path / name])) == TEXTS, name


def test_an_expression_and_a_filter_choose_the_texts_and_are_kept(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl")
    corpus = Corpus.from_files([tmp_path / "a.jsonl"], text="text || n", where="n = 1 or n = 3")
    assert texts_of(corpus) == ["two1", TEXTS[3] + "3"]
    description = Portrait.build(corpus, width=5).description.corpus
    assert description["query"] == "select text || n from corpus where n = 1 or n = 3"
    assert description["files"][0]["path"] == "a.jsonl"
    assert len(description["files"][0]["sha256"]) == 64


def test_a_text_file_can_be_one_document_whose_ngrams_cross_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    assert texts_of(Corpus.from_files([tmp_path / "a.txt"], sample_by="document")) == ["one\ntwo\n"]
    portrait = Portrait.build(Corpus.from_files([tmp_path / "a.txt"], sample_by="document"), width=5)
    assert portrait.contains(["e\ntwo"]).all()


def test_lines_that_cross_read_blocks_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfknow.portraits.text_files._READ_BYTES", 5)
    (tmp_path / "a.txt").write_bytes("äöü\r\nlonger than a block\n\nend".encode())
    assert texts_of(Corpus.from_files([tmp_path / "a.txt"])) == ["äöü", "longer than a block", "", "end"]


@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_partitions_hold_each_text_once(tmp_path: Path, count: int) -> None:
    pq.write_table(pa.table({"text": [f"text {i}" for i in range(20)]}), tmp_path / "a.parquet", row_group_size=3)
    for i in range(5):
        (tmp_path / f"{i}.txt").write_text(f"text {i}\n")
    single_file = Corpus.from_files([tmp_path / "a.parquet"], where="text <> 'text 7'")
    many_files = Corpus.from_files(sorted(tmp_path.glob("*.txt")))
    for corpus in (single_file, many_files):
        assert sorted(text for part in corpus.partitions(count) for text in texts_of(part)) == sorted(texts_of(corpus))


def test_a_config_and_split_of_a_dataset_folder_are_read_with_their_content_hash(small_corpora: Path) -> None:
    corpus = Corpus.from_dataset(small_corpora, "1k", text="prompt || completion", where="kind = 'document'")
    manifest = json.loads((small_corpora / "manifest.json").read_text())
    assert len(texts_of(corpus)) == 4482
    assert corpus.description() == {
        "repo": "diary-recall",
        "config": "1k",
        "split": "train",
        "content_hash": manifest["configs"]["1k"]["content_hash"],
        "query": "select prompt || completion from corpus where kind = 'document'",
    }


@pytest.mark.parametrize(
    ("config", "split", "message"),
    [("2k", "train", "cannot find the dataset"), ("1k", "dev", "no split 'dev': choose from train, validation, test")],
)
def test_what_a_dataset_lacks_is_told(small_corpora: Path, config: str, split: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Corpus.from_dataset(small_corpora, config, split)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("nothing", None, "nothing"),
        ("n", None, "int64, not texts"),
        ("text, n", None, "not texts"),
        ("text", "n +", "cannot read the corpus"),
        ("text; drop table x", None, "cannot read the corpus"),
    ],
)
def test_sql_that_gives_no_texts_is_refused(tmp_path: Path, text: str, where: str | None, message: str) -> None:
    write_jsonl(tmp_path / "a.jsonl")
    with pytest.raises(UserError, match=message):
        texts_of(Corpus.from_files([tmp_path / "a.jsonl"], text=text, where=where))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    content = write_jsonl(tmp_path / "good.jsonl") * 2000
    damaged = {
        "latin.txt": "Größe\n".encode("latin-1"),
        "cut.txt.gz": gzip.compress(content)[:-20],
        "cut.txt.zst": pa.compress(content, codec="zstd", asbytes=True)[:-20],
        "cut.jsonl.gz": gzip.compress(content)[:-20],
        "cut.jsonl": b'{"text": "a',
        "latin.jsonl": '{"text": "Größe"}'.encode("latin-1"),
        "no.parquet": b"PAR1 is not enough",
        "zipped.txt.gz": b"no gzip at all",
    }
    for name, damage in damaged.items():
        (tmp_path / name).write_bytes(damage)
        with pytest.raises(UserError):
            texts_of(Corpus.from_files([tmp_path / name]))
            pytest.fail(f"{name} was read")


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ([], {}, "at least one file"),
        (["none.txt"], {}, "does not exist"),
        (["a.doc"], {}, "a corpus is made of"),
        (["a.txt", "a.jsonl"], {}, "different kinds"),
        (["a.txt"], {"where": "true"}, "no columns"),
        (["a.txt"], {"sample_by": "page"}, "'line' or 'document'"),
        (["."], {}, "is not a file"),
    ],
)
def test_files_that_make_no_corpus_are_refused(
    tmp_path: Path, names: list[str], options: dict[str, str], message: str
) -> None:
    for name in ("a.txt", "a.jsonl", "a.doc"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(UserError, match=message):
        Corpus.from_files([tmp_path / name for name in names], **options)  # type: ignore[arg-type]


def test_batches_are_bounded_but_for_a_single_long_text() -> None:
    texts = ["x" * size for size in (10, 200, 30, 30, 30, 30, 5)]
    batches = list(arrow_batches([pa.array(texts), pa.array(["é" * 60])], max_bytes=100))
    assert [text for batch in batches for text in batch.to_pylist()] == [*texts, "é" * 60]
    assert [sum(len(text.encode()) for text in batch.to_pylist()) for batch in batches] == [10, 200, 90, 35, 120]
