"""The paper's question sets from a Hub, under their own ids and in their own shapes, down to the scores."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.according_to.prompts import question_sets
from selfknow.portraits import Portrait
from tests.according_to.quoting_server import CORPUS, quoting_server
from tests.hub.conftest import Client, Hub
from tests.hub_server.storage import Storage

SETS = question_sets()
THINGS = list(CORPUS)[:2]
PROVENANCE = {"wikipedia_id": "1", "title": "Moon", "section": "", "start_paragraph_id": 1, "bleu_score": 1.0}


def rows_of(name: str, things: list[str]) -> list[dict[str, Any]]:
    """Rows in the shape that the set has on the Hub."""
    questions = [f"what is {thing}" for thing in things]
    match name:
        case "nq":
            return [{"question": text, "answer": [thing, "x"]} for text, thing in zip(questions, things, strict=True)]
        case "tqa":
            return [
                {
                    "question": text,
                    "question_id": f"tc_{thing}",
                    "question_source": "http://www.triviacountry.com/",
                    "entity_pages": {"title": [thing], "wiki_context": [""]},
                    "answer": {
                        "aliases": [thing.upper(), "x"],
                        "normalized_aliases": [thing],
                        "matched_wiki_entity_name": "",
                        "normalized_value": thing,
                        "type": "WikipediaEntity",
                        "value": thing,
                    },
                }
                for text, thing in zip(questions, things, strict=True)
            ]
        case "hotpot":
            context = {"title": ["A"], "sentences": [["Some.", "Text."]]}
            return [
                {"id": f"5a{thing}", "question": text, "answer": thing, "type": "bridge", "context": context}
                for text, thing in zip(questions, things, strict=True)
            ]
    empty = {"answer": "", "meta": {"score": 0}, "provenance": [PROVENANCE]}
    return [
        {
            "id": f"1o{thing}",
            "input": text,
            "meta": {"left_context": "", "mention": "", "right_context": ""},
            "output": [{"answer": CORPUS[thing], "meta": {"score": 3}, "provenance": []}, empty],
        }
        for text, thing in zip(questions, things, strict=True)
    ]


def commit(hub: Hub, name: str, rows: list[dict[str, Any]], folder: Path, oid: str | None = None) -> str:
    """Return a commit of a set's file on main; under a hash of one's own, if it is given."""
    storage, entry = Storage(hub.root), SETS[name]
    repo = f"datasets/{entry['repo']}"
    if not (hub.root / repo).exists():
        storage.create_repo(repo, private=False)
    pq.write_table(pa.Table.from_pylist(rows), folder / "rows.parquet")
    files = {entry["file"]: storage.add_object((folder / "rows.parquet").read_bytes())}
    made = storage.commit(repo, "main", "Convert dataset to Parquet", files, []).oid
    if oid is not None:
        commits, references = hub.root / repo / "commits", hub.root / repo / "references.json"
        (commits / f"{made}.json").rename(commits / f"{oid}.json")
        references.write_text(references.read_text().replace(made, oid))
    return oid or made


@pytest.fixture
def portrait(client: Client) -> Path:
    path = client.folder / "portrait"
    Portrait.build(["\n".join(CORPUS.values())], false_positive_rate=1e-9).save(path)
    return path


def evaluate(client: Client, server: str, name: str, run: str, *more: object) -> Any:
    command = ["evaluate", f"according-to:{name}", "--portrait", "portrait", "--corpus-name", "the corpus", "--prompts"]
    command += ["attributed", "--endpoint", server, "--model", "quoter", "--out", run, "--format", "json", *more]
    return client.selfknow(*command)


def run_json(client: Client, run: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((client.folder / run / "run.json").read_text())
    return facts


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if name in ("tqa", "hotpot") else []) for name in SETS]
)
def test_a_set_is_asked_at_its_pinned_commit_and_scored_though_main_moved_on(
    name: str, hub: Hub, client: Client, portrait: Path, tmp_path: Path
) -> None:
    entry = SETS[name]
    commit(hub, name, rows_of(name, THINGS), tmp_path, entry["revision"])
    commit(hub, name, rows_of(name, list(CORPUS)[2:]), tmp_path)
    with quoting_server() as server:
        result = evaluate(client, server, name, "run")
        assert result.returncode == 0, result.stderr
        assert [row["answered"] for row in json.loads(result.stdout)] == [2 * 2]
        again = evaluate(client, server, name, "run")
        assert [row["answered_before"] for row in json.loads(again.stdout)] == [2 * 2], again.stderr
    dataset = run_json(client, "run")["dataset"]
    assert dataset == {
        "name": entry["repo"],
        "config": entry["config"],
        "split": "validation",
        "revision": entry["revision"],
        "content_hash": None,
    }
    examples = pq.read_table(client.folder / "run" / "examples.parquet").to_pylist()
    assert [row["question"] for row in examples] == [f"what is {thing}" for thing in THINGS]
    expected = {
        "nq": ["moon", "x"],
        "tqa": ["moon", "MOON", "x"],
        "hotpot": ["moon"],
        "eli5": [CORPUS["moon"]],
    }
    assert examples[0]["answers"] == expected[name]
    scored = client.selfknow("score", "run", "--format", "json")
    means = {(row["variant"], row["metric"]): row["mean"] for row in json.loads(scored.stdout)}
    assert (means["attributed", "quip"], means["null", "quip"]) == (1.0, 0.0)
    metric = "rouge_l" if name == "eli5" else "exact_match"
    assert means["attributed", metric] == 1.0
    requests = hub.requests(r"resolve/")
    assert {request.partition("resolve/")[2] for request in requests} == {f"{entry['revision']}/{entry['file']}"}


def test_another_commit_is_asked_by_name_and_a_branch_is_looked_up_once(
    hub: Hub, client: Client, portrait: Path, tmp_path: Path
) -> None:
    first = commit(hub, "nq", rows_of("nq", ["tiger"]), tmp_path)
    with quoting_server() as server:
        assert evaluate(client, server, f"nq@{first}", "one").returncode == 0
        assert evaluate(client, server, "nq@main", "two").returncode == 0
        second = commit(hub, "nq", rows_of("nq", ["salt"]), tmp_path)
        again = evaluate(client, server, "nq@main", "two")
        assert (again.returncode, json.loads(again.stdout)[0]["answered_before"]) == (0, 2), again.stderr
        assert [run_json(client, run)["dataset"]["revision"] for run in ("one", "two")] == [first, first]
        other = evaluate(client, server, f"nq@{second}", "two")
        assert other.returncode == 2
        assert f'is another run (its dataset.revision is "{first}", not "{second}")' in other.stderr
        missing = evaluate(client, server, f"nq@{40 * '0'}", "three")
        assert missing.returncode == 2
        assert f"google-research-datasets/nq_open at {40 * '0'} could not be fetched from the Hub" in missing.stderr
        assert "Traceback" not in missing.stderr


def test_without_a_hub_a_run_is_refused_but_what_was_downloaded_is_asked(
    hub: Hub, client: Client, portrait: Path, tmp_path: Path
) -> None:
    commit(hub, "nq", rows_of("nq", THINGS), tmp_path, SETS["nq"]["revision"])
    offline = replace(client, environment={"HF_HUB_OFFLINE": "1"})
    with quoting_server() as server:
        refused = evaluate(offline, server, "nq", "run")
        assert refused.returncode == 2
        assert f"google-research-datasets/nq_open at {SETS['nq']['revision']} could not be fetched" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert not (client.folder / "run").exists()
        environment = {"HF_HOME": str(client.folder / "kept")}
        assert evaluate(replace(client, environment=environment), server, "nq", "run").returncode == 0
        unreachable = replace(client, endpoint="http://127.0.0.1:9", environment=environment)
        again = evaluate(unreachable, server, "nq", "run")
        assert (again.returncode, json.loads(again.stdout)[0]["answered_before"]) == (0, 4), again.stderr
