"""Is an answer right for a mathematics question? Only where the whole question is one that SymPy can decide.

That is: one expression without variables to compute, or one equation in one variable to solve over the real numbers,
and nothing else. Every other question is left to people: null.
"""

import re

from selfknow.evaluate.self_knowledge.inequalities import Decision
from selfknow.evaluate.self_knowledge.mathematics import UnreadableError, expression

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


def decide(question: str, answer: str) -> Decision:
    """Decide whether an answer is right.

    >>> decide("What is 3 * (4 + 5)?", "27")
    Decision(value=True, reason=None)
    >>> decide("Solve for x: 2x + 1 = 8.", "3").value
    False
    >>> decide("How many ways are there to seat 4 people?", "24").value is None
    True
    """
    import sympy

    try:
        wanted = expression(answer)
        if match := _SOLVE.match(question):
            difference = expression(match["left"]) - expression(match["right"])
            variables = difference.free_symbols
            if len(variables) != 1:
                return Decision(None, "no question that a program decides")
            solutions = sympy.solveset(difference, variables.pop(), sympy.S.Reals)
            if not isinstance(solutions, sympy.FiniteSet) or len(solutions) > 1:
                return Decision(None, "no single solution")
            return Decision(any(sympy.simplify(solution - wanted) == 0 for solution in solutions))
        if match := _COMPUTE.match(question):
            value = expression(match["expression"])
            if value.free_symbols:
                return Decision(None, "no question that a program decides")
            return Decision(bool(sympy.simplify(value - wanted) == 0))
    except (UnreadableError, NotImplementedError):
        pass
    return Decision(None, "no question that a program decides")
