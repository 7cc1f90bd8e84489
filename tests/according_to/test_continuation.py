"""Going on with a passage: what is quoted of the text, of the prompt itself, and of a text that nobody can know."""

import re
from pathlib import Path
from typing import Any

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.connection import connect
from selfknow.evaluate.run import ask
from selfknow.evaluate.tasks.according_to.continuation import passage_rows
from selfknow.files import read_json
from selfknow.models.function import FunctionModel
from selfknow.portraits import Portrait
from selfknow.sql.queries import query_rows

TEXT = "\n".join(f"The line with the number {number} tells of {number * number} things." for number in range(400))
OTHER = "\n".join(f"A quite different line says {number}, and no more than that." for number in range(400))
WORDS, PASSAGES = 8, 20


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("continuation")
    (folder / "text.txt").write_text(TEXT)
    for name, text in (("portrait", TEXT), ("control", OTHER)):
        Portrait.build([text], false_positive_rate=1e-9).save(folder / name)
    return folder


def by_heart(prompt: str) -> str:
    return TEXT[TEXT.index(prompt) + len(prompt) :][:100]


def asked(here: Path, out: Path, reply: Any, name: str, **options: Any) -> list[dict[str, Any]]:
    options = {"passage_words": WORDS, "num_passages": PASSAGES, "portrait": str(here / "portrait"), **options}
    run = ask("according-to:continuation", FunctionModel(reply, name), out=out, quiet=True, **options)
    run.score()
    with connect(out) as connection:
        return query_rows(connection, "according_to_continuation")


def run_of(here: Path, out: Path, reply: Any, name: str) -> dict[str, Any]:
    inputs = {"passages": here / "text.txt", "control_portrait": str(here / "control")}
    [row] = asked(here, out, reply, name, **inputs)
    return row


def test_passages_are_spread_evenly_and_stand_in_the_text_with_what_follows() -> None:
    rows = passage_rows(TEXT, WORDS, PASSAGES, seed=1).to_pylist()
    starts = []
    for row in rows:
        assert len(row["question"].split()) == len(row["answers"][0].split()) == WORDS
        assert re.search(re.escape(row["question"]) + r"\s" + re.escape(row["answers"][0]), TEXT)
        starts.append(len(TEXT[: TEXT.index(row["question"])].split()))
    stretch = len(TEXT.split()) / PASSAGES
    assert [int(start / stretch) for start in starts] == list(range(PASSAGES))
    assert passage_rows(TEXT, WORDS, PASSAGES, seed=1).to_pylist() == rows
    assert passage_rows(TEXT, WORDS, PASSAGES, seed=2).to_pylist() != rows


def test_a_text_that_is_too_short_is_refused_with_what_it_has_room_for() -> None:
    words = " ".join(map(str, range(40)))
    assert len(passage_rows(words, words=10, count=2, seed=0)) == 2
    with pytest.raises(UserError, match="room for 2 passages of 10 words"):
        passage_rows(words, words=10, count=3, seed=0)


def test_who_knows_the_text_by_heart_quotes_it_whole_and_nothing_of_another(here: Path, tmp_path: Path) -> None:
    row = run_of(here, tmp_path / "run", by_heart, "by heart")
    assert (row["n"], row["n_graded"], row["passage_words"]) == (PASSAGES, PASSAGES, WORDS)
    assert (row["quip"], row["quip_beyond_prompt"], row["chance_quip"]) == (1.0, 1.0, 0.0)
    assert row["quip_beyond_prompt_low"] < 1 == row["quip_beyond_prompt_high"], "twenty passages leave room for doubt"
    settings = read_json(tmp_path / "run" / "run.json")
    assert settings["decoding"]["temperature"] == 0.3, "the authors' own"
    with connect(tmp_path / "run") as connection:
        assert connection.rows("select count(*) as n from according_to_differences") == [{"n": 0}]


def test_who_repeats_the_prompt_quotes_but_nothing_beyond_it(here: Path, tmp_path: Path) -> None:
    row = run_of(here, tmp_path / "repeats", lambda prompt: prompt, "repeats")
    assert (row["quip"], row["quip_beyond_prompt"], row["n"], row["n_graded"]) == (1.0, None, PASSAGES, 0)
    expected = "And after that nobody has ever told of anything at all."
    row = run_of(here, tmp_path / "own", lambda prompt: f"{prompt}. {expected}", "own words")
    assert row["quip"] > 0.2
    assert row["quip_beyond_prompt"] < 0.05, "but for the n-grams that cross from the prompt"


def test_who_goes_on_with_the_other_text_is_quoted_there_alone(here: Path, tmp_path: Path) -> None:
    row = run_of(here, tmp_path / "run", lambda prompt: OTHER[:200], "elsewhere")
    assert (row["quip"], row["quip_beyond_prompt"], row["chance_quip"]) == (0.0, 0.0, 1.0)


def test_without_a_control_there_is_no_chance_line_and_without_a_text_nothing_to_ask(
    here: Path, tmp_path: Path
) -> None:
    [row] = asked(here, tmp_path / "run", by_heart, "by heart", passages=here / "text.txt", limit=5)
    assert (row["n"], row["quip"], row["chance_quip"]) == (5, 1.0, None)
    with pytest.raises(UserError, match="name the text to continue, passages=, and its portrait, portrait="):
        asked(here, tmp_path / "none", by_heart, "by heart")
    with pytest.raises(UserError, match=r"gone\.txt cannot be read"):
        asked(here, tmp_path / "gone", by_heart, "by heart", passages=here / "gone.txt")
