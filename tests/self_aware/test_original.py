"""The authors' file: what is made of it, and that nothing else is taken for it."""

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from selfknow.builders.folder.content_hash import content_hash
from selfknow.builders.self_aware.original import check_sha256, fetch, original_config, parse, pinned_source
from selfknow.errors import UserError
from tests.conftest import Run

EXAMPLES = [
    {"question_id": 1, "question": "How many Noble Truths are there?", "answer": ["four", "4"], "answerable": True},
    {"question_id": 2, "question": "How many noble truths  are there ?", "answer": ["four"], "answerable": True},
    {"question_id": 3, "question": "Is Romeo in Verona?", "answer": ["rome"], "answerable": True},
    {"question_id": 4, "question": "Why are we here?", "answer": None, "answerable": False},
]
CONTENT = json.dumps({"example": [example | {"source": "squadqa_dev"} for example in EXAMPLES]}).encode()


@pytest.fixture
def server() -> Iterator[str]:
    """Yield a real server on loopback that has the file, and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            there = self.path == "/SelfAware.json"
            self.send_response(200 if there else 404)
            self.end_headers()
            self.wfile.write(CONTENT if there else b"")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def test_nothing_is_dropped_and_every_flaw_is_flagged() -> None:
    rows = parse(CONTENT)
    assert [row.flags for row in rows] == [
        ["duplicate", "alias_too_short"],
        ["duplicate"],
        ["answer_in_question"],
        [],
    ]
    assert rows[0].id == "original-0001"
    assert rows[3].answers == []
    assert all(row.category is None and row.pair_id is None and row.source == "squadqa_dev" for row in rows)


def test_the_file_is_fetched_and_its_bytes_are_checked(server: str) -> None:
    content = fetch(f"{server}/SelfAware.json")
    assert check_sha256(content, hashlib.sha256(CONTENT).hexdigest(), "it") == CONTENT
    with pytest.raises(UserError, match="is not the authors' file"):
        check_sha256(content, pinned_source()["sha256"], "it")


@pytest.mark.parametrize("path", ["/moved.json", None])
def test_a_source_that_is_gone_is_a_clear_line_that_names_the_way_out(server: str, path: str | None) -> None:
    with pytest.raises(UserError, match="--source FILE"):
        fetch(f"{server}{path}" if path else "http://127.0.0.1:9/SelfAware.json")


def test_another_file_is_refused_on_the_command_line(selfknow: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_bytes(CONTENT)
    result = selfknow("data", "build", "self-aware-original", "--source", "mine.json", "--out", "out")
    assert result.returncode == 2
    assert "mine.json is not the authors' file" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out" / "manifest.json").exists()
    result = selfknow("data", "build", "self-aware", "--source", "mine.json", "--out", "out")
    assert (result.returncode, "--source is for self-aware-original" in result.stderr) == (2, True)


def test_the_pinned_source_names_a_revision_and_the_conflict_in_its_licence() -> None:
    source = pinned_source()
    assert source["revision"] in source["url"]
    assert len(source["sha256"]) == len(source["content_hash"]) == 64
    assert "research purposes" in source["licence_conflict"]


def test_the_authors_file_becomes_the_known_rows() -> None:
    """Run where ``SELFKNOW_SELFAWARE_JSON`` names the file: it may not lie in this repository."""
    path = os.environ.get("SELFKNOW_SELFAWARE_JSON")
    if not path:
        pytest.skip("SELFKNOW_SELFAWARE_JSON is not set")
    corpus = original_config(path=Path(path))
    tables = {split: shards[0]() for split, shards in corpus.shards.items()}
    assert {split: table.num_rows for split, table in tables.items()} == {"answerable": 2_337, "unanswerable": 1_032}
    flags = [flag for table in tables.values() for row in table["flags"].to_pylist() for flag in row]
    assert [flags.count(flag) for flag in ("duplicate", "answer_in_question", "alias_too_short")] == [8, 133, 210]
    rows = content_hash({split: table.to_batches() for split, table in tables.items()})
    assert rows == pinned_source()["content_hash"]
