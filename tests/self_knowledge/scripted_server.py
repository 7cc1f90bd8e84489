"""Models of known behaviour behind a real HTTP server: what each is asked it must have been asked word for word.

For every cell (a task, a protocol, a behaviour) the prompts that may come are worked out beforehand, by the plainest
means and not by the package's own transformations. A prompt that is none of these is answered with status 400.
"""

import re
import threading
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from selfknow.builders.self_knowledge.sources import noise
from selfknow.builders.self_knowledge.tasks import spell_date
from tests.json_server import JsonHandler, chat, serve_json
from tests.self_knowledge.manners import READINGS, WRITINGS
from tests.self_knowledge.scripted import REFUSAL, datetime_of, truth, written

Row = dict[str, Any]
PATIENCE_SECONDS = 0.4  # of the client, with who is slow; on a busy machine a third try may be needed
BEHAVIOURS = (
    *("perfect", "always wrong", "consistent but wrong", "inconsistent", "unparsable"),
    *("refusing", "slow", "too slow", "talkative", "failing every third call"),
)
WRITES_WRONG = ("always wrong", "consistent but wrong")
UNPARSABLE = "Hmm, hard to say, this or that."
TWO_BLOCKS = "```\n1\n```\nor\n```\n2\n```"


@dataclass
class Cell:
    """A model of one behaviour, asked one task with one protocol; in every manner: each row has the next one."""

    behaviour: str
    rows: list[Row]
    protocol: str
    benchmark: list[Row] = field(default_factory=list)
    in_every_manner: bool = False
    calls: int = 0
    repaired: bool = False
    times_asked: Counter[str] = field(default_factory=Counter)
    expected: dict[str, list[tuple[Row, str, str, str]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for stage in ("generate", "verify", "dual", "verify-dual", "verify-kept", "verify-broken"):
            for row in self.rows:
                for more in (0, 1):
                    self._expect(stage, row, more)
        for row in self.benchmark:
            self.expected[row["verify_prompt"]].append((row, "answer", "", ""))

    def _expect(self, stage: str, row: Row, more: int) -> None:
        if stage == "generate":
            self.expected[row["generate_prompt"]].append((row, stage, "", ""))
            return
        text = written(row, more * 2 if stage == "verify-dual" else more)
        template = {"dual": row["dual_prompt"]}.get(stage, row["verify_prompt"])
        shown = put_in(row, text)
        if stage in ("verify-kept", "verify-broken"):
            name = row["params"][stage.replace("verify-kept", "keep").replace("verify-", "").replace("broken", "break")]
            if name is None:
                return
            shown = changed(name, row, shown)
            if name in ("alter-question", "add-first-word", "delete-first-word", "change-word"):
                template = row["params"]["altered_verify_prompt"]
        if template is None:
            return
        prompt = template.replace("{generation}", shown)
        if self.protocol.startswith("in-context"):
            between = [noise()] if self.protocol.endswith("noise") else []
            if shown in text and template.endswith("\n\n{generation}"):  # it is not said a second time
                prompt = re.sub("(?<=title )stands below", "you gave", template.removesuffix("\n\n{generation}"))
                prompt = re.sub("below", "that you wrote", prompt, count=1)
                prompt = re.sub(r"following (\w+)", r"\1 that you wrote", prompt, count=1)
            prompt = "\n\n".join([row["generate_prompt"], self.in_context(row, text), *between, prompt])
        self.expected[prompt].append((row, stage, shown, template))

    def reply(self, prompt: str) -> str | int | None:
        """Return what it says; a status code where it fails, null where it is too slow."""
        self.calls += 1
        self.times_asked[prompt] += 1
        if prompt not in self.expected:
            return 400
        if self.behaviour == "failing every third call" and not self.repaired and self.calls % 3 == 0:
            return 503
        if self.behaviour == "too slow" or (self.behaviour == "slow" and self.times_asked[prompt] == 1):
            return None
        if self.behaviour == "refusing":
            return REFUSAL
        entries = self.expected[prompt]  # the same may be asked again at a later stage
        row, stage, shown, template = entries[min(self.times_asked[prompt], len(entries)) - 1]
        if stage in ("generate", "dual"):
            return self.writes(row, written(row, (self.behaviour in WRITES_WRONG) * (2 if stage == "dual" else 1)))
        return self.says(row, stage, template.partition("\n\n")[0], shown)

    def says(self, row: Row, stage: str, question: str, shown: str) -> str:
        """Return what it says about what was written, or about a question of the benchmark."""
        right = row["answer"] if stage == "answer" else truth(row, stage, question, shown)
        answer = row["answer"] or {"arxiv": written(row, self.behaviour in WRITES_WRONG)[-10:], "benchmark": "B"}.get(
            row["task"]
        )
        match self.behaviour:
            case "unparsable":
                return TWO_BLOCKS if row["task"] == "code" else UNPARSABLE
            case "consistent but wrong" if stage != "answer":
                return answer or ("77" if row["task"] == "grammar" else "wrong")
            case "always wrong" | "inconsistent" | "consistent but wrong":
                return self.not_right(right or answer, stage)
            case "talkative":
                return READINGS[self._manner(row, READINGS, stage)](row["task"], right or answer)
        return right or answer

    def _manner(self, row: Row, manners: Mapping[str, object], stage: str = "") -> str:
        """Return the manner of a row, stage and protocol; all manners come in turn."""
        if self.in_every_manner:
            return list(manners)[[row["id"] for row in self.rows].index(row["id"]) % len(manners)]
        return list(manners)[zlib.crc32(f"{row['id']} {self.protocol} {stage}".encode()) % len(manners)]

    def writes(self, row: Row, text: str) -> str:
        """Return a text in the manner of who is talkative."""
        return WRITINGS[self._manner(row, WRITINGS)](text) if self.behaviour == "talkative" else text

    def in_context(self, row: Row, text: str) -> str:
        """Return what of a text stands in the context: all but the thinking."""
        return text if self._manner(row, WRITINGS).startswith("thinks") else self.writes(row, text)

    def not_right(self, right: str, stage: str) -> str:
        """Never the truth; who is inconsistent never says twice the same."""
        later = stage not in ("verify", "answer")
        if right in ("yes", "no"):
            if self.behaviour == "inconsistent":
                return "yes" if later else "no"
            return "no" if right == "yes" else "yes"
        if right.isdigit():
            return str(int(right) + 1 + later)
        if right in tuple("ABCD"):
            return "ABCD"["ABCD".index(right) - 1]
        return "0704.00001" if right[4:5] == "." else f"another{later}"


def put_in(row: Row, text: str) -> str:
    """Return what of a text stands in the question about it."""
    match row["task"]:
        case "fact":
            return f"{text} was born on {spell_date(datetime_of(row['params']['date']))}."
        case "arxiv":
            return text.splitlines()[0].removeprefix("Title: ")
        case "code":
            return text.splitlines()[1]
        case "benchmark":
            return text.removesuffix("\nCorrect: B")
    return text


def changed(name: str, row: Row, text: str) -> str:  # noqa: C901 (one case a transformation)
    """Return a text after a transformation, worked out for the texts that are written here."""
    params, words = row["params"], text.split(" ")
    match name:
        case "move-first-sentence":
            return " ".join([*words[2:], *words[:2]])
        case "add-first-word":
            return f"{params['word']} {text}"
        case "delete-first-word":
            return " ".join(words[1:])
        case "change-word":
            words[params["position"] - 1] = params["word"]  # what stood at the old one goes with it
            return " ".join(words)
        case "append-word":
            return f"{text} {params['word']}"
        case "append-preposition":
            return f"{text} It stood behind the house."
        case "shift-date":
            dates = [spell_date(datetime_of(params[which])) for which in ("date", "altered_date")]
            return text.replace(*dates)
        case "append-comment":
            return f"{text}\n# This is the last line."
        case "append-print":
            return f'{text}\nprint("and one more line")'
        case "reverse-relation":
            return text.replace(">", "<=")
        case "alter-question":
            return text
    raise AssertionError(name)


def conversation(messages: list[dict[str, str]]) -> str:
    """Return all turns of a chat, who must take turns from the user on."""
    assert [message["role"] for message in messages] == (["user", "assistant"] * len(messages))[: len(messages)]
    return "\n\n".join(message["content"] for message in messages)


class Handler(JsonHandler):
    """Hands each request to the cell that its model names."""

    def do_POST(self) -> None:
        body, (cells, lock) = self.body(), self.server.state
        with lock:
            text = cells[body["model"]].reply(conversation(body["messages"]))
        if text is None:
            time.sleep(2 * PATIENCE_SECONDS)
            self.close_connection = True
        elif isinstance(text, int):
            self.reply(text, {"error": "as asked"})
        else:
            self.reply(200, chat(body, text))


def serve(cells: dict[str, Cell]) -> AbstractContextManager[str]:
    """Serve cells by their names, those added later too; yields the address."""
    return serve_json(Handler, (cells, threading.Lock()))
