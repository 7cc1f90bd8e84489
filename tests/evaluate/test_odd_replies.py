"""Whatever a server or a function returns becomes a row: no reply is lost, and none ends a run."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.evaluate.collect import collect
from selfknow.models.any_reply import LONGEST_REPLY_IN_CHARACTERS, writable_reply, writable_text
from selfknow.models.chat_response import reply_from_chat_response, reply_from_tgi_response
from selfknow.models.endpoint import Endpoint, EndpointModel
from selfknow.models.function import FunctionModel
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.runs import writer
from selfknow.runs.schema import GENERATIONS, generation_files, read_generations
from selfknow.runs.writer import RunWriter
from tests.diary_questions import Parrot, questions
from tests.evaluate.faulty_server import Behaviour, chat, serve
from tests.evaluate.write_slowly import DESCRIPTION

REQUESTS = [Request(row["id"], row["prompt"]) for row in questions(6).to_pylist()]
REPLY = pa.schema([GENERATIONS.field(column.name) for column in fields(Reply) if column.name in GENERATIONS.names])
ANY_TEXT = st.text(st.characters())  # half surrogate pairs among them
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(ANY_TEXT, values, max_size=3),
    max_leaves=8,
)
PARTS = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "refusal", "x"]), "text": ANY_TEXT | ANY_JSON})
)
MESSAGE = st.fixed_dictionaries(
    {}, optional={"content": ANY_JSON | PARTS, "refusal": ANY_JSON, "tool_calls": ANY_JSON, "role": ANY_JSON}
)
CHOICE = st.fixed_dictionaries(
    {}, optional={"message": MESSAGE | ANY_JSON, "finish_reason": ANY_JSON, "text": ANY_JSON}
)
BODY = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(CHOICE | ANY_JSON, max_size=2) | ANY_JSON,
        "usage": st.dictionaries(st.sampled_from(["prompt_tokens", "completion_tokens"]), ANY_JSON) | ANY_JSON,
        "error": ANY_JSON,
        "generated_text": ANY_JSON,
        "details": st.dictionaries(st.sampled_from(["tokens", "prefill", "finish_reason"]), ANY_JSON) | ANY_JSON,
    },
)


class Unspeakable(str):
    """A text that fails wherever Python code touches it."""

    __slots__ = ()

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = encode = isascii = __len__ = __str__  # type: ignore[assignment]


class Mute:
    """An object that says nothing, not even of what class it is."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("no class")


ANYTHING = (
    ANY_JSON | st.binary() | st.complex_numbers() | st.decimals() | st.builds(Mute) | st.builds(Unspeakable, st.text())
)


def check_row(reply: Reply) -> None:
    row = {name: getattr(reply, name) for name in REPLY.names}
    [written] = pa.Table.from_pylist([row], schema=REPLY).to_pylist()
    assert (written["generation"] is None) == (written["error"] is not None), "a text, or a reason"
    assert written["logprob"] is None or math.isfinite(written["logprob"])


@given(ANY_JSON | BODY)
@settings(max_examples=150, deadline=None)
def test_any_json_of_a_server_becomes_a_row(body: object) -> None:
    for reply in (reply_from_chat_response(body), reply_from_tgi_response(body, ["\n"])):
        check_row(writable_reply(REQUESTS[0], reply))


@given(st.builds(Reply, *[ANYTHING] * 7) | ANYTHING)
@settings(max_examples=100, deadline=None)
def test_any_object_of_a_model_becomes_a_row(reply: Any) -> None:
    row = writable_reply(REQUESTS[0], reply)
    check_row(row)
    assert writable_reply(REQUESTS[0], row) == row


@given(ANY_TEXT)
def test_a_text_that_can_be_encoded_stays_as_it_is(text: str) -> None:
    mended = writable_text(text)
    mended.encode()
    try:
        text.encode()
    except UnicodeEncodeError:
        assert mended != text
    else:
        assert mended == text


@pytest.mark.parametrize(
    ("message", "generation", "error"),
    [
        ({"content": "half \ud83d"}, "half \ufffd", None),
        ({"content": "two halves \ud83d\ude00"}, "two halves \U0001f600", None),
        ({"content": [{"type": "text", "text": "Ye"}, {"type": "text", "text": "s."}]}, "Yes.", None),
        ({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Yes."}]}, "Yes.", None),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "No.", None),
        ({"content": []}, "", None),
        ({"content": ""}, "", None),
        ({"content": None}, "", None),
        ({"content": None, "refusal": "I will not."}, "I will not.", None),
        ({"content": None, "tool_calls": [{"id": "1"}]}, None, "the model called a tool, and wrote no text"),
        ({"content": [{"type": "image_url"}]}, None, "the reply's content is in parts, and one of them is not text"),
        ({"content": ["Yes."]}, None, "the reply's content is in parts, and one of them is not text"),
        ({"content": 7}, None, "the reply's content is a number, not text"),
        ({"content": {"text": "Yes."}}, None, "the reply's content is an object, not text"),
        ({"role": "assistant"}, None, "the message has no content"),
        (None, None, "the message is null, not an object"),
    ],
)
def test_what_a_message_says(message: object, generation: str | None, error: str | None) -> None:
    reply = reply_from_chat_response({"choices": [{"message": message, "finish_reason": "stop"}]})
    row = writable_reply(REQUESTS[0], reply)
    assert (row.generation, row.error, row.finish_reason) == (generation, error, "stop")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"choices": []}, "the server sent no choices"),
        ({"choices": {"0": {}}}, "the server sent no choices"),
        ({"error": {"message": "overloaded", "code": 502}}, "the server sent an error: overloaded"),
        ([], "the server sent a list, not a chat completion"),
        (None, "the server sent null, not a chat completion"),
        ({"choices": ["Yes."]}, "the choice is a text, not an object"),
    ],
)
def test_an_answer_without_a_choice_says_what_it_is(body: object, error: str) -> None:
    assert reply_from_chat_response(body) == Reply(None, error=error)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        *[(7, 7), (7.0, 7), (0, 0), (2**31 - 1, 2**31 - 1), (2**31, None), (2**70, None), (-1, None), ("7", None)],
        *[(7.5, None), (True, None), (math.nan, None), (math.inf, None), ({}, None), ([7], None), (None, None)],
    ],
)
def test_a_number_of_tokens_that_cannot_be_read_is_null_and_the_text_stays(value: object, count: int | None) -> None:
    usage = {"prompt_tokens": value, "completion_tokens": value}
    reply = reply_from_chat_response({"choices": [{"message": {"content": "Yes."}}], "usage": usage})
    row = writable_reply(REQUESTS[0], reply)
    assert (row.generation, row.prompt_tokens, row.completion_tokens, row.error) == ("Yes.", count, count, None)


@pytest.mark.parametrize("value", [{"type": "stop"}, ["stop"], 1, "x" * 1_000])
def test_a_finish_reason_that_is_no_word_is_null(value: object) -> None:
    reply = reply_from_chat_response({"choices": [{"message": {"content": "Yes."}, "finish_reason": value}]})
    assert writable_reply(REQUESTS[0], reply) == Reply("Yes.")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "-1", True])
def test_a_log_probability_that_is_no_number_is_null_and_fails_where_it_was_what_was_wanted(value: Any) -> None:
    assert writable_reply(REQUESTS[0], Reply("Yes.", logprob=value)) == Reply("Yes.")
    forced = writable_reply(Request("1", "?", forced="Yes."), Reply("Yes.", "forced", logprob=value))
    assert forced == Reply(None, "forced", error=f"the model gave no log-probability, but {value!r}")


def odd(change: Callable[[dict[str, Any]], object]) -> Callable[[str, Any], Any]:
    """Return the first question's answer, changed; all others are sound."""

    def answers(prompt: str, answer: Any) -> Any:
        return (change(answer) or answer) if prompt == REQUESTS[0].prompt.strip() else answer

    return answers


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["choices"][0]["message"].update(content="half \ud83d"),
        lambda body: body["choices"][0]["message"].update(content=["Yes."]),
        lambda body: body["choices"][0]["message"].update(content=7),
        lambda body: body["choices"][0].update(finish_reason={"type": "stop"}),
        lambda body: body["usage"].update(prompt_tokens=2**70),
        lambda body: body["usage"].update(completion_tokens="3"),
        lambda body: {"choices": []},
        lambda body: [body],
    ],
)
def test_one_odd_reply_of_a_server_costs_no_other(change: Callable[[dict[str, Any]], object], tmp_path: Path) -> None:
    with serve(Behaviour(answers=odd(change))) as url, RunWriter.open(tmp_path, DESCRIPTION, questions(6)) as run:
        model = EndpointModel(Endpoint(url, tries=1, first_back_off_seconds=0.01))
        progress = collect(run, model, REQUESTS, quiet=True)
    rows = read_generations(tmp_path).to_pylist()
    assert sorted(row["example_id"] for row in rows) == sorted(request.example_id for request in REQUESTS)
    assert progress.answered + progress.failed == 6
    assert [row["error"] for row in rows if row["example_id"] != REQUESTS[0].example_id] == [None] * 5
    [first] = [row for row in rows if row["example_id"] == REQUESTS[0].example_id]
    assert (first["generation"] is None) == (first["error"] is not None)


def raises_the_unspeakable(prompt: str) -> str:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    raise MuteError


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda prompt: None, "the function returned NoneType, not text"),
        (lambda prompt: b"Yes.", "the function returned bytes, not text"),
        (lambda prompt: 7, "the function returned int, not text"),
        (lambda prompt: {"text": "Yes."}, "the function returned dict, not text"),
        (lambda prompt: Mute(), "RuntimeError: no class"),
        (lambda prompt: "x" * (LONGEST_REPLY_IN_CHARACTERS + 1), "the reply has 16,777,217 characters, more than"),
        (raises_the_unspeakable, "MuteError: (its message cannot be read)"),
        (lambda prompt: str(int("half \ud83d")), r"ValueError: invalid literal for int() with base 10: 'half \ud83d'"),
        (lambda prompt: {}["x" * 9_000], "KeyError: 'xxx"),
    ],
)
def test_what_a_function_returns_that_is_no_text_fails_alone(
    function: Callable[[str], Any], error: str, tmp_path: Path
) -> None:
    model = FunctionModel(lambda prompt: function(prompt) if prompt == REQUESTS[0].prompt else "Yes.", "function")
    with RunWriter.open(tmp_path, DESCRIPTION, questions(6)) as run:
        progress = collect(run, model, REQUESTS, quiet=True)
    assert (progress.answered, progress.failed) == (5, 1)
    [failed] = [row for row in read_generations(tmp_path).to_pylist() if row["error"] is not None]
    assert str(failed["error"]).startswith(error)
    assert len(failed["error"]) <= 2_001


def test_half_a_surrogate_pair_is_written_in_a_reply_a_prompt_and_an_id(tmp_path: Path) -> None:
    model = FunctionModel(lambda prompt: prompt, "echo")
    request = Request(REQUESTS[0].example_id, "half \ud83d", variant="a \udc00")
    for before in (0, 1):  # and is known again
        with RunWriter.open(tmp_path, DESCRIPTION, questions(6)) as run:
            assert collect(run, model, [request], quiet=True).answered_before == before
    [row] = read_generations(tmp_path).to_pylist()
    assert (row["prompt"], row["generation"], row["variant"]) == ("half \ufffd", "half \ufffd", "a \ufffd")


@dataclass
class Yields:
    """A model of somebody's own, which yields anything."""

    replies: Sequence[Any]
    name: str = "odd"
    revision: str | None = None

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Any]]:
        yield from zip(requests, self.replies, strict=False)


def test_a_model_of_somebodys_own_may_yield_anything(tmp_path: Path) -> None:
    messages = ({"role": "user", "content": [{"type": "text", "text": "?"}]}, {"content": "\ud83d"})
    replies = [None, "Yes.", Reply(7), Reply("Yes.", messages=7), Reply("Yes.", messages=messages), Reply(None)]  # type: ignore[arg-type]
    with RunWriter.open(tmp_path, DESCRIPTION, questions(6)) as run:
        progress = collect(run, Yields(replies), REQUESTS, quiet=True)
    assert (progress.answered, progress.failed) == (2, 4)
    rows = {row["example_id"]: row for row in read_generations(tmp_path).to_pylist()}
    assert [rows[request.example_id]["error"] for request in REQUESTS] == [
        "the model yielded NoneType, not a Reply",
        "the model yielded str, not a Reply",
        "the reply is of type int, not text",
        None,
        None,
        "the reply is of type NoneType, not text",
    ]
    assert rows[REQUESTS[4].example_id]["messages"] == [
        {"role": "user", "content": json.dumps([{"type": "text", "text": "?"}])},
        {"role": None, "content": "\ufffd"},
    ]


def test_long_replies_are_written_before_they_fill_the_memory(tmp_path: Path) -> None:
    with RunWriter.open(tmp_path, DESCRIPTION, questions(6)) as run:
        collect(run, FunctionModel(lambda prompt: "x" * LONGEST_REPLY_IN_CHARACTERS, "long"), REQUESTS, quiet=True)
    assert [pq.read_metadata(path).num_rows for path in generation_files(tmp_path)] == [4, 2]


def test_a_clock_that_is_set_back_does_not_stop_the_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class SetBack(datetime):
        """Every look at this clock is an hour earlier than the one before."""

        hours = 0

        @classmethod
        def now(cls, tz: Any = None) -> "SetBack":
            cls.hours += 1
            return cls(2026, 1, 1, tzinfo=UTC) - timedelta(hours=cls.hours)  # type: ignore[return-value]

    monkeypatch.setattr(writer, "datetime", SetBack)
    with RunWriter.open(tmp_path, DESCRIPTION, questions(2), seconds_per_part=0.0) as run:
        run.append("parrot", "1", REQUESTS[0], Reply("Yes."))
        assert len(generation_files(tmp_path)) == 1


def test_a_full_disk_says_what_is_there_and_what_is_not(tmp_path: Path) -> None:
    with RunWriter.open(tmp_path, DESCRIPTION, questions(6), rows_per_part=2) as run:
        collect(run, Parrot(), REQUESTS[:2], quiet=True)
        (tmp_path / "generations" / ".part-00001.parquet.writing").symlink_to("/dev/full")
        with pytest.raises(UserError) as refused:
            run.append("parrot", "1", REQUESTS[2], Reply("Yes."))
            run.append("parrot", "1", REQUESTS[3], Reply("Yes."))
    assert "no space left for" in str(refused.value)
    assert f"{tmp_path} keeps 2 replies; 2 later ones must be asked again" in str(refused.value)


def test_a_run_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be created: Not a directory"):
        RunWriter.open(tmp_path / "file" / "run", DESCRIPTION, questions(1))


def test_a_sound_answer_is_read_to_the_last_field() -> None:
    assert reply_from_chat_response(chat({}, "Yes.")) == Reply("Yes.", "stop", prompt_tokens=7, completion_tokens=3)
