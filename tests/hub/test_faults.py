"""Faults of tokens, rights, other people and damaged files: one clear line, nothing half-published.

All of it over a slow link.
"""

import json
import socket
import subprocess
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.hub.conftest import Build, Client, Hub

CONFIG = "16-diarists"
DATA = f"/resolve/[^/]+/{CONFIG}/train"


@pytest.fixture
def hub(hub: Hub) -> Hub:
    hub.configure(bytes_per_second=1_000_000)
    return hub


def assert_one_line(result: subprocess.CompletedProcess[str], words: str) -> None:
    """Assert that the command failed by a mistake of its user's, in one line with these words."""
    assert result.returncode == 2, result.stderr
    lines = [line for line in result.stderr.splitlines() if line.startswith("selfknow: ")]
    assert len(lines) == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert words in lines[0], lines[0]


def holding(client: Client, repo: str, **files: str) -> None:
    """Make a repo that somebody filled with other things."""
    client.python(
        """
import sys, json
from huggingface_hub import HfApi
HfApi().create_repo(sys.argv[1], repo_type="dataset")
for path, text in json.loads(sys.argv[2]).items():
    HfApi().upload_file(path_or_fileobj=text.encode(), path_in_repo=path, repo_id=sys.argv[1], repo_type="dataset")
""",
        repo,
        json.dumps(files),
    )


# Who one is


def test_without_a_token_nothing_is_asked_of_the_hub(hub: Hub, client: Client, repo: str, folder: Path) -> None:
    result = client.with_token(None).publish(folder, repo)
    assert_one_line(result, "needs a token: log in with `hf auth login` or set HF_TOKEN")
    assert hub.requests() == []


def test_a_wrong_token_is_refused(hub: Hub, client: Client, repo: str, folder: Path) -> None:
    result = client.with_token("hf_wrong").publish(folder, repo)
    assert_one_line(result, "the Hub does not accept the token that was sent")
    result = client.with_token("hf_wrong").selfknow("data", "diff", folder, repo)
    assert_one_line(result, "the Hub does not accept the token that was sent")
    assert not (hub.root / "datasets" / repo).exists()


def test_a_token_that_may_only_read_is_refused(client: Client, repo: str, folder: Path) -> None:
    assert_one_line(client.with_token("hf_reader").publish(folder, repo), "the token of reader may only read")


def test_someone_without_write_access_cannot_make_a_repo_nor_change_one(
    hub: Hub, client: Client, repo: str, folder: Path, build: Build
) -> None:
    guest = client.with_token("hf_guest")
    assert_one_line(guest.publish(folder, repo), f"this token may not write to {repo} (You don't have the rights")
    assert not (hub.root / "datasets" / repo).exists()
    client.published(folder, repo)
    before = hub.references(repo)
    assert_one_line(guest.publish(build(version="2.0.0"), repo), f"this token may not write to {repo}")
    assert hub.references(repo) == before


def test_offline_mode_and_bad_names_are_told(client: Client, folder: Path) -> None:
    assert_one_line(client.selfknow("data", "diff", folder, "a/b/c"), "'a/b/c' is not the name of a repo on the Hub")
    client.environment["HF_HUB_OFFLINE"] = "1"
    assert_one_line(client.selfknow("data", "diff", folder, "org/any"), "HF_HUB_OFFLINE is set; unset it")


def test_a_hub_that_is_none_is_told(client: Client, folder: Path) -> None:
    client.endpoint += "/elsewhere"
    result = client.with_token(None).selfknow("data", "diff", folder, "org/any")
    assert_one_line(result, "the Hub refused the request for org/any (status 404)")


# What the repo holds


def test_a_repo_with_other_content_is_replaced_only_on_demand(
    hub: Hub, client: Client, repo: str, folder: Path
) -> None:
    holding(client, repo, **{"data.csv": "a,b\n", "README.md": "Mine.\n"})
    before = hub.references(repo)
    assert_one_line(client.publish(folder, repo), f"{repo} holds other content (2 files, such as README.md)")
    assert hub.references(repo) == before
    client.published(folder, repo, "--replace")
    assert "data.csv" not in hub.files(repo)
    assert hub.files(repo)["README.md"]["size"] > (folder / "README.md").stat().st_size > len("Mine.\n")


def test_a_repo_with_another_dataset_is_not_overwritten(hub: Hub, client: Client, repo: str, folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text()) | {"dataset": "self-aware"}
    holding(client, repo, **{"manifest.json": json.dumps(manifest)})
    before = hub.references(repo)
    assert_one_line(client.publish(folder, repo), f"{repo} holds the dataset self-aware, not diary-recall")
    assert hub.references(repo) == before


def test_a_strange_manifest_is_other_content(client: Client, repo: str, folder: Path) -> None:
    holding(client, repo, **{"manifest.json": '{"name": "an app"}'})
    assert_one_line(client.publish(folder, repo), f"{repo} holds a manifest.json that is not selfknow's")


def test_a_newer_format_is_neither_overwritten_nor_read(
    hub: Hub, client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    manifest = json.loads((folder / "manifest.json").read_text()) | {"format_version": 2}
    holding(client, repo, **{"manifest.json": json.dumps(manifest)})
    before = hub.references(repo)
    words = f"{repo}/manifest.json has format version 2; this selfknow reads up to 1: upgrade it"
    assert_one_line(client.publish(folder, repo), words)
    assert_one_line(client.selfknow("data", "pull", repo, "--out", tmp_path / "pulled"), words)
    assert hub.references(repo) == before
    assert not (tmp_path / "pulled").exists()


# Other people at the same time


def test_a_commit_that_races_another_is_refused_and_can_be_repeated(
    hub: Hub, client: Client, repo: str, folder: Path, build: Build
) -> None:
    client.published(folder, repo)
    hub.plan_faults({"method": "POST", "path": "/commit/", "action": "rival_commit"})
    newer = build(version="1.1.0", seed=1)
    assert_one_line(client.publish(newer, repo), "somebody else committed first. Nothing was published")
    assert hub.commits(repo)[0]["title"] == "A rival's commit"
    assert hub.files(repo)["manifest.json"] == hub.files(repo, "v1.0.0")["manifest.json"]
    assert hub.references(repo)["tags"].keys() == {"v1.0.0"}
    client.published(newer, repo)
    assert "rival.txt" in hub.files(repo, "v1.1.0")


def test_a_request_of_a_client_that_dies_while_it_sends_changes_nothing(hub: Hub, repo: str) -> None:
    organization, name = repo.split("/")
    wanted = json.dumps({"type": "dataset", "organization": organization, "name": name}).encode()
    token = {"Authorization": "Bearer hf_writer"}
    url = f"{hub.endpoint}/api/repos/create"
    urllib.request.urlopen(urllib.request.Request(url, wanted, token, method="POST")).read()
    commit = f"POST /api/datasets/{repo}/commit/main HTTP/1.1\r\nAuthorization: Bearer hf_writer\r\n"
    header = json.dumps({"key": "header", "value": {"summary": "half a commit"}}) + "\n"
    for half in (
        f"{commit}Content-Length: 1000\r\n\r\n",
        f"{commit}Content-Length: 1000\r\n\r\n{header}",
        f"{commit}Transfer-Encoding: chunked\r\n\r\n{len(header):x}\r\n{header}\r\n",
    ):
        with socket.create_connection(("127.0.0.1", urlsplit(hub.endpoint).port or 80)) as connection:
            connection.sendall(half.encode())
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(100) == b""
    assert [made["title"] for made in hub.commits(repo)] == ["initial commit"]


# Damaged files


def test_a_push_that_reads_back_damaged_gets_no_tag_until_it_reads_well(
    hub: Hub, client: Client, repo: str, folder: Path
) -> None:
    hub.plan_faults({"method": "GET", "path": DATA, "action": "corrupt"})
    assert_one_line(client.publish(folder, repo), f"{CONFIG}/train-00000-of-00001.parquet of {repo} arrived damaged")
    assert hub.references(repo)["tags"] == {}
    hub.plan_faults()
    client.published(folder, repo)
    assert hub.requests("^POST .*/commit/") == []
    references = hub.references(repo)
    assert references["tags"] == {"v1.0.0": references["branches"]["main"]}


def test_a_damaged_download_is_caught_removed_and_repeated(
    hub: Hub, client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    client.published(folder, repo)
    hub.plan_faults({"method": "GET", "path": DATA, "action": "corrupt"})
    out = tmp_path / "pulled"
    assert_one_line(client.selfknow("data", "pull", repo, "--out", out), "arrived damaged: its hash is not the one")
    assert not (out / "manifest.json").exists()
    assert not (out / CONFIG / "train-00000-of-00001.parquet").exists()
    hub.plan_faults()
    assert client.selfknow("data", "pull", repo, "--out", out).returncode == 0
    pulled, built = _contents(out), _contents(folder)
    assert pulled.keys() == built.keys()
    assert {path for path in built if pulled[path] != built[path]} == {"README.md", "manifest.json"}, (
        "they name the repo"
    )
    assert len(hub.requests("^GET .*/resolve/.*parquet")) == 1, "what arrived well is kept"


def test_a_damaged_file_does_not_stay_in_the_cache(
    hub: Hub, client: Client, repo: str, folder: Path, build: Build, tmp_path: Path
) -> None:
    client.published(folder, repo)
    hub.plan_faults({"method": "GET", "path": DATA, "action": "corrupt"})
    code = """
import sys
from pathlib import Path
from selfknow.errors import UserError
from selfknow.hub.publish import diff
for _ in range(2):
    try:
        print([change.rows_changed for change in diff(Path(sys.argv[1]), sys.argv[2]).changes][0])
    except UserError as error:
        print(error)
"""
    first, second = client.python(code, build(seed=1, version="2.0.0"), repo).splitlines()
    assert "arrived damaged" in first
    assert int(second) > 0


def test_a_release_whose_files_are_not_its_manifests_is_not_pulled(
    hub: Hub, client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    client.published(folder, repo)
    path = f"{CONFIG}/test-00000-of-00001.parquet"
    holding_code = """
import sys
from huggingface_hub import HfApi
HfApi().upload_file(path_or_fileobj=b"other", path_in_repo=sys.argv[2], repo_id=sys.argv[1], repo_type="dataset")
"""
    client.python(holding_code, repo, path)
    out = tmp_path / "pulled"
    assert_one_line(
        client.selfknow("data", "pull", repo, "--out", out),
        f"serves a {path} other than the one its manifest.json lists",
    )
    assert not (out / "manifest.json").exists()
    client.published(folder, repo)  # what was overwritten by hand is sent again
    assert hub.files(repo)[path] == hub.files(repo, "v1.0.0")[path]


def test_a_pull_leaves_a_folder_with_other_things_alone(
    client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    client.published(folder, repo)
    out = tmp_path / "mine"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    assert_one_line(
        client.selfknow("data", "pull", repo, "--out", out), "holds notes.txt, which is not part of this release"
    )
    assert _contents(out) == {"notes.txt": b"mine"}
    assert_one_line(client.selfknow("data", "pull", repo, "--out", out / "notes.txt"), "is a file, not a folder")


def test_what_does_not_exist_cannot_be_pulled(client: Client, repo: str, folder: Path, tmp_path: Path) -> None:
    client.published(folder, repo)
    result = client.selfknow("data", "pull", repo, "--revision", "v9", "--out", tmp_path / "out")
    assert_one_line(result, f"{repo} has no such revision (Invalid rev id: v9)")
    result = client.selfknow("data", "pull", "org/nowhere", "--out", tmp_path / "out")
    assert_one_line(result, "org/nowhere does not exist")


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
