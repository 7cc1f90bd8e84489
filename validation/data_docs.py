"""Great Expectations' Data Docs as a folder of pages that load nothing from other hosts.

Great Expectations' own pages fetch styles, scripts and a logo. Here it renders only the content of a page. The frame
around it is ours (``pages/``), with one style sheet in the page and no script.
"""

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from great_expectations.core import ExpectationSuiteValidationResult
from great_expectations.render.renderer import ValidationResultsPageRenderer
from great_expectations.render.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, FileSystemLoader

from selfknow.validation.pages_folder import INDEX, MARK
from selfknow.validation.suite import Batch


class _Page(DefaultJinjaPageView):
    """A page of a batch; our templates come before those of Great Expectations."""

    def __init__(self, templates: Path) -> None:
        super().__init__()
        self.env.loader = ChoiceLoader([FileSystemLoader(templates), self.env.loader])


def write_pages(
    data_docs: Path, batches: Sequence[Batch], results: Sequence[ExpectationSuiteValidationResult], title: str
) -> None:
    """Write ``index.html`` and a page for each batch, in place of earlier ones.

    Args:
        data_docs: The folder; created if missing.
        batches: The validated batches.
        results: Great Expectations' results, in the same order.
        title: The heading of the index.
    """
    data_docs.mkdir(parents=True, exist_ok=True)
    for old_page in data_docs.glob("*.html"):
        old_page.unlink()
    with as_file(files("selfknow.validation") / "pages") as templates:
        view = _Page(templates)
        rows = []
        for batch, result in zip(batches, results, strict=True):
            result.results.sort(key=lambda judgement: judgement.success)  # failures first
            file_name = f"{batch.name.replace(' ', '-')}.html"
            row = {"name": batch.name, "file_name": file_name, "success": result.success, **result.statistics}
            document = ValidationResultsPageRenderer().render(result)
            del document.sections[0]  # an overview with links to pages that are not made here
            page = view.render(document, title=title, row=row, mark=MARK)
            (data_docs / file_name).write_text(page, encoding="utf-8")
            rows.append(row)
        index = view.env.get_template("index.j2").render(title=title, rows=rows, mark=MARK)
        (data_docs / INDEX).write_text(index, encoding="utf-8")
