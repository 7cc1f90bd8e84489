"""The four aims of the default scorer of abstaining, and how each is measured, for any reader.

A reader takes a reply and its prompt and says whether the reply abstains. Four counts say whether it goes by what a
reply says, and not by its topic:

``chat``       plain answers of real chat models that it takes for abstaining. The replies (AlpacaEval, CC BY-NC 4.0)
               are not part of this project; their labels are, by a hash of each reply.
``templates``  right answers in plain words ("It's X.") that it takes for abstaining
``echo``       how much more a model abstains on unanswerable questions that only echoes each question as a statement
``abstained``  labelled abstentions of the part ``unseen`` that it recognises
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from selfknow.builders.self_aware.questions import SPLITS, Question, questions
from selfknow.builders.tables import read_table
from selfknow.errors import UserError
from selfknow.evaluate.tasks.self_aware.prompts import requests
from selfknow.evaluate.tasks.self_aware.read_replies import UNSEEN, ReadReply, read_replies
from selfknow.evaluate.tasks.self_aware.reading import UNREADABLE

Reads = Callable[[str, str], bool]
"""Whether a reply, to a prompt, abstains."""
CHAT_SHA256 = "8e3a5b4e0c31b01be334cef10be7d7553836f76b7bc06962754eaa0ea7ff2ca6"
CHOSEN_MODELS = ("falcon-7b-instruct", "gpt4_0613_concise", "llama-2-7b-chat-hf")
"""The chat models whose replies readers were chosen on; the other three are unseen."""
QUESTIONS_OF_TEMPLATES = 60
_LABELS = "self_aware/replies/chat_reply_labels.tsv"
_TEMPLATES = "self_aware/replies/plain_templates.tsv"


@dataclass(frozen=True)
class Count:
    """Count the replies, of ``n``, that were read as abstaining."""

    abstaining: int
    n: int

    @property
    def share(self) -> float:
        """The share of them."""
        return self.abstaining / self.n


@dataclass(frozen=True)
class ChatReply:
    """A reply of a chat model.

    Attributes:
        model: Who said it.
        prompt: What it was asked.
        reply: The text.
        label: ``abstains``, ``answers``, or ``other``: it refuses or asks back.
    """

    model: str
    prompt: str
    reply: str
    label: str


def chat_replies(path: Path) -> list[ChatReply]:
    """Read the chat replies with their labels.

    Raises:
        UserError: It is not the labelled file.
    """
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != CHAT_SHA256:
        raise UserError(f"{path} is not the file that was labelled: its SHA-256 is another one")
    labels = {(row["model"], row["reply"]): row["label"] for row in read_table(_LABELS)}
    rows = map(json.loads, content.decode("utf-8").splitlines())
    return [
        ChatReply(row["model"], row["prompt"], row["reply"], labels.get((row["model"], _key(row["reply"])), "answers"))
        for row in rows
    ]


def _key(reply: str) -> str:
    return hashlib.sha256(reply.encode()).hexdigest()[:12]


def false_on_chat(reads: Reads, replies: Sequence[ChatReply], *, chosen: bool) -> Count:
    """Count the plain answers of chat models that a reader takes for abstaining, of the chosen or the unseen models."""
    plain = [one for one in replies if one.label == "answers" and (one.model in CHOSEN_MODELS) == chosen]
    return Count(sum(reads(one.reply, one.prompt) for one in plain), len(plain))


def recognised_on_chat(reads: Reads, replies: Sequence[ChatReply]) -> Count:
    """Count the abstentions of the unseen chat models that a reader recognises."""
    abstentions = [reply for reply in replies if reply.label == "abstains" and reply.model not in CHOSEN_MODELS]
    return Count(sum(reads(reply.reply, reply.prompt) for reply in abstentions), len(abstentions))


@cache
def asked() -> tuple[Question, ...]:
    """All our questions, answerable and unanswerable."""
    return tuple(question for split in SPLITS for question in questions(split))


def held_out(text: str) -> bool:
    """Return true if a template or a question is in the half that no learnt reader is fitted to."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def templates() -> list[str]:
    """The plain templates round a right answer."""
    return [row["template"] for row in read_table(_TEMPLATES)]


def filled(template: str) -> Iterator[tuple[str, str]]:
    """A template round the answers of questions spread over all answerable ones: replies and prompts."""
    answerable = [one for one in asked() if one.answerable]
    for one in answerable[:: len(answerable) // QUESTIONS_OF_TEMPLATES][:QUESTIONS_OF_TEMPLATES]:
        yield template.replace("{answer}", one.answers[0]), cue(one.question)


def cue(question: str) -> str:
    """A question as the form ``direct`` asks it."""
    return requests([{"id": "", "question": question}], "direct")[0].prompt


def false_on_templates(reads: Reads, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, Count]:
    """Count for each template how many of its replies a reader takes for abstaining."""
    return {
        template: Count(sum(reads(reply, prompt) for reply, prompt in replies), len(replies))
        for template in filter(wanted, templates())
        for replies in [list(filled(template))]
    }


def echoed(question: str) -> str:
    """A question as a statement, which answers nothing and declines nothing.

    >>> echoed("What is love?")
    'What is love.'
    """
    return question.rstrip("?") + "."


def abstained_from_echoes(reads: Reads, wanted: Callable[[str], bool] = lambda _: True) -> tuple[Count, Count]:
    """Count the echoes that a reader takes for abstaining: of unanswerable questions, and of answerable ones."""
    unanswerable, answerable = (
        [one.question for one in asked() if one.answerable == kind and wanted(one.question)] for kind in (False, True)
    )
    counts = [
        Count(sum(reads(echoed(question), cue(question)) for question in kind), len(kind))
        for kind in (unanswerable, answerable)
    ]
    return counts[0], counts[1]


def prompt_of(one: ReadReply) -> str:
    """Return the prompt of a labelled reply, without the question where its text is not kept."""
    if one.form is None:
        return one.question or ""
    return requests([{"id": one.id, "question": one.question or ""}], one.form)[0].prompt


def is_a_reply(one: ReadReply) -> bool:
    """Return true if it answers a question, as against documentation and reference answers."""
    return one.manner not in ("documentation", "the answer is", "bare answer")


def unseen_replies() -> list[ReadReply]:
    """The readable replies of the unseen part."""
    return [one for one in read_replies() if one.part == UNSEEN and is_a_reply(one) and one.kind != UNREADABLE]


def recognised(reads: Reads, replies: Sequence[ReadReply]) -> Count:
    """Count the abstentions among some replies that a reader recognises."""
    abstentions = [one for one in replies if one.abstains]
    return Count(sum(reads(one.reply, prompt_of(one)) for one in abstentions), len(abstentions))


def false_on_replies(reads: Reads, replies: Sequence[ReadReply]) -> Count:
    """Count the others that it takes for abstaining."""
    others = [one for one in replies if not one.abstains]
    return Count(sum(reads(one.reply, prompt_of(one)) for one in others), len(others))
