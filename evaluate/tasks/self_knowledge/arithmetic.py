"""Is an answer right for a mathematics question, and which is? Only where SymPy can decide the whole question.

That is: one expression without variables to compute, or one equation in one variable to solve over the real numbers,
and nothing else. Every other question is left to people: null.
"""

import re
from typing import Any

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge.mathematics import UnreadableError, expression

_NO_QUESTION = "no question that a program decides"
_NO_SINGLE_SOLUTION = "no single solution"
_NOT_REAL = "the answer is no real number"
NOT_ONE_ANSWER = (_NO_SINGLE_SOLUTION, _NOT_REAL)
"""Why a question has not one answer: reasons of :func:`solve` that a program is sure of."""
_OPENING = r"^\W*(?:question\W+)?"
_COMPUTE = re.compile(
    _OPENING + r"(?:what is|compute|calculate|evaluate|simplify|find|determine)(?: the (?:exact )?value of)?[\s:$]*"
    r"(?P<expression>[^?]*?)\s*[?.]?\s*$",
    re.IGNORECASE,
)
_SOLVE = re.compile(
    _OPENING + r"(?:solve|find|determine)(?: the)?(?: equation| value of [a-z]| [a-z](?= (?:if|such|when|given)))?"
    r"(?: for (?:[a-z]|the variable))?"
    r"(?: if| such that| when| given that)?[\s:,$]*(?P<left>[^=?]+)=(?P<right>[^=?]+?)(?: for [a-z])?\s*[?.]?\s*$",
    re.IGNORECASE,
)
# The equation first ("If 2x + 3 = 7, what is x?"), or after what is asked ("What is x if 2x + 3 = 7?").
_VALUE = r"(?:what is|find|determine|solve for|compute)(?: the value of)?\s+\$?(?P<variable>[a-z])\b\$?"
_SOLVE_FOR = (
    re.compile(
        _OPENING + r"(?:if|given(?: that)?|suppose(?: that)?|let)\s+\$?(?P<left>[^=?]+)=(?P<right>[^=?,]+?)\$?\s*"
        rf"[,.;]\s*(?:then\s+)?{_VALUE}\s*[?.]?\s*$",
        re.IGNORECASE,
    ),
    re.compile(
        _OPENING + _VALUE + r"(?: in the equation| if| such that| when| given that| satisfying)[\s:,$]*"
        r"(?P<left>[^=?]+)=(?P<right>[^=?]+?)\$?\s*[?.]?\s*$",
        re.IGNORECASE,
    ),
)


class _UndecidedError(Exception):
    """No program knows the answer; the message says why."""


def decide(question: str, answer: str) -> Outcome[bool]:
    """Decide whether an answer is right.

    >>> decide("What is 3 * (4 + 5)?", "27")
    Outcome(value=True, reason=None)
    >>> decide("Solve for x: 2x + 1 = 8.", "3").value
    False
    >>> decide("How many ways are there to seat 4 people?", "24").value is None
    True
    """
    import sympy

    try:
        return Outcome(bool(sympy.simplify(_solved(question) - expression(answer)) == 0))
    except _UndecidedError as error:
        return Outcome(None, str(error))
    except (UnreadableError, NotImplementedError):
        return Outcome(None, _NO_QUESTION)


def solve(question: str) -> Outcome[str]:
    """Compute the answer itself, in plain notation such as ``7/2`` or ``2*sqrt(2)``; only a real number is one.

    >>> solve("Solve for x: 2x + 1 = 8.")
    Outcome(value='7/2', reason=None)
    >>> solve("If 2x + 1 = 8, what is the value of x?").value, solve("Solve for x: x^2 = 4.").reason
    ('7/2', 'no single solution')
    >>> solve("How many ways are there to seat 4 people?")
    Outcome(value=None, reason='no question that a program decides')
    """
    import sympy

    try:
        value = sympy.simplify(_solved(question))
    except _UndecidedError as error:
        return Outcome(None, str(error))
    except (UnreadableError, NotImplementedError):
        return Outcome(None, _NO_QUESTION)
    if not (value.is_real and value.is_finite):
        return Outcome(None, _NOT_REAL)
    return Outcome(str(value))


def _equation(question: str) -> re.Match[str] | None:
    """Match a question that is one equation, with its ``left``, ``right`` and perhaps the ``variable``."""
    return next((match for pattern in (*_SOLVE_FOR, _SOLVE) if (match := pattern.match(question))), None)


def _solved(question: str) -> Any:
    """Return the quantity that the question asks for, as a SymPy expression without variables."""
    import sympy

    if match := _equation(question):
        difference = expression(match["left"]) - expression(match["right"])
        variables = difference.free_symbols
        asked_for = match.groupdict().get("variable")
        if len(variables) != 1 or asked_for not in (None, str(next(iter(variables)))):
            raise _UndecidedError(_NO_QUESTION)
        solutions = sympy.solveset(difference, variables.pop(), sympy.S.Reals)
        if isinstance(solutions, sympy.FiniteSet) and len(solutions) == 1:
            return next(iter(solutions))
        is_known = isinstance(solutions, sympy.FiniteSet) or solutions in (sympy.S.EmptySet, sympy.S.Reals)
        raise _UndecidedError(_NO_SINGLE_SOLUTION if is_known else _NO_QUESTION)
    if match := _COMPUTE.match(question):
        value = expression(match["expression"])
        if not value.free_symbols:
            return value
    raise _UndecidedError(_NO_QUESTION)
