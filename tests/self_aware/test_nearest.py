"""The nearest questions of a pool: the same as brute force finds, in any batches, also after a kill."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.self_aware.nearest import ShortLists, choose_partners, find_nearest
from selfknow.builders.self_aware.question_pools import PoolQuestion, batches_of, read_pool
from selfknow.errors import UserError
from tests.conftest import Run

RANDOM = np.random.default_rng(0)
WORDS = [f"w{number}" for number in range(40)]
QUESTIONS = [" ".join(RANDOM.choice(WORDS, 5)) for _ in range(7)]
POOL = [" ".join(RANDOM.choice(WORDS, 5)) for _ in range(200)]


def encode(texts: Sequence[str]) -> np.ndarray:
    """Bags of words of length one: a real encoder in miniature."""
    counts = np.array([[text.split().count(word) for word in WORDS] for text in texts], dtype=np.float32)
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def batches(size: int, pool: Sequence[str] = POOL) -> Iterator[list[str]]:
    for start in range(0, len(pool), size):
        yield list(pool[start : start + size])


@pytest.mark.parametrize("size", [1, 7, 64, 500])
def test_short_lists_are_those_of_brute_force_whatever_the_batches(size: int) -> None:
    rows = find_nearest(QUESTIONS, batches(size), encode, per_question=1)
    similarities = np.round(encode(QUESTIONS) @ encode(POOL).T, 5)
    expected = np.argsort(-similarities, axis=1, kind="stable")[:, : rows.rows.shape[1]]
    assert (rows.rows == expected).all()
    assert rows.num_rows == len(POOL)


def test_no_row_of_the_pool_is_given_twice_and_the_nearest_go_first() -> None:
    lists = ShortLists(np.array([[0.9, 0.5], [0.95, 0.8]], np.float32), np.array([[3, 1], [3, 2]]), 4)
    chosen = [(partner.question, partner.pool_row) for partner in choose_partners(lists, 1)]
    assert chosen == [(0, 1), (1, 3)]
    assert [(p.question, p.pool_row) for p in choose_partners(lists, 2)] == [(0, 1), (1, 3), (1, 2)]


def test_a_question_whose_list_is_used_up_gets_fewer() -> None:
    lists = ShortLists(np.array([[0.9], [0.8]], np.float32), np.array([[0], [0]]), 1)
    assert [partner.question for partner in choose_partners(lists, 1)] == [0]
    assert choose_partners(ShortLists.empty(2, 3), 1) == [], "an empty pool has no partners"


class PowerCutError(Exception):
    """An error that ends a run in the middle."""


def test_a_run_that_was_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    whole = find_nearest(QUESTIONS, batches(4), encode, per_question=2)
    texts_encoded: list[str] = []

    def counting(texts: Sequence[str]) -> np.ndarray:
        texts_encoded.extend(texts)
        if len(texts_encoded) > 150:
            raise PowerCutError
        return encode(texts)

    saved = tmp_path / "saved.npz"
    with pytest.raises(PowerCutError):
        find_nearest(QUESTIONS, batches(4), counting, per_question=2, progress_file=saved)
    texts_encoded.clear()
    again = find_nearest(QUESTIONS, batches(4), counting, per_question=2, progress_file=saved)
    assert 0 < len(texts_encoded) - len(QUESTIONS) < len(POOL), "only the rest was encoded"
    assert (again.rows == whole.rows).all()
    assert (again.similarities == whole.similarities).all()


@pytest.mark.parametrize(
    ("questions", "pool", "setting"),
    [
        (QUESTIONS[1:], POOL, ""),
        (QUESTIONS, ["other", *POOL[1:]], ""),
        (QUESTIONS, POOL[:8], ""),
        (QUESTIONS, POOL, "x"),
    ],
)
def test_what_was_saved_for_something_else_is_refused(
    tmp_path: Path, questions: list[str], pool: list[str], setting: str
) -> None:
    saved = tmp_path / "saved.npz"
    find_nearest(QUESTIONS, batches(4), encode, per_question=2, progress_file=saved)
    with pytest.raises(UserError, match="saved for"):
        list(
            find_nearest(
                questions, batches(4, pool), _lenient, per_question=2, progress_file=saved, setting=setting
            ).rows
        )
    saved.write_bytes(b"PK half a file")
    with pytest.raises(UserError, match="cannot be resumed"):
        find_nearest(QUESTIONS, batches(4), encode, per_question=2, progress_file=saved)


def _lenient(texts: Sequence[str]) -> np.ndarray:
    return encode([text if text.startswith("w") else "w0" for text in texts])


@pytest.mark.parametrize(
    ("row", "answers"),
    [
        ({"question": "q", "answer": ["a", "b"]}, ("a", "b")),  # NQ-open
        ({"question": "q", "answer": "a"}, ("a",)),  # HotpotQA
        ({"question": "q", "answers": {"text": ["a", "a"], "answer_start": [1, 2]}}, ("a",)),  # SQuAD
        ({"question": "q", "answer": {"value": "a", "aliases": ["b", "a"]}}, ("a", "b")),  # TriviaQA
        ({"question": "q"}, ()),
    ],
)
def test_answers_are_read_as_the_known_datasets_have_them(
    tmp_path: Path, row: dict[str, object], answers: tuple[str, ...]
) -> None:
    path = tmp_path / "pool.parquet"
    pq.write_table(pa.Table.from_pylist([row]), path)
    assert list(read_pool(str(path))) == [PoolQuestion("0", "q", answers)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"question": "q"}\nnot json\n', "line 2 is not JSON"),
        (b"[1]\n", "is not a JSON object"),
        (b'{"text": "q"}\n', "no text in the column 'question'; it has text"),
        (b'{"question": " "}\n', "row 0"),
        ("\ufffe".encode("utf-16"), "is not UTF-8 text"),
    ],
)
def test_a_pool_that_is_none_is_a_clear_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError, match=message):
        list(read_pool(str(path)))
    with pytest.raises(UserError, match="there is no file"):
        list(read_pool(str(tmp_path / "missing.jsonl")))


def test_batches_hold_every_question_once() -> None:
    questions = [PoolQuestion(str(number), "q", ()) for number in range(5)]
    assert [len(batch) for batch in batches_of(iter(questions), 2)] == [2, 2, 1]


@pytest.mark.models
def test_the_command_finds_the_partners_with_the_packaged_encoder(selfknow: Run, tmp_path: Path) -> None:
    (tmp_path / "open.jsonl").write_text('{"id": "u1", "question": "Why do we dream when we sleep?"}\n')
    pool = ["What is the capital of Peru?", "In which stage of sleep do we dream?", "How tall is Everest?"]
    rows = [f'{{"question": "{question}", "answer": "a{number}"}}' for number, question in enumerate(pool)]
    (tmp_path / "pool.jsonl").write_text("\n".join(rows))
    call = (
        "data",
        "pair",
        "open.jsonl",
        "pool.jsonl",
        "--encoder",
        "packaged",
        "--per-question",
        "1",
        "--out",
        "o.parquet",
    )
    result = selfknow(*call)
    assert result.returncode == 0, result.stderr
    (row,) = pq.read_table(tmp_path / "o.parquet").to_pylist()
    assert (row["pair_id"], row["question"], row["answers"], row["pool_id"]) == ("u1", pool[1], ["a1"], "1")
    assert row["similarity"] > 0.5
    result = selfknow(*call)
    assert (result.returncode, "exists: give another file" in result.stderr) == (2, True)
    result = selfknow("data", "pair", "open.jsonl", "pool.jsonl", "--encoder", "./no-such-folder", "--out", "p.parquet")
    assert (result.returncode, "cannot be loaded" in result.stderr, "Traceback" in result.stderr) == (2, True, False)
