"""``selfknow portrait publish``: portraits, sent to a repo on the Hub."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.data_publish import (
    DryRunOption,
    FormatOption,
    PrivateOption,
    ReplaceOption,
    RepoArgument,
    print_plan,
)
from selfknow.cli.output import Format


def register(app: typer.Typer) -> None:
    """Add ``publish`` to ``selfknow portrait``."""
    app.command("publish")(publish)


def publish(
    folder: Annotated[Path, typer.Argument(help="A portrait folder, or a folder of them.", show_default=False)],
    repo: RepoArgument,
    dry_run: DryRunOption = False,
    tag: Annotated[
        str | None, typer.Option("--tag", help="The tag of the release. Default: the next of v1, v2, ….")
    ] = None,
    private: PrivateOption = False,
    replace: ReplaceOption = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove portraits that are in the repo but not in the folder.")
    ] = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Publish portraits to one repo, each under its folder's name, with a card that lists them all.

    Every portrait is checked against its description, sent in one commit, read back, and tagged. The repo's other
    portraits stay.

    **Examples:**

    `selfknow portrait publish portraits/32k org/diary-portraits`

    `selfknow portrait publish portraits org/diary-portraits --prune --dry-run`
    """
    from selfknow.hub.publish import push
    from selfknow.portraits.publishing import prepare

    plan = prepare(folder, repo, tag=tag, private=private, replace=replace, prune=prune)
    print_plan(plan, output_format)
    if not dry_run and not plan.is_done:
        typer.echo(f"published: {push(plan)}", err=True)
