"""The barriers on a page, as axe-core finds them (WCAG 2.2, and its best practices)."""

from functools import cache
from importlib.resources import files
from typing import Any

_RUN = """
const done = arguments[arguments.length - 1];
for (const fold of document.querySelectorAll('details')) fold.open = true;
axe.run(document, {resultTypes: ['violations'], selectors: false}).then(({violations}) => done(violations.map(
    one => `${one.id}: ${one.nodes[0].html.slice(0, 120)} (${one.nodes.length} of them): ${one.nodes[0].failureSummary}`
)), error => done([String(error)]));
"""


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(browser: Any) -> list[str]:
    """Return a line for each rule that the open page breaks, with all of its folds opened."""
    browser.set_script_timeout(300)
    browser.execute_script(_axe())
    lines: list[str] = browser.execute_async_script(_RUN)
    return lines
