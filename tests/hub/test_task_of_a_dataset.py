"""The task of a dataset on the Hub: the manifest names it, and no other file is fetched before."""

from pathlib import Path

from tests.hub.conftest import Client, Hub

ASK = """
import sys, selfknow
run = selfknow.ask(sys.argv[1], lambda prompt: "no idea", out=sys.argv[2], limit=1, quiet=True)
print(run.progress[0].stage, run.progress[0].answered)
"""


def test_only_the_manifest_is_fetched_to_tell_the_task(client: Client, hub: Hub, repo: str, folder: Path) -> None:
    client.published(folder, repo)
    hub.plan_faults()
    result = client.selfknow("evaluate", f"{repo}:16-diarists", "--help")
    assert "diary-recall:" in result.stdout, result.stderr
    [fetched] = hub.requests("^GET .*resolve")
    assert fetched.endswith("manifest.json")


def test_a_dataset_on_the_hub_is_asked_by_its_config(
    client: Client, hub: Hub, repo: str, folder: Path, tmp_path: Path
) -> None:
    client.published(folder, repo)
    hub.plan_faults()
    assert client.python(ASK, f"{repo}:16-diarists", tmp_path / "run") == "answer 1\n"
    assert not hub.requests("resolve/.*16-diarists-simplified"), "the other config stays where it is"


def test_a_repo_without_a_manifest_is_refused_in_one_line(client: Client, hub: Hub, repo: str) -> None:
    client.python(f"from huggingface_hub import HfApi; HfApi().create_repo({repo!r}, repo_type='dataset')")
    result = client.selfknow("evaluate", f"{repo}:x", "--model", "m", "--out", "run")
    assert result.returncode == 2
    assert (
        f"there is no folder {repo}, and its manifest.json, which says what it holds, could not be fetched"
        in result.stderr
    )
    assert len(result.stderr.strip().splitlines()) == 1
