"""The view of an expectation and its exceptions on a page of Data Docs."""

from typing import Any

from great_expectations.core import ExpectationValidationResult
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.render import LegacyDiagnosticRendererType, RenderedStringTemplateContent, RenderedTableContent
from great_expectations.render.components import LegacyRendererType
from great_expectations.render.renderer.renderer import renderer


class ExceptionsRenderer:
    """The rendering of an expectation: its name and statement, and a table of examples if it fails."""

    @classmethod
    @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
    def _prescriptive_renderer(
        cls, configuration: ExpectationConfiguration, **_: object
    ) -> list[RenderedStringTemplateContent]:
        template = {
            "template": "$name $statement",
            "params": {key: configuration.kwargs[key] for key in ("name", "statement")},
            "styling": {"params": {"name": {"tag": "code"}}},
        }
        return [RenderedStringTemplateContent(string_template=template)]

    @classmethod
    @renderer(renderer_type=LegacyDiagnosticRendererType.UNEXPECTED_TABLE)
    def _diagnostic_unexpected_table_renderer(
        cls, result: ExpectationValidationResult, **_: object
    ) -> list[RenderedTableContent] | None:
        examples = [_cells(group) for group in result.result["details"]["exceptions"]]
        rows = [row for group in examples for row in group]
        if not rows:
            return None
        header = list(rows[0])
        table = [[_text(row.get(name, "")) for name in header] for row in rows]
        styling = {"body": {"classes": ["examples"]}}
        return [RenderedTableContent(table=table, header_row=header, styling=styling)]


def _cells(group: dict[str, Any]) -> list[dict[str, object]]:
    location = {key: group[key] for key in ("config", "split") if group[key] is not None}
    return [location | example for example in group["examples"]]


def _text(value: object) -> RenderedStringTemplateContent:
    """Return a cell; its text is a parameter of the template, because Great Expectations escapes only parameters."""
    styling = {"params": {"text": {"classes": ["text"]}}}
    template = {"template": "$text", "params": {"text": str(value)}, "styling": styling}
    return RenderedStringTemplateContent(string_template=template)
