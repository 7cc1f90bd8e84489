"""The prompts of self-aware, called input forms.

Yin et al., section 4.2, in our own wording (``datasets_src/self_aware/replies/forms.yaml``) or in the authors' exact
words (``paper_forms.yaml``; such a form is called ``paper-direct``, and so on):

``direct``
    The question and a cue.
``instruction``
    A sentence before it allows the reply *The answer is unknown.*
``icl``
    The same with six worked examples, three answerable ones and three unanswerable ones. None of them is asked.
``template-…``
    The user's own template, with ``{question}`` in it; the rest of the name is a hash of its text.

Each form is plain text, so that completion models and chat models (as one message) get the same prompt. In our wording
a completion model also sees two worked examples in ``direct`` and ``instruction``, one with an answer and one without,
and its reply ends before it asks itself a next question. The authors' chat models have a system message.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from selfknow.builders.self_aware.question_text import normalized
from selfknow.builders.sources import read_text
from selfknow.errors import UserError, argument, nearest
from selfknow.models.interface import Completion, Request

FORMS = ("direct", "instruction", "icl")
OURS, PAPER = WORDINGS = ("ours", "paper")
QUESTION = "{question}"
SHOTS_OF_EACH = 3
_WITH_EXAMPLES = ("direct", "instruction")


@cache
def _wording() -> Mapping[str, Any]:
    wording: Mapping[str, Any] = yaml.safe_load(read_text("self_aware/replies/forms.yaml"))
    return wording


@cache
def _paper_wording() -> Mapping[str, str]:
    wording: Mapping[str, str] = yaml.safe_load(read_text("self_aware/replies/paper_forms.yaml"))
    return wording


def system_message(wording: str) -> str:
    """Return the system message for chat models: the authors' in their wording, else an empty text."""
    return _paper_wording()["system"] if wording == PAPER else ""


def stop_text() -> str:
    """Return the stop string, which ends a completion model's reply before a next question."""
    return str(_wording()["stop"])


def read_template(path: Path) -> str:
    """Return the text of a template file, without the line break at its end.

    Raises:
        UserError: The file cannot be read, or has no ``{question}``.
    """
    try:
        text = path.expanduser().read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"the template {path} cannot be read: {error}") from error
    if QUESTION not in text:
        raise UserError(f"the template {path} has no {QUESTION}: write it where the question goes")
    return text


def template_name(text: str) -> str:
    """Return the name of a user's template as a form, which depends only on its text.

    Example:
        >>> template_name("Do you know this? {question}")
        'template-5cf2d3ce'
    """
    return f"template-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def template_of(settings: Mapping[str, object]) -> str:
    """Return the template of a run's settings: the user's own, or that of one of :data:`FORMS`.

    Raises:
        UserError: There is no such form or wording.
    """
    if "template" in settings:
        return str(settings["template"])
    form, wording = str(settings["form"]), str(settings.get("wording", OURS))
    if wording == PAPER:
        form = form.removeprefix(f"{PAPER}-")
    if form not in FORMS:
        raise UserError(
            f"there is no input form {form!r}{nearest(form, FORMS)} (your own prompt is {argument('template')})"
        )
    if wording not in WORDINGS:
        raise UserError(f"there is no wording {wording!r}{nearest(wording, WORDINGS)}")
    if wording == PAPER:
        return _paper_wording()[form]
    return str(_wording()[form]).replace("{cue}", str(_wording()["cue"]))


def choose_shots(questions: Sequence[str]) -> list[Mapping[str, str]]:
    """Return six worked examples, answerable and unanswerable ones in turn, that are not among the questions.

    Args:
        questions: All questions of the run.

    Returns:
        Mappings of ``question`` and ``answer``.

    Raises:
        UserError: Fewer than three examples of a kind are not among the questions.
    """
    taken = {normalized(question) for question in questions}
    shots = []
    for label in ("answerable", "unanswerable"):
        unused_shots = [shot for shot in _wording()["shots"][label] if normalized(shot["question"]) not in taken]
        if len(unused_shots) < SHOTS_OF_EACH:
            raise UserError(f"the dataset contains our {label} examples: use a form other than icl")
        shots.append(unused_shots[:SHOTS_OF_EACH])
    return list(chain.from_iterable(zip(*shots, strict=True)))


def completion_examples(questions: Sequence[str], form: str) -> list[Mapping[str, str]]:
    """Return the two worked examples of a form for completion models: one with an answer, one without.

    Args:
        questions: All questions of the run.
        form: One of :data:`FORMS`; ``icl`` has examples of its own.
    """
    return choose_shots(questions)[:2] if form in _WITH_EXAMPLES else []


def requests(
    examples: Sequence[Mapping[str, Any]],
    form: str,
    samples: int = 1,
    template: str | None = None,
    *,
    system: str = "",
    with_examples: bool = False,
) -> list[Request]:
    """Return the requests, which ask every question in one form.

    Args:
        examples: Rows with ``id`` and ``question``.
        form: The name of the form, such as ``icl`` or ``paper-direct``; it becomes the call's ``variant``.
        samples: The number of replies to each question.
        template: The form's text, with ``{question}`` in it; null for the form in our wording.
        system: The system message for chat models.
        with_examples: Show completion models two worked examples.

    Raises:
        UserError: There is no such form, or no worked examples are left for it.
    """
    text = template_of({"form": form}) if template is None else template
    questions = [row["question"] for row in examples]
    if form == "icl":
        text = text.replace("{shots}", _shown(choose_shots(questions)))
    shots = completion_examples(questions, form) if with_examples else []
    cue = str(_wording()["cue"])
    completion_text = f"{text.removesuffix(cue)}{_shown(shots)}\n\n{cue}" if shots else text

    def completion(question: str) -> Completion | None:
        return Completion(completion_text.replace(QUESTION, question), (stop_text(),)) if shots else None

    return [
        Request(
            row["id"],
            text.replace(QUESTION, row["question"]),
            variant=form,
            sample=sample,
            system=system,
            completion=completion(row["question"]),
        )
        for row in examples
        for sample in range(samples)
    ]


def _shown(shots: Sequence[Mapping[str, str]]) -> str:
    return "\n\n".join(f"{_cue(shot['question'])} {shot['answer']}" for shot in shots)


def _cue(question: str) -> str:
    return str(_wording()["cue"]).replace(QUESTION, question)
