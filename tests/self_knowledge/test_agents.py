"""Agents that invent templates: scripted proposals get the numbers that arithmetic says."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from selfknow.evaluate.connection import connect
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.score import score_run
from selfknow.evaluate.tasks.self_knowledge.agents.prompts import examples, read_proposal, reason_not_a_template
from selfknow.evaluate.tasks.self_knowledge.agents.score import read_answer, reply_kind
from selfknow.models import endpoint_calls
from selfknow.models.endpoint import Endpoint, EndpointModel
from selfknow.models.interface import GREEDY, Decoding, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.writer import RunWriter
from selfknow.sql.queries import query_rows
from tests.self_knowledge.asking import ask_agents
from tests.self_knowledge.scripted import REFUSAL
from tests.self_knowledge.scripted_server import PATIENCE_SECONDS, serve

GOOD = "Task: Vowels\nFirst generate: Write a word with [num] vowels.\nThen evaluate: How many vowels?\nAnswer: [num]"
VAGUE = "Task: Mood\nFirst generate: Write of [topic].\nThen evaluate: Is it nice?\n**Answer:** yes"
FLAT = "Task: Flat\nFirst generate: Write a word.\nThen evaluate: Is it a word?\nAnswer: yes"
WORDS = {"1": "sky", "2": "idea", "3": "banana"}  # two of them have as many vowels as they should


class Agent:
    """Proposes by number: 0 and 4 well, 1 vaguely, 2 in no form, 3 without a slot; the judge refuses what is vague."""

    revision = None

    def __init__(self, name: str, fails: bool = False) -> None:
        self.name, self.fails, self.prompts = name, fails, list[str]()

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            self.prompts.append(request.prompt)
            yield request, Reply(None, error="503") if self.fails else Reply(self.reply(request), "stop")

    def reply(self, request: Request) -> str:
        number = int(request.example_id.split("-")[1])
        if request.stage == "propose":
            return [GOOD, VAGUE, "How about poems?", FLAT, GOOD][number]
        if request.stage == "judge":
            is_vague = "Mood" in request.prompt
            return "Answer: no\nReason: Who can say?" if is_vague else "Answer: yes\nReason: Vowels can be counted."
        if request.stage == "fill":  # the fifth proposal is filled twice alike, and once not at all
            return "\n".join(f"{n}. [num] = {n}" for n in WORDS) if number == 0 else "[num] = 2\n[num]: 2\nnum = 3"
        if request.stage == "generate":
            [wanted] = re.findall(r"\d", request.prompt)
            return WORDS[wanted]
        return {"sky": "0", "idea": "There are 3 vowels.", "banana": "3"}[request.prompt.split()[-1]]


@pytest.fixture(scope="module")
def carried_out(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Agent, list[tuple[str, str, int]]]:
    folder, proposer, judge = tmp_path_factory.mktemp("agents") / "run", Agent("proposer"), Agent("judge")
    progress = ask_agents(folder, proposer, judge, num_proposals=5, instances=3)
    score_run(folder)
    return folder, proposer, [(item.stage, item.model, item.answered) for item in progress]


def test_what_is_accepted_is_filled_carried_out_and_counted(
    carried_out: tuple[Path, Agent, list[tuple[str, str, int]]],
) -> None:
    folder, proposer, progress = carried_out
    assert progress == [
        ("propose", "proposer", 5),
        ("judge", "judge", 3),
        ("fill", "proposer", 2),
        ("generate", "proposer", 3 + 1),
        ("verify", "proposer", 3 + 1),
    ]
    rows = defaultdict(list)
    for row in score_run(folder).to_pylist():
        rows[row["metric"]].append(row["value"])
    assert {metric: sorted(values) for metric, values in rows.items()} == {
        "proposal_parsed": [0.0, 0.0, 1.0, 1.0, 1.0],
        "accepted": [0.0, 1.0, 1.0],
        "filled": [pytest.approx(1 / 3), 1.0],
        "reply_parsed": [1.0] * 4,
        "self_consistent": [0.0, 0.0, 0.0, 1.0],
    }
    assert "Write a word with 3 vowels." in proposer.prompts
    assert "How many vowels?\n\nidea" in proposer.prompts
    assert "Generate a paragraph with exactly [num] words in total." in proposer.prompts[0]
    again = ask_agents(folder, proposer, Agent("judge"), num_proposals=5, instances=3)
    assert sum(item.answered for item in again) == 0


def test_what_was_proposed_accepted_and_refused_and_why_is_a_query(
    carried_out: tuple[Path, Agent, list[tuple[str, str, int]]],
) -> None:
    with connect(carried_out[0]) as connection:
        rows = query(connection, "self_knowledge_proposals")
        shares = {row["measure"]: row for row in query(connection, "self_knowledge_agents")}
    columns = ("name", "answer", "state", "why", "n", "n_graded", "consistent")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("Vowels", "[num]", "accepted", "Vowels can be counted.", 3, 3, pytest.approx(1 / 3)),
        ("Mood", "yes", "refused", "Who can say?", 0, 0, None),
        (None, None, "unusable", "no line Task", 0, 0, None),
        ("Flat", "yes", "unusable", "no slots", 0, 0, None),
        ("Vowels", "[num]", "accepted", "Vowels can be counted.", 1, 1, 0.0),
    ]
    assert {(row["generator"], row["verifier"]) for row in rows} == {("proposer", "judge"), ("proposer", None)}
    agrees = shares["self_consistent"]
    assert (agrees["n"], agrees["n_graded"], agrees["n_proposals"], agrees["share"]) == (4, 4, 2, 0.25)
    assert agrees["high"] > 0.7, "instances of two proposals are two trials, not four"
    assert shares["filled"]["share"] == pytest.approx(2 / 3)


def query(connection: Any, name: str) -> list[dict[str, Any]]:
    return query_rows(connection, name)


def test_proposals_that_were_carried_out_as_they_are_still_score(tmp_path: Path) -> None:
    """A run of the version before filled no slots: a text goes back to the judge, and a proposal has none."""
    description = RunDescription("self-knowledge-agents", DatasetReference("self-knowledge", "agents"), GREEDY, {})
    with RunWriter.open(tmp_path / "run", description, examples(1)) as run:
        parent = None
        for stage, text in (("propose", FLAT), ("judge", "yes"), ("generate", "sky"), ("verify", "Yes.")):
            request = Request("agents-000-plain", "?", stage, "agents", parent_generation_id=parent)
            parent = run.append("ann", None, request, Reply(text, "stop"))
    values = {row["metric"]: row["value"] for row in score_run(tmp_path / "run").to_pylist()}
    assert values == {"proposal_parsed": 1.0, "accepted": 1.0, "reply_parsed": 1.0, "self_consistent": 1.0}


def test_failed_requests_are_null_and_nothing_follows_upon_them(tmp_path: Path) -> None:
    down = Agent("down", fails=True)
    progress = ask_agents(tmp_path / "run", down, down, num_proposals=2)
    assert [item.requested for item in progress] == [2, 0, 0, 0, 0]
    assert [(row["value"], row["reason"]) for row in score_run(tmp_path / "run").to_pylist()] == [
        (None, "the request failed: 503")
    ] * 2


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no line Task"),
        ("Task: x", "no line First generate"),
        (GOOD + "\nAnswer: 3", "several lines Answer"),
        (GOOD.replace("Answer: [num]", "Answer:"), "no line Answer"),
        (GOOD.replace("Vowels", ""), "no line Task"),
    ],
)
def test_what_is_no_proposal_is_none(reply: str, reason: str) -> None:
    assert read_proposal(reply) == Outcome(None, reason)


def test_a_template_names_every_slot_in_its_first_prompt() -> None:
    proposals = [GOOD, FLAT, GOOD.replace("Answer: [num]", "Answer: [answer]"), GOOD.replace("How many", "How [many]")]
    read = [read_proposal(proposal).value for proposal in proposals]
    assert [item and reason_not_a_template(item) for item in read] == [
        None,
        "no slots",
        "the slot [answer] is not in its first prompt",
        "the slot [many] is not in its first prompt",
    ]


def test_replies_are_read_by_the_kind_of_the_answer() -> None:
    assert [reply_kind(answer) for answer in ("2", "yes", "True", "Paris", "2 apples", "Right angle", "1,5")] == [
        *("number", "yes-no", "yes-no", "text", "text", "text", "text")
    ]
    assert read_answer("text", "Answer: **Paris**.").outcome == read_answer("text", "paris").outcome == Outcome("paris")
    assert read_answer("text", "I'm sorry, I can't.").outcome.reason == "refusal"
    assert read_answer("text", "Answer: par", "length").outcome == Outcome(None, "cut off")


class ServedAgent:
    """Invents templates, accepts them, fills them with one number each, and carries them out as its behaviour is."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour, self.calls, self.seen = behaviour, 0, set[str]()

    def reply(self, prompt: str) -> str | int | None:
        self.calls += 1
        first = prompt not in self.seen
        self.seen.add(prompt)
        if self.behaviour == "failing every third call" and self.calls % 3 == 0:
            return 503
        if self.behaviour == "too slow" or (self.behaviour == "slow" and first):
            return None
        if self.behaviour == "refusing" or (self.behaviour == "refusing to write" and prompt.startswith("Write")):
            return REFUSAL
        if number := re.search(r"proposal number (\d+)", prompt):
            lines = ("Task: Words", f"First generate: Write [num] words of {number[1]}.", "Then evaluate: How many?")
            return "\n".join([*lines, "Answer: [num]"])
        if prompt.startswith("Below stands a template of a task; its slots"):
            return "[num] = 4"
        if number := re.fullmatch(r"Write 4 words of (\d+)\.", prompt):
            wrong = self.behaviour in ("always wrong", "consistent but wrong")
            return " ".join([f"of{number[1]}"] * (4 + wrong))
        question, _, text = prompt.rpartition("\n\n")
        return self.says(text) if question == "How many?" else "Answer: Yes."

    def says(self, text: str) -> str:
        counted = len(text.split())
        if self.behaviour == "unparsable":
            return "Hmm."
        if self.behaviour == "consistent but wrong":
            return "4"
        return str(counted + (self.behaviour in ("always wrong", "inconsistent")))


# Of proposal_parsed, accepted, filled, reply_parsed and self_consistent: n, n graded and the mean.
ALL = (2, 2, 1.0)
EXPECTED = {
    "perfect": (ALL, ALL, ALL, ALL, ALL),
    "slow": (ALL, ALL, ALL, ALL, ALL),
    "consistent but wrong": (ALL, ALL, ALL, ALL, ALL),
    "always wrong": (ALL, ALL, ALL, ALL, (2, 2, 0.0)),
    "inconsistent": (ALL, ALL, ALL, ALL, (2, 2, 0.0)),
    "unparsable": (ALL, ALL, ALL, (2, 2, 0.0), (2, 0, None)),
    "refusing": ((2, 2, 0.0), None, None, None, None),
    "refusing to write": (ALL, ALL, ALL, None, (2, 0, None)),
    "too slow": ((2, 0, None), None, None, None, None),
    # Calls 3 and 6 of six proposals fail, 9 of four judgements, 12 of three fillings, 15 of two texts; one question.
    "failing every third call": ((6, 4, 1.0), (4, 3, 1.0), (3, 2, 1.0), (1, 1, 1.0), (2, 1, 1.0)),
}
METRICS = ("proposal_parsed", "accepted", "filled", "reply_parsed", "self_consistent")


def test_behaviours_over_http_get_the_numbers_that_arithmetic_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_calls.Calls, "_wait_seconds", lambda *_: 0.01)
    rows = {}
    with serve({behaviour: ServedAgent(behaviour) for behaviour in EXPECTED}) as address:
        for behaviour in EXPECTED:
            third, folder = behaviour == "failing every third call", tmp_path / behaviour
            patience = {"timeout_seconds": PATIENCE_SECONDS} if "slow" in behaviour else {}
            tries = {"tries": 1} if third or behaviour == "too slow" else {}
            model = EndpointModel(Endpoint(address, behaviour, concurrency=1 if third else 8, **patience, **tries))
            ask_agents(folder, model, model, num_proposals=6 if third else 2, instances=1)
            graded = defaultdict(list)
            for row in score_run(folder).to_pylist():
                assert row["value"] is not None or row["reason"]
                graded[row["metric"]].append(row["value"])
            rows[behaviour] = tuple(shares(graded[metric]) if metric in graded else None for metric in METRICS)
    assert rows == EXPECTED


def shares(values: list[float | None]) -> tuple[int, int, float | None]:
    graded = [value for value in values if value is not None]
    return len(values), len(graded), sum(graded) / len(graded) if graded else None
