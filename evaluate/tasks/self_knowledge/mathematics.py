r"""A reader of models' mathematics, which makes SymPy expressions without ever evaluating text as code.

Plain text, Unicode and common LaTeX become one notation, which Python's own parser turns into a tree. Only numbers,
variables, operators and known functions are accepted. Sizes are bounded: ``9**9**9`` is refused.
"""

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

_MAX_TEXT_LENGTH = 300
_MAX_NODES = 150
_MAX_NUMBER = 10**15
_MAX_EXPONENT = 60
FUNCTIONS = (
    "sqrt",
    "exp",
    "log",
    "ln",
    "sin",
    "cos",
    "tan",
    "arctan",
    "arcsin",
    "arccos",
    "sinh",
    "cosh",
    "tanh",
    "abs",
)
_SIGNS = {
    "−": "-",
    "–": "-",
    "×": "*",
    "·": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "⩽": "<=",
    "⩾": ">=",
    "π": "pi",
    "√": "sqrt",
}
_SIGNS |= {"²": "^2", "³": "^3", "⁴": "^4", "½": "(1/2)", "∞": "oo", "≠": "!=", "\u00a0": " ", "\u2009": " "}
_LATEX = {
    r"\\(?:left|right|displaystyle|,|;|!|quad|qquad)(?![a-z])": "",
    r"\\(?:dfrac|tfrac|frac)": r"\\frac",
    r"\\(?:cdot|times)\b": "*",
    r"\\(?:geqslant|geq|ge)\b": ">=",
    r"\\(?:leqslant|leq|le)\b": "<=",
    r"\\(?:gt)\b": ">",
    r"\\(?:lt)\b": "<",
    r"\\infty\b": "oo",
    r"\\(?:[()\[\]])": " ",
}
_RELATION = re.compile(r"<=|>=|<|>")


class UnreadableError(ValueError):
    """A text cannot be read as mathematics; the message says why."""


def plain_notation(text: str) -> str:
    r"""Return a text with Unicode and LaTeX in plain notation, with ``**`` for powers.

    >>> plain_notation(r"\frac{x^2}{2} ≥ 3x")
    '((x**2)/(2)) >= 3*x'
    """
    for sign, plain in _SIGNS.items():
        text = text.replace(sign, plain)
    for pattern, plain in _LATEX.items():
        text = re.sub(pattern, plain, text)
    while True:  # from the innermost braces outwards
        shorter = re.sub(r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))", text)
        shorter = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r"sqrt(\1)", shorter)
        shorter = re.sub(r"(?:\^|\*\*)\s*\{([^{}]*)\}", r"**(\1)", shorter)
        if shorter == text:
            break
        text = shorter
    text = re.sub(r"\\([a-z]+)", r"\1", text).replace("{", "(").replace("}", ")").replace("$", " ").replace("^", "**")
    text = re.sub(r"\|([^|]+)\|", r"abs(\1)", text)
    return _insert_products(text).strip()


def _insert_products(text: str) -> str:
    """Return a text with its implied products written out: ``2x(x + 1)`` becomes ``2*x*(x + 1)``."""
    names = "|".join((*FUNCTIONS, "pi"))
    text = re.sub(rf"\b({'|'.join(FUNCTIONS)})\s+([a-z]|\d+)(?![a-z\d(])", r"\1(\2)", text)
    text = re.sub(rf"(?<=[0-9])\s*(?=(?:{names})\b|[a-z]\b|[a-z]\*\*|\()", "*", text)
    text = re.sub(rf"(?<=\))\s*(?=(?:{names})\b|[a-z]\b|[0-9]|\()", "*", text)
    text = re.sub(r"(?<![a-z])([a-z])\s*(?=\()", r"\1*", text)
    return re.sub(rf"(?<![a-z])([a-z])\s+(?=(?:{names})\b)", r"\1*", text)


def expression(text: str) -> Any:
    """Parse plain, Unicode or LaTeX text into a SymPy expression with real variables.

    Raises:
        UnreadableError: The text is not an expression, or is too large.

    >>> expression("2x(x + 1) - sqrt(4)")
    2*x*(x + 1) - 2
    """
    plain = plain_notation(text)
    if not plain or len(plain) > _MAX_TEXT_LENGTH:
        raise UnreadableError("an expression that is empty or too large")
    try:
        tree = ast.parse(plain, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError("not an expression in a supported notation") from error
    if sum(1 for _ in ast.walk(tree)) > _MAX_NODES:
        raise UnreadableError("an expression that is empty or too large")
    return _read(tree.body)


def _read(node: ast.AST) -> Any:
    import sympy

    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        if abs(node.value) > _MAX_NUMBER:
            raise UnreadableError("a number that is too large")
        return sympy.Rational(str(node.value))
    if isinstance(node, ast.Name):
        return _read_name(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _read(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        return _apply_operator(node.op, _read(node.left), _read(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise UnreadableError(f"an unknown function {node.func.id}")
        return _read_function(node.func.id)(_read(node.args[0]))
    raise UnreadableError("not an expression in a supported notation")


def _read_function(name: str) -> Callable[[Any], Any]:
    import sympy

    special = {"ln": "log", "abs": "Abs", "arctan": "atan", "arcsin": "asin", "arccos": "acos"}
    function: Callable[[Any], Any] = getattr(sympy, special.get(name, name))
    return function


def _read_name(name: str) -> Any:
    import sympy

    constants: Mapping[str, Any] = {"pi": sympy.pi, "e": sympy.E, "E": sympy.E}
    if name in constants:
        return constants[name]
    if len(name) == 1 and name.isalpha():
        return sympy.Symbol(name, real=True)
    raise UnreadableError(f"an unknown name {name}")


def _apply_operator(operator: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.Div):
        if right == 0:
            raise UnreadableError("a division by zero")
        return left / right
    if isinstance(operator, ast.Pow):
        if right.is_number and (not right.is_finite or abs(right) > _MAX_EXPONENT):
            raise UnreadableError("an exponent that is too large")
        if left.is_number and not right.is_number and abs(left) > _MAX_NUMBER:
            raise UnreadableError("a number that is too large")
        return left**right
    raise UnreadableError("not an expression in a supported notation")


def relation(text: str) -> list[tuple[Any, str, Any]]:
    """Read a chain of inequalities as triples: ``0 < x <= 1`` becomes ``(0, "<", x)`` and ``(x, "<=", 1)``.

    Raises:
        UnreadableError: The text is not a chain of inequalities.
    """
    plain = plain_notation(text)
    signs = _RELATION.findall(plain)
    sides = [expression(side) for side in _RELATION.split(plain)]
    if not signs:
        raise UnreadableError("no inequality")
    return list(zip(sides, signs, sides[1:], strict=False))
