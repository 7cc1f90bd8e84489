"""The replies of real models are published with their run folders, which a pulled copy answers SQL from."""

import json
import shutil
from pathlib import Path

import pytest

from selfknow.builders.catalogue import find_configs, find_dataset
from selfknow.builders.folder.manifest import MANIFEST, describe_file, read_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.files import write_json
from tests.hub.conftest import Client, Hub


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the replies to self-aware."""
    built, dataset = tmp_path_factory.mktemp("built") / "model-replies", find_dataset("model-replies")
    build_folder(dataset, find_configs(dataset, ["self-aware"], 0), built)
    return built


def test_run_folders_are_published_and_pulled_with_the_rows(
    hub: Hub, client: Client, repo: str, folder: Path, tmp_path: Path
) -> None:
    client.published(folder, repo)
    listed = {file.path for file in read_manifest(folder).all_files()}
    assert set(hub.files(repo)) - {".gitattributes"} == listed | {MANIFEST}
    loaded = f"from datasets import load_dataset; print(load_dataset('{repo}', 'self-aware', split='test').num_rows)"
    assert int(client.python(loaded)) == read_manifest(folder).configs["self-aware"].splits["test"].num_rows
    assert client.selfknow("data", "pull", repo, "--out", tmp_path / "pulled").returncode == 0
    runs = sorted((tmp_path / "pulled" / "runs").glob("*/self-aware-*"))
    table = client.selfknow("query", "self_aware_f1", *runs, "--columns", "form,n", "--format", "json")
    assert table.returncode == 0, table.stderr
    assert [row["n"] for row in json.loads(table.stdout)] == [300] * len(runs)

    again = client.selfknow("data", "diff", folder, repo)
    assert "the Hub serves this release already" in again.stderr
    changed = _with_another_file_beside_the_rows(folder, tmp_path / "changed")
    result = client.selfknow("data", "diff", changed, repo, "--format", "json")
    sent = {(row["config"], row["split"]): row["files_to_send"] for row in json.loads(result.stdout)}
    assert sent == {("self-aware", "test"): 0, (None, None): 2}, "the file and the manifest"


def _with_another_file_beside_the_rows(folder: Path, changed: Path) -> Path:
    """Return a copy with the same rows, in which a ``run.json`` says more than before."""
    shutil.copytree(folder, changed)
    path = next(file.path for file in read_manifest(folder).files if file.path.endswith("run.json"))
    write_json(changed / path, {**json.loads((changed / path).read_text()), "note": "read again"})
    manifest = json.loads((changed / MANIFEST).read_text())
    new = describe_file(changed, path)
    for file in manifest["files"]:
        if file["path"] == path:
            file |= {"num_bytes": new.num_bytes, "sha256": new.sha256}
    (changed / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")
    return changed
