r"""A task that a model invented: a template with slots, and what its slots are filled with (section 6.4).

The paper's Table 8 has such templates ("Write a paragraph mentioning exactly [num] distinct [countries]."); "one can
further ask the model to generate example instances of questions based on the template question". A slot is a name in
square brackets. What stands in the second prompt or in the answer must stand in the first one, or nobody could know it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from selfknow.evaluate.outcome import Outcome

_LINES = ("Task", "First generate", "Then evaluate", "Answer")
_LINE = r"^[ \t*_#>-]*LINE[*_]*:[*_]*[ \t]*(\S.*)$"
_SLOT = re.compile(r"\[([^\[\]\n]{1,60})\]")
_FILLED = re.compile(r"\[([^\[\]\n]{1,60})\][`*_]*[ \t]*[=:][ \t]*([^;\n]+)")


@dataclass(frozen=True)
class Proposal:
    """A task that a model invented.

    Attributes:
        name: Its name.
        generate_prompt: What asks for a text with a property.
        verify_prompt: What asks about that property.
        answer: What is right; it may be a slot.
    """

    name: str
    generate_prompt: str
    verify_prompt: str
    answer: str

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots of its first prompt, each once.

        >>> Proposal("Rain", "Write [num] lines on [topic].", "How many lines?", "[num]").slots
        ('num', 'topic')
        """
        return tuple(dict.fromkeys(_SLOT.findall(self.generate_prompt)))

    def filled(self, values: Mapping[str, str]) -> "Proposal":
        """An instance: every slot with its value in place of it."""

        def put_in(template: str) -> str:
            return _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), template)

        return Proposal(self.name, put_in(self.generate_prompt), put_in(self.verify_prompt), put_in(self.answer))


def read_proposal(reply: str) -> Outcome[Proposal]:
    r"""The four lines of a proposal, each exactly once; null, with the reason, where they are not there.

    >>> read_proposal("Task: Rhyme\nFirst generate: Write.\nThen evaluate: Does it rhyme?\nAnswer: yes").value.answer
    'yes'
    >>> read_proposal("How about poems?").reason
    'no line Task'
    """
    found = []
    for line in _LINES:
        matches = re.findall(_LINE.replace("LINE", line), reply, re.IGNORECASE | re.MULTILINE)
        if len(matches) != 1:
            return Outcome(None, f"several lines {line}" if matches else f"no line {line}")
        found.append(matches[0].strip())
    return Outcome(Proposal(*found))


def why_not_a_template(proposal: Proposal) -> str | None:
    """Why a proposal cannot be filled many times; null: it can.

    >>> why_not_a_template(Proposal("Rain", "Write [num] lines.", "How many lines?", "[count]"))
    'the slot [count] is not in its first prompt'
    """
    if not proposal.slots:
        return "no slots"
    unknown = set(_SLOT.findall(f"{proposal.verify_prompt}\n{proposal.answer}")) - set(proposal.slots)
    return f"the slot [{min(unknown)}] is not in its first prompt" if unknown else None


def read_instances(reply: str, proposal: Proposal, most: int) -> list[dict[str, str]]:
    r"""What a reply fills the slots with, line by line: complete ones, each once.

    Args:
        reply: Of the stage ``fill``.
        proposal: The template.
        most: How many were asked for; what goes beyond is passed over.

    >>> rain = Proposal("Rain", "Write [num] lines on [topic].", "How many lines?", "[num]")
    >>> read_instances("1. [num] = 3; [topic] = rain\n2. [num] = 4\n[topic]: fog; [num]: 5", rain, most=10)
    [{'num': '3', 'topic': 'rain'}, {'num': '5', 'topic': 'fog'}]
    """
    found = []
    for line in reply.splitlines():
        values = {slot: value.strip(' \t`*_"“”') for slot, value in _FILLED.findall(line)}
        instance = {slot: values.get(slot, "") for slot in proposal.slots}
        if all(instance.values()) and instance not in found:
            found.append(instance)
    return found[:most]
