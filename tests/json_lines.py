"""Small files of JSON lines of every kind that is read."""

from typing import Any


def sample_lines() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each file, by kind."""
    chat = [{"role": "user", "content": "What is 1 + 1?"}]
    body = {"model": "gpt", "messages": chat, "temperature": 0.0, "max_tokens": 5, "seed": 1}
    choice = {"index": 0, "message": {"role": "assistant", "content": "2"}, "finish_reason": "stop", "logprobs": None}
    usage = {"prompt_tokens": 3, "completion_tokens": 1}
    answered = {"status_code": 200, "body": {"model": "gpt-1", "choices": [choice], "usage": usage}}
    drawn = {"until": ["\n"], "temperature": 0.0, "do_sample": False}
    sample = {
        "doc": {"question": "What is 1 + 1?", "id": "a"},
        "target": "2",
        "arguments": {"gen_args_0": {"arg_0": "What is 1 + 1?", "arg_1": drawn}},
        "resps": [["2"]],
        "filtered_resps": ["2"],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
    }
    post = {"method": "POST", "url": "/v1/chat/completions", "body": body}
    people = [{"question": f"Who is {i}?", "answers": [f"A {i}", "B"], "entities": ["A"]} for i in range(4)]
    sums = [{"question": f"{i} + 1?", "choices": ["1", "2", "3", "4"], "answer": i % 4} for i in range(12)]
    return {
        "gsm8k": [{"question": f"{i} + 1?", "answer": f"{i}\n#### {i + 1}"} for i in range(4)],
        "according-to": [{"id": f"q{i}", **row} for i, row in enumerate(people)],
        "benchmark": [{"id": str(i), "subject": "sums", **row} for i, row in enumerate(sums)],
        "batch-in": [{"custom_id": f"r{i}", **post} for i in range(3)],
        "batch-out": [{"id": f"b{i}", "custom_id": f"r{i}", "response": answered, "error": None} for i in range(3)],
        "lm-eval": [{"doc_id": i, **sample} for i in range(3)],
        "own-corpus": [{"name": f"Tom {i // 2}", "document": f"Entry {i}. It rains.", "order": i} for i in range(24)],
    }
