"""Many portraits in one repo: each published and downloaded alone, all listed on the repo's card."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import rbloom

from selfknow.errors import UserError
from selfknow.portraits import Portrait
from selfknow.portraits.filter.hashing import ngram_hash
from selfknow.portraits.publishing import read_portrait_folders
from tests.hub.conftest import Client, Hub

Run = subprocess.CompletedProcess[str]
PULL = """
import sys
from selfknow.errors import UserError
from selfknow.portraits.pretrained import find
try:
    print(find(*sys.argv[1:3], **({"revision": sys.argv[3]} if sys.argv[3:] else {})))
except UserError as error:
    sys.exit(f"selfknow: {error}")
"""


def make_portrait(folder: Path, *texts: str) -> Path:
    corpus = {"repo": "org/diary-recall", "config": folder.name, "split": "train"}
    Portrait.build(texts, corpus=corpus).save(folder, overwrite=True)
    return folder


@pytest.fixture
def portraits(tmp_path: Path) -> Path:
    for name in ("1k", "2k"):
        make_portrait(tmp_path / "portraits" / name, f"the long text of {name}, long enough for a portrait")
    return tmp_path / "portraits"


def publish(client: Client, folder: Path, repo: str, *options: object) -> Run:
    return client.selfknow("portrait", "publish", folder, repo, *options)


def changes(result: Run) -> dict[str | None, tuple[str, int, int]]:
    assert result.returncode == 0, result.stderr
    return {
        row["portrait"]: (row["change"], row["files_to_send"], row["files_to_delete"])
        for row in json.loads(result.stdout)
    }


def test_portraits_are_published_together_and_listed_on_the_card(
    hub: Hub, client: Client, repo: str, portraits: Path
) -> None:
    result = publish(client, portraits, repo, "--format", "json")
    assert changes(result) == {"1k": ("added", 3, 0), "2k": ("added", 3, 0), None: ("changed", 1, 0)}
    assert len(hub.commits(repo)) == 2
    assert hub.references(repo)["tags"] == {"v1": hub.references(repo)["branches"]["main"]}
    card = (hub.root / "objects" / hub.files(repo)["README.md"]["sha256"]).read_text()
    assert f'Portrait.from_pretrained("{repo}", "1k")' in card
    facts = Portrait.load(portraits / "2k").info()
    rate = f"{facts['actual_false_positive_rate']:.2g}"
    row = f"| `2k` | org/diary-recall 2k train | 25 | 1 | {facts['items']} | {facts['size_in_bytes']} | {rate} |"
    assert row in card
    assert "viewer: false" in card.split("---")[1]


def test_a_portrait_is_added_beside_the_others_and_each_can_be_pulled_alone(
    hub: Hub, client: Client, repo: str, portraits: Path, tmp_path: Path
) -> None:
    publish(client, portraits, repo)
    new = make_portrait(tmp_path / "new" / "4k", "the long text of 4k, long enough for a portrait")
    result = publish(client, new, repo, "--format", "json")
    assert changes(result) == {
        "1k": ("kept", 0, 0),
        "2k": ("kept", 0, 0),
        "4k": ("added", 3, 0),
        None: ("changed", 1, 0),
    }
    assert hub.references(repo)["tags"].keys() == {"v1", "v2"}
    hub.plan_faults()
    pulled = Path(client.python(PULL, repo, "2k").strip())
    assert {path.name: path.read_bytes() for path in pulled.iterdir()} == {
        path.name: path.read_bytes() for path in (portraits / "2k").iterdir()
    }
    bloom = rbloom.Bloom.load(str(pulled / "bits.rbloom"), ngram_hash)
    assert ("the long text of 2k, long" in bloom, "the long text of 4k, long" in bloom) == (True, False)
    assert not hub.requests("/resolve/.*(1k|4k)/"), "the others are not downloaded"
    code = """
import sys
from huggingface_hub import snapshot_download
print(snapshot_download(sys.argv[1], repo_type="dataset", allow_patterns="1k/*"))
"""
    snapshot = Path(client.python(code, repo).strip())
    assert sorted(path.relative_to(snapshot).as_posix() for path in snapshot.rglob("*.*")) == [
        "1k/README.md",
        "1k/bits.rbloom",
        "1k/portrait.json",
    ]


def test_unchanged_portraits_make_no_commit_and_changed_ones_keep_their_old_revision(
    hub: Hub, client: Client, repo: str, portraits: Path
) -> None:
    publish(client, portraits, repo)
    hub.plan_faults()
    result = publish(client, portraits, repo)
    assert "serves this release already, as v1" in result.stderr
    assert hub.requests("^(POST|PUT) ") == []
    old_bits = (portraits / "1k" / "bits.rbloom").read_bytes()
    make_portrait(portraits / "1k", "another long text of 1k, long enough for a portrait")
    result = publish(client, portraits, repo, "--format", "json")
    assert changes(result) == {"1k": ("changed", 3, 0), "2k": ("unchanged", 0, 0), None: ("changed", 1, 0)}
    pulled = [
        (Path(client.python(PULL, repo, "1k", revision).strip()) / "bits.rbloom").read_bytes()
        for revision in ("v1", "v2")
    ]
    assert pulled == [old_bits, (portraits / "1k" / "bits.rbloom").read_bytes()]
    assert pulled[0] != pulled[1]


def test_portraits_are_removed_on_demand_alone(hub: Hub, client: Client, repo: str, portraits: Path) -> None:
    publish(client, portraits, repo)
    shutil.rmtree(portraits / "2k")
    assert changes(publish(client, portraits, repo, "--dry-run", "--format", "json"))["2k"] == ("kept", 0, 0)
    result = publish(client, portraits, repo, "--prune", "--format", "json")
    assert changes(result) == {"1k": ("unchanged", 0, 0), "2k": ("removed", 0, 3), None: ("changed", 1, 0)}
    assert not [path for path in hub.files(repo) if path.startswith("2k/")]
    gone = client.run("-c", PULL, repo, "2k")
    assert f"{repo} has no portrait '2k': choose from 1k" in gone.stderr


def test_a_portrait_that_is_not_as_described_is_refused(hub: Hub, client: Client, repo: str, portraits: Path) -> None:
    with (portraits / "2k" / "bits.rbloom").open("r+b") as bits:
        bits.seek(20)
        byte = bits.read(1)[0]
        bits.seek(20)
        bits.write(bytes([byte ^ 1]))
    result = publish(client, portraits, repo)
    assert (result.returncode, "Traceback" in result.stderr) == (2, False)
    assert "2k: the portrait's bits do not match its description" in result.stderr
    assert not (hub.root / "datasets" / repo).exists()


def test_a_folder_that_is_no_portrait_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no portrait\.json"):
        read_portrait_folders(tmp_path)
    with pytest.raises(UserError, match="is not a folder"):
        read_portrait_folders(tmp_path / "nowhere")
    folder = make_portrait(tmp_path / "1k", "a" * 30)
    path = folder / "portrait.json"
    path.write_text(path.read_text().replace('"format_version": 2', '"format_version": 3'))
    with pytest.raises(UserError, match="has format version 3; this selfknow reads up to 2: upgrade"):
        read_portrait_folders(folder)
    path.write_text("{}")
    with pytest.raises(UserError, match="does not describe a portrait"):
        read_portrait_folders(folder)
    (make_portrait(folder, "a" * 30) / "README.md").unlink()
    with pytest.raises(UserError, match=r"has no README\.md"):
        read_portrait_folders(folder)


def test_a_newer_format_on_the_hub_is_neither_overwritten_nor_read(
    hub: Hub, client: Client, repo: str, portraits: Path
) -> None:
    publish(client, portraits, repo)
    code = """
import sys
from huggingface_hub import HfApi, hf_hub_download
path = hf_hub_download(sys.argv[1], "2k/portrait.json", repo_type="dataset")
newer = open(path, "rb").read().replace(b'"format_version": 2', b'"format_version": 3')
HfApi().upload_file(path_or_fileobj=newer, path_in_repo="2k/portrait.json", repo_id=sys.argv[1], repo_type="dataset")
"""
    client.python(code, repo)
    before = hub.references(repo)
    words = "2k/portrait.json has format version 3; this selfknow reads up to 2"
    result = publish(client, portraits, repo)
    assert (result.returncode, f"{repo}/{words}" in result.stderr) == (2, True), result.stderr
    assert words in client.run("-c", PULL, repo, "2k").stderr
    assert hub.references(repo) == before


def test_a_portrait_is_loaded_and_pushed_by_its_name(hub: Hub, client: Client, repo: str, portraits: Path) -> None:
    publish(client, portraits, repo)
    code = """
import sys
from selfknow.portraits import Portrait
portrait = Portrait.from_pretrained(sys.argv[1], "2k", revision="v1")
print(portrait.contains(["the long text of 2k, long", "the long text of 1k, long"]).tolist())
portrait.push_to_hub(sys.argv[1], "copy-of-2k")
print(Portrait.from_pretrained(sys.argv[1], "copy-of-2k").array.tobytes() == portrait.array.tobytes())
"""
    assert client.python(code, repo).splitlines() == ["[True, False]", "True"]
    assert {"1k/bits.rbloom", "2k/bits.rbloom", "copy-of-2k/bits.rbloom"} < hub.files(repo, "v2").keys()


def test_a_portrait_that_arrives_damaged_is_not_loaded_nor_kept(
    hub: Hub, client: Client, repo: str, portraits: Path
) -> None:
    publish(client, portraits, repo)
    hub.plan_faults({"method": "GET", "path": "/resolve/[^/]+/1k/bits", "action": "corrupt"})
    code = """
import sys
from selfknow.errors import UserError
from selfknow.portraits import Portrait
for _ in range(2):
    try:
        print(Portrait.from_pretrained(sys.argv[1], "1k").contains(["the long text of 1k, long"]).tolist())
    except UserError as error:
        print(error)
"""
    first, second = client.python(code, repo).splitlines()
    assert "1k arrived damaged and was removed" in first
    assert second == "[True]"


def test_a_dataset_and_portraits_do_not_share_a_repo(
    hub: Hub, client: Client, repo: str, folder: Path, portraits: Path
) -> None:
    client.published(folder, repo)
    before = hub.references(repo)
    result = publish(client, portraits, repo)
    assert (result.returncode, f"{repo} holds other content" in result.stderr) == (2, True)
    assert hub.references(repo) == before
    assert publish(client, portraits, repo, "--replace").returncode == 0
    assert {path.split("/")[0] for path in hub.files(repo)} == {".gitattributes", "README.md", "1k", "2k"}
    assert hub.files(repo, "v1.0.0").keys() > {"manifest.json"}
