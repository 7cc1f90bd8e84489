"""Logs that the tools themselves wrote, as run folders.

``logs/`` holds what lm-evaluation-harness 0.4.13 (its dummy model) and Inspect 0.3.285 (its mock model) wrote, the JSON
log without its events.
"""

import json
import shutil
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_of_log
from selfknow.evaluate.connection import connect
from selfknow.evaluate.score import score_run
from selfknow.files import read_json
from selfknow.runs.importers.inspect_ai import read_inspect
from selfknow.runs.importers.lm_eval import read_lm_eval
from selfknow.runs.importers.openai_batch import read_openai_batch
from selfknow.runs.importers.run import example_table, read_example_rows, write_imported
from selfknow.sql.queries import run_query
from tests.conftest import Run
from tests.sql.given import ask_runs, diary, question, text

LOGS = Path(__file__).parent / "logs"
RECALL = next(LOGS.glob("samples_recall_*.jsonl"))
CHOOSE = next(LOGS.glob("samples_choose_*.jsonl"))


def rows(run: Path, query: str) -> list[tuple[object, ...]]:
    with connect(run) as connection:
        return connection.sql(query).fetchall()


def test_generations_of_lm_eval_with_their_repeats_and_filters(tmp_path: Path) -> None:
    assert write_imported(read_lm_eval(RECALL), tmp_path / "run") == 6
    query = "select example_id, stage, sample, model, prompt, generation, finish_reason from generations order by all"
    assert rows(tmp_path / "run", query)[:3] == [
        ("q-ann", "answer", 0, "dummy/model", "Recall Ann.", "lol", None),
        ("q-ann", "answer", 1, "dummy/model", "Recall Ann.", "lol", None),
        ("q-ben", "answer", 0, "dummy/model", "Recall Ben.", "lol", None),
    ]
    assert rows(tmp_path / "run", "select metric, count(*), avg(value) from scores group by all order by all") == [
        ("exact_match,first", 3, 0.0),
        ("exact_match,vote", 3, 0.0),
    ]
    assert rows(tmp_path / "run", "select task, dataset, split, temperature from runs") == [
        ("recall", "json", "test", 0.7)
    ]
    assert rows(tmp_path / "run", "select id, prompt, answer from examples order by id")[0] == (
        "q-ann",
        "Recall Ann.",
        "Ann's Diary Entry 1",
    )


def test_choices_of_lm_eval_keep_their_log_likelihoods(tmp_path: Path) -> None:
    assert write_imported(read_lm_eval(CHOOSE, model="mine"), tmp_path / "run") == 9
    query = """
        select variant, generation, round(logprob, 4), metric, value
        from generations left join scores using (generation_id)
        where example_id = 'q-ben' and model = 'mine' order by variant"""
    assert rows(tmp_path / "run", query) == [
        ("choice-0", " Ann's Diary Entry 1", -0.5474, None, None),
        ("choice-1", " Ben's Diary Entry 1", -0.8145, None, None),
        ("choice-2", " Cid's Diary Entry 1", -0.5403, "acc", 0.0),  # the score stands with the likeliest
    ]


@pytest.mark.parametrize("name", ["inspect.eval", "inspect.json"])
def test_an_inspect_log_in_both_of_its_forms(tmp_path: Path, name: str) -> None:
    assert write_imported(read_inspect(LOGS / name), tmp_path / "run") == 4
    query = "select example_id, sample, generation, finish_reason, prompt_tokens, messages[1].content from generations"
    assert rows(tmp_path / "run", f"{query} order by all") == [
        ("2", 0, "It was Ben.", "stop", 4, "You recall."),
        ("2", 1, "no", "stop", 4, "You recall."),
        ("q-ann", 0, "Ann", "stop", 4, "You recall."),
        ("q-ann", 1, "", "length", 4, "You recall."),
    ]
    query = "select metric, avg(value) from scores group by all order by all"
    assert rows(tmp_path / "run", query) == [("exact", 0.25), ("includes", 0.5)]
    assert rows(tmp_path / "run", "select id, target, num_documents from examples order by id") == [
        ("2", '["Ben", "Benjamin"]', None),
        ("q-ann", "Ann", 2),
    ]
    assert rows(tmp_path / "run", "select task, temperature, max_new_tokens from runs") == [("recall", 0.7, 64)]


def test_a_greedy_inspect_log_says_so_and_where_replies_end(tmp_path: Path) -> None:
    log = json.loads((LOGS / "inspect.json").read_text())
    log["plan"]["config"] |= {"stop_seqs": ["\n\n"], "top_p": 0.9, "seed": 7}
    path = tmp_path / "log.json"
    for arguments, temperature in (({"do_sample": True}, 0.7), ({"do_sample": None}, 0.7), ({"do_sample": False}, 0.0)):
        path.write_text(json.dumps({**log, "eval": {**log["eval"], "model_args": arguments}}))
        drawn = {"temperature": temperature, "max_new_tokens": 64, "stop": ["\n\n"], "top_p": 0.9, "seed": 7}
        assert read_inspect(path).decoding == drawn
    write_imported(read_inspect(path), tmp_path / "seven")
    write_imported(read_inspect(LOGS / "inspect.json"), tmp_path / "unknown")
    assert rows(tmp_path / "seven", "select seed from runs") == [(7,)]
    assert rows(tmp_path / "unknown", "select seed from runs") == [(None,)], "a seed that nobody set is not 0"


def test_settings_of_lm_eval_have_our_names_and_a_greedy_log_says_so(tmp_path: Path) -> None:
    samples = [json.loads(line) for line in RECALL.read_text().splitlines()]
    [drawn] = {json.dumps(sample["arguments"]["gen_args_0"]["arg_1"]) for sample in samples}
    path = tmp_path / "samples.jsonl"
    for change, decoding in (
        ({}, {"temperature": 0.7, "max_new_tokens": 32, "stop": ["\n\n"]}),
        ({"do_sample": False}, {"temperature": 0.0, "max_new_tokens": 32, "stop": ["\n\n"]}),
        ({"do_sample": None, "temperature": None}, {"temperature": 0.0, "max_new_tokens": 32, "stop": ["\n\n"]}),
        (
            {"max_gen_toks": None, "max_tokens": 5, "until": "."},
            {"temperature": 0.7, "max_new_tokens": 5, "stop": ["."]},
        ),
    ):
        for sample in samples:
            sample["arguments"]["gen_args_0"]["arg_1"] = {**json.loads(drawn), **change}
        path.write_text("\n".join(map(json.dumps, samples)))
        assert read_lm_eval(path, model="mine").decoding == decoding
    assert read_lm_eval(CHOOSE, model="mine").decoding == {}, "nothing was drawn"


def test_an_inspect_sample_that_failed_is_a_failed_request(tmp_path: Path) -> None:
    log = json.loads((LOGS / "inspect.json").read_text())
    log["samples"][0] |= {"error": {"message": "rate limit"}, "scores": {}}
    log["samples"][0]["output"] = {"choices": []}
    log["samples"][1]["messages"][0]["content"] = "attachment://abc"
    log["samples"][1]["attachments"] = {"abc": "a long text"}
    log["samples"][1]["scores"]["includes"]["value"] = {"a": "P", "b": "unclear"}
    (tmp_path / "log.json").write_text(json.dumps(log))
    write_imported(read_inspect(tmp_path / "log.json"), tmp_path / "run")
    assert rows(tmp_path / "run", "select error from generations where error is not null") == [("rate limit",)]
    assert rows(tmp_path / "run", "select count(*) from generations where prompt like 'a long text%'") == [(1,)]
    scores = rows(tmp_path / "run", "select metric, value, reason from scores where metric like '%/%' order by all")
    assert scores == [("includes/a", 0.5, None), ("includes/b", None, "no number: unclear")]


def test_rows_of_a_hub_dataset_keep_their_own_ids(tmp_path: Path) -> None:
    log = json.loads((LOGS / "inspect.json").read_text())
    for sample in log["samples"]:
        sample["metadata"] = {"id": f"row-{sample['id']}"}
    (tmp_path / "log.json").write_text(json.dumps(log))
    assert {call.example_id for call in read_inspect(tmp_path / "log.json").calls} == {"row-2", "row-q-ann"}
    for sample in log["samples"]:
        sample["metadata"] = {"id": "the same"}
    (tmp_path / "log.json").write_text(json.dumps(log))
    assert {call.example_id for call in read_inspect(tmp_path / "log.json").calls} == {"2", "q-ann"}


def batch(tmp_path: Path, *rows_: dict[str, Any], name: str) -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows_))
    return path


def asked(custom_id: str, content: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": content}]
    body = {"model": "gpt-x", "messages": messages, "temperature": 0.2, "max_completion_tokens": 99}
    return {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body}


def answered(custom_id: str, *contents: str, status: int = 200, **more: Any) -> dict[str, Any]:
    choices = [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"} for content in contents]
    body = {"choices": choices, "usage": {"prompt_tokens": 7, "completion_tokens": 5}, **more}
    return {"custom_id": custom_id, "response": {"status_code": status, "body": body}, "error": None}


def test_a_batch_about_diaries_is_scored_like_our_own_runs(tmp_path: Path) -> None:
    questions = [question("Ann", 1, 2), question("Ben", 1), question("Cat", 1), question("Dan", 1)]
    requests = batch(tmp_path, *(asked(row["diarist"], row["prompt"]) for row in questions), name="requests.jsonl")
    failed = answered("Ben", status=500, error={"message": "overloaded"})
    expired = {"custom_id": "Cat", "response": None, "error": {"code": "batch_expired", "message": "too late"}}
    outputs = [
        batch(tmp_path, answered("Ann", text(*diary("Ann", 1, 2))), failed, name="output.jsonl"),
        batch(tmp_path, expired, name="errors.jsonl"),
        batch(tmp_path, answered("Ben", "Ben's Diary Entry 1"), name="again.jsonl"),
    ]
    examples = batch(tmp_path, *questions, name="examples.jsonl")
    log, table = read_openai_batch(outputs, [requests]), read_example_rows(examples)
    write_imported(log, tmp_path / "run", task=task_of_log(log.task, table.column_names), examples=table)
    query = "select example_id, attempt, model, generation, error from generations order by example_id, attempt"
    assert rows(tmp_path / "run", query) == [
        ("Ann", 0, "gpt-x", text(*diary("Ann", 1, 2)), None),
        ("Ben", 0, "gpt-x", None, "500 overloaded"),
        ("Ben", 1, "gpt-x", "Ben's Diary Entry 1", None),
        ("Cat", 0, "gpt-x", None, "too late"),
        ("Dan", 0, "gpt-x", None, "the batch has no output for this request"),
    ]
    assert rows(tmp_path / "run", "select task, temperature, max_new_tokens from runs") == [("diary-recall", 0.2, 99)]
    score_run(tmp_path / "run")
    assert ask_runs("accuracy_by_size", tmp_path / "run", "n", "n_graded", "accuracy") == [(4, 2, 0.5)]


def test_settings_that_the_requests_of_a_batch_do_not_share_are_no_settings_of_the_run(tmp_path: Path) -> None:
    first, second = asked("a", "Say."), asked("b", "Say.")
    first["body"] |= {"stop": "\n", "seed": 1}
    second["body"] |= {"stop": ["\n"], "seed": 2, "temperature": 0.3}
    requests = batch(tmp_path, first, second, name="requests.jsonl")
    output = batch(tmp_path, answered("a", "one"), answered("b", "two"), name="output.jsonl")
    assert read_openai_batch([output], [requests]).decoding == {"max_new_tokens": 99, "stop": ["\n"]}


def test_several_choices_of_a_batch_are_samples(tmp_path: Path) -> None:
    requests = batch(tmp_path, asked("a", "Say."), name="requests.jsonl")
    output = batch(tmp_path, answered("a", "one", "two"), name="output.jsonl")
    write_imported(read_openai_batch([output], [requests]), tmp_path / "run")
    query = "select sample, generation, prompt_tokens, messages from generations order by sample"
    message = [{"role": "user", "content": "Say."}]
    assert rows(tmp_path / "run", query) == [(0, "one", 7, message), (1, "two", 7, message)]


def test_an_import_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    log = read_lm_eval(RECALL)
    examples = read_example_rows(batch(tmp_path, {"id": "q-ann"}, name="examples.jsonl"))
    with pytest.raises(UserError, match="a call is about 'q-ben', which is not the `id` of an example"):
        write_imported(log, tmp_path / "run", examples=examples)
    assert [path.name for path in tmp_path.iterdir()] == ["examples.jsonl"]
    write_imported(log, tmp_path / "run")
    with pytest.raises(UserError, match="exists: name a new folder"):
        write_imported(log, tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "examples.parquet",
        "generations",
        "run.json",
        "scores",
    ]
    assert "settings" in read_json(tmp_path / "run" / "run.json")


def test_any_rows_become_a_table() -> None:
    made = example_table([{"id": "1", "x": 1, "y": {"a": 1}, "z": [1]}, {"id": "2", "x": "one", "z": None, "w": None}])
    assert made.to_pylist() == [
        {"id": "1", "x": "1", "y": '{"a": 1}', "z": [1], "w": None},
        {"id": "2", "x": '"one"', "y": None, "z": None, "w": None},
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("log.jsonl", "{}\n", "line 1 is not a sample of lm-evaluation-harness: it has no doc_id"),
        ("log.jsonl", '{"doc_id": 1}\n{"doc', r"line 2 is not JSON \(was the file cut off\?\)"),
        ("log.jsonl", "[1]\n", "line 1 is not a JSON object"),
        ("log.jsonl", "", "no call"),
        ("log.json", "{}", "is not an Inspect log with samples"),
        ("log.json", '{"samples": []}', "does not say which model"),
        ("log.json", '{"samples": [{}], "eval": {"model": "m"}}', "a sample that is not from Inspect"),
        ("log.eval", "PK", "is not a complete Inspect archive"),
    ],
)
def test_a_log_of_another_kind_is_one_clear_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(UserError, match=message):
        read = read_lm_eval(path, "m") if path.suffix == ".jsonl" else read_inspect(path)
        write_imported(read, tmp_path / "run")


def test_an_evaluation_that_was_stopped_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(UserError, match=r"an evaluation that was stopped\?"):
        read_inspect(tmp_path / "log.eval")


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


HEADER = b'{"eval": {"model": "m"}}'


@pytest.mark.parametrize(
    "members",
    [
        {"header.json": b"[" * 100_000 + b"]" * 100_000},
        {"header.json": HEADER, "samples/1.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000},
    ],
)
def test_an_inspect_log_that_is_nested_without_end_is_one_line(tmp_path: Path, members: dict[str, bytes]) -> None:
    with pytest.raises(UserError, match="nested too deeply") as refused:
        read_inspect(archive(tmp_path / "log.eval", members))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("declared", [None, 10])
@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, 93])
def test_an_inspect_archive_is_inflated_no_further_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, declared: int | None, compression: int
) -> None:
    monkeypatch.setattr("selfknow.runs.importers.archive.LARGEST_MEMBER_IN_BYTES", 4 << 20)
    size = 64 << 20
    path = archive(tmp_path / "log.eval", {"header.json": HEADER, "samples/1.json": b" " * size})
    content = path.read_bytes()
    if compression == 93:  # as Inspect compresses; Python's zip cannot write it
        packed = pa.compress(b" " * size, "zstd", asbytes=True)
        path = archive(tmp_path / "log.eval", {"header.json": HEADER, "samples/1.json": b""})
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
            file.writestr("header.json", HEADER)
            file.writestr("samples/1.json", packed)
        content = path.read_bytes()
        place = content.rindex(b"PK\x01\x02")
        content = content[: place + 10] + struct.pack("<H", 93) + content[place + 12 :]
        content = content[: place + 24] + struct.pack("<I", size) + content[place + 28 :]
    if declared is not None:
        content = content.replace(struct.pack("<I", size), struct.pack("<I", declared))
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(UserError, match=r"is larger than 4 MiB when it is inflated|is not a complete Inspect archive"):
        read_inspect(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20


def test_batches_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    requests = batch(tmp_path, asked("a", "Say."), name="requests.jsonl")
    strange = batch(tmp_path, answered("b", "one"), name="strange.jsonl")
    with pytest.raises(UserError, match="answers 'b', which is not in the input"):
        read_openai_batch([strange], [requests])
    with pytest.raises(UserError, match="line 1 is not a batch request"):
        read_openai_batch([strange], [strange])
    with pytest.raises(UserError, match="line 1 is not batch output"):
        read_openai_batch([requests], [requests])


def test_a_log_without_its_results_needs_a_model(tmp_path: Path) -> None:
    shutil.copy(RECALL, tmp_path)
    with pytest.raises(UserError, match="add --model"):
        read_lm_eval(tmp_path / RECALL.name)


def test_imports_from_the_command_line(selfknow: Run, tmp_path: Path) -> None:
    process = selfknow("import", "inspect", LOGS / "inspect.eval", "--out", "run")
    assert process.stdout.splitlines()[2].split() == ["run", "recall", "4", "0"]
    process = selfknow("import", "lm-eval", RECALL, "--out", "other", "--task", "mine")
    assert process.stdout.splitlines()[2].split() == ["other", "mine", "6", "0"]
    refused = selfknow("import", "openai-batch", "nothing.jsonl", "--out", "third")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    with connect(tmp_path / "run") as connection:
        metrics = {row[4 + 2]: row for row in run_query(connection, "metrics").fetchall()}
    assert set(metrics) == {"exact", "includes"}
    assert pq.read_table(tmp_path / "other" / "examples.parquet").num_rows == 3
