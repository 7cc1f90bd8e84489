"""``selfknow portrait`` in a process of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.portraits import Corpus, Portrait

Run = Callable[..., CompletedProcess[str]]

LINES = ["The cat sat on the mat, and the dog sat by the door.", "Ein Kätzchen saß auf der Matte im Flur des Hauses."]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "corpus.txt").write_text("\n".join(LINES) + "\n")
    Portrait.build(Corpus.from_files([tmp_path / "corpus.txt"])).save(tmp_path / "cats")
    return tmp_path / "cats"


def test_building_writes_the_portrait_that_python_builds(selfknow: Run, built: Path, tmp_path: Path) -> None:
    result = selfknow("portrait", "build", "corpus.txt", "--out", "again")
    assert result.returncode == 0, result.stderr
    for name in ("bits.rbloom", "portrait.json", "README.md"):
        assert (tmp_path / "again" / name).read_bytes() == (built / name).read_bytes()


def test_info_tells_what_a_portrait_holds(selfknow: Run, built: Path) -> None:
    result = selfknow("portrait", "info", "cats", "--verify", "--format", "json")
    (row,) = json.loads(result.stdout)
    assert (row["width"], row["items"], row["hashes"], row["overfull"]) == (25, 54, 9, None)
    assert row["corpus"]["files"][0]["path"] == "corpus.txt"


def test_texts_are_scored_one_by_one_and_in_the_mean_with_anchors(selfknow: Run, built: Path, tmp_path: Path) -> None:
    pq.write_table(pa.table({"answer": [LINES[0], "short", None, "z" * 40]}), tmp_path / "answers.parquet")
    result = selfknow(
        "portrait", "quip", "cats", "answers.parquet", "--text", "answer", "--per-text", "--format", "json"
    )
    rows = json.loads(result.stdout)
    assert [row["quip"] for row in rows] == [1.0, None, None, 0.0]
    assert rows[3]["quip_corrected"] < 0
    assert rows[1]["quip_corrected"] is None
    result = selfknow(
        "portrait", "quip", "cats", "answers.parquet", "--text", "answer", "--anchor", "corpus=corpus.txt",
        "--format", "json",
    )  # fmt: skip
    texts, shuffled, corpus = json.loads(result.stdout)
    assert (texts["quip"], texts["quip_short_as_zero"], texts["count"], texts["scored"]) == (0.5, 0.25, 4, 2)
    assert shuffled["quip"] < 0.5
    assert corpus["texts"] == "corpus"
    assert corpus["quip"] == 1.0


def test_texts_come_from_stdin(selfknow_process: Run, built: Path) -> None:
    result = selfknow_process(
        "portrait", "quip", "cats", "-", "--per-text", "--format", "csv", input=f"{LINES[0]}\nshort\n"
    )
    assert result.stdout == "text,quip,quip_corrected\n0,1.0,1.0\n1,,\n"


def test_quotes_are_shown_in_the_terminal_and_on_a_page(selfknow: Run, built: Path, tmp_path: Path) -> None:
    text = f"He said: {LINES[1][4:40]}! And left."
    result = selfknow("portrait", "quote", "cats", "--html", "page.html", input=text)
    assert result.stdout == f"He said:⟦ {LINES[1][4:40]}⟧! And left.\n"
    assert LINES[1][4:40] in (tmp_path / "page.html").read_text()
    result = selfknow("portrait", "quote", "cats", "--format", "json", input=text)
    assert json.loads(result.stdout) == [{"start": 8, "end": 45, "quote": f" {LINES[1][4:40]}"}]


def test_portraits_are_merged(selfknow: Run, tmp_path: Path) -> None:
    for i, line in enumerate(LINES):
        (tmp_path / f"{i}.txt").write_text(line)
        assert not selfknow("portrait", "build", f"{i}.txt", "--out", f"p{i}", "--capacity", 100).returncode
    result = selfknow("portrait", "merge", "p0", "p1", "--out", "both", "--format", "json")
    assert json.loads(result.stdout)[0]["items"] == 54
    result = selfknow("portrait", "quip", "both", "0.txt", "--per-text", "--format", "csv")
    assert result.stdout.splitlines()[1].startswith("0,1.0,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "none.txt", "--out", "x"], "none.txt does not exist"),
        (["build", "latin.txt", "--out", "x"], "not UTF-8"),
        (["build", "empty.txt", "--out", "x"], "nothing to portray"),
        (["build", "latin.txt", "--out", "x", "--false-positive-rate", "2"], "rate must be"),
        (["info", "nowhere"], "neither a folder here nor"),
        (["quip", "cats", "latin.txt"], "not UTF-8"),
        (["quip", "cats", "corpus.txt", "--anchor", "x"], "NAME=TEXTS"),
        (["quip", "cats", "answers.parquet"], "does not exist"),
        (["quote", "cats", "latin.txt"], "not UTF-8"),
        (["merge", "cats", "--out", "x"], "two or more portraits"),
        (["import", "none.25-1.bf", "--out", "x"], "does not exist"),
        (["prebuilt", ".", "--out", "x"], "not a dataset folder"),
        (["build", "corpus.txt", "--out", "cats"], "--overwrite"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    selfknow: Run, built: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "latin.txt").write_bytes("Größe".encode("latin-1"))
    (tmp_path / "empty.txt").write_text("")
    result = selfknow("portrait", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_changed_bit_is_a_failed_check(selfknow_process: Run, built: Path) -> None:
    content = bytearray((built / "bits.rbloom").read_bytes())
    content[20] ^= 1
    (built / "bits.rbloom").write_bytes(content)
    assert selfknow_process("portrait", "info", "cats").returncode == 0
    result = selfknow_process("portrait", "info", "cats", "--verify")
    assert (result.returncode, result.stdout) == (1, "")
    assert "do not match its description" in result.stderr


def test_an_overfull_portrait_says_so_on_stderr(selfknow_process: Run, built: Path, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("".join(chr(0x4E00 + i) for i in range(2000)))
    result = selfknow_process("portrait", "build", "long.txt", "--out", "full", "--capacity", 100)
    assert result.returncode == 0
    assert result.stderr.count("fuller than it was made for") == 1
