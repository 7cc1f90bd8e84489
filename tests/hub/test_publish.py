"""Publishing a dataset folder: what is planned, what is sent, what is left alone."""

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.hub.conftest import Build, Client, Hub

CONFIG = "16-diarists"


Plan = dict[tuple[str | None, str | None], dict[str, Any]]


def plan_of(stdout: str) -> Plan:
    rows = json.loads(stdout)
    return {(row.pop("config"), row.pop("split")): row for row in rows}


def transfers(plan: Plan, column: str) -> int:
    return sum(row[column] for row in plan.values())


def test_a_new_dataset_becomes_one_commit_with_a_tag(hub: Hub, client: Client, repo: str, folder: Path) -> None:
    result = client.publish(folder, repo, "--format", "json")
    assert result.returncode == 0, result.stderr
    manifest = json.loads((folder / "manifest.json").read_text())
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    initial, ours = reversed(hub.commits(repo))
    assert (initial["title"], ours["title"]) == ("initial commit", "diary-recall 1.0.0")
    served = {path: file["size"] for path, file in ours["files"].items() if path != ".gitattributes"}
    with_links = {"README.md", "manifest.json"}
    assert served.keys() == sizes.keys()
    assert {path for path in sizes if served[path] != sizes[path]} <= with_links
    references = hub.references(repo)
    assert references["tags"] == {"v1.0.0": references["branches"]["main"]}
    plan = plan_of(result.stdout)
    assert plan.keys() == {
        *((config, split) for config, facts in manifest["configs"].items() for split in facts["splits"]),
        (None, None),
    }
    num_rows = manifest["configs"][CONFIG]["splits"]["train"]["num_rows"]
    train = plan[(CONFIG, "train")]
    assert (train["rows_added"], train["rows_removed"], train["rows_changed"]) == (num_rows, 0, 0)
    assert transfers(plan, "bytes_to_send") == sum(served.values())
    assert transfers(plan, "files_to_send") == len(sizes)


def test_the_card_links_every_split_to_the_sql_console_of_its_own_repo(
    hub: Hub, client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    def card_of(name: str) -> str:
        return (hub.root / "objects" / hub.files(name)["README.md"]["sha256"]).read_text()

    client.published(folder, repo)
    links = re.findall(r"\[(\w+)\]\((\S+)\)", card_of(repo).partition("## Ask it in SQL")[2])
    configs = json.loads((folder / "manifest.json").read_text())["configs"]
    pages = [(split, f"/viewer/{name}/{split}") for name, config in configs.items() for split in config["splits"]]
    assert links == [(split, f"{hub.endpoint}/datasets/{repo}{page}?sql_console=true") for split, page in pages]
    assert len(links) == 6
    assert "Ask it in SQL" not in (folder / "README.md").read_text()
    copy = shutil.copytree(folder, tmp_path / "pulled")
    (copy / "README.md").write_text(card_of(repo))
    _refresh_manifest(copy)
    client.published(copy, f"{repo}-copy")
    assert card_of(f"{repo}-copy") == card_of(repo).replace(repo, f"{repo}-copy")


def test_the_card_is_the_last_file_of_the_commit(client: Client, repo: str, folder: Path) -> None:
    code = """
import sys
from pathlib import Path
from selfknow.hub.publish import diff
print([file.path for file in diff(Path(sys.argv[1]), sys.argv[2]).send][-2:])
"""
    assert client.python(code, folder, repo).strip() == "['manifest.json', 'README.md']"


def test_unchanged_content_makes_no_commit(hub: Hub, client: Client, repo: str, folder: Path) -> None:
    client.published(folder, repo)
    before = hub.references(repo)
    hub.plan_faults()
    result = client.publish(folder, repo)
    assert result.returncode == 0
    assert "the Hub serves this release already, as v1.0.0" in result.stderr
    assert hub.references(repo) == before
    assert hub.requests("^(POST|PUT|DELETE) ") == []


def test_parquet_that_another_pyarrow_wrote_is_unchanged_content(
    hub: Hub, client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    client.published(folder, repo)
    rebuilt = shutil.copytree(folder, tmp_path / "rebuilt")
    path = rebuilt / CONFIG / "test-00000-of-00001.parquet"
    pq.write_table(pq.read_table(path), path, compression="gzip")
    card = (rebuilt / "README.md").read_text()
    (rebuilt / "README.md").write_text(card.replace("download_size: ", "download_size: 1"))
    _refresh_manifest(rebuilt)
    hub.plan_faults()
    result = client.publish(rebuilt, repo)
    assert result.returncode == 0, result.stderr
    assert hub.requests("^POST .*/commit/") == []


def test_a_card_alone_can_be_mended_under_the_same_tag(
    hub: Hub, client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    client.published(folder, repo)
    tags = hub.references(repo)["tags"]
    mended = shutil.copytree(folder, tmp_path / "mended")
    card = (mended / "README.md").read_text() + "\nA sentence more.\n"
    (mended / "README.md").write_text(card)
    _refresh_manifest(mended)
    result = client.publish(mended, repo, "--format", "json")
    assert result.returncode == 0, result.stderr
    plan = plan_of(result.stdout)
    assert transfers(plan, "files_to_send") == plan[(None, None)]["files_to_send"] == 2
    assert len(hub.commits(repo)) == 3
    assert hub.references(repo)["tags"] == tags


def test_the_plan_counts_rows_by_their_id(hub: Hub, client: Client, repo: str, folder: Path, build: Build) -> None:
    client.published(folder, repo)

    def edit(table: pa.Table) -> pa.Table:
        rows = table.to_pylist()[2:]  # two rows fewer
        rows[0]["completion"] += "!"  # one changed
        rows += [{**rows[1], "id": f"question-new-{number}"} for number in range(3)]  # three more
        return pa.Table.from_pylist(rows, schema=table.schema)

    newer = build(version="1.1.0", edits={"train": edit})
    diff = client.with_token(None).selfknow("data", "diff", newer, repo, "--format", "json")
    assert diff.returncode == 0, diff.stderr
    plan = plan_of(diff.stdout)
    rows = {key: (row["rows_added"], row["rows_removed"], row["rows_changed"]) for key, row in plan.items()}
    assert rows.pop((CONFIG, "train")) == (3, 2, 1)
    assert rows.pop((None, None)) == (None, None, None)
    assert set(rows.values()) == {(0, 0, 0)}
    assert plan[(CONFIG, "train")]["files_to_send"] == 1
    assert transfers(plan, "files_to_send") == 3  # that one, the manifest, the card
    dry = client.publish(newer, repo, "--dry-run", "--format", "json")
    assert dry.stdout == diff.stdout
    assert len(hub.commits(repo)) == 2
    result = client.publish(newer, repo, "--format", "csv")
    printed = [
        {name: value or None for name, value in row.items()} for row in csv.DictReader(io.StringIO(result.stdout))
    ]
    as_text = [
        {name: None if value is None else str(value) for name, value in row.items()} for row in json.loads(diff.stdout)
    ]
    assert printed == as_text
    assert hub.references(repo)["tags"].keys() == {"v1.0.0", "v1.1.0"}
    assert (
        hub.files(repo, "v1.0.0")[f"{CONFIG}/train-00000-of-00001.parquet"]["size"]
        == (folder / CONFIG / "train-00000-of-00001.parquet").stat().st_size
    )


def test_files_of_an_earlier_release_are_deleted_and_strangers_stay(
    hub: Hub, client: Client, repo: str, folder: Path, build: Build
) -> None:
    client.published(folder, repo)
    client.python(
        """
import sys
from huggingface_hub import HfApi
for path in ("picture.png", "16-diarists/stray.parquet"):
    HfApi().upload_file(path_or_fileobj=b"1", path_in_repo=path, repo_id=sys.argv[1], repo_type="dataset")
""",
        repo,
    )
    fewer = build(version="2.0.0", setups=1)
    result = client.publish(fewer, repo, "--format", "json")
    assert result.returncode == 0, result.stderr
    plan = plan_of(result.stdout)
    assert plan[(f"{CONFIG}-simplified", "train")]["rows_removed"] > 0
    assert plan[(f"{CONFIG}-simplified", "train")]["files_to_delete"] == 1
    assert plan[(None, None)]["files_to_delete"] == 1
    here = {path.relative_to(fewer).as_posix() for path in fewer.rglob("*") if path.is_file()}
    assert hub.files(repo).keys() == here | {".gitattributes", "picture.png"}
    assert len(hub.commits(repo)) == 5


def test_a_tag_never_moves_to_other_rows(hub: Hub, client: Client, repo: str, folder: Path, build: Build) -> None:
    client.published(folder, repo)
    before = hub.references(repo)
    result = client.publish(build(seed=1), repo)
    assert result.returncode == 2
    assert f"{repo} has a tag v1.0.0 already, for other rows" in result.stderr
    assert hub.references(repo) == before
    result = client.publish(build(seed=1), repo, "--tag", "seed-1")
    assert result.returncode == 0, result.stderr
    assert hub.references(repo)["tags"].keys() == {"v1.0.0", "seed-1"}


def test_a_new_repo_can_be_private(hub: Hub, client: Client, repo: str, folder: Path) -> None:
    client.published(folder, repo, "--private")
    assert hub.references(repo)["private"] is True
    stranger = client.with_token("hf_guest").selfknow("data", "diff", folder, repo, "--format", "json")
    assert stranger.returncode == 0  # to a stranger the repo does not exist, so all would be new
    assert client.with_token(None).selfknow("data", "diff", folder, repo).returncode == 2


def test_a_folder_that_is_not_what_its_manifest_says_is_refused(
    client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    damaged = shutil.copytree(folder, tmp_path / "damaged")
    path = damaged / CONFIG / "test-00000-of-00001.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    result = client.publish(damaged, repo)
    assert (result.returncode, "is not the file that manifest.json describes" in result.stderr) == (2, True)
    path.unlink()
    result = client.publish(damaged, repo)
    assert (result.returncode, "which its manifest.json lists" in result.stderr) == (2, True)
    (damaged / "manifest.json").unlink()
    result = client.publish(damaged, repo)
    assert (result.returncode, "holds no manifest.json" in result.stderr) == (2, True)


def test_a_listing_of_many_pages_is_read_to_its_end(hub: Hub, client: Client, repo: str, folder: Path) -> None:
    hub.configure(entries_per_page=2)
    client.published(folder, repo)
    hub.plan_faults()
    client.published(folder, repo)
    assert hub.requests("^POST .*/commit/") == []


def _refresh_manifest(folder: Path) -> None:
    """Let the manifest describe the folder's files as they are, rows and content hashes untouched."""
    from selfknow.builders.folder.manifest import describe_file

    manifest = json.loads((folder / "manifest.json").read_text())
    splits = [split for config in manifest["configs"].values() for split in config["splits"].values()]
    for file in [*(file for split in splits for file in split["files"]), *manifest["files"]]:
        measured = describe_file(folder, file["path"])
        file |= {"num_bytes": measured.num_bytes, "sha256": measured.sha256}
    (folder / "manifest.json").write_text(json.dumps(manifest))
