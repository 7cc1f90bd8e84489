"""The prompts of according-to are the paper's, to the letter, wherever they are placed."""

import json
from collections import Counter
from pathlib import Path

import pytest
from datasets import load_dataset

from selfknow.builders.according_to.builder import DATASET, AccordingTo, placement_config, prompt_table
from selfknow.builders.according_to.prompts import PLACEMENTS
from selfknow.builders.catalogue import find_configs
from selfknow.builders.folder.content_hash import content_hash
from selfknow.builders.folder.write import build_folder
from selfknow.errors import UserError

GOLDEN = json.loads((Path(__file__).parent / "golden_content_hashes.json").read_text())
# Table 1, with Wikipedia as the corpus, in its order.
TABLE_1 = """\

Based on evidence from Wikipedia:
As an expert editor for Wikipedia, I am confident in the following answer.
I found some results for that on Wikipedia. Here’s a direct quote:
Reference Wikipedia when answering the following question.
Answer according to Wikipedia.
Go to https://www.wikipedia.org and find direct quotes to answer the question. Response: "
Respond by using information from Wikipedia in your response.
Respond to this question using only information that can be attributed to Wikipedia.
Respond by using information from Reddit in your response.
Respond by using information from Github in your response.
Respond without using any information from Wikipedia in your response.""".splitlines()


def wikipedia(text: str) -> str:
    return text.replace("{corpus}", "Wikipedia").replace("{corpus_address}", "https://www.wikipedia.org")


def prompts(placement: str, format_: str) -> list[dict]:
    return [row for row in prompt_table(placement).to_pylist() if row["format"] == format_]


def test_the_content_never_changes() -> None:
    assert {name: content_hash({"test": prompt_table(name).to_batches()}) for name in PLACEMENTS} == GOLDEN


@pytest.mark.parametrize("format_", ["short", "two-step", "long", "long-answer"])
def test_the_phrases_are_those_of_table_1_to_the_letter(format_: str) -> None:
    rows = prompts("appended", format_)
    assert [wikipedia(row["phrase"]) for row in rows] == TABLE_1
    assert Counter(row["kind"] for row in rows) == {"null": 1, "grounding": 8, "anti-grounding": 3}


def test_each_format_is_that_of_appendix_a() -> None:
    *_, without = prompts("appended", "short")
    assert wikipedia(without["answer_prompt"]) == (
        "You are a highly intelligent & complex question-answer generative model. You take a question as an input and "
        "answer it by imitating the way a human gives short answers with a corresponding explanation. You answer "
        "should be short - only a few words.\n\nYour output format should be the answer, then a semicolon, then the "
        "explanation.\n{question} Respond without using any information from Wikipedia in your response."
    )
    two_step = prompts("appended", "two-step")
    assert {row["answer_prompt"] for row in two_step} == {"Output the answer only. {question}\nAnswer string only:"}
    assert wikipedia(two_step[5]["explain_prompt"]) == (
        "Question: {question}\nAnswer: {answer}\n\n\nGive a detailed explanation for why this is true. "
        "Answer according to Wikipedia. \nExplanation:"
    )
    assert prompts("appended", "long")[0]["answer_prompt"] == "{question}"
    assert prompts("appended", "long-answer")[0]["answer_prompt"] == "{question}\nAnswer:"


def test_the_phrase_stands_where_the_placement_says() -> None:
    placed = {name: prompts(name, "long")[5]["answer_prompt"] for name in PLACEMENTS}
    assert {name: wikipedia(text) for name, text in placed.items()} == {
        "appended": "{question} Answer according to Wikipedia.",
        "prepended": "Answer according to Wikipedia. {question}",
        "both": "Answer according to Wikipedia. {question} Answer according to Wikipedia.",
    }
    null = [prompts(name, "short")[0]["answer_prompt"] for name in PLACEMENTS]
    assert len(set(null)) == 1


def test_an_unknown_placement_is_refused() -> None:
    with pytest.raises(UserError, match="no config 'behind': choose from appended, prepended, both"):
        placement_config("behind")


def test_the_folder_loads_and_the_builder_gives_the_same_rows(tmp_path: Path) -> None:
    build_folder(DATASET, find_configs(DATASET, ["both"], seed=0), tmp_path / "according-to")
    loaded = load_dataset(str(tmp_path / "according-to"), "both", split="test")
    assert loaded.to_list() == prompt_table("both").to_pylist()
    builder = AccordingTo(config_name="both", cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    assert builder.as_dataset(split="test").to_list() == loaded.to_list()
