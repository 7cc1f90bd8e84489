"""The plan that asks a small model everything of self-knowledge that is asked in text."""

from selfknow.builders.self_knowledge.builder import CONFIGS
from selfknow.errors import UserError
from selfknow.evaluate.tasks.self_knowledge.protocols import PROTOCOLS, Example, Setup
from selfknow.reproduce.plan import find_plan
from tests.self_knowledge.scripted import table_of


def test_the_plan_asks_every_text_task_in_every_protocol_that_it_has_and_no_other() -> None:
    possible = {(task, protocol) for task in CONFIGS for protocol in PROTOCOLS if _has(task, protocol)}
    for name in ("small-models/self-knowledge", "small-models/self-knowledge-full"):
        command_line = [
            (str(task).partition(":")[2], protocol)
            for block in find_plan(name).evaluate
            for task in block.settings["task"]
            for protocol in block.settings["protocol"]
        ]
        assert set(command_line) == possible
        assert len(command_line) == len(possible) == 58


def _has(task: str, protocol: str) -> bool:
    rows = [row for row in table_of(task).slice(0, 30).to_pylist() if row["style"] == "plain"]
    try:
        Setup(task, protocol).check([Example.of(row, "ours") for row in rows])
    except UserError:
        return False
    return True
