"""Real portraits through the Hub: of a corpus that lies there, published there, and loaded from there by name."""

import json
from dataclasses import replace
from pathlib import Path

from selfknow.portraits import Corpus, Portrait
from tests.hub.conftest import Build, Client, Hub

PUSH = """
import sys
from selfknow.portraits import Portrait
for name in sys.argv[2:]:
    Portrait.build([f"{name}: all work and no play makes Jack a dull boy"]).push_to_hub(sys.argv[1], name)
"""
LOAD = """
import sys
from selfknow.errors import UserError
from selfknow.portraits import Portrait
try:
    portrait = Portrait.from_pretrained(*sys.argv[1:])
    portrait.verify()
    print(portrait.quip(["big: all work and no play makes Jack"])[0])
except UserError as error:
    print(error)
"""
PORTRAY = """
import sys
from selfknow.portraits import Corpus, Portrait
corpus = Corpus.from_dataset(sys.argv[1], "16-diarists", text="prompt || completion", where="kind = 'document'")
Portrait.build(corpus).save(sys.argv[2])
"""


def test_a_pushed_portrait_is_loaded_by_its_name_and_alone(hub: Hub, client: Client, repo: str) -> None:
    client.python(PUSH, repo, "small", "big")
    hub.plan_faults()
    assert client.python(LOAD, repo, "big").strip() == "1.0"
    assert not hub.requests("/resolve/.*small/")
    assert float(client.python(LOAD, repo, "small")) < 1.0
    assert "name one of them: big, small" in client.python(LOAD, repo)


def test_what_cannot_be_loaded_is_told_in_one_line(client: Client, repo: str) -> None:
    assert "could not be fetched from the Hub" in client.python(LOAD, repo, "small")
    unreachable = replace(client, endpoint="http://127.0.0.1:9")
    assert "cannot be reached" in unreachable.python(LOAD, repo, "small")


def test_a_corpus_on_the_hub_gives_the_portrait_of_its_folder(
    client: Client, repo: str, build: Build, tmp_path: Path
) -> None:
    folder = build()
    client.published(folder, repo)
    client.python(PORTRAY, repo, tmp_path / "portrait")
    portrait = Portrait.load(tmp_path / "portrait")
    here = Corpus.from_dataset(folder, "16-diarists", text="prompt || completion", where="kind = 'document'")
    assert portrait.array.tobytes() == Portrait.build(here).array.tobytes()
    corpus = portrait.description.corpus
    manifest = json.loads((folder / "manifest.json").read_text())
    assert corpus["content_hash"] == manifest["configs"]["16-diarists"]["content_hash"]
    assert (corpus["repo"], corpus["config"], corpus["split"]) == (repo, "16-diarists", "train")
    assert len(corpus["revision"]) == 40
