"""Agents: a model invents templates of tasks, another judges them, and the first carries out the accepted ones.

Tan et al., Can I understand what I create?, section 6.4, Table 8. Proposer and judge may be the same model. A
row: ``{"id": "agents-000-plain", "prompt": …}``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError, argument
from selfknow.evaluate.task import FinishedRun, Models, Options, Rows, ScoreOptions, Scores, Stage, Task
from selfknow.options import option
from selfknow.runs.parsed import ParsedFiles
from selfknow.sql.task import TaskSql

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.models.opening import ModelOptions
    from selfknow.report.task import TaskReport

_NUM_PROPOSALS = 20
_NUM_INSTANCES = 10


@dataclass(frozen=True, kw_only=True)
class AgentOptions(Options):
    """Options for agents: the judge, and the number of instances of a template.

    Attributes:
        verifier: The model that judges; empty for the proposer itself.
        instances: The number of instances of an accepted template.
        examples: True if completion models are shown two worked proposals first.
    """

    instances: int = option(_NUM_INSTANCES, "Instances of each accepted template.", minimum=1)
    verifier: tuple[str, ...] = option((), "The model that judges what --model proposes. Default: --model itself.")
    examples: bool = option(True, "Show base models two worked proposals first.", switch="examples/no-examples")


def _open(name: str, options: AgentOptions, folder: Path) -> Rows:
    from selfknow.evaluate.tasks.self_knowledge.agents.prompts import examples
    from selfknow.evaluate.tasks.self_knowledge.agents.worked import agent_completion_settings
    from selfknow.runs.description import DatasetReference

    rows = examples(options.limit or _NUM_PROPOSALS)
    completion = agent_completion_settings() if options.examples else None
    settings = {"instances": options.instances, "completion": completion}
    return Rows(rows, DatasetReference("self-knowledge", "agents"), settings)


def _open_models(options: AgentOptions, models: "ModelOptions", folder: Path) -> Models:
    if len(options.verifier) > 1:
        raise UserError(f"one model judges the tasks: name one {argument('verifier')}, not {len(options.verifier)}")
    proposer = models.language_model()
    judge = models.named(options.verifier[0]).language_model() if options.verifier else proposer
    return Models([proposer], [judge], {"judge": judge.name})


def _stages(options: AgentOptions, rows: Rows) -> Sequence[Stage]:
    from selfknow.evaluate.tasks.self_knowledge.agents.prompts import STAGES, requests
    from selfknow.evaluate.tasks.self_knowledge.agents.worked import shots

    return [
        Stage(
            name,
            partial(requests, name, options.instances, shots(name) if options.examples else None),
            by_verifier=name == "judge",
        )
        for name in STAGES
    ]


def _score(run: FinishedRun, options: ScoreOptions) -> Iterator[Scores]:
    from selfknow.evaluate.tasks.self_knowledge.agents.score import score

    return score(run, options)


def _proposals() -> "pa.Schema":
    from selfknow.evaluate.tasks.self_knowledge.agents.score import PROPOSALS

    return PROPOSALS


def _report() -> "TaskReport":
    from selfknow.evaluate.tasks.self_knowledge.agents.report import FIGURES, headline
    from selfknow.report.task import TaskReport

    return TaskReport(
        name=SELF_KNOWLEDGE_AGENTS.name,
        question=SELF_KNOWLEDGE_AGENTS.question,
        about="It makes up tasks, writes texts for them, and is then asked about its own texts.",
        figures=FIGURES,
        headline=headline,
    )


SELF_KNOWLEDGE_AGENTS: Task[AgentOptions, ScoreOptions] = Task(
    name="self-knowledge-agents",
    question="Does it agree with itself on its own tasks?",
    usage=("self-knowledge:agents --verifier JUDGE --limit 20",),
    options={"self-knowledge:agents": AgentOptions},
    open=_open,
    open_models=_open_models,
    stages=_stages,
    score=_score,
    sql=TaskSql(
        name="self-knowledge-agents",
        folder=Path(__file__).parent,
        parsed={"self_knowledge_proposals": ParsedFiles("parsed/self_knowledge_proposals.parquet", _proposals)},
    ),
    report=_report,
)
