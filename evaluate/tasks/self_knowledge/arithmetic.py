"""Answers to mathematics questions that SymPy can decide completely.

These are questions that ask to compute one expression without variables, or to solve one equation in one variable over
the real numbers. Every other question is null, and left to people.
"""

import re
from typing import Any

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge.mathematics import UnreadableError, expression

_NO_QUESTION = "no question that a program decides"
_NO_SINGLE_SOLUTION = "no single solution"
_NOT_REAL = "the answer is no real number"
NOT_ONE_ANSWER = (_NO_SINGLE_SOLUTION, _NOT_REAL)
"""Reasons of :func:`solve` that prove that a question has no answer or several, rather than that SymPy failed."""
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
# The equation comes first ("If 2x + 3 = 7, what is x?") or last ("What is x if 2x + 3 = 7?").
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
    """Return true if an answer is correct; null if SymPy cannot decide the question.

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
    """Return the answer to a question in plain notation, such as ``7/2`` or ``2*sqrt(2)``; null if it is not real.

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
    """Return the match of a question that is one equation: groups ``left``, ``right``, sometimes ``variable``."""
    return next((match for pattern in (*_SOLVE_FOR, _SOLVE) if (match := pattern.match(question))), None)


def _solved(question: str) -> Any:
    """Return the value that a question asks for, as a SymPy expression without variables."""
    import sympy

    if match := _equation(question):
        difference = expression(match["left"]) - expression(match["right"])
        variables = difference.free_symbols
        requested_variable = match.groupdict().get("variable")
        if len(variables) != 1 or requested_variable not in (None, str(next(iter(variables)))):
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
