"""Tokenizers of all three suites return a training answer byte for byte, or are refused."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast, T5Tokenizer

from selfknow.errors import UserError
from selfknow.models.tokenization import check_round_trip, encode
from selfknow.train.tokenizer import prepare
from tests.diary_questions import questions
from tests.tiny_models import tiny_tokenizer

ROWS = questions(20).to_pylist()
ANSWERS = [row["completion"] for row in ROWS]
TEXTS = [row["prompt"] + row["completion"] for row in ROWS]


def t5_tokenizer() -> Any:
    """Make a real T5 tokenizer with a vocabulary of its own: a unigram model over words marked at their start."""
    trained = Tokenizer(models.Unigram())
    trained.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    special = ["<pad>", "</s>", "<unk>"]
    trained.train_from_iterator(
        TEXTS, trainers.UnigramTrainer(vocab_size=200, special_tokens=special, unk_token="<unk>", show_progress=False)
    )
    import json

    vocabulary = [(piece, score) for piece, score in json.loads(trained.to_str())["model"]["vocab"]]
    return T5Tokenizer(vocab=vocabulary, extra_ids=0)


def byte_level_tokenizer(special: list[str]) -> Tokenizer:
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    trained.train_from_iterator(TEXTS, trainer)
    return trained


def opt_tokenizer() -> Any:
    """Make a tokenizer like OPT's: byte-level BPE with </s> in front, which is its end token, too."""
    trained = byte_level_tokenizer(["<s>", "<pad>", "</s>"])
    trained.post_processor = processors.TemplateProcessing(single="</s> $A", special_tokens=[("</s>", 2)])
    return PreTrainedTokenizerFast(tokenizer_object=trained, bos_token="</s>", eos_token="</s>", pad_token="<pad>")


def pythia_tokenizer() -> Any:
    """Make a tokenizer like Pythia's: byte-level BPE with one special token and no padding."""
    end = "<|endoftext|>"
    return PreTrainedTokenizerFast(tokenizer_object=byte_level_tokenizer([end]), bos_token=end, eos_token=end)


MAKERS = {"t5": t5_tokenizer, "opt": opt_tokenizer, "pythia": pythia_tokenizer, "corpus": lambda: tiny_tokenizer(TEXTS)}


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_a_prepared_tokenizer_returns_every_answer_even_when_saved_and_loaded(maker: Any, tmp_path: Path) -> None:
    tokenizer = prepare(maker())
    check_round_trip(tokenizer, ANSWERS, "x")
    tokenizer.save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    check_round_trip(loaded, ANSWERS, "x")
    assert loaded.pad_token_id not in (None, loaded.eos_token_id)
    assert loaded.chat_template == tokenizer.chat_template


def test_t5_folds_newlines_until_it_is_prepared() -> None:
    with pytest.raises(UserError, match=r"cannot return a training answer byte for byte: .* comes back as"):
        check_round_trip(t5_tokenizer(), ANSWERS, "flan-t5-small")


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_the_chat_template_gives_the_tokens_that_training_gives(maker: Any) -> None:
    tokenizer = prepare(maker())
    question = ROWS[0]["prompt"]
    for content in (question, question.removesuffix("\n")):
        messages = [{"role": "user", "content": content}]
        rendered = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)["input_ids"]
        assert rendered == encode(tokenizer, [question])[0]


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_a_prompt_is_tokenized_as_the_beginning_of_what_was_learnt(maker: Any) -> None:
    tokenizer = prepare(maker())
    for row, whole in zip(ROWS, encode(tokenizer, TEXTS), strict=True):
        [prompt] = encode(tokenizer, [row["prompt"]])
        assert whole[: len(prompt)] == prompt
        assert tokenizer.eos_token_id not in whole[1:]


def test_a_tokenizer_without_an_end_is_refused() -> None:
    tokenizer = tiny_tokenizer(TEXTS)
    tokenizer.eos_token = None
    with pytest.raises(UserError, match="has no end-of-sequence token"):
        check_round_trip(tokenizer, ANSWERS, "x")


def test_a_tokenizer_that_lower_cases_is_refused() -> None:
    from tokenizers import normalizers

    tokenizer = tiny_tokenizer(TEXTS)
    tokenizer.backend_tokenizer.normalizer = normalizers.Lowercase()
    with pytest.raises(UserError, match="cannot return a training answer byte for byte") as caught:
        check_round_trip(prepare(tokenizer), ANSWERS, "bert")
    assert "\n" not in str(caught.value)


CORPUS_TOKENIZER = tiny_tokenizer(TEXTS)


@given(st.text())
@settings(max_examples=200)
def test_a_tokenizer_from_the_corpus_returns_any_text(text: str) -> None:
    check_round_trip(CORPUS_TOKENIZER, [text], "corpus")


@given(st.lists(st.sampled_from(["\n", " ", "\r", "\t", "a", "Tom's", "1"])).map("".join))
@settings(max_examples=300)
def test_blanks_and_newlines_stay_where_they_are(text: str) -> None:
    check_round_trip(CORPUS_TOKENIZER, [text], "corpus")


def test_the_words_of_a_corpus_become_tokens_of_their_own() -> None:
    tokens = tiny_tokenizer(TEXTS * 2, 1_000).tokenize("Tom 1's Diary Entry 12\nTime: Evening")
    words = [token.replace("\u0120", " ").replace("\u010a", "\n") for token in tokens]
    assert words == [" Tom", " ", "1", "'s", " Diary", " Entry", " ", "1", "2", "\n", " Time:", " Evening"]


def test_a_name_is_the_same_token_in_a_question_and_at_the_start_of_its_answer() -> None:
    tokenizer = tiny_tokenizer(TEXTS * 2, 1_000)
    name = ROWS[0]["diarist"].split()[0]
    [question, answer] = encode(tokenizer, [ROWS[0]["prompt"], ROWS[0]["completion"]])
    assert tokenizer.decode(answer[0]).strip() == name
    assert answer[0] in question


def test_training_a_tokenizer_is_deterministic() -> None:
    assert tiny_tokenizer(TEXTS).get_vocab() == tiny_tokenizer(TEXTS).get_vocab()
