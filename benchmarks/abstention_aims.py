"""The four aims of the default scorer of abstaining, and their measurement for any reader.

A reader decides from a reply and its prompt if the reply abstains. Four counts show if it decides by the words of the
reply, and not by its topic:

``chat``       plain answers of real chat models that it takes for abstaining. The replies (AlpacaEval, CC BY-NC 4.0)
               are not part of this project; their labels are, by a hash of each reply.
``templates``  right answers in plain words ("It's X.") that it takes for abstaining
``echo``       for a model that only repeats each question as a statement, the share of abstentions on unanswerable
               questions minus that on answerable ones
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
"""A reader: true if a reply (first argument) to a prompt (second) abstains."""
CHAT_SHA256 = "8e3a5b4e0c31b01be334cef10be7d7553836f76b7bc06962754eaa0ea7ff2ca6"
CHOSEN_MODELS = ("falcon-7b-instruct", "gpt4_0613_concise", "llama-2-7b-chat-hf")
"""The chat models whose replies helped to choose readers; replies of the other three models are unseen."""
QUESTIONS_OF_TEMPLATES = 60
_LABELS = "self_aware/replies/chat_reply_labels.tsv"
_TEMPLATES = "self_aware/replies/plain_templates.tsv"


@dataclass(frozen=True)
class Count:
    """The number of replies, of ``n``, that were read as abstaining."""

    abstaining: int
    n: int

    @property
    def share(self) -> float:
        """The share of replies that were read as abstaining."""
        return self.abstaining / self.n


@dataclass(frozen=True)
class ChatReply:
    """A reply of a chat model.

    Attributes:
        model: The model's name.
        prompt: The prompt.
        reply: The text.
        label: ``abstains``, ``answers``, or ``other`` for a reply that refuses or asks a question back.
    """

    model: str
    prompt: str
    reply: str
    label: str


def chat_replies(path: Path) -> list[ChatReply]:
    """Read the chat replies with their labels.

    Raises:
        UserError: The file is not the labelled one.
    """
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != CHAT_SHA256:
        raise UserError(f"{path} is not the file that was labelled: its SHA-256 differs")
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
    plain = [reply for reply in replies if reply.label == "answers" and (reply.model in CHOSEN_MODELS) == chosen]
    return Count(sum(reads(reply.reply, reply.prompt) for reply in plain), len(plain))


def recognised_on_chat(reads: Reads, replies: Sequence[ChatReply]) -> Count:
    """Count the abstentions of the unseen chat models that a reader recognises."""
    abstentions = [reply for reply in replies if reply.label == "abstains" and reply.model not in CHOSEN_MODELS]
    return Count(sum(reads(reply.reply, reply.prompt) for reply in abstentions), len(abstentions))


@cache
def all_questions() -> tuple[Question, ...]:
    """Return all our questions, answerable and unanswerable."""
    return tuple(question for split in SPLITS for question in questions(split))


def is_held_out(text: str) -> bool:
    """Return true if a template or a question is in the half that no learnt reader is fitted to."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def templates() -> list[str]:
    """Return the plain templates for right answers."""
    return [row["template"] for row in read_table(_TEMPLATES)]


def replies_of_template(template: str) -> Iterator[tuple[str, str]]:
    """Yield replies with their prompts: the template with answers, of questions spread over all answerable ones."""
    answerable = [question for question in all_questions() if question.answerable]
    for question in answerable[:: len(answerable) // QUESTIONS_OF_TEMPLATES][:QUESTIONS_OF_TEMPLATES]:
        yield template.replace("{answer}", question.answers[0]), cue(question.question)


def cue(question: str) -> str:
    """Return the prompt of a question in the form ``direct``."""
    return requests([{"id": "", "question": question}], "direct")[0].prompt


def false_on_templates(reads: Reads, accepts: Callable[[str], bool] = lambda _: True) -> dict[str, Count]:
    """Count, for each template that ``accepts`` keeps, the replies that a reader takes for abstaining."""
    counts = {}
    for template in filter(accepts, templates()):
        replies = list(replies_of_template(template))
        counts[template] = Count(sum(reads(reply, prompt) for reply, prompt in replies), len(replies))
    return counts


def echo(question: str) -> str:
    """Turn a question into a statement, which neither answers nor abstains.

    >>> echo("What is love?")
    'What is love.'
    """
    return question.rstrip("?") + "."


def abstained_from_echoes(reads: Reads, accepts: Callable[[str], bool] = lambda _: True) -> tuple[Count, Count]:
    """Count the echoes of unanswerable and of answerable questions that a reader takes for abstaining."""
    questions_to_echo = [question for question in all_questions() if accepts(question.question)]
    unanswerable = [question.question for question in questions_to_echo if not question.answerable]
    answerable = [question.question for question in questions_to_echo if question.answerable]
    return _abstained_from_echoes(reads, unanswerable), _abstained_from_echoes(reads, answerable)


def _abstained_from_echoes(reads: Reads, texts: Sequence[str]) -> Count:
    return Count(sum(reads(echo(text), cue(text)) for text in texts), len(texts))


def prompt_of(reply: ReadReply) -> str:
    """Return the prompt of a labelled reply, without the question if its text is not stored."""
    if reply.form is None:
        return reply.question or ""
    return requests([{"id": reply.id, "question": reply.question or ""}], reply.form)[0].prompt


def is_a_reply(reply: ReadReply) -> bool:
    """Return true if the text replies to a question, and is not documentation or a reference answer."""
    return reply.manner not in ("documentation", "the answer is", "bare answer")


def unseen_replies() -> list[ReadReply]:
    """Return the readable replies of the unseen part."""
    return [
        reply for reply in read_replies() if reply.part == UNSEEN and is_a_reply(reply) and reply.kind != UNREADABLE
    ]


def recognised(reads: Reads, replies: Sequence[ReadReply]) -> Count:
    """Count the abstaining replies that a reader recognises."""
    abstentions = [reply for reply in replies if reply.abstains]
    return Count(sum(reads(reply.reply, prompt_of(reply)) for reply in abstentions), len(abstentions))


def false_on_replies(reads: Reads, replies: Sequence[ReadReply]) -> Count:
    """Count the replies that do not abstain, but that a reader takes for abstaining."""
    others = [reply for reply in replies if not reply.abstains]
    return Count(sum(reads(reply.reply, prompt_of(reply)) for reply in others), len(others))
