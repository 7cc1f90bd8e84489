"""``selfknow advanced creations solve``: worked solutions for models to be tuned on."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.output import Format, print_rows


def solve(
    creations: Annotated[Path, typer.Argument(help="A folder of creations.", exists=True, file_okay=False)],
    model: Annotated[
        str | None, typer.Option(help="A folder, a FILE.gguf, a Hub id, or a name at --endpoint.", show_default=False)
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option(help="Address of an OpenAI-compatible server.", show_default=False)
    ] = None,
    chat: Annotated[
        bool | None, typer.Option(help="Use the chat template. Default: if there is one.", show_default=False)
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Solutions that a local model writes at once.")] = 64,
    max_new_tokens: Annotated[int, typer.Option(min=1, help="The longest solution, in tokens.")] = 1024,
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
) -> None:
    """Have a model write worked solutions to its own questions, one for the raw and one for the corrected answer.

    A solution counts if it has steps and ends in the answer. A question without a solution is dropped from
    both versions. Replies are kept in CREATIONS/solutions; give the same command again to resume. Exit code 1: some
    requests failed; the same command tries them again.

    **Example:** `selfknow advanced creations solve creations/tiny --model tiny`
    """
    from dataclasses import replace

    from selfknow.models.opening import ModelOptions
    from selfknow.train.solutions import DECODING, solve_creations

    options = ModelOptions(model=model, endpoint=endpoint, chat=chat, batch_size=batch_size)
    solved = solve_creations(creations, options.language_model(), replace(DECODING, max_new_tokens=max_new_tokens))
    print_rows(solved.counts(), output_format)
    if any("the request failed" in (row["unsolved"] or "") for row in solved.rows):
        raise typer.Exit(1)
