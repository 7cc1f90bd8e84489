"""Inequalities and arithmetic against known truths, and texts that must be refused and not computed."""

import contextlib
import time

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge import arithmetic, deciding, inequalities
from selfknow.evaluate.tasks.self_knowledge.deciding import Decider
from selfknow.evaluate.tasks.self_knowledge.mathematics import UnreadableError, expression


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(UnreadableError):
        assert isinstance(expression(text), sympy.Basic)


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "9**9**9", "(x).real", "foo(x)", "lambda: 0", "x[0]", "1/0", "[1]", "x" * 301, "10**99"],
)
def test_what_is_no_small_expression_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        expression(text)


@pytest.mark.parametrize(
    ("notation", "other"),
    [
        (r"\frac{x^2+1}{2}", "(x**2 + 1)/2"),
        ("2x(x−1)", "2*x*(x-1)"),
        (r"\sqrt{x} \cdot 3", "3*sqrt(x)"),
        ("e^x", "exp(x)"),
    ],
)
def test_notations_of_the_same_mean_the_same(notation: str, other: str) -> None:
    assert expression(notation) == expression(other)


TRUE = [
    r"For all real numbers $x$, $x^4 - 4x + 3 \geq 0$.",
    "For all positive real x, x + 1/x >= 2.",
    r"\[ x^2 - x + 1 > 0 \quad \text{for all } x \in \mathbb{R} \]",
    "For x in [0, 1], x^2 <= x.",
    "For every t with 0 <= t <= 1, t(1 - t) <= 1/4.",
    "sqrt(x) ≤ (x + 1)/2 for x ≥ 0",
]
ESTIMATED = [
    "e^x ≥ x + 1 for every real number x",
    "For x > 0, ln x <= x - 1.",
    "$|x+1| \\le |x| + 1$ for all real $x$",
]
FALSE = [
    "For all real numbers x, x^2 + 1 > 2x.",
    "For every t with 0 <= t <= 1, t(1 - t) < 1/4.",
    "For x in [0, 2], x^2 <= x.",
    "x^3 > x for every real number x",
    "For all real x: x + 1/x >= 2",
    "For x >= 1, ln x > x - 1",
]
UNKNOWN = {
    "For all integers n, n^2 >= n": "a range that is no interval",
    "x^2 + y^2 >= 2xy": "several variables",
    "x^2 >= 0 and x^4 >= 0": "several inequalities",
    "x^2 <= x for x between 0 and 1": "a range in words",
    "The sum is large.": "no inequality",
    "For x > 1, 9**9**9 > x": "an exponent that is too large",
}


@pytest.mark.parametrize("text", TRUE)
def test_true_inequalities(text: str) -> None:
    assert inequalities.decide(text) == Outcome(True)


@pytest.mark.parametrize("text", ESTIMATED)
def test_what_only_numbers_support_is_an_estimate(text: str) -> None:
    decision = inequalities.decide(text)
    assert decision.value is True
    assert decision.reason == "estimate: no counterexample among 4,001 points"


@pytest.mark.parametrize("text", FALSE)
def test_false_inequalities(text: str) -> None:
    assert inequalities.decide(text).value is False


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_cannot_be_told_is_null_with_its_reason(text: str) -> None:
    assert inequalities.decide(text) == Outcome(None, UNKNOWN[text])


def test_a_chain_is_as_sure_as_its_weakest_link() -> None:
    proved, estimate = Outcome(True), Outcome(True, "estimate: no counterexample among 5 points")
    undecided, false = Outcome[bool](None, "SymPy and the numbers disagree"), Outcome(False)
    assert inequalities.decide_chain([proved, estimate]) == estimate
    assert inequalities.decide_chain([estimate, undecided]) == undecided
    assert inequalities.decide_chain([undecided, false]) == false
    assert inequalities.decide_chain([proved, proved]) == proved


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [
        ("What is 3 * (4 + 5)?", "27", True),
        ("What is 3 * (4 + 5)?", "2", False),
        (r"Compute $\sqrt{8}$.", "2*sqrt(2)", True),
        ("Solve for x: 2x + 1 = 8.", "7/2", True),
        ("Find x if 3x - 5 = 10.", "6", False),
        ("Solve the equation x^2 = 4.", "2", None),
        ("How many ways are there to seat 4 people?", "24", None),
        ("What is 5x?", "5", None),
    ],
)
def test_answers_are_checked_where_the_whole_question_can_be_read(
    question: str, answer: str, value: bool | None
) -> None:
    assert arithmetic.decide(question, answer).value is value


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is 3 * (4 + 5)?", "27"),
        (r"Compute $\\sqrt{8}$.", "2*sqrt(2)"),
        ("What is 1/2 + 1/3?", "5/6"),
        ("Solve for x: 2x + 1 = 8.", "7/2"),
        ("Find x if 3x - 5 = 10.", "5"),
        ("Solve the equation x^2 = 4.", None),
        ("Solve the equation x^2 = -4.", None),
        ("Solve for x: x + y = 3.", None),
        ("What is sqrt(0 - 4)?", None),
        ("What is log(0)?", None),
        ("What is 5x?", None),
        ("How many ways are there to seat 4 people?", None),
        ("", None),
    ],
)
def test_the_answer_itself_is_computed_where_the_question_has_one(question: str, answer: str | None) -> None:
    rows = arithmetic.solve(question)
    assert rows.value == answer
    assert (rows.reason is None) == (answer is not None)
    if answer is not None:
        assert arithmetic.decide(question, answer).value is True, "what is computed is what is decided to be right"


def test_a_process_that_does_not_start_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "_SECONDS_TO_START", 0.0)
    with Decider() as decider, pytest.raises(UserError, match="the process that decides mathematics does not start"):
        decider.arithmetic("What is 6 * 7?", "42")


def test_a_question_that_takes_too_long_is_null_and_the_next_is_decided() -> None:
    with Decider(seconds=0.01) as decider:
        before = time.monotonic()
        hard = decider.inequality("(x^8 + sin(x))*(x^6+3) + (x^2+1)^30 > cos(x)*x^5 - 40 for all real x")
        assert hard == Outcome(None, "took too long to decide")
        assert time.monotonic() - before < 30
    with Decider() as decider:
        assert decider.arithmetic("What is 6 * 7?", "42") == Outcome(True)
        assert decider.solution("What is 6 * 7?") == Outcome("42")
        assert decider.inequality("x^2 >= 0 for all real x") == Outcome(True)
