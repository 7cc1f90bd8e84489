"""Local checkpoints: what a model answers does not depend on how it is asked."""

from collections import Counter, deque
from pathlib import Path

import pytest
import torch

from selfknow.errors import UserError
from selfknow.evaluate.tasks.diary_recall.prompts import answer_requests, boundary_requests, probe_requests
from selfknow.models.continuous import ContinuousBatch, UnfinishedReply
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.local import LocalModel
from selfknow.models.logits import DrawProcessor
from selfknow.models.rendering import Rendered
from selfknow.train.tokenizer import prepare
from tests.diary_questions import questions
from tests.tiny_models import ARCHITECTURES, save, tiny_model, tiny_tokenizer

ROWS = questions(9).to_pylist()
TEXTS = [row["prompt"] + row["completion"] for row in ROWS]
SHORT = Decoding(max_new_tokens=12)


@pytest.fixture(scope="module", params=ARCHITECTURES)
def local(request: pytest.FixtureRequest) -> LocalModel:
    tokenizer = tiny_tokenizer(TEXTS)
    return LocalModel(tiny_model(request.param, tokenizer), tokenizer, request.param)


def ask(
    local: LocalModel, requests: list[Request], decoding: Decoding = SHORT, batch_size: int = 64
) -> dict[Request, Reply]:
    local.batch_size = batch_size
    return dict(local.generate(requests, decoding))


def task_requests() -> list[Request]:
    return [*answer_requests(ROWS), *probe_requests(ROWS)]


def test_a_batch_answers_as_one_request_at_a_time_does(local: LocalModel) -> None:
    some = [request for kind in (answer_requests(ROWS), probe_requests(ROWS)) for request in list(kind)[::3]]
    together, alone = ask(local, task_requests()), ask(local, some, batch_size=1)
    assert (set(together), set(alone)) == (set(task_requests()), set(some))
    for request in some:
        reply = together[request]
        assert reply.generation == alone[request].generation
        assert reply.logprob == pytest.approx(alone[request].logprob, abs=1e-3)
        assert (reply.finish_reason, reply.completion_tokens) == (
            alone[request].finish_reason,
            alone[request].completion_tokens,
        )


def test_greedy_answers_are_those_of_plain_generate(local: LocalModel) -> None:
    request = Request("x", ROWS[3]["prompt"])
    tokenizer, model = local.tokenizer, local.model
    tokens = tokenizer(request.prompt)["input_ids"]
    tokens = [*tokens, tokenizer.eos_token_id] if model.config.is_encoder_decoder else tokens
    output = model.generate(torch.tensor([tokens]), max_new_tokens=12, do_sample=False)[0]
    start = 1 if model.config.is_encoder_decoder else len(tokens)
    assert ask(local, [request])[request].generation == tokenizer.decode(output[start:], skip_special_tokens=True)


def by_hand(local: LocalModel, prompt: str, started: str, forced: list[int]) -> float:
    """Return the log-probability of tokens, one forward pass for each, without padding or batches."""
    tokenizer, model, total = local.tokenizer, local.model, 0.0
    encoder_decoder = model.config.is_encoder_decoder
    before = tokenizer(started)["input_ids"] if encoder_decoder else tokenizer(prompt + started)["input_ids"]
    before = [tokenizer.pad_token_id, *before] if encoder_decoder else before
    for token in forced:
        with torch.no_grad():
            if encoder_decoder:
                encoder = torch.tensor([[*tokenizer(prompt)["input_ids"], tokenizer.eos_token_id]])
                logits = model(input_ids=encoder, decoder_input_ids=torch.tensor([before])).logits
            else:
                logits = model(input_ids=torch.tensor([before])).logits
        total += float(torch.log_softmax(logits[0, -1].double(), -1)[token])
        before = [*before, token]
    return total


def test_forced_continuations_have_the_log_probability_that_a_forward_pass_a_token_gives(local: LocalModel) -> None:
    requests = list(boundary_requests(ROWS[:5]))
    for request, reply in ask(local, requests).items():
        before, after = local.tokenizer([request.started_answer, request.started_answer + request.forced])["input_ids"]
        forced = after[len(before) :] or [local.tokenizer.eos_token_id]
        expected = by_hand(local, request.prompt, request.started_answer, forced)
        assert reply.logprob == pytest.approx(expected, abs=1e-3)
        assert (reply.generation, reply.finish_reason) == (request.forced, "forced")


def test_the_log_probability_of_an_answer_is_that_of_its_tokens(local: LocalModel) -> None:
    request = Request("x", ROWS[0]["prompt"])
    reply = ask(local, [request])[request]
    inputs = [*local.tokenizer(request.prompt)["input_ids"]]
    if local.model.config.is_encoder_decoder:
        output = local.model.generate(
            torch.tensor([[*inputs, local.tokenizer.eos_token_id]]), max_new_tokens=12, do_sample=False
        )[0, 1:]
    else:
        output = local.model.generate(torch.tensor([inputs]), max_new_tokens=12, do_sample=False)[0, len(inputs) :]
    assert reply.logprob == pytest.approx(by_hand(local, request.prompt, "", output.tolist()), abs=1e-3)
    assert reply.completion_tokens == len(output)


def test_samples_do_not_depend_on_the_batch_and_do_depend_on_seed_and_sample(local: LocalModel) -> None:
    requests = [Request("x", ROWS[0]["prompt"], sample=sample) for sample in range(6)]
    decoding = Decoding(max_new_tokens=12, temperature=1.0, top_p=0.95, seed=1)
    together, alone = ask(local, requests, decoding), ask(local, requests, decoding, batch_size=1)
    assert {request: reply.generation for request, reply in together.items()} == {
        request: reply.generation for request, reply in alone.items()
    }
    assert len({reply.generation for reply in together.values()}) > 1
    other = ask(local, requests, Decoding(max_new_tokens=12, temperature=1.0, top_p=0.95, seed=2))
    assert [other[request].generation for request in requests] != [together[request].generation for request in requests]


def test_a_follow_up_is_drawn_alike_in_every_run() -> None:
    first, other = (
        Request("x", "How many?", "verify", parent_generation_id=id_) for id_ in ("of-one-run", "of-another")
    )
    assert first.seed(3) == other.seed(3)
    assert first.seed(3) != Request("x", "How few?", "verify", parent_generation_id="of-one-run").seed(3)


def test_tokens_are_drawn_from_the_softmax_and_never_one_that_was_ruled_out() -> None:
    ruled_out = -torch.inf
    scores = torch.tensor([[ruled_out, 2.0, 1.0, ruled_out, 0.0, -30.0, ruled_out]])
    process = DrawProcessor([7])
    drawn = Counter(int(process(torch.zeros(1, 1), scores).argmax()) for _ in range(20_000))
    for token, share in enumerate(torch.softmax(scores[0], -1).tolist()):
        assert drawn[token] / 20_000 == pytest.approx(share, abs=0.015)
    assert drawn.keys() == {1, 2, 4}


def test_an_answer_that_reaches_the_limit_is_cut_off(local: LocalModel) -> None:
    replies = ask(local, task_requests(), Decoding(max_new_tokens=2))
    assert {reply.finish_reason for reply in replies.values() if reply.completion_tokens == 2} <= {"length", "stop"}
    assert all(reply.completion_tokens in (1, 2) for reply in replies.values())


def test_a_stop_text_ends_an_answer_and_is_no_part_of_it(local: LocalModel) -> None:
    request = Request("x", ROWS[0]["prompt"])
    whole = ask(local, [request])[request].generation
    assert whole is not None
    stop = whole[2:4]
    reply = ask(local, [request], Decoding(max_new_tokens=12, stop=(stop,)))[request]
    assert (reply.generation, reply.finish_reason) == (whole[: whole.index(stop)], "stop")


def test_a_batch_too_large_for_the_memory_is_halved(local: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    real, sizes = ContinuousBatch.advance, list[int]()

    def small_memory(self: ContinuousBatch, pending: deque[Rendered]) -> list[UnfinishedReply]:
        sizes.append(self.size)
        if self.size > 2:
            raise torch.OutOfMemoryError("no room")
        return real(self, pending)

    monkeypatch.setattr(ContinuousBatch, "advance", small_memory)
    requests = [Request(row["id"], row["prompt"]) for row in ROWS]
    assert len(ask(local, requests)) == len(ROWS)
    assert sizes[:3] == [9, 4, 2]
    monkeypatch.setattr(ContinuousBatch, "advance", lambda *_: (_ for _ in ()).throw(MemoryError()))
    with pytest.raises(UserError, match="not even one request at a time fits into memory"):
        ask(local, requests, batch_size=1)


def test_a_prompt_without_room_for_an_answer_is_a_failed_request() -> None:
    tokenizer = tiny_tokenizer(TEXTS)
    local = LocalModel(tiny_model("opt", tokenizer), tokenizer, "opt")
    long, short = Request("long", "a b " * 300), Request("short", ROWS[0]["prompt"])
    replies = ask(local, [long, short])
    assert "leaves the model no room" in str(replies[long].error)
    assert replies[long].generation is None
    assert replies[short].error is None


def test_the_saved_chat_template_renders_the_question_and_its_newline_and_nothing_else() -> None:
    tokenizer = tiny_tokenizer(TEXTS)
    plain = LocalModel(tiny_model("opt", tokenizer), tokenizer, "opt")
    request = Request("x", ROWS[0]["prompt"])
    expected = ask(plain, [request])[request]
    chat = LocalModel(plain.model, prepare(tokenizer), "opt")
    reply = ask(chat, [request])[request]
    assert (reply.rendered_prompt, reply.generation) == (request.prompt, expected.generation)
    assert reply.messages == ({"role": "user", "content": request.prompt.removesuffix("\n")},)
    assert expected.messages is None


def test_a_checkpoint_is_loaded_from_a_folder_and_its_revision_is_its_files(tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer(TEXTS)
    name = save(tiny_model("gpt_neox", tokenizer), tokenizer, tmp_path / "model")
    first = LocalModel.load(name)
    assert first.revision == LocalModel.load(str(tmp_path)).revision, "a training folder stands for its model"
    save(tiny_model("gpt_neox", tokenizer, seed=1), tokenizer, tmp_path / "model")
    assert LocalModel.load(name).revision != first.revision


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("./nothing-here", "./nothing-here does not exist"),
        ("no/such-model", "is not a folder here and could not be fetched from the Hub"),
        ("{folder}", "holds no checkpoint"),
        ("{folder}/broken", "cannot be loaded"),
    ],
)
def test_a_model_that_cannot_be_had_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text('{"model_type": "nonsense"}')
    with pytest.raises(UserError, match=line) as caught:
        LocalModel.load(name.format(folder=tmp_path))
    assert "\n" not in str(caught.value)


def test_a_truncated_checkpoint_is_one_line(tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer(TEXTS)
    name = save(tiny_model("opt", tokenizer), tokenizer, tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(UserError, match="cannot be loaded") as caught:
        LocalModel.load(name)
    assert "\n" not in str(caught.value)
