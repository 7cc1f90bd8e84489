"""A model whose behaviour is known: what it writes is right or wrong, and what it says about it follows a rule.

What it says is worked out here from the text in the prompt, by the plainest means, not by the package's own checkers.
"""

import datetime
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa

from selfknow.builders.self_knowledge.builder import task_table
from selfknow.builders.self_knowledge.sources import births, categories
from selfknow.models.interface import Decoding, Reply, Request

REFUSAL = "I'm sorry, but I can't help with that."


def datetime_of(date: str) -> datetime.date:
    return datetime.date.fromisoformat(date)


@cache
def table_of(task: str) -> pa.Table:
    return task_table(task, 0)


@cache
def rows(task: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: {**row, "params": json.loads(row["params"])} for row in table_of(task).to_pylist()}


def written(row: dict[str, Any], more: int) -> str:  # noqa: C901 (one case a task)
    """Return a text with the property that is asked for; with ``more``, one that has another."""
    task, params = row["task"], row["params"]
    number, own = params.get("num", 0) + more, "n" + row["id"].split("-")[-2]
    match task:
        case "total-count":
            return "Go on. " + " ".join([own] * (number - 2))
        case "grammar":
            return f"Go in. {own} " + " ".join(["in"] * (3 + more))
        case "designated-count":
            return "Go on. " + " ".join([params["word"]] * number)
        case "add-first-word" | "delete-first-word" | "change-word":
            return "Go on. " + " ".join(f"word{place}" for place in range(3, 20))
        case "fact":
            born = {date.isoformat(): name for name, date in births()}
            return (
                born[params["date"]]
                if not more
                else next(name for date, name in born.items() if date != params["date"])
            )
        case "arxiv":
            month = params["month"][2:].replace("-", "") if not more else "9901"
            return f"Title: On the number {row['id']}\nID: {month}.00123"
        case "math":
            return f"What is {params['answer']} + {1000 * more}?"
        case "theorem":
            return f"{params['variable']}^2 {'-' if more else '+'} 1 > 0 for every real number {params['variable']}"
        case "code":
            return f"```python\nprint({'x' * more + params['output']!r})\n```"
        case "specific-mention":
            return "Go on. " + ", ".join(name.split("|")[0] for name in categories()[params["category"]][:number])
        case "sentiment":
            return "Go on. " + " ".join(["happy"] * number)
        case "sports-statistics":
            return "Home 3, guests 2"
        case "benchmark":
            return "What is 1 + 1?\nA) 1\nB) 2\nC) 3\nD) 4\nCorrect: B"
    raise AssertionError(task)


def truth(row: dict[str, Any], stage: str, question: str, text: str) -> str | None:  # noqa: C901
    """Return what is so of a text, as far as one can know."""
    task, params, words = row["task"], row["params"], text.replace(",", " ").split()
    altered = "altered_" if stage in ("verify-kept", "verify-broken") else ""
    match task:
        case "total-count":
            return str(len(words))
        case "grammar":
            return str(sum(word.strip(".").lower() in ("in", "on", "behind") for word in words))
        case "designated-count":
            return str(words.count(params["word"]))
        case "add-first-word" | "delete-first-word" | "change-word":
            return words[params[f"{altered}position"] - 1].strip(".").lower()
        case "fact":
            name, _, date = text.rstrip(".").partition(" was born on ")
            return "yes" if any(name == who and date == f"{on.day} {on:%B} {on.year}" for who, on in births()) else "no"
        case "math":
            return "yes" if text == f"What is {params['answer']} + 0?" and stage != "verify-broken" else "no"
        case "theorem":
            return "yes" if "+ 1 > 0" in text else "no"
        case "code":
            output = re.search(r"print\('(.*)'\)|print\(\"(.*)\"\)", text)
            printed = (output[1] or output[2] or "").replace("\\'", "'")
            return printed + ("\nand one more line" if "and one more line" in text else "")
        case "specific-mention":
            names = [name for name in text.removeprefix("Go on. ").removesuffix(" Go on.").split(", ") if name]
            return "yes" if str(len(names)) in re.findall(r"\d+", question) else "no"
        case "sentiment":
            return "yes" if str(words.count("happy")) in re.findall(r"\d+", question) else "no"
        case "sports-statistics":
            return "no" if stage == "verify-broken" else "yes"
    return None


@dataclass
class Scripted:
    """A language model that follows a script.

    Attributes:
        writes_wrong: What it writes lacks the property.
        says: ``truth``; ``asked`` (what it was asked for, whatever it wrote); or a text that it says about everything.
        fails: Every so manieth call fails; 0 for none.
    """

    writes_wrong: bool = False
    says: str = "truth"
    fails: int = 0
    name: str = "scripted"
    revision: str | None = "1"
    calls: int = 0
    prompts: list[str] = field(default_factory=list)
    known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            self.calls += 1
            self.prompts.append(request.prompt)
            if self.fails and self.calls % self.fails == 0:
                yield request, Reply(None, error="503 overloaded")
            else:
                yield request, Reply(self.reply(request), "stop")

    def reply(self, request: Request) -> str:
        row = self.row(request.example_id)
        if request.stage in ("generate", "dual"):
            return written(row, self.writes_wrong * (2 if request.stage == "dual" else 1))
        question, _, text = request.prompt.rpartition("\n\n")
        if request.turns and "that you wrote" in request.prompt:
            question, text = request.prompt, request.turns[1].content
        answer = row["answer"]
        if self.says in ("asked", "truth"):
            return answer if self.says == "asked" else truth(row, request.stage, question, text) or answer
        return self.says

    def row(self, example_id: str) -> dict[str, Any]:
        if example_id not in self.known:
            self.known |= rows(re.sub(r"-\d{3}-[a-z]+$", "", example_id))
        return self.known[example_id]
