"""The prompts of self-knowledge: complete, filled in, the same on every machine, and beside the paper's own."""

import datetime
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from datasets import load_dataset

from selfknow.builders.catalogue import find_configs
from selfknow.builders.folder.content_hash import content_hash
from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_knowledge.builder import CONFIGS, DATASET, SelfKnowledge, task_config, task_table
from selfknow.builders.self_knowledge.prompts import MARKER, STYLES
from selfknow.builders.self_knowledge.sources import benchmark_questions, categories, choices
from selfknow.errors import UserError

GOLDEN = json.loads((Path(__file__).parent / "golden_content_hashes.json").read_text())
TABLE_2 = {"total-count", "designated-count", "fact", "grammar", "math", "code"}
PROMPTS = ("generate_prompt", "verify_prompt", "dual_prompt")


def rows(task: str, seed: int = 0) -> list[dict]:
    return [{**row, "params": json.loads(row["params"])} for row in task_table(task, seed).to_pylist()]


def test_the_content_of_all_tasks_never_changes() -> None:
    assert {task: content_hash({"test": task_table(task, 0).to_batches()}) for task in CONFIGS} == GOLDEN


@pytest.mark.parametrize("task", CONFIGS)
def test_every_prompt_is_filled_in_and_holds_the_marker_where_it_should(task: str) -> None:
    for row in rows(task):
        prompts_of_row = {name: row[name] for name in PROMPTS} | {
            f"paper {k}": v for k, v in row["params"]["paper"].items()
        }
        prompts_of_row["altered_verify_prompt"] = row["params"]["altered_verify_prompt"]
        for name, prompt in prompts_of_row.items():
            if prompt is None:
                continue
            markers = 0 if "generate" in name or task.startswith("image-") else 1
            assert prompt.count(MARKER) == markers, (name, prompt)
            assert not re.search(r"\{[a-z]+\}", prompt.replace(MARKER, "")), prompt
            if name.startswith("paper"):
                assert not re.search(r"\[[a-z, ]+\]", prompt.replace(str(row["params"].get("answer")), "")) or (
                    task == "code"  # an answer may be a list
                ), prompt


@pytest.mark.parametrize("task", CONFIGS)
def test_a_task_has_at_least_100_different_instances_in_every_style(task: str) -> None:
    made = rows(task)
    assert len({row["id"] for row in made}) == len(made)
    for style in STYLES:
        of_style = [row for row in made if row["style"] == style]
        texts = {(row["generate_prompt"], row["verify_prompt"]) for row in of_style}
        assert len(of_style) == len(texts) >= 100, (task, style)
    assert all(row["id"].startswith(f"{task}-") and row["id"].endswith(f"-{row['style']}") for row in made)


@pytest.mark.parametrize("task", CONFIGS)
def test_the_styles_of_an_instance_differ_in_their_words_alone(task: str) -> None:
    made = rows(task)
    for number in range(0, len(made), 3):
        first, *others = ({**row["params"], "answer": row["answer"]} for row in made[number : number + 3])
        told_apart = ("altered_verify_prompt", "source_id", "paper")
        for other in others:
            assert {k: v for k, v in first.items() if k not in told_apart} == {
                k: v for k, v in other.items() if k not in told_apart
            }


def test_only_the_tasks_of_table_2_have_a_dual_prompt() -> None:
    assert {task for task in CONFIGS if all(row["dual_prompt"] for row in rows(task))} == TABLE_2
    assert not [task for task in set(CONFIGS) - TABLE_2 if any(row["dual_prompt"] for row in rows(task))]


@pytest.mark.parametrize("task", CONFIGS)
def test_a_question_that_must_have_another_answer_is_another_question(task: str) -> None:
    for row in rows(task):
        altered = row["params"]["altered_verify_prompt"]
        assert altered != row["verify_prompt"] or task == "change-word"
        assert (altered is not None) == (row["params"]["break"] == "alter-question" or task.endswith("-word"))


@pytest.mark.parametrize(
    ("task", "source"),
    [("grammar", "total-count")] + [(f"{name}-word", "designated-count") for name in ("add-first", "change")],
)
def test_a_task_that_reuses_texts_asks_for_them_in_the_same_words(task: str, source: str) -> None:
    prompts_by_id = {row["id"]: row["generate_prompt"] for row in rows(source)}
    for row in rows(task):
        assert prompts_by_id[row["params"]["source_id"]] == row["generate_prompt"]


def test_the_papers_prompts_stand_there_to_the_letter() -> None:
    plain, expert, cot = (rows("total-count")[3 * 35 + style]["params"]["paper"] for style in range(3))
    assert plain["generate_prompt"] == "Generate a paragraph with exactly 56 words in total."
    assert plain["verify_prompt"] == "How many words are there in the following paragraph?\n\n{generation}"
    assert expert["generate_prompt"] == (
        "Assume you are an expert in counting numbers. Generate a paragraph with exactly 56 words in total."
    )
    assert set(cot.values()) == {None}, "the paper does not say how it worded its chain of thought"
    assert rows("arxiv")[0]["params"]["paper"]["verify_prompt"] == (
        "What is the arXiv ID of the paper titled {generation}?"
    )
    assert rows("image-color")[0]["params"]["paper"]["verify_prompt"] == ("What\u2019s the color of cat in the image?")
    assert rows("add-first-word")[0]["params"]["paper"]["generate_prompt"] is None


def test_ranges_are_those_of_the_card() -> None:
    assert [row["answer"] for row in rows("total-count")[::3]] == [str(num) for num in range(21, 121)]
    assert {row["params"]["num"] for row in rows("designated-count")} == set(range(2, 11))
    assert {row["params"]["position"] for row in rows("change-word")} == set(range(2, 11))
    months = [row["params"]["month"] for row in rows("arxiv")[::3]]
    assert (months[0], months[-1], len(set(months))) == ("2008-01", "2023-12", 100)
    for row in rows("delete-first-word"):
        assert row["params"]["altered_position"] == row["params"]["position"] - 1 >= 1


def test_games_are_played_on_saturdays_of_the_sports_own_season() -> None:
    seasons, days = choices()["sports_seasons"], {}
    for row in rows("sports-statistics"):
        days.setdefault(row["params"]["sport"], []).append(datetime.date.fromisoformat(row["params"]["date"]))
    assert set(days) == set(seasons)
    for sport, dates in days.items():
        first, last = seasons[sport]
        assert all(date.weekday() == 5 and first <= f"{date:%m-%d}" <= last for date in dates), sport
        assert len({date.year for date in dates}) == 10, "as many years as instances"


def test_the_key_of_the_benchmark_favours_no_letter() -> None:
    assert Counter(question["answer"] for question in benchmark_questions()) == dict.fromkeys("ABCD", 6)


def test_names_are_asked_for_on_a_topic_that_suits_them() -> None:
    for row in rows("specific-mention"):
        [topic] = re.findall(r'on the topic "([^"]+)"', row["generate_prompt"])
        assert topic in choices()["mention_topics"][row["params"]["category"]]
    assert set(choices()["mention_topics"]) == set(categories())


def test_our_wordings_have_the_right_article_where_the_papers_have_not() -> None:
    games = [row for row in rows("sports-statistics") if "American" in row["generate_prompt"]]
    assert all("one American football" in row["generate_prompt"] for row in games)
    assert all("an American football" in row["verify_prompt"] for row in games)
    quoted = {row["params"]["paper"]["generate_prompt"] for row in games if row["style"] == "plain"}
    assert len(quoted) == 10 and all("a American football" in prompt for prompt in quoted), "to the letter"


def test_another_seed_draws_other_instances_where_anything_is_drawn() -> None:
    assert task_table("designated-count", 1) != task_table("designated-count", 0)
    assert task_table("fact", 1) == task_table("fact", 0), "every date stands there once, whatever the seed"


def test_an_unknown_task_and_an_impossible_seed_are_refused() -> None:
    with pytest.raises(UserError, match="no config 'poems': choose from total-count"):
        task_config("poems")
    with pytest.raises(UserError, match="seed must be between"):
        task_config("fact", -1)


def test_the_folder_loads_and_the_builder_gives_the_same_rows(tmp_path: Path) -> None:
    build_folder(DATASET, find_configs(DATASET, ["code", "math"], seed=0), tmp_path / "self-knowledge")
    loaded = load_dataset(str(tmp_path / "self-knowledge"), "math", split="test")
    assert loaded.to_list() == task_table("math", 0).to_pylist()
    builder = SelfKnowledge(config_name="math", cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    assert builder.as_dataset(split="test").to_list() == loaded.to_list()
