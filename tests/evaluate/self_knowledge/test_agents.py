"""Agents that invent tasks: scripted proposals get the numbers that arithmetic says."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from selfknow.evaluate.models import Decoding, Reply, Request
from selfknow.evaluate.score import score_run
from selfknow.evaluate.self_knowledge.agents import evaluate_agents, read_proposal, read_reply, reply_kind

GOOD = "Task: Vowels\nFirst generate: Write a word with 2 vowels.\nThen evaluate: How many vowels?\nAnswer: 2"
VAGUE = "Task: Mood\nFirst generate: Write something nice.\nThen evaluate: Is it nice?\n**Answer:** yes"


class Agent:
    """Proposes by number: 0 and 3 well, 1 vaguely, 2 in no form; the judge refuses what is vague."""

    revision = None

    def __init__(self, name: str, fails: bool = False) -> None:
        self.name, self.fails, self.prompts = name, fails, list[str]()

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            self.prompts.append(request.prompt)
            number = int(request.example_id.split("-")[1])
            said = {
                "propose": [GOOD, VAGUE, "How about poems?", GOOD][number],
                "judge": "No." if "Mood" in request.prompt else "Yes",
                "generate": "idea" if number == 0 else "sky",
                "verify": "There are 2 vowels." if number == 0 else "1",
            }[request.stage]
            yield request, Reply(None, error="503") if self.fails else Reply(said, "stop")


def test_what_is_accepted_is_carried_out_and_counted(tmp_path: Path) -> None:
    proposer, judge = Agent("proposer"), Agent("judge")
    asked = evaluate_agents(tmp_path / "run", Decoding(), proposer, judge, num_proposals=4, quiet=True)
    assert [(one.stage, one.model, one.progress.answered) for one in asked] == [
        ("propose", "proposer", 4),
        ("judge", "judge", 3),
        ("generate", "proposer", 2),
        ("verify", "proposer", 2),
    ]
    found = defaultdict(list)
    for row in score_run(tmp_path / "run").to_pylist():
        found[row["metric"]].append(row["value"])
    assert {metric: sorted(values) for metric, values in found.items()} == {
        "proposal_parsed": [0.0, 1.0, 1.0, 1.0],
        "accepted": [0.0, 1.0, 1.0],
        "reply_parsed": [1.0, 1.0],
        "self_consistent": [0.0, 1.0],
    }
    assert "How many vowels?\n\nidea" in proposer.prompts
    assert "Generate a paragraph with exactly [num] words in total." in proposer.prompts[0]
    again = evaluate_agents(tmp_path / "run", Decoding(), proposer, judge, num_proposals=4, quiet=True)
    assert sum(one.progress.answered for one in again) == 0


def test_failed_requests_are_null_and_nothing_follows_upon_them(tmp_path: Path) -> None:
    down = Agent("down", fails=True)
    asked = evaluate_agents(tmp_path / "run", Decoding(), down, down, num_proposals=2, quiet=True)
    assert [one.progress.requested for one in asked] == [2, 0, 0, 0]
    assert [(row["value"], row["reason"]) for row in score_run(tmp_path / "run").to_pylist()] == [
        (None, "failed: 503")
    ] * 2


@pytest.mark.parametrize(
    "reply", ["", "Task: x", GOOD + "\nAnswer: 3", GOOD.replace("Answer: 2", "Answer:"), GOOD.replace("Vowels", "")]
)
def test_what_is_no_proposal_is_none(reply: str) -> None:
    assert read_proposal(reply) is None


def test_replies_are_read_by_the_kind_of_the_answer() -> None:
    assert [reply_kind(answer) for answer in ("2", "yes", "True", "Paris", "2 apples")] == [
        *("number", "yes-no", "yes-no", "text", "text")
    ]
    assert read_reply("text", "Answer: **Paris**.", None).value == read_reply("text", "paris", None).value
    assert read_reply("text", "I'm sorry, I can't.", None).reason == "refusal"
