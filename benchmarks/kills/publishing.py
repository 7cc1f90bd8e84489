"""Kills of ``selfknow data publish``, which sends a release to a Hub on this machine."""

import hashlib
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.kills.activity import Activity

_TAG = "v1.0.0"


def start_hub(root: Path) -> subprocess.Popen[str]:
    """Start the Hub of the tests, and set its address in the environment, which the client reads when imported."""
    command = [sys.executable, "-m", "tests.hub_server", "--root", str(root), "--account", "you:hf_writer:org"]
    server = subprocess.Popen([*command, "--lfs-from-bytes", "6500"], stdout=subprocess.PIPE, text=True)
    assert server.stdout
    os.environ["HF_ENDPOINT"] = server.stdout.readline().strip().removeprefix("export HF_ENDPOINT=")
    os.environ |= {"HF_TOKEN": "hf_writer", "HF_HOME": str(root / "home"), "HF_HUB_DISABLE_XET": "1"}
    os.environ |= {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_VERBOSITY": "error"}
    return server


def activity(root: Path) -> Activity:  # noqa: C901 - four short functions that know the Hub's folder
    """Return the activity of publishing to a Hub that stores its repos in a folder."""
    from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
    from selfknow.builders.diary_recall.diaries import Shape
    from selfknow.builders.folder.write import build_folder
    from selfknow.hub.publish import publish

    def prepare(place: Path) -> None:
        (place / "repo").write_text(f"org/kills-{uuid.uuid4().hex[:12]}")
        build_folder(replace(DATASET, version="1.0.0"), configs_of_shape(Shape(num_diarists=16)), place / "diaries")

    def work(place: Path) -> None:
        publish(place / "diaries", _repo(place), check=lambda folder: [])  # noqa: ARG005

    def phase(place: Path) -> str:
        repo = root / "datasets" / _repo(place)
        if not (repo / "references.json").exists():
            return "before the repo"
        references = json.loads((repo / "references.json").read_text())
        if references["tags"]:
            return "tagged"
        return "repo made" if _commit(repo, references["branches"]["main"])["parent"] is None else "committed, no tag"

    def faults(place: Path, sound: Path, ended: bool) -> Iterable[str]:
        repo = root / "datasets" / _repo(place)
        if not (repo / "references.json").exists():
            return
        references = json.loads((repo / "references.json").read_text())
        for tag, commit in references["tags"].items():
            released = _released(root, repo, commit)
            yield from _differences(released, place / "diaries", tag)
            undisturbed = root / "datasets" / _repo(sound)
            if place != sound and released != _released(root, undisturbed, _main(undisturbed)):
                yield f"{tag} is not what an undisturbed run publishes"
        if ended:
            if references["tags"] != {_TAG: references["branches"]["main"]}:
                yield f"the release is not tagged: {references}"
            history = [references["branches"]["main"]]
            while parent := _commit(repo, history[-1])["parent"]:
                history.append(parent)
            if len(history) != 2:
                yield f"{len(history) - 1} commits were made for one release"

    return Activity("data publish", prepare, work, phase, faults)


def _repo(place: Path) -> str:
    return (place / "repo").read_text()


def _commit(repo: Path, oid: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((repo / "commits" / f"{oid}.json").read_text())
    return value


def _main(repo: Path) -> str:
    commit: str = json.loads((repo / "references.json").read_text())["branches"]["main"]
    return commit


def _released(root: Path, repo: Path, commit: str) -> dict[str, bytes]:
    """Read the files of a release, with placeholders for the repo's name in the card and the card's hash."""
    entries = _commit(repo, commit)["files"]
    files = {name: (root / "objects" / entry["sha256"]).read_bytes() for name, entry in entries.items()}
    card = hashlib.sha256(files["README.md"]).hexdigest()
    files["manifest.json"] = files["manifest.json"].replace(card.encode(), b"the hash of the card")
    files["README.md"] = files["README.md"].replace(repo.name.encode(), b"the repo")
    return files


def _differences(released: dict[str, bytes], folder: Path, tag: str) -> Iterable[str]:
    """Yield differences between a release and its folder; a card may be longer, because publishing adds links."""
    local = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    if set(released) - {".gitattributes"} != set(local):
        yield f"{tag} has other files than the folder: {sorted(set(released) ^ set(local))}"
    for name, content in local.items():
        sent = released.get(name, content)
        if name != "manifest.json" and not (sent.startswith(content) if name == "README.md" else sent == content):
            yield f"{name} of {tag} has other bytes"
