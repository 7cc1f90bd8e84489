"""The requests to proposer and judge (Tan et al., section 6.4).

The stages, each about the calls of the one before it:

``propose``    the model invents a template like the paper's
``judge``      the judge says if the template is clear, with one answer that is easily verified, and why
``fill``       the model fills the slots of an accepted template many times; each filling is an instance
``generate``   the model carries out the first prompt of an instance; ``sample`` is the instance's number
``verify``     the model answers the second prompt about its text

The paper's Table 8 has templates with slots ("Write a paragraph mentioning exactly [num] distinct [countries]."); "one
can further ask the model to generate example instances of questions based on the template question". A slot is a name
in square brackets. Every slot of the second prompt and of the answer must be in the first prompt, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from selfknow.builders.self_knowledge.prompts import MARKER
from selfknow.builders.self_knowledge.sources import paper_templates, prompts
from selfknow.evaluate.outcome import Outcome, failed
from selfknow.evaluate.readers.reading import Reading, is_refusal
from selfknow.evaluate.replies import asked_text, without_thinking
from selfknow.evaluate.task import Row, SoFar
from selfknow.evaluate.tasks.completions import Example, framed
from selfknow.evaluate.tasks.self_knowledge.replies import read
from selfknow.models.interface import Request

_LINES = ("Task", "First generate", "Then evaluate", "Answer")
_LINE = r"^[ \t*_#>-]*LINE[*_]*:[*_]*[ \t]*(\S.*)$"
_SLOT = re.compile(r"\[([^\[\]\n]{1,60})\]")
_FILLED = re.compile(r"\[([^\[\]\n]{1,60})\][`*_]*[ \t]*[=:][ \t]*([^;\n]+)")


@dataclass(frozen=True)
class Proposal:
    """A task that a model invented.

    Attributes:
        name: The task's name.
        generate_prompt: The prompt that asks for a text with a property.
        verify_prompt: The prompt that asks about that property.
        answer: The correct answer; it may be a slot.
    """

    name: str
    generate_prompt: str
    verify_prompt: str
    answer: str

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the first prompt's slots, without repeats.

        >>> Proposal("Rain", "Write [num] lines on [topic].", "How many lines?", "[num]").slots
        ('num', 'topic')
        """
        return tuple(dict.fromkeys(_SLOT.findall(self.generate_prompt)))

    def filled(self, values: Mapping[str, str]) -> "Proposal":
        """Return an instance: the proposal with every slot replaced by its value."""

        def fill(template: str) -> str:
            return _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), template)

        return Proposal(self.name, fill(self.generate_prompt), fill(self.verify_prompt), fill(self.answer))


def read_proposal(reply: str) -> Outcome[Proposal]:
    r"""Read a proposal from its four lines; null with a reason unless the reply has each line exactly once.

    >>> read_proposal("Task: Rhyme\nFirst generate: Write.\nThen evaluate: Does it rhyme?\nAnswer: yes").value.answer
    'yes'
    >>> read_proposal("How about poems?").reason
    'no line Task'
    """
    values = []
    for line in _LINES:
        matches = re.findall(_LINE.replace("LINE", line), reply, re.IGNORECASE | re.MULTILINE)
        if len(matches) != 1:
            return Outcome(None, f"several lines {line}" if matches else f"no line {line}")
        values.append(matches[0].strip())
    return Outcome(Proposal(*values))


def reason_not_a_template(proposal: Proposal) -> str | None:
    """Return the reason that a proposal is not a template that can be filled; None if it is.

    >>> reason_not_a_template(Proposal("Rain", "Write [num] lines.", "How many lines?", "[count]"))
    'the slot [count] is not in its first prompt'
    """
    if not proposal.slots:
        return "no slots"
    unknown = set(_SLOT.findall(f"{proposal.verify_prompt}\n{proposal.answer}")) - set(proposal.slots)
    return f"the slot [{min(unknown)}] is not in its first prompt" if unknown else None


def read_instances(reply: str, proposal: Proposal, num_instances: int) -> list[dict[str, str]]:
    r"""Read the values of the slots from the lines of a reply; incomplete and repeated instances are left out.

    Args:
        reply: A reply of the stage ``fill``.
        proposal: The template.
        num_instances: The number of instances requested; further ones are ignored.

    >>> rain = Proposal("Rain", "Write [num] lines on [topic].", "How many lines?", "[num]")
    >>> read_instances("1. [num] = 3; [topic] = rain\n2. [num] = 4\n[topic]: fog; [num]: 5", rain, num_instances=10)
    [{'num': '3', 'topic': 'rain'}, {'num': '5', 'topic': 'fog'}]
    """
    instances = []
    for line in reply.splitlines():
        values = {slot: value.strip(' \t`*_"“”') for slot, value in _FILLED.findall(line)}
        instance = {slot: values.get(slot, "") for slot in proposal.slots}
        if all(instance.values()) and instance not in instances:
            instances.append(instance)
    return instances[:num_instances]


PROPOSE, JUDGE, FILL, GENERATE, VERIFY = STAGES = ("propose", "judge", "fill", "generate", "verify")
_PARENTS = {JUDGE: PROPOSE, FILL: JUDGE, GENERATE: FILL, VERIFY: GENERATE}
VARIANT = "agents"


_UNSUITED_TASKS = ("specific-mention", "sentiment", "sports-statistics")
"""Tasks of the paper whose templates have no slots."""


def propose_prompt(number: int, max_tasks: int | None = None) -> str:
    """Return the prompt that asks for a proposal.

    Args:
        number: The number of the proposal, from 1.
        max_tasks: The largest number of the paper's tasks that it lists; null for all that have slots.
    """
    tables = paper_templates()["tables_8_13_and_14"]
    tasks = [
        f"- {name}: first: {template['generate']} Then: {template['verify']}"
        for name, template in tables.items()
        if not name.startswith("image-") and name not in _UNSUITED_TASKS
    ]
    template: str = prompts()["agents"]["propose"]
    return template.replace("{tasks}", "\n".join(tasks[:max_tasks])).replace("{number}", str(number))


def judge_prompt(proposal: str) -> str:
    """Return the prompt that asks the judge about a proposal."""
    return str(prompts()["agents"]["judge"]).replace(MARKER, proposal)


def fill_prompt(proposal: str, num_instances: int) -> str:
    """Return the prompt that asks for values of a proposal's slots."""
    return str(prompts()["agents"]["fill"]).replace("{num}", str(num_instances)).replace(MARKER, proposal)


def examples(num_proposals: int) -> pa.Table:
    """Return the questions to the proposer, a row for each proposal."""
    numbers = range(num_proposals)
    ids = [f"agents-{number:03d}-plain" for number in numbers]
    return pa.table({"id": ids, "prompt": [propose_prompt(number + 1) for number in numbers]})


def requests(stage: str, num_instances: int, shots: Sequence[Example] | None, so_far: SoFar) -> Iterator[Request]:
    """Yield the requests of a stage, one of :data:`STAGES`.

    Args:
        stage: The stage.
        num_instances: The number of instances of a template.
        shots: Worked examples for completion models; null to give them the plain prompt.
        so_far: The run so far.
    """

    def request(example_id: str, prompt: str, sample: int = 0, parent: str | None = None) -> Request:
        completion = None if shots is None else framed(shots, prompt)
        return Request(
            *(example_id, prompt, stage, VARIANT, sample), parent_generation_id=parent, completion=completion
        )

    if stage == PROPOSE:
        yield from (request(row["id"], row["prompt"]) for row in so_far.rows)
        return
    by_id = {row["generation_id"]: row for row in so_far.replies if row["generation"] is not None}
    for row in by_id.values():
        if row["stage"] == _PARENTS[stage]:
            for sample, prompt in _prompts(stage, num_instances, row, by_id):
                yield request(row["example_id"], prompt, sample, parent=row["generation_id"])


def _prompts(stage: str, num_instances: int, row: Row, by_id: Mapping[str, Row]) -> Iterator[tuple[int, str]]:
    """Yield the prompts of a stage about a call of the stage before, each with its sample."""
    template = template_in(proposal_of(row, by_id)).value
    if template is None:
        return
    if stage == JUDGE:
        yield 0, judge_prompt(_spoken_text(proposal_of(row, by_id)))
    elif stage == FILL:
        if read_judgement(row).outcome.value == "yes":
            yield 0, fill_prompt(_spoken_text(proposal_of(row, by_id)), num_instances)
    elif stage == GENERATE:
        for number, values in enumerate(read_instances(_spoken_text(row), template, num_instances)):
            yield number, template.filled(values).generate_prompt
    elif not reason_not_verifiable(row):
        instance = instance_of(row, by_id)
        assert instance is not None, "every text belongs to an instance"
        yield row["sample"], f"{instance.verify_prompt}\n\n{asked_text(row['generation'], row['prompt']).text}"


def _spoken_text(row: Row) -> str:
    """Return the reply of a call without its thinking."""
    return without_thinking(row["generation"], row["prompt"]).text


def proposal_in(row: Row) -> Outcome[Proposal]:
    """Read the proposal in the reply of a call of stage ``propose``."""
    return read_proposal(_spoken_text(row))


def template_in(row: Row) -> Outcome[Proposal]:
    """Read the proposal in a reply; null with a reason unless it is a template."""
    proposal = proposal_in(row)
    reason = proposal.reason if proposal.value is None else reason_not_a_template(proposal.value)
    return proposal if reason is None else Outcome(None, reason)


def read_judgement(row: Row) -> Reading:
    """Read the verdict in a reply of stage ``judge``, yes or no."""
    return read("yes-no", row["generation"], row["finish_reason"], row["prompt"])


def reason_given(row: Row) -> str | None:
    """Return the judge's reason: the text after ``Reason:``, or else its whole reply; None if that is empty."""
    reply = _spoken_text(row).strip()
    return reply.rpartition("Reason:")[2].strip() or reply or None


def reason_not_verifiable(text: Row) -> str | None:
    """Return the reason that no question about a text can be asked; None if one can."""
    if text["error"] is not None:
        return failed(text).reason
    if not text["generation"].strip():
        return "empty"
    reply = _spoken_text(text)
    if is_refusal(reply):
        return "refusal"
    return None if reply else "thinking only"


def proposal_of(row: Row, by_id: Mapping[str, Row]) -> Row:
    """Return the call of stage ``propose`` that a call descends from.

    Args:
        row: A call.
        by_id: All calls, by their ``generation_id``.
    """
    while row["stage"] != PROPOSE:
        row = by_id[row["parent_generation_id"]]
    return row


def instance_of(row: Row, by_id: Mapping[str, Row]) -> Proposal | None:
    """Return the instance that a call of ``generate`` or ``verify`` belongs to: its proposal with filled slots."""
    proposal = proposal_in(proposal_of(row, by_id)).value
    text = row if row["stage"] == GENERATE else by_id[row["parent_generation_id"]]
    source = by_id[text["parent_generation_id"]]
    if proposal is None or source["stage"] != FILL:
        return proposal
    instances = read_instances(_spoken_text(source), proposal, text["sample"] + 1)
    return proposal.filled(instances[text["sample"]]) if len(instances) > text["sample"] else None
