r"""Deciding an inequality in one variable: SymPy solves it, and many points are tried in search of a counterexample.

The inequality is found in the text by its notation. A run of mathematics stands between ``$`` signs, or between ``\(``
and ``\)``. In a text without these, it is what stands between English words. Only runs with a comparison sign are read.

The variable's range comes from runs that only bound it, such as ``x > 0`` or ``0 <= x <= 1``, from intervals such as
``x in [0, 1]``, and from the words "positive", "negative" and "nonnegative". A range described with any other words is
not read. Exactly one other run must remain: the claim.

A counterexample, confirmed with 40 digits, makes the claim false. Without one, SymPy compares the set of solutions with
the part of the range where both sides are real. If SymPy cannot solve the inequality, 4,001 points without a
counterexample make it true, as an *estimate*.
"""

import re
from typing import Any

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge.mathematics import FUNCTIONS, UnreadableError, plain_notation, relation

_POINTS = 4_001
_TOLERANCE = 1e-9
_MAX_CONFIRMATIONS = 20
"""The largest number of suspected counterexamples that are computed again with 40 digits."""
_NEGLIGIBLE = "1e-30"
"""A number computed with 40 digits counts as 0 if its size is smaller."""
_INLINE = re.compile(r"\$\$?(.+?)\$\$?|\\\((.+?)\\\)|\\\[(.+?)\\\]|`(.+?)`", re.DOTALL)
_PROSE = re.compile(r"[A-Za-z]{2,}|[,;:.!?](?=\s|$)|\n")
_SETS_WITH_GAPS = re.compile(r"\b(?:integers?|naturals?|natural numbers?|primes?|rationals?)\b", re.IGNORECASE)
_NOT_NEGATIVE = re.compile(r"\bnon-?negative\b", re.IGNORECASE)
_POSITIVE = re.compile(r"\bpositive\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\bnegative\b", re.IGNORECASE)
_IN_WORDS = re.compile(
    r"\b(?:between|interval|greater|less|larger|smaller|at least|at most|acute|angle|triangle|belong)", re.IGNORECASE
)
_MEMBER = re.compile(r"(?<![A-Za-z])[a-z]\s*(?:∈|\bin\b)\s*([\[(])([^,\[\]()]+),([^,\[\]()]+)([\])])")
_REALS = re.compile(r"(?:∈|\bin\b)?\s*(?:ℝ|\bR\b|mathbb\(R\))")
_SEPARATING_MACRO = re.compile(r"\\text\s*\{([^{}]*)\}|\\(?:forall|quad|qquad)\b|\\mathrm\s*\{([^{}]*)\}")


def runs(text: str) -> list[str]:
    """Return the runs of mathematics in a text that contain a comparison sign, in plain notation."""
    # A match has a group for each of the four kinds of delimiters; the one that is not empty holds the run.
    inline = [next(filter(None, groups)) for groups in _INLINE.findall(text)]
    has_inline_comparison = any(re.search(r"[<>]", plain_notation(run)) for run in inline)
    sources = inline if has_inline_comparison else [text]
    pieces = [piece for source in sources for piece in _without_prose(plain_notation(source))]
    parts = [part for piece in pieces for part in _separated(piece)]
    return [part.strip(" .") for part in parts if re.search(r"[<>]", part)]


def _separated(piece: str) -> list[str]:
    """Split a run at semicolons, and at commas outside brackets."""
    parts = [""]
    for stretch in re.findall(r"[^()]*[()]?", piece):
        is_in_brackets = stretch.endswith(")")
        separators = ";" if is_in_brackets else "[,;]"
        first, *others = re.split(separators, stretch)
        parts[-1] += first
        parts += others
    return parts


def _without_prose(plain: str) -> list[str]:
    """Return what stands between the words and the punctuation of a text in plain notation."""
    mathematical_words = {*FUNCTIONS, "pi", "oo"}
    pieces: list[str] = []
    start = 0
    for match in _PROSE.finditer(plain):
        if match[0] not in mathematical_words:
            pieces.append(plain[start : match.start()])
            start = match.end()
    return [*pieces, plain[start:]]


def _with_ranges_as_inequalities(text: str) -> str:
    """Write ``x in (0, 1]`` as ``0 < x <= 1``, and remove ``x ∈ ℝ``, which bounds nothing.

    Raises:
        UnreadableError: The text has a range in words or signs that are not read.
    """
    plain = _SEPARATING_MACRO.sub(r" ; \1\2 ", text)
    plain = re.sub(r"\\in\b", " ∈ ", plain)
    plain = plain.replace(r"\mathbb{R}", "ℝ")
    plain = plain.replace("∞", "oo")
    plain = re.sub(r"\\infty\b", "oo", plain)

    def bounds(match: re.Match[str]) -> str:
        opening, low, high, closing = (part.strip() for part in match.groups())
        variable = match[0].lstrip()[0]
        lower_sign = "<=" if opening == "[" else "<"
        upper_sign = "<=" if closing == "]" else "<"
        lower = "" if "oo" in low else f"{low} {lower_sign} {variable}"
        upper = "" if "oo" in high else f"{variable} {upper_sign} {high}"
        return f"{lower} ; {upper}"

    plain = _REALS.sub(" real ", _MEMBER.sub(bounds, plain))
    if "∈" in plain or _IN_WORDS.search(plain):
        raise UnreadableError("a range in words")
    return plain


def decide(text: str) -> Outcome[bool]:
    """Return true if the inequality in a text holds; null with a reason if it cannot be decided.

    An estimate has both a value and a reason.

    >>> decide("For all real x: x^2 + 1 >= 2x.")
    Outcome(value=True, reason=None)
    >>> decide("For x > 0 we have x + 1/x > 2.").value
    False
    """
    import sympy

    if _SETS_WITH_GAPS.search(text):
        return Outcome(None, "a range that is no interval")
    try:
        text = _with_ranges_as_inequalities(text)
        chains = [relation(run) for run in runs(text)]
    except UnreadableError as error:
        return Outcome(None, str(error))
    # Each chain, such as 0 < x <= 1, is a list of links: 0 < x and x <= 1.
    bounds = [link for chain in chains if _is_bound(chain) for link in chain]
    claims = [chain for chain in chains if not _is_bound(chain)]
    if len(claims) != 1:
        return Outcome(None, "several inequalities" if claims else "no inequality")
    variables = _variables(claims[0])
    if len(variables) > 1:
        return Outcome(None, "several variables")
    variable = variables.pop() if variables else sympy.Symbol("x", real=True)
    if _variables(bounds) - {variable}:
        return Outcome(None, "several variables")
    domain = _domain(text, variable, bounds)
    return decide_chain([_decide_link(link, variable, domain) for link in claims[0]])


def decide_chain(decisions: list[Outcome[bool]]) -> Outcome[bool]:
    """Return the weakest of the decisions on a chain's links: a false one, else an undecided one, else an estimate.

    >>> decide_chain([Outcome(True, "estimate: no counterexample"), Outcome(None, "several variables")])
    Outcome(value=None, reason='several variables')
    """
    return min(
        decisions,
        key=lambda decision: (decision.value is not False, decision.value is not None, decision.reason is None),
    )


def _variables(links: list[tuple[Any, str, Any]]) -> set[Any]:
    variables: set[Any] = set()
    for left, _, right in links:
        variables |= left.free_symbols | right.free_symbols
    return variables


def _is_bound(chain: list[tuple[Any, str, Any]]) -> bool:
    sides = [chain[0][0], *(right for _, _, right in chain)]
    return sum(side.is_Symbol for side in sides) == 1 and all(side.is_Symbol or side.is_number for side in sides)


def _domain(text: str, variable: Any, bounds: list[tuple[Any, str, Any]]) -> Any:
    import sympy

    domain = sympy.S.Reals
    if _NOT_NEGATIVE.search(text):
        domain = sympy.Interval(0, sympy.oo)
    elif _POSITIVE.search(text):
        domain = sympy.Interval.open(0, sympy.oo)
    elif _NEGATIVE.search(text):
        domain = sympy.Interval.open(-sympy.oo, 0)
    for left, sign, right in bounds:
        if variable in (left, right):
            domain &= sympy.Rel(left, right, sign).as_set()
    return domain


def _decide_link(link: tuple[Any, str, Any], variable: Any, domain: Any) -> Outcome[bool]:
    import sympy

    left, sign, right = link
    if domain.is_empty or not isinstance(domain, sympy.Interval):
        return Outcome(None, "a range that is no interval")
    difference = left - right
    if _has_counterexample(difference, sign, variable, domain):
        return Outcome(False)
    claim = sympy.Rel(difference, 0, sign)
    if claim in (sympy.true, sympy.false):
        return Outcome(claim == sympy.true)
    try:
        real_part = sympy.calculus.util.continuous_domain(difference, variable, domain)
        solutions = sympy.solve_univariate_inequality(claim, variable, relational=False, domain=real_part)
        proved = real_part.is_subset(solutions)
    except (NotImplementedError, ValueError, TypeError, AttributeError, RecursionError):
        proved = None
    if proved is None:
        return Outcome(True, f"estimate: no counterexample among {_POINTS:,} points")
    return Outcome(True) if proved else Outcome(None, "SymPy and the numbers disagree")


def _has_counterexample(difference: Any, sign: str, variable: Any, domain: Any) -> bool:
    import numpy as np
    import sympy

    evaluate = sympy.lambdify(variable, difference, "numpy")
    points = _points(domain)
    with np.errstate(all="ignore"):
        values = np.broadcast_to(np.asarray(evaluate(points.astype(complex))), points.shape)
        scale = 1 + np.abs(values)
    is_real = np.isfinite(values) & (np.abs(values.imag) < _TOLERANCE * scale)
    direction = -1 if sign in ("<", "<=") else 1
    margins = values.real * direction  # 0 or more where the claim holds
    is_suspect = is_real & (margins <= _TOLERANCE * scale)
    worst_first = points[is_suspect][np.argsort(margins[is_suspect])]
    suspects = worst_first[:_MAX_CONFIRMATIONS]
    exact_values = [difference.subs(variable, sympy.Rational(str(point))).evalf(40) for point in suspects]
    return any(_violates(value, sign) for value in exact_values)


def _violates(value: Any, sign: str) -> bool:
    """Return true if ``value sign 0``, such as ``value < 0``, is false for a real value."""
    import sympy

    if not value.is_real:
        return False
    negligible = sympy.Float(_NEGLIGIBLE)
    margin = -value if sign in ("<", "<=") else value
    is_strict = sign in ("<", ">")
    return bool(margin < -negligible or (is_strict and abs(value) < negligible))


def _points(domain: Any) -> Any:
    """Return about 4,000 points of an interval, with its closed ends and simple numbers such as 0, 1 and 1/2."""
    import numpy as np

    low, high = (float(end) for end in (domain.start, domain.end))
    if np.isinf(low) and np.isinf(high):
        # The tangent spreads the points over the whole line, from -1,256 to 1,256, and most of them near 0.
        points = np.tan(np.linspace(-1.57, 1.57, _POINTS))
    elif np.isinf(low) or np.isinf(high):
        steps = np.concatenate([np.linspace(0, 20, _POINTS // 2), np.geomspace(1e-6, 1e6, _POINTS // 2)])
        points = low + steps if np.isfinite(low) else high - steps
    else:
        points = np.linspace(low, high, _POINTS)
    simple = np.array([low, high, *range(-10, 11), *(1 / n for n in range(2, 11))], dtype=float)
    points = np.unique(np.concatenate([points, simple]))
    inside = (points >= low) & (points <= high) & np.isfinite(points)
    inside &= ~((points == low) & bool(domain.left_open)) & ~((points == high) & bool(domain.right_open))
    return points[inside]
