"""The true answer to a verifying question, where a program can know it.

=====================  ===============================================================================================
task                   how it is known
=====================  ===============================================================================================
total-count            words are counted (:mod:`.counting`)
designated-count       occurrences are counted
grammar                prepositions are counted by a closed list: an estimate
add-first-word, …      the word is looked up
specific-mention       names are counted by a closed list: an estimate
sentiment              positive words are counted by a closed list: an estimate, and the mood is taken to be positive
fact                   dates of birth of some well-known people; of anybody else it is not known
arxiv                  not known; of what is written an estimate: whether its identifier is one of the month
math                   by SymPy where the question is one expression or one equation (:mod:`.arithmetic`)
theorem                by SymPy and numbers (:mod:`.inequalities`)
code                   the program is run (:mod:`.programs`)
sports-statistics,     not known
benchmark, image-…
=====================  ===============================================================================================
"""

import datetime
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from selfknow.builders.self_knowledge.sources import births
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.programs import printed
from selfknow.evaluate.tasks.self_knowledge import counting
from selfknow.evaluate.tasks.self_knowledge.content import Content
from selfknow.evaluate.tasks.self_knowledge.deciding import Decider
from selfknow.evaluate.tasks.self_knowledge.programs import Programs

ESTIMATE = "estimate: "
_CLOSED_LIST = f"{ESTIMATE}closed list"
_UNKNOWN = "no program can decide"
_MOST_KNOWN = 65_536  # texts whose true answers are held


class Judge:
    """Knows the true answers; holds who decides mathematics and who runs programs, and asks about most texts but once.

    Args:
        decider: For mathematics.
        programs: For programs.
    """

    def __init__(self, decider: Decider, programs: Programs) -> None:
        self._decider = decider
        self._programs = programs
        self._known: dict[bytes, Outcome[str]] = {}

    def truth(self, task: str, params: Mapping[str, Any], content: Content, *, altered: bool = False) -> Outcome[str]:
        """Return the true answer to a verifying question, as a reply would give it; null where no program knows it.

        An estimate has both an answer and a reason, which begins with ``estimate:``.

        Args:
            task: The task.
            params: The example's parameters.
            content: The content that the question is about.
            altered: True if what is asked, or the date that is stated, is the altered one of a transformation.
        """
        if content.text is None:
            return Outcome(None, content.reason)
        question = f"{(task, content.subject, altered, *params.values())!r}{content.text}"
        key = blake2b(question.encode("utf-8", "surrogatepass"), digest_size=16).digest()  # texts may be long
        if key not in self._known:
            if len(self._known) == _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._find(task, params, content, altered=altered)
        return self._known[key]

    def _find(self, task: str, params: Mapping[str, Any], content: Content, *, altered: bool) -> Outcome[str]:
        text, which = str(content.text), "altered_" if altered else ""
        match task:
            case "fact":
                return _born(str(content.subject), params[f"{which}date"])
            case "math":
                return _decided(self._decider.arithmetic(text, params[f"{which}answer"]))
            case "theorem":
                return _decided(self._decider.inequality(text))
            case "code":
                return self._output(text)
        return _counted(task, params, text, which)

    def _output(self, code: str) -> Outcome[str]:
        output = self._programs.run(code)
        return Outcome(None, output.reason) if output.value is None else Outcome(printed(output.value))


def _counted(task: str, params: Mapping[str, Any], text: str, which: str) -> Outcome[str]:
    match task:
        case "total-count":
            return Outcome(str(counting.count_words(text)))
        case "designated-count":
            return Outcome(str(counting.count_occurrences(text, [params["word"]])))
        case "grammar":
            return Outcome(str(counting.count_prepositions(text)), _CLOSED_LIST)
        case "add-first-word" | "delete-first-word" | "change-word":
            word = counting.word_at(text, params[f"{which}position"])
            return Outcome(word, None if word else "fewer words than asked for")
        case "specific-mention":
            return _yes_no(counting.count_mentions(text, params["category"]) == params[f"{which}num"], _CLOSED_LIST)
        case "sentiment":
            return _yes_no(counting.count_positive_words(text) == params[f"{which}num"], _CLOSED_LIST)
    return Outcome(None, _UNKNOWN)


def _yes_no(value: bool, reason: str | None = None) -> Outcome[str]:
    return Outcome("yes" if value else "no", reason)


def _decided(decision: Outcome[bool]) -> Outcome[str]:
    return Outcome(None, decision.reason) if decision.value is None else _yes_no(decision.value, decision.reason)


def _born(name: str, date: str) -> Outcome[str]:
    known = {person.casefold(): born for person, born in births()}.get(name.casefold())
    return (
        Outcome(None, "not among the known dates of birth")
        if known is None
        else _yes_no(known == datetime.date.fromisoformat(date))
    )
