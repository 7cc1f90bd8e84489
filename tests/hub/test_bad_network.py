"""A slow network that fails while files travel, a Hub in trouble or silent, a publisher that is killed."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hub.conftest import Client, Hub

CONFIG = "16-diarists"
REPO = "org/diary-recall"
Run = subprocess.CompletedProcess[str]
Scenario = Callable[[Hub, Client, Path], Any]
Outcome = Callable[[Scenario], tuple[Any, Hub]]


def _fault(method: str, path: str, action: str, **more: int) -> dict[str, object]:
    return {"method": method, "path": path, "action": action, **more}


def _publish_with(hub: Hub, client: Client, folder: Path, *faults: dict[str, object]) -> Run:
    hub.plan_faults(*faults)
    return client.publish(folder, REPO)


def _upload_cut_for_good(hub: Hub, client: Client, folder: Path) -> object:
    client.environment["HF_HUB_DISABLE_XET"] = "1"
    cut = _publish_with(hub, client, folder, _fault("PUT", "/_objects/", "cut_request", times=99, after_bytes=1000))
    commits = hub.commits(REPO)
    hub.plan_faults()
    again = client.publish(folder, REPO)
    return cut, [commit["title"] for commit in commits], again


def _large_upload_cut_once(hub: Hub, client: Client, folder: Path) -> object:
    client.environment["HF_HUB_DISABLE_XET"] = "1"
    return _publish_with(hub, client, folder, _fault("PUT", "/_objects/", "cut_request", after_bytes=1000))


def _commit_cut_for_good(hub: Hub, client: Client, folder: Path) -> object:
    cut = _publish_with(hub, client, folder, _fault("POST", "/commit/", "cut_request", times=99, after_bytes=10_000))
    return cut, [commit["title"] for commit in hub.commits(REPO)]


def _silent_at_the_commit(hub: Hub, client: Client, folder: Path) -> object:
    return _silent_at(hub, client, folder, "POST", "/commit/")


def _silent_at_the_upload(hub: Hub, client: Client, folder: Path) -> object:
    client.environment["HF_HUB_DISABLE_XET"] = "1"
    return _silent_at(hub, client, folder, "PUT", "/_objects/")


def _silent_at_the_upload_through_xet(hub: Hub, client: Client, folder: Path) -> object:
    client.environment |= {"HF_XET_CLIENT_RETRY_MAX_ATTEMPTS": "1", "HF_XET_CLIENT_RETRY_BASE_DELAY": "100ms"}
    return _silent_at(hub, client, folder, "POST", "/_xet/v1/xorbs/")


def _silent_at(hub: Hub, client: Client, folder: Path, method: str, path: str) -> object:
    client.environment["SELFKNOW_HUB_SECONDS"] = "1"
    silent = _publish_with(hub, client, folder, _fault(method, path, "hold", times=99))
    num_requests, titles = len(hub.requests(f"^{method} .*{path}")), [commit["title"] for commit in hub.commits(REPO)]
    del client.environment["SELFKNOW_HUB_SECONDS"]
    client.environment["HF_HUB_DISABLE_XET"] = "1"  # this Hub keeps nothing that comes through Xet
    hub.plan_faults()
    return silent, num_requests, titles, client.publish(folder, REPO)


def _answer_lost(hub: Hub, client: Client, folder: Path) -> object:
    return _publish_with(hub, client, folder, _fault("POST", "/commit/", "lose_answer"))


def _errors_twice(hub: Hub, client: Client, folder: Path) -> object:
    paths = [
        ("GET", "/whoami-v2"),
        ("POST", "/repos/create"),
        ("POST", "/preupload/"),
        ("POST", "/commit/"),
        ("POST", "/tag/"),
        ("GET", f"/resolve/[^/]+/{CONFIG}/test"),
    ]
    return _publish_with(hub, client, folder, *(_fault(*where, "status", times=2) for where in paths))


def _errors_for_good(hub: Hub, client: Client, folder: Path) -> object:
    return _publish_with(hub, client, folder, _fault("POST", "/commit/", "status", times=99, status=503))


def _download_cut(hub: Hub, client: Client, folder: Path) -> object:
    client.published(folder, REPO)
    path = f"/resolve/[^/]+/{CONFIG}/train"
    hub.plan_faults(_fault("GET", path, "cut_response", times=2, after_bytes=500))
    out = client.folder / "once"
    once = client.selfknow("data", "pull", REPO, "--out", out)
    hub.plan_faults(_fault("GET", path, "cut_response", times=99))
    for_good = client.selfknow("data", "pull", REPO, "--out", client.folder / "never")
    return once, out, for_good, client.folder / "never"


def _killed_before_the_tag(hub: Hub, client: Client, folder: Path) -> object:
    return _killed_at(hub, client, folder, "/tag/")


def _killed_before_the_commit(hub: Hub, client: Client, folder: Path) -> object:
    return _killed_at(hub, client, folder, "/commit/")


def _killed_at(hub: Hub, client: Client, folder: Path, path: str) -> object:
    hub.plan_faults(_fault("POST", path, "hold"))
    process = client.start_publishing(folder, REPO)
    while not hub.requests(f"^POST .*{path}"):
        assert process.poll() is None, "the client ended before it was killed"
        time.sleep(0.01)
    process.kill()
    process.wait()
    killed = hub.references(REPO), [commit["title"] for commit in hub.commits(REPO)]
    hub.plan_faults()
    again = client.publish(folder, REPO)
    return killed, again, hub.requests("^POST .*/commit/")


NEED_LARGE_FILES = {
    _upload_cut_for_good,
    _large_upload_cut_once,
    _silent_at_the_upload,
    _silent_at_the_upload_through_xet,
}
LARGE_FROM_BYTES = 6_500
SLOW_BYTES_PER_SECOND = 400_000


@pytest.fixture
def outcome(hub: Hub, client: Client, folder: Path) -> Outcome:
    """Carry out a scenario with an empty Hub on a slow link; return its result and the Hub."""

    def carry_out(scenario: Scenario) -> tuple[Any, Hub]:
        hub.empty()
        large = LARGE_FROM_BYTES if scenario in NEED_LARGE_FILES else None
        hub.configure(bytes_per_second=SLOW_BYTES_PER_SECOND, lfs_from_bytes=large)
        return scenario(hub, client, folder), hub

    return carry_out


def one_line(result: Run) -> str:
    """Return the one line of the command's error."""
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("selfknow: ")]
    return line


def assert_released(hub: Hub, num_commits: int = 2) -> None:
    references = hub.references(REPO)
    assert references["tags"] == {"v1.0.0": references["branches"]["main"]}
    assert len(hub.commits(REPO)) == num_commits


def test_a_large_upload_that_is_cut_publishes_nothing_and_can_be_repeated(outcome: Outcome) -> None:
    (cut, titles, again), hub = outcome(_upload_cut_for_good)
    assert "the connection to http://127.0.0.1" in one_line(cut)
    assert "no release of org/diary-recall is left half-made" in one_line(cut)
    assert titles == ["initial commit"]
    assert again.returncode == 0, again.stderr
    assert_released(hub)
    assert [path for path, file in hub.files(REPO).items() if file["lfs"] and path.endswith(".parquet")]


@pytest.mark.parametrize(
    ("scenario", "attempts"),
    [
        pytest.param(_silent_at_the_upload, 6, marks=pytest.mark.full),
        pytest.param(_silent_at_the_upload_through_xet, 2, marks=pytest.mark.full),
        (_silent_at_the_commit, 4),
    ],
)
def test_a_server_that_never_answers_is_left_after_the_stated_time(
    scenario: Scenario, attempts: int, outcome: Outcome
) -> None:
    (silent, num_requests, titles, again), hub = outcome(scenario)
    assert "the connection to http://127.0.0.1" in one_line(silent)
    assert num_requests
    assert num_requests % attempts == 0, "as often for each of the files"
    assert titles == ["initial commit"]
    assert again.returncode == 0, again.stderr
    assert_released(hub)


def test_a_large_upload_that_is_cut_once_goes_on(outcome: Outcome) -> None:
    result, hub = outcome(_large_upload_cut_once)
    assert result.returncode == 0, result.stderr
    assert_released(hub)


def test_a_commit_that_never_gets_through_publishes_nothing(outcome: Outcome) -> None:
    (cut, titles), _ = outcome(_commit_cut_for_good)
    assert "no release of org/diary-recall is left half-made" in one_line(cut)
    assert titles == ["initial commit"]


def test_a_commit_whose_answer_is_lost_is_found_and_not_made_twice(outcome: Outcome) -> None:
    result, hub = outcome(_answer_lost)
    assert result.returncode == 0, result.stderr
    assert_released(hub)
    assert len(hub.requests("^POST .*/commit/")) == 1


def test_errors_of_the_hub_that_pass_are_waited_out(outcome: Outcome) -> None:
    result, hub = outcome(_errors_twice)
    assert result.returncode == 0, result.stderr
    assert "Retrying" not in result.stderr, "what passes by itself is not told"
    assert_released(hub)
    for path in ("/commit/", "/tag/", "/preupload/", "/repos/create"):
        assert len(hub.requests(f"^POST .*{path}")) == 3, "two errors and a success: nothing is repeated twice over"


def test_errors_of_the_hub_that_stay_are_told(outcome: Outcome) -> None:
    result, hub = outcome(_errors_for_good)
    assert "the Hub is in trouble (status 503" in one_line(result)
    assert [commit["title"] for commit in hub.commits(REPO)] == ["initial commit"]
    assert len(hub.requests("^POST .*/commit/")) == 4


def test_a_download_that_is_cut_goes_on_or_leaves_no_release(outcome: Outcome, folder: Path) -> None:
    (once, out, for_good, never), _ = outcome(_download_cut)
    assert once.returncode == 0, once.stderr
    path = f"{CONFIG}/train-00000-of-00001.parquet"
    assert (out / path).read_bytes() == (folder / path).read_bytes()
    assert "the connection to http://127.0.0.1" in one_line(for_good)
    assert not (never / "manifest.json").exists()
    assert not (never / path).exists()


def test_a_push_killed_before_its_tag_is_completed_without_another_commit(outcome: Outcome) -> None:
    ((references, titles), again, commits), hub = outcome(_killed_before_the_tag)
    assert titles == ["diary-recall 1.0.0", "initial commit"]
    assert references["tags"] == {}
    assert again.returncode == 0, again.stderr
    assert "the tag v1.0.0 is missing and will be made" in again.stderr
    assert commits == []
    assert_released(hub)


def test_a_push_killed_before_its_commit_leaves_the_repo_as_it_was(outcome: Outcome) -> None:
    ((references, titles), again, commits), hub = outcome(_killed_before_the_commit)
    assert titles == ["initial commit"]
    assert references["tags"] == {}
    assert again.returncode == 0, again.stderr
    assert len(commits) == 1
    assert_released(hub)
