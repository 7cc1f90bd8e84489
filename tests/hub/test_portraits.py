"""Many portraits in one repo: each published and downloaded alone, all listed on the repo's card."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
import rbloom

from selfknow.errors import UserError
from selfknow.hub.portrait_folder import read_portrait_folders
from tests.hub.conftest import Client, Hub

Run = subprocess.CompletedProcess[str]
CLI = """
import typer
import selfknow.cli.app as cli
from selfknow.cli import main, portrait_publish

if "portrait" not in [group.name for group in cli.app.registered_groups]:
    app = typer.Typer()
    app.callback()(lambda: None)
    portrait_publish.register(app)
    cli.app.add_typer(app, name="portrait")
main()
"""
PULL = """
import sys
from selfknow.errors import UserError
from selfknow.hub.pull import pull_portrait
try:
    print(pull_portrait(*sys.argv[1:3], **({"revision": sys.argv[3]} if sys.argv[3:] else {})))
except UserError as error:
    sys.exit(f"selfknow: {error}")
"""


def digest(value: object) -> int:
    return int.from_bytes(hashlib.sha256(str(value).encode()).digest()[:16], "big", signed=True)


def make_portrait(folder: Path, *ngrams: str, **more: object) -> Path:
    """A portrait folder of the contract's shape."""
    folder.mkdir(parents=True, exist_ok=True)
    bloom = rbloom.Bloom(1000, 0.001, digest)
    bloom.update(ngrams)
    bloom.save(str(folder / "bits.rbloom"))
    description = {
        "format_version": 1,
        "width": 25,
        "stride": 1,
        "items": len(ngrams),
        "size_in_bits": 16_000,
        "ones": 8_000,
        "hashes": 2,
        "bits_file": "bits.rbloom",
        "sha256": hashlib.sha256((folder / "bits.rbloom").read_bytes()).hexdigest(),
        "corpus": {"repo": "org/diary-recall", "config": folder.name, "split": "train"},
    }
    (folder / "portrait.json").write_text(json.dumps(description | more))
    (folder / "README.md").write_text(f"# Portrait {folder.name}\n")
    return folder


@pytest.fixture
def portraits(tmp_path: Path) -> Path:
    for name in ("1k", "2k"):
        make_portrait(tmp_path / "portraits" / name, f"the text of {name}")
    return tmp_path / "portraits"


def publish(client: Client, folder: Path, repo: str, *options: object) -> Run:
    return client.run("-c", CLI, "portrait", "publish", folder, repo, *options)


def changes(done: Run) -> dict[str | None, tuple[str, int, int]]:
    assert done.returncode == 0, done.stderr
    return {
        row["portrait"]: (row["change"], row["files_to_send"], row["files_to_delete"])
        for row in json.loads(done.stdout)
    }


def test_portraits_are_published_together_and_listed_on_the_card(
    hub: Hub, client: Client, repo: str, portraits: Path
) -> None:
    done = publish(client, portraits, repo, "--format", "json")
    assert changes(done) == {"1k": ("added", 3, 0), "2k": ("added", 3, 0), None: ("changed", 1, 0)}
    assert len(hub.commits(repo)) == 2
    assert hub.references(repo)["tags"] == {"v1": hub.references(repo)["branches"]["main"]}
    card = (hub.root / "objects" / hub.files(repo)["README.md"]["sha256"]).read_text()
    assert f'Portrait.from_pretrained("{repo}", "1k")' in card
    assert "| `2k` | org/diary-recall 2k train | 25 | 1 | 1 | 2,000 | 0.25 |" in card
    assert "viewer: false" in card.split("---")[1]


def test_a_portrait_is_added_beside_the_others_and_each_can_be_pulled_alone(
    hub: Hub, client: Client, repo: str, portraits: Path, tmp_path: Path
) -> None:
    publish(client, portraits, repo)
    new = make_portrait(tmp_path / "new" / "4k", "the text of 4k")
    done = publish(client, new, repo, "--format", "json")
    assert changes(done) == {
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
    assert "the text of 2k" in rbloom.Bloom.load(str(pulled / "bits.rbloom"), digest)
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
    done = publish(client, portraits, repo)
    assert "serves this release already, as v1" in done.stderr
    assert hub.requests("^(POST|PUT) ") == []
    old_bits = (portraits / "1k" / "bits.rbloom").read_bytes()
    make_portrait(portraits / "1k", "another text of 1k")
    done = publish(client, portraits, repo, "--format", "json")
    assert changes(done) == {"1k": ("changed", 2, 0), "2k": ("unchanged", 0, 0), None: ("unchanged", 0, 0)}
    old, new = (Path(client.python(PULL, repo, "1k", revision).strip()) for revision in ("v1", "v2"))
    assert (old / "bits.rbloom").read_bytes() == old_bits != (new / "bits.rbloom").read_bytes()


def test_portraits_are_removed_on_demand_alone(hub: Hub, client: Client, repo: str, portraits: Path) -> None:
    publish(client, portraits, repo)
    shutil.rmtree(portraits / "2k")
    assert changes(publish(client, portraits, repo, "--dry-run", "--format", "json"))["2k"] == ("kept", 0, 0)
    done = publish(client, portraits, repo, "--prune", "--format", "json")
    assert changes(done) == {"1k": ("unchanged", 0, 0), "2k": ("removed", 0, 3), None: ("changed", 1, 0)}
    assert not [path for path in hub.files(repo) if path.startswith("2k/")]
    gone = client.run("-c", PULL, repo, "2k")
    assert f"{repo} holds no portrait '2k' at main: it holds 1k" in gone.stderr


def test_a_portrait_that_is_not_as_described_is_refused(hub: Hub, client: Client, repo: str, portraits: Path) -> None:
    with (portraits / "2k" / "bits.rbloom").open("r+b") as bits:
        bits.seek(100)
        bits.write(b"\x01")
    done = publish(client, portraits, repo)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "2k/bits.rbloom are not the bits that portrait.json describes" in done.stderr
    assert not (hub.root / "datasets" / repo).exists()


def test_a_folder_that_is_no_portrait_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no portrait\.json"):
        read_portrait_folders(tmp_path)
    with pytest.raises(UserError, match="is no folder"):
        read_portrait_folders(tmp_path / "nowhere")
    folder = make_portrait(tmp_path / "1k", "a", format_version=2)
    with pytest.raises(UserError, match="has format version 2; this selfknow reads up to 1"):
        read_portrait_folders(folder)
    whole = json.loads((make_portrait(folder, "a") / "portrait.json").read_text())
    outside = json.dumps(whole | {"bits_file": "../bits.rbloom"})
    for damaged in ("", "[]", "{}", '{"format_version": 1, "sha256": 7}', json.dumps(whole | {"ones": None}), outside):
        (folder / "portrait.json").write_text(damaged)
        with pytest.raises(UserError, match="is damaged"):
            read_portrait_folders(folder)
    (make_portrait(folder, "a") / "README.md").unlink()
    with pytest.raises(UserError, match=r"misses README\.md"):
        read_portrait_folders(folder)


def test_a_dataset_and_portraits_do_not_share_a_repo(
    hub: Hub, client: Client, repo: str, folder: Path, portraits: Path
) -> None:
    client.published(folder, repo)
    before = hub.references(repo)
    done = publish(client, portraits, repo)
    assert (done.returncode, f"{repo} holds other content" in done.stderr) == (2, True)
    assert hub.references(repo) == before
    assert publish(client, portraits, repo, "--replace").returncode == 0
    assert {path.split("/")[0] for path in hub.files(repo)} == {".gitattributes", "README.md", "1k", "2k"}
    assert hub.files(repo, "v1.0.0").keys() > {"manifest.json"}


def test_a_damaged_portrait_is_caught_when_it_is_pulled(hub: Hub, client: Client, repo: str, portraits: Path) -> None:
    publish(client, portraits, repo)
    hub.plan_faults({"method": "GET", "path": "/resolve/[^/]+/1k/bits", "action": "corrupt"})
    done = client.run("-c", PULL, repo, "1k")
    assert (done.returncode, "1k/bits.rbloom of" in done.stderr, "arrived damaged" in done.stderr) == (1, True, True)
