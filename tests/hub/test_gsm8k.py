"""GSM8K is asked at a pinned commit of the Hub; another may be named, and a run that goes on keeps its own."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.evaluate.tasks.gsm8k.questions import wording
from tests.hub.conftest import Client, Hub
from tests.warm_python import WarmPython

CARD = "---\nconfigs:\n- config_name: main\n  data_files:\n  - split: test\n    path: main/test-*\n---\n"
UPLOAD = """
import sys
from huggingface_hub import HfApi
HfApi().create_repo("openai/gsm8k", repo_type="dataset", exist_ok=True)
HfApi().upload_folder(repo_id="openai/gsm8k", repo_type="dataset", folder_path=sys.argv[1])
"""
OPEN = """
import json, sys
from pathlib import Path
from selfknow.evaluate.tasks.gsm8k.questions import open_questions
found = open_questions(sys.argv[1], Path(sys.argv[2]))
print(json.dumps([found.rows.to_pylist(), found.reference.revision]))
"""


def upload(client: Client, question: str, answer: str) -> None:
    """Upload a dataset of one question, laid out as the real one is."""
    folder = client.folder / "gsm8k"
    (folder / "main").mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(CARD)
    rows = pa.Table.from_pylist([{"question": question, "answer": f"So.\n#### {answer}"}])
    pq.write_table(rows, folder / "main" / "test-00000-of-00001.parquet")
    client.python(UPLOAD, folder)


def test_a_run_that_goes_on_asks_the_commit_that_it_began_with(hub: Hub, client: Client, tmp_path: Path) -> None:
    client = client.with_token("hf_them")
    run = tmp_path / "run"
    upload(client, "How many?", "7")
    first = hub.references("openai/gsm8k")["branches"]["main"]
    rows, revision = json.loads(client.python(OPEN, "gsm8k@main", run))
    assert rows == [{"id": "gsm8k-00000", "question": "How many?", "answer": "So.\n#### 7"}]
    assert revision == first
    run.mkdir()
    dataset = {"name": "openai/gsm8k", "config": "main", "split": "test", "revision": revision}
    (run / "run.json").write_text(json.dumps({"task": "gsm8k", "dataset": dataset}))
    upload(client, "How few?", "6")
    assert hub.references("openai/gsm8k")["branches"]["main"] != first
    assert json.loads(client.python(OPEN, "gsm8k", run)) == [rows, first], "the run's own commit"
    assert json.loads(client.python(OPEN, f"gsm8k@{first}", tmp_path / "new")) == [rows, first], "a named commit"
    assert json.loads(client.python(OPEN, "gsm8k@main", tmp_path / "new"))[0][0]["question"] == "How few?"
    result = client.selfknow("evaluate", "gsm8k", "--model", "nobody", "--out", tmp_path / "new")
    assert result.returncode == 2
    pinned = wording()["source"]["revision"]
    assert f"main/test-00000-of-00001.parquet of openai/gsm8k at {pinned} could not be fetched" in result.stderr


def test_without_a_network_a_file_is_proposed(python: WarmPython, tmp_path: Path) -> None:
    client = Client("http://127.0.0.1:9", tmp_path, tmp_path / "home", python, environment={"HF_HUB_OFFLINE": "1"})
    result = client.selfknow("evaluate", "gsm8k", "--model", "nobody", "--out", tmp_path / "run")
    assert result.returncode == 2
    assert f"openai/gsm8k at {wording()['source']['revision']} could not be fetched from the Hub" in result.stderr
    assert "download the questions as a file and name that file" in result.stderr
    assert "Traceback" not in result.stderr
