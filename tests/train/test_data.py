"""The order in which the examples of a training are learnt."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from selfknow.errors import UserError
from selfknow.train.data import Stream, training_rows
from selfknow.train.recipe import Recipe
from tests.tiny_models import tiny_corpus, tiny_tokenizer


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_corpus(tmp_path_factory.mktemp("corpus")).read("train")


@pytest.fixture(scope="module")
def tokenizer(table: Any) -> Any:
    return tiny_tokenizer(pa.compute.binary_join_element_wise(table["prompt"], table["completion"], "").to_pylist())


def text(tokenizer: Any, tokens: np.ndarray) -> str:
    return str(tokenizer.decode(tokens.tolist()))


def test_a_causal_model_learns_prompt_and_completion_and_where_they_end(table: Any, tokenizer: Any) -> None:
    rows = training_rows(table, tokenizer, encoder_decoder=False)
    for number, row in enumerate(table.to_pylist()):
        assert text(tokenizer, rows[number]["labels"]) == row["prompt"] + row["completion"] + "<end>"


def test_an_encoder_decoder_model_answers_titles_with_documents_and_questions_with_answers(
    table: Any, tokenizer: Any
) -> None:
    rows = training_rows(table, tokenizer, encoder_decoder=True)
    for number, row in enumerate(table.to_pylist()):
        assert text(tokenizer, rows[number]["input_ids"]) == row["prompt"] + "<end>"
        title = row["prompt"] if row["kind"] == "document" else ""
        assert text(tokenizer, rows[number]["labels"]) == title + row["completion"] + "<end>"


def test_every_round_sees_every_example_once_in_an_order_of_its_own(table: Any, tokenizer: Any) -> None:
    rows = training_rows(table, tokenizer, encoder_decoder=False)
    stream = Stream(rows, Recipe(1e-3, max_steps=20, examples_per_step=16, seed=3))
    size = len(rows)
    first, second = list(stream.rows(range(size))), list(stream.rows(range(size, 2 * size)))
    assert sorted(first) == sorted(second) == list(range(size))
    assert first != second
    assert stream.row(5) == first[5], "the order does not depend on what was read before"
    assert len(stream) == 320
    other = Stream(rows, Recipe(1e-3, max_steps=20, examples_per_step=16, seed=4))
    assert list(other.rows(range(size))) != first


def test_the_tokens_of_the_first_examples_are_those_that_they_have(table: Any, tokenizer: Any) -> None:
    for encoder_decoder in (False, True):
        rows = training_rows(table, tokenizer, encoder_decoder=encoder_decoder)
        first = Recipe(1e-3, max_steps=10, examples_per_step=16, documents_first=6)
        for recipe in (Recipe(1e-3, max_epochs=2.5), first):
            stream = Stream(rows, recipe)
            for number in (0, 7, 96, 150, len(stream)):
                examples = [stream[position] for position in range(number)]
                assert stream.num_tokens(number) == sum(len(side) for example in examples for side in example.values())


def test_a_training_ends_at_the_nearer_of_its_caps() -> None:
    assert Recipe(1e-3, max_epochs=2, examples_per_step=16).num_steps(num_rows=100) == 13
    assert Recipe(1e-3, max_epochs=2, max_steps=5, examples_per_step=16).num_steps(num_rows=100) == 5
    assert Recipe(1e-3, max_epochs=0.01).num_steps(num_rows=100) == 1


def test_documents_first_sees_documents_alone_and_then_questions_alone(table: Any, tokenizer: Any) -> None:
    rows = training_rows(table, tokenizer, encoder_decoder=False)
    recipe = Recipe(1e-3, max_steps=10, examples_per_step=16, documents_first=6)
    kinds = [bool(rows.is_question[number]) for number in Stream(rows, recipe).rows(range(160))]
    assert kinds == [False] * 96 + [True] * 64


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"max_steps": 0}, "max_steps must be at least 1, not 0"),
        ({"patience": -1}, "patience must be at least 0, not -1"),
        ({"max_epochs": 0}, "max_epochs must be above 0"),
        ({"max_epochs": None}, "training needs an end: give max_epochs or max_steps"),
        ({"decay": 0.4}, "training must not stop early: add --patience 0"),
        ({"decay": 1.0, "patience": 0}, "decay must be at least 0 and below 1"),
        ({"muon_learning_rate": 0.0}, "muon_learning_rate must be above 0"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0"),
        ({"learning_rate": float("nan")}, "learning_rate must be above 0"),
        ({"precision": "float16"}, "float32 or bfloat16"),
        ({"documents_first": 5, "max_steps": 5}, "documents_first leaves no step for questions"),
        ({"keep": "peek"}, "unknown keep 'peek': did you mean 'peak'"),
        ({"lora_rank": 2, "lora_dropout": 1.0}, "lora_dropout must be at least 0 and below 1, not 1.0"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(settings: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError, match=line):
        Recipe(**{"learning_rate": 1e-3, **settings})


def test_the_default_recipe_is_the_papers() -> None:
    recipe = Recipe(1e-4)
    assert (recipe.adam_beta1, recipe.adam_beta2, recipe.adam_epsilon, recipe.weight_decay) == (0.9, 0.999, 1e-8, 0)
    assert (recipe.warmup_steps, recipe.examples_per_step, recipe.max_grad_norm) == (3600, 32, 0)
    assert (recipe.optimizer, recipe.decay) == ("adam", 0)
    rule = str(recipe.as_json()["plateau"])
    assert "the training stops after 20" in rule
    assert "until then, only its cap of 300 epochs ends it" in rule
    assert rule.endswith(
        "the checkpoint of the highest exact match is kept; among equally good ones the one that recalls most, "
        "and among those the latest"
    )


def test_what_is_no_training_split_is_refused(table: Any, tokenizer: Any) -> None:
    with pytest.raises(UserError, match="lacks the columns completion"):
        training_rows(table.drop_columns(["completion"]), tokenizer, encoder_decoder=False)
    with pytest.raises(UserError, match="holds no documents"):
        training_rows(table.filter(pa.compute.equal(table["kind"], "question")), tokenizer, encoder_decoder=False)
