"""Continuous batching: a reply that has ended gives its place to the next request, and every reply stays the same."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import (
    MambaConfig,
    MambaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from selfknow.models import slots
from selfknow.models.continuous import ContinuousBatch, UnfinishedReply, supports_continuous_batching
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.local import LocalModel
from selfknow.models.rendering import Rendered
from tests.diary_questions import questions
from tests.tiny_models import tiny_model, tiny_tokenizer

ROWS = questions(9).to_pylist()
TEXTS = [row["prompt"] + row["completion"] for row in ROWS]
# Prompts of many lengths; some start the answer, which an encoder-decoder model reads in its decoder.
ASKED = [
    Request(f"{number}", row["prompt"] * (1 + number % 3), started_answer=row["completion"][: 5 * (number % 4)])
    for number, row in enumerate(ROWS)
]
GREEDY = Decoding(max_new_tokens=70)
# Replies of many lengths: a stop text ends most of them early, and others fill more columns than there are at first.
DRAWN = Decoding(max_new_tokens=70, stop=("er", "y 1"), temperature=0.8, top_p=0.9, seed=0)


def sliding_model(tokenizer: PreTrainedTokenizerBase) -> PreTrainedModel:
    """Sees seven tokens back, and four heads share two keys."""
    torch.manual_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    config = MistralConfig(vocab_size=len(tokenizer), num_key_value_heads=2, sliding_window=8, **size, **ends)
    model = MistralForCausalLM(config).eval()
    for parameter in model.parameters():
        parameter.data.mul_(6.0 if parameter.dim() > 1 else 1.0)
    return model


@pytest.fixture(scope="module", params=["opt", "t5", "sliding", pytest.param("gpt_neox", marks=pytest.mark.full)])
def local(request: pytest.FixtureRequest) -> LocalModel:
    tokenizer = tiny_tokenizer(TEXTS)
    model = sliding_model(tokenizer) if request.param == "sliding" else tiny_model(request.param, tokenizer)
    return LocalModel(model, tokenizer, request.param)


def by_transformers(local: LocalModel, decoding: Decoding) -> dict[Request, Reply]:
    """Return the replies of ``model.generate``, in whole batches."""
    local.batch_size = len(ASKED)
    return dict(local._generate_in_batches([local._render(request) for request in ASKED], decoding))


def stopped(local: LocalModel) -> Decoding:
    """Greedy, with stop texts out of what the model says: at the start of one reply, later in others."""
    texts = [reply.generation or "" for reply in by_transformers(local, Decoding(max_new_tokens=24)).values()]
    return replace(GREEDY, stop=tuple(filter(None, (text[3 * n : 3 * n + 4] for n, text in enumerate(texts[1:6])))))


@pytest.mark.parametrize("kind", ["greedy", "drawn"])
def test_replies_that_come_and_go_are_those_of_one_at_a_time(
    local: LocalModel, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoding = replace(stopped(local) if kind == "greedy" else DRAWN, max_new_tokens=26)
    monkeypatch.setattr(slots, "_FREE_COLUMNS", 16)  # short replies, too, fill more columns than there are at first
    expected = by_transformers(local, decoding)
    local.batch_size = 1
    alone = dict(local.generate(ASKED, decoding))
    local.batch_size = 3
    replies = dict(local.generate(ASKED, decoding))
    assert set(replies) == set(ASKED)
    for request, reply in replies.items():
        for other in (expected[request], alone[request]):
            assert replace(reply, logprob=None) == replace(other, logprob=None)
            assert reply.logprob == pytest.approx(other.logprob, abs=2e-3)
    assert len({reply.completion_tokens for reply in replies.values()}) > 2, "they end at different times"


@pytest.fixture(scope="module")
def opt() -> LocalModel:
    tokenizer = tiny_tokenizer(TEXTS)
    return LocalModel(tiny_model("opt", tokenizer), tokenizer, "opt")


def rows_computed(model: PreTrainedModel, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the rows of every forward pass from now on."""
    real, rows = model.forward, list[int]()

    def forward(*arguments: Any, **inputs: Any) -> Any:
        rows.append(len(inputs["input_ids"]))
        return real(*arguments, **inputs)

    monkeypatch.setattr(model, "forward", forward)
    return rows


def test_no_reply_waits_for_the_longest(opt: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    opt.batch_size = 3
    rows = rows_computed(opt.model, monkeypatch)
    replies = dict(opt.generate(ASKED, DRAWN))
    tokens = sum(reply.completion_tokens or 0 for reply in replies.values())
    continuous = sum(rows)
    rows.clear()
    list(opt._generate_in_batches([opt._render(request) for request in ASKED], DRAWN))
    assert tokens <= continuous < 1.1 * tokens
    assert sum(rows) > 1.5 * tokens, "whole batches compute what nobody waits for"


LIMITS = (3, 40, 9, 26)
LIMITED = [replace(request, max_new_tokens=LIMITS[place % 4]) for place, request in enumerate(ASKED)]


def test_replies_with_limits_of_their_own_are_those_of_a_call_for_each_limit(local: LocalModel) -> None:
    decoding = replace(DRAWN, max_new_tokens=26)
    local.batch_size = 3
    expected: dict[str, Reply] = {}
    for limit in LIMITS:
        requests = [request for request, limited in zip(ASKED, LIMITED, strict=True) if limited.max_new_tokens == limit]
        replies = local.generate(requests, replace(decoding, max_new_tokens=min(limit, 26)))
        expected |= {request.example_id: reply for request, reply in replies}
    together = list(local.generate(LIMITED, decoding))
    local.batch_size = len(ASKED)
    whole = list(local._generate_in_batches([local._render(request) for request in LIMITED], decoding))
    for request, reply in (*together, *whole):
        other = expected[request.example_id]
        assert replace(reply, logprob=None) == replace(other, logprob=None)
        assert reply.logprob == pytest.approx(other.logprob, abs=2e-3)
    assert len(together) == len(whole) == len(ASKED)
    ends = {(reply.finish_reason, reply.completion_tokens) for _, reply in together}
    assert {("length", limit) for limit in (3, 9)} < ends, "limits cut replies, and not all of them"


def test_the_highest_limits_come_first_so_that_none_runs_alone(
    opt: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    opt.batch_size = 3
    limits = [2, 2, 2, 2, 2, 2, 4, 12, 24]  # as they are given, the last one would run alone for 20 steps
    requests = [replace(request, max_new_tokens=limit) for request, limit in zip(ASKED, limits, strict=True)]
    rows = rows_computed(opt.model, monkeypatch)
    replies = dict(opt.generate(requests, Decoding(temperature=5.0)))
    assert [replies[request].completion_tokens for request in requests] == limits
    assert len(rows) <= 24 + 7, "24 steps, the first of them a prompt's, and a pass for each further prompt at most"


def test_what_all_prompts_begin_with_is_computed_once_and_changes_no_reply(
    local: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    beginning = "".join(TEXTS[:2])
    requests = [replace(request, prompt=beginning + request.prompt) for request in ASKED]
    shared = len(local._render(Request("x", beginning)).tokens) - 2  # its end may be joined to what follows
    decoding = replace(DRAWN, max_new_tokens=12)
    local.batch_size = len(requests)
    expected = dict(local._generate_in_batches([local._render(request) for request in requests], decoding))
    local.batch_size, computed, real = 3, list[int](), local.model.forward

    def forward(*arguments: Any, **inputs: Any) -> Any:
        tokens = inputs.get("input_ids")
        computed.append(0 if tokens is None or tokens.shape[1] == 1 else tokens.numel())
        return real(*arguments, **inputs)

    monkeypatch.setattr(local.model, "forward", forward)
    replies = dict(local.generate(requests, decoding))
    for request, reply in replies.items():
        assert replace(reply, logprob=None) == replace(expected[request], logprob=None)
        assert reply.logprob == pytest.approx(expected[request].logprob, abs=2e-3)
    # An encoder, or a window of columns, reads every prompt whole.
    assert (sum(computed) < len(requests) * shared) == (local.name in ("opt", "gpt_neox"))


def test_a_request_has_room_for_a_token() -> None:
    with pytest.raises(ValueError, match="max_new_tokens is 0"):
        Request("x", "Recall.", max_new_tokens=0)


def test_tokens_are_reported_long_before_the_first_reply(local: LocalModel) -> None:
    heard: list[int] = []
    local.on_tokens, local.batch_size = heard.append, 4
    decoding = Decoding(max_new_tokens=7)
    replies: Iterator[tuple[Request, Reply]] = local.generate(ASKED, decoding)
    first = next(replies)[1]
    assert len(heard) >= (first.completion_tokens or 0)
    rest = sum(reply.completion_tokens or 0 for _, reply in replies)
    assert sum(heard) == rest + (first.completion_tokens or 0)
    heard.clear()
    whole = [reply for _, reply in local._generate_in_batches([local._render(request) for request in ASKED], decoding)]
    assert sum(heard) == sum(reply.completion_tokens or 0 for reply in whole)
    local.on_tokens = lambda _: None


def test_replies_that_lose_their_memory_half_way_are_begun_again(
    local: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.batch_size = 4
    decoding = replace(DRAWN, max_new_tokens=26)
    expected = dict(local.generate(ASKED, decoding))
    real, steps = ContinuousBatch.advance, list[int]()

    def short_of_memory(self: ContinuousBatch, pending: deque[Rendered]) -> list[UnfinishedReply]:
        steps.append(self.size)
        if len(steps) == 12:
            raise torch.OutOfMemoryError("no room")
        return real(self, pending)

    monkeypatch.setattr(ContinuousBatch, "advance", short_of_memory)
    replies = list(local.generate(ASKED, decoding))
    assert len(replies) == len(ASKED), "each is answered once"
    assert {request: reply.generation for request, reply in replies} == {
        request: reply.generation for request, reply in expected.items()
    }
    assert (steps[0], steps[-1]) == (4, 2)


def test_a_model_that_keeps_more_than_keys_and_values_is_asked_in_whole_batches() -> None:
    tokenizer = tiny_tokenizer(TEXTS)
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    torch.manual_seed(0)
    mamba = MambaForCausalLM(MambaConfig(vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, **ends)).eval()
    assert not supports_continuous_batching(mamba)
    replies = dict(LocalModel(mamba, tokenizer, "mamba").generate(ASKED[:2], Decoding(max_new_tokens=4)))
    assert all(reply.generation is not None for reply in replies.values())


def test_a_penalty_of_the_models_own_generation_settings_counts() -> None:
    tokenizer = tiny_tokenizer(TEXTS)
    model = tiny_model("opt", tokenizer)
    model.generation_config.repetition_penalty = 1.8
    assert not supports_continuous_batching(model)
    request = Request("x", ROWS[0]["prompt"])
    [(_, reply)] = LocalModel(model, tokenizer, "opt").generate([request], Decoding(max_new_tokens=12))
    tokens = torch.tensor([tokenizer(request.prompt)["input_ids"]])
    output = model.generate(tokens, max_new_tokens=12, do_sample=False)[0, tokens.shape[1] :]
    assert reply.generation == tokenizer.decode(output, skip_special_tokens=True)
    model.generation_config.repetition_penalty = 1.0
    assert supports_continuous_batching(model)


def test_a_stop_text_in_the_started_answer_ends_nothing(local: LocalModel) -> None:
    request = Request("x", ROWS[0]["prompt"], started_answer="Tom 1's Diary Entry 1\n")
    [(_, reply)] = local.generate([request], Decoding(max_new_tokens=5, stop=("Diary Entry",)))
    assert (reply.completion_tokens, reply.finish_reason) == (5, "length")
