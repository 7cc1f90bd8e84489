"""A GGUF file on the Hub is a model by its address, and the same one as its copy on this machine."""

from pathlib import Path

from tests.hub.conftest import Client, Hub
from tests.tiny_gguf import write_gguf

LOAD = """
import sys
from huggingface_hub import HfApi
from selfknow.errors import UserError
from selfknow.models import checkpoints
from selfknow.models.local import LocalModel

repo, path = sys.argv[1:]
HfApi().create_repo(repo)
HfApi().upload_file(path_or_fileobj=path, path_in_repo="small/tiny.gguf", repo_id=repo)
model = LocalModel.load(f"{repo}:small/tiny.gguf", device="cpu", precision="float32")
print(model.quantization, model.revision == checkpoints.revision(path), model.name == f"{repo}:small/tiny.gguf")
for missing in (f"{repo}:gone.gguf", "org/nowhere:tiny.gguf"):
    try:
        LocalModel.load(missing)
    except UserError as error:
        print(error)
"""


def test_a_gguf_file_on_the_hub_is_a_model(client: Client, hub: Hub, repo: str, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "tiny.gguf", storage="Q8_0").path
    lines = client.python(LOAD, repo, file).splitlines()
    assert lines[0] == "Q8_0 True True"
    assert lines[1].startswith(f"gone.gguf of {repo} could not be fetched from the Hub: ")
    assert lines[2].startswith("tiny.gguf of org/nowhere could not be fetched from the Hub: ")
    assert len(lines) == 3
