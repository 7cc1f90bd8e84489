"""``selfknow data diff``, ``publish`` and ``pull``: dataset folders, sent to the Hub and fetched from it."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.data_check import print_findings
from selfknow.cli.output import Format, print_rows

if TYPE_CHECKING:
    from selfknow.hub.plan import Plan

FormatOption = Annotated[Format, typer.Option("--format", help="The format of the plan on stdout.")]
FolderArgument = Annotated[Path, typer.Argument(help="The dataset folder.", show_default=False)]
RepoArgument = Annotated[str, typer.Argument(help="The repo on the Hub, as org/name.", show_default=False)]
TagOption = Annotated[
    str | None, typer.Option("--tag", help="The tag of the release. Default: v and the dataset's version.")
]
ReplaceOption = Annotated[
    bool, typer.Option("--replace", help="Replace the repo's content, even if selfknow did not publish it.")
]
PrivateOption = Annotated[bool, typer.Option("--private", help="Make a new repo private.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Check and print the plan, then stop.")]


def register(app: typer.Typer) -> None:
    """Add ``diff``, ``publish`` and ``pull`` to ``selfknow data``."""
    app.command("diff")(diff)
    app.command("publish")(publish)
    app.command("pull")(pull)


def diff(
    folder: FolderArgument,
    repo: RepoArgument,
    tag: TagOption = None,
    replace: ReplaceOption = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Print what publishing a folder would change: rows added, removed and changed, files and bytes to send.

    A public repo needs no token. Rows are compared by their id.

    **Example:** `selfknow data diff out/diary-recall org/diary-recall`
    """
    from selfknow.hub import publish as hub

    print_plan(hub.diff(folder, repo, tag=tag, replace=replace), output_format)


def publish(
    folder: FolderArgument,
    repo: RepoArgument,
    dry_run: DryRunOption = False,
    tag: TagOption = None,
    private: PrivateOption = False,
    replace: ReplaceOption = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Check a folder, print the plan, and publish it: one commit, read back from the Hub, then a version tag.

    A folder that fails its check is not published (exit code 1). If a publish is killed, run the same command again. If
    the Hub already serves the release, nothing happens.

    **Examples:**

    `selfknow data publish out/diary-recall org/diary-recall --dry-run`

    `selfknow data publish out/diary-recall org/diary-recall --tag v1.0.0`
    """
    from selfknow.hub import publish as hub

    try:
        plan = hub.prepare(folder, repo, tag=tag, private=private, replace=replace)
    except hub.FailedCheckError as error:
        print_findings(error.findings, output_format)
        typer.echo(f"selfknow: {error}", err=True)
        raise typer.Exit(1) from None
    print_plan(plan, output_format)
    if not dry_run and not plan.is_done:
        typer.echo(f"published: {hub.push(plan)}", err=True)


def pull(
    repo: RepoArgument,
    out: Annotated[Path, typer.Option("--out", help="The folder to fill, new or empty.", show_default=False)],
    revision: Annotated[str, typer.Option("--revision", help="A tag, a branch or a commit hash.")] = "main",
) -> None:
    """Download a release and check every file against its manifest. If a pull is killed, run the same command again.

    **Example:** `selfknow data pull org/diary-recall --revision v1.0.0 --out diary-recall`
    """
    from selfknow.hub.pull import pull_dataset

    manifest = pull_dataset(repo, out, revision=revision)
    print_rows([{"config": name, "content_hash": entry.content_hash} for name, entry in manifest.configs.items()])


def print_plan(plan: "Plan", output_format: Format) -> None:
    """Print a row for each change on stdout, and a summary of the plan on stderr."""
    print_rows([asdict(change) for change in plan.changes], output_format)
    typer.echo(plan.summary(), err=True)
