"""``selfknow data check``: the check of a dataset folder against the expectations of its dataset."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.output import Format, print_rows

if TYPE_CHECKING:
    from selfknow.validation.check import Finding


def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.", show_default=False)],
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the findings on stdout.")
    ] = Format.table,
    docs: Annotated[
        Path | None,
        typer.Option(
            "--docs",
            help="The folder for Great Expectations' Data Docs, which you open in a browser.",
            show_default="a new folder among the system's temporary files",
        ),
    ] = None,
) -> None:
    """Check every file, row and sentence of a dataset folder.

    Exit code 0: every expectation is met. Exit code 1: there are findings. A finding names the expectation, says how
    often it fails, and shows examples.

    **Examples:**

    `selfknow data check diary-recall`

    `selfknow data check diary-recall --format json --docs data-docs`
    """
    from selfknow.builders.folder.manifest import read_manifest
    from selfknow.validation.check import check_folder

    read_manifest(folder)  # raises before any page is made if this is not a dataset folder
    pages = docs or Path(tempfile.mkdtemp(prefix="selfknow-data-docs-"))
    findings = check_folder(folder, data_docs=pages, progress=True)
    print_findings(findings, output_format)
    unmet = len({(finding.config, finding.expectation) for finding in findings})
    unmet_expectations = "1 expectation" if unmet == 1 else f"{unmet} expectations"
    verdict = f"does not meet {unmet_expectations}" if findings else "meets all expectations"
    typer.echo(f"{folder} {verdict}; Data Docs: {(pages / 'index.html').resolve().as_uri()}", err=True)
    if findings:
        raise typer.Exit(1)


def print_findings(findings: "Sequence[Finding]", output_format: Format) -> None:
    """Print findings on stdout. The format ``table`` shows a heading, the message and the examples of each."""
    if output_format is not Format.table:
        print_rows([_row(finding, output_format) for finding in findings], output_format)
        return
    for finding in findings:
        place = " / ".join(name for name in (finding.config, finding.split) if name) or "folder"
        typer.echo(f"{place}: {finding.expectation}\n  {finding.message}")
        for example in finding.examples:
            typer.echo("  - " + ", ".join(f"{name}: {value!r}" for name, value in example.items()))


def _row(finding: "Finding", output_format: Format) -> dict[str, object]:
    examples = [dict(example) for example in finding.examples]
    return {
        "config": finding.config,
        "split": finding.split,
        "expectation": finding.expectation,
        "message": finding.message,
        "examples": json.dumps(examples, ensure_ascii=False) if output_format is Format.csv else examples,
    }
