"""The publication of a dataset folder: check, plan, push, read back, tag.

plan = prepare(Path("out/diary-recall"), "org/diary-recall")  # raises FailedCheckError, prints nothing
push(plan)
"""

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.bars import Bar
from selfknow.builders.folder.manifest import FileEntry
from selfknow.errors import UserError
from selfknow.hub.dataset_plan import plan_dataset
from selfknow.hub.failures import hub_errors_in_one_line
from selfknow.hub.plan import Plan
from selfknow.hub.remote import GIT_ATTRIBUTES, Remote, sha256_of

if TYPE_CHECKING:
    from selfknow.validation.check import Finding

_DOWNLOADS_AT_A_TIME = 8


Check = Callable[[Path], "Sequence[Finding]"]


class FailedCheckError(UserError):
    """A folder that fails its check; nothing was published."""

    def __init__(self, folder: Path, findings: "Sequence[Finding]") -> None:
        super().__init__(f"{folder} fails its check ({len(findings)} findings): nothing was published")
        self.findings = findings


def diff(folder: Path, repo: str, *, tag: str | None = None, replace: bool = False) -> Plan:
    """Plan a release of a dataset folder, without checking its rows and without needing write access.

    Args:
        folder: A dataset folder.
        repo: ``org/name``.
        tag: The release's tag; by default ``v`` and the manifest's version.
        replace: Replace the repo's content if it holds something else.

    Raises:
        UserError: The folder is damaged, the Hub cannot be reached, or the repo holds something else.
    """
    with hub_errors_in_one_line(repo):
        return plan_dataset(folder, Remote(repo), tag=tag, replace=replace)


def prepare(
    folder: Path,
    repo: str,
    *,
    tag: str | None = None,
    private: bool = False,
    replace: bool = False,
    check: Check | None = None,
) -> Plan:
    """Check a dataset folder and plan its release; nothing on the Hub changes.

    Args:
        folder: A dataset folder.
        repo: ``org/name``.
        tag: The release's tag; by default ``v`` and the manifest's version.
        private: Make a new repo private.
        replace: Replace the repo's content if it holds something else.
        check: The check that the folder must pass; by default the dataset's own suite.

    Raises:
        FailedCheckError: The check has findings.
        UserError: There is no token that may write, or an error of `diff`.
    """
    with hub_errors_in_one_line(repo):
        remote = Remote(repo)
        remote.check_token()
        findings = (check or _suite())(folder)
        if findings:
            raise FailedCheckError(folder, findings)
        return plan_dataset(folder, remote, tag=tag, private=private, replace=replace)


def push(plan: Plan) -> str:
    """Carry out a plan: make one commit, read it back, then tag it. A killed push can be repeated.

    Returns:
        The address of the release's page.

    Raises:
        UserError: The repo has changed since the plan was made, the Hub cannot be reached, or a served file differs
            from the one sent. Then no tag is made, so no release is incomplete.
    """
    with hub_errors_in_one_line(plan.repo):
        remote = Remote(plan.repo)
        commit = plan.parent_commit or _new_repo(remote, private=plan.private)
        if plan.makes_commit:
            commit = remote.commit(plan.title, plan.send, plan.delete, parent=commit)
        if not plan.is_done:
            read_back(remote, commit, plan.served)
        if not plan.tag_exists:
            remote.tag(plan.tag, commit)
        return remote.url(plan.tag)


def publish(folder: Path, repo: str, *, tag: str | None = None, check: Check | None = None) -> Plan:
    """Check, plan and push a dataset folder; the arguments and errors are those of `prepare` and `push`.

    Returns:
        The plan that was carried out.

    Example:
        >>> plan = publish(Path("out/diary-recall"), "org/diary-recall")  # doctest: +SKIP
    """
    plan = prepare(folder, repo, tag=tag, check=check)
    push(plan)
    return plan


def read_back(remote: Remote, commit: str, expected: Sequence[FileEntry]) -> None:
    """Download the files of a commit, bypassing all caches, and compare them with the files to be published.

    Raises:
        UserError: A file is missing or differs.
    """
    snapshot = remote.snapshot(commit)
    if snapshot is None:
        raise UserError(f"{remote.repo} vanished after the push: publish again")

    def compare(entry: FileEntry) -> None:
        with tempfile.TemporaryDirectory(prefix="selfknow-") as folder:
            path = remote.fetch(entry.path, snapshot, Path(folder))
            if (path.stat().st_size, sha256_of(path)) != (entry.num_bytes, entry.sha256):
                raise UserError(
                    f"{remote.repo} serves a {entry.path} other than the one sent, so no tag was made: publish again"
                )

    with ThreadPoolExecutor(_DOWNLOADS_AT_A_TIME) as pool:
        list(Bar(pool.map(compare, expected), total=len(expected), desc="reading back", unit="file"))


def _new_repo(remote: Remote, *, private: bool) -> str:
    snapshot = remote.create(private=private)
    if set(snapshot.files) - {GIT_ATTRIBUTES}:
        raise UserError(f"somebody else made {remote.repo} meanwhile: run the command again to see the new plan")
    return snapshot.commit


def _suite() -> Check:
    from selfknow.validation.check import check_folder

    return partial(check_folder, progress=True)
