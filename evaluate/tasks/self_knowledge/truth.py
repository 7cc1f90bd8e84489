"""The true answer to a verifying question, if a program can know it.

=====================  ===============================================================================================
task                   source of the true answer
=====================  ===============================================================================================
total-count            words are counted (:mod:`.counting`)
designated-count       occurrences are counted
grammar                prepositions are counted with a fixed word list: an estimate
add-first-word, …      the word is looked up
specific-mention       names are counted with a fixed list: an estimate
sentiment              positive words are counted with a fixed word list, and the mood is not checked: an estimate
fact                   a list of well-known people's dates of birth; unknown for anybody else
unknown; the writing is graded by an estimate: is the identifier one of the month asked for
math                   SymPy, if the question is one expression or one equation (:mod:`.arithmetic`)
theorem                SymPy and a search for counterexamples (:mod:`.inequalities`)
code                   a run of the program (:mod:`.programs`)
sports-statistics,     unknown
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
_CACHE_SIZE = 65_536  # texts whose true answers are held in memory


class TrueAnswers:
    """True answers to verifying questions; those about recent texts are cached.

    Args:
        decider: Decides mathematical claims: expressions, equations and inequalities.
        programs: Runs programs.
    """

    def __init__(self, decider: Decider, programs: Programs) -> None:
        self._decider = decider
        self._programs = programs
        self._known: dict[bytes, Outcome[str]] = {}

    def truth(self, task: str, params: Mapping[str, Any], content: Content, *, altered: bool = False) -> Outcome[str]:
        """Return the true answer to a verifying question, in the form of a reply; null if no program knows it.

        An estimate has both an answer and a reason, which begins with ``estimate:``.

        Args:
            task: The task's name, such as ``math``.
            params: The example's parameters.
            content: The content that the question is about.
            altered: True if the question is about the altered value of a transformation, such as another date.
        """
        if content.text is None:
            return Outcome(None, content.reason)
        question = f"{(task, content.subject, altered, *params.values())!r}{content.text}"
        key = blake2b(question.encode("utf-8", "surrogatepass"), digest_size=16).digest()  # texts may be long
        if key not in self._known:
            if len(self._known) == _CACHE_SIZE:
                self._known.clear()
            self._known[key] = self._find(task, params, content, altered=altered)
        return self._known[key]

    def _find(self, task: str, params: Mapping[str, Any], content: Content, *, altered: bool) -> Outcome[str]:
        text = str(content.text)
        prefix = "altered_" if altered else ""
        match task:
            case "fact":
                return _is_date_of_birth(str(content.subject), params[f"{prefix}date"])
            case "math":
                return _verdict(self._decider.arithmetic(text, params[f"{prefix}answer"]))
            case "theorem":
                return _verdict(self._decider.inequality(text))
            case "code":
                return self._output(text)
        return _counted(task, params, text, prefix)

    def _output(self, code: str) -> Outcome[str]:
        output = self._programs.run(code)
        return Outcome(None, output.reason) if output.value is None else Outcome(printed(output.value))


def _counted(task: str, params: Mapping[str, Any], text: str, prefix: str) -> Outcome[str]:
    match task:
        case "total-count":
            return Outcome(str(counting.count_words(text)))
        case "designated-count":
            return Outcome(str(counting.count_occurrences(text, [params["word"]])))
        case "grammar":
            return Outcome(str(counting.count_prepositions(text)), _CLOSED_LIST)
        case "add-first-word" | "delete-first-word" | "change-word":
            word = counting.word_at(text, params[f"{prefix}position"])
            return Outcome(word, None if word else "fewer words than asked for")
        case "specific-mention":
            return _yes_no(counting.count_mentions(text, params["category"]) == params[f"{prefix}num"], _CLOSED_LIST)
        case "sentiment":
            return _yes_no(counting.count_positive_words(text) == params[f"{prefix}num"], _CLOSED_LIST)
    return Outcome(None, _UNKNOWN)


def _yes_no(value: bool, reason: str | None = None) -> Outcome[str]:
    return Outcome("yes" if value else "no", reason)


def _verdict(decision: Outcome[bool]) -> Outcome[str]:
    return Outcome(None, decision.reason) if decision.value is None else _yes_no(decision.value, decision.reason)


def _is_date_of_birth(name: str, date: str) -> Outcome[str]:
    dates = {person.casefold(): date_of_birth for person, date_of_birth in births()}
    known = dates.get(name.casefold())
    if known is None:
        return Outcome(None, "not among the known dates of birth")
    return _yes_no(known == datetime.date.fromisoformat(date))
