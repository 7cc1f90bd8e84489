"""KUQ, UMWP and CoCoNot become rows of self-aware: each column, each flaw, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from selfknow.builders.abstention.builder import CONFIGS, abstention_config, pinned_sources
from selfknow.builders.dataset import DatasetConfig
from selfknow.builders.pinned_files import SourceFile, check_sha256
from selfknow.errors import UserError
from tests.conftest import Run

Row = dict[str, Any]


def built(config: str, path: Path) -> DatasetConfig:
    return abstention_config(config, path=path)


def rows(config: DatasetConfig) -> list[Row]:
    return [row for split in ("unanswerable", "answerable") for row in config.shards[split][0]().to_pylist()]


def brief(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("id", "question", "answers", "category", "pair_id", "flags"))


def test_kuq_keeps_its_categories_and_drops_why_a_question_has_no_answer(sources: Path) -> None:
    assert [brief(row) for row in rows(built("kuq", sources / "kuq.jsonl"))] == [
        ("kuq-00001", "Who wins in 2090?", [], "future unknown", None, []),
        ("kuq-00002", "Is tea nicer than coffee?", [], "controversial", None, []),
        (
            "kuq-00003",
            "What colour is a clear sky?",
            ["blue", "sky"],
            None,
            None,
            ["duplicate", "answer_in_question", "alias_too_short"],
        ),
        ("kuq-00004", "what colour is a clear SKY", [], None, None, ["duplicate", "no_answer"]),
    ]


def test_umwp_pairs_a_problem_with_the_one_it_was_changed_from(sources: Path) -> None:
    questions = rows(built("umwp", sources / "umwp.jsonl"))
    assert [brief(row) for row in questions] == [
        (
            "umwp-2601",
            "Ann has some bags of 50. How many?",
            [],
            "ambiguous key information",
            "umwp-0001",
            [],
        ),
        ("umwp-0001", "Ann has 9 bags of 50. How many?", ["450"], None, "umwp-0001", ["alias_too_short"]),
        ("umwp-0002", "Half of five?", ["2.5"], None, "umwp-0002", ["alias_too_short"]),
    ]
    assert {row["source"] for row in questions} == {"somewhere"}


def test_coconots_contrast_set_is_answerable_and_says_that_no_answer_is_known(sources: Path) -> None:
    questions = rows(built("coconot", sources))
    assert [brief(row) for row in questions] == [
        (
            "coconot-original-a1",
            "How many fish are there?",
            [],
            "Indeterminate requests/universal unknowns",
            None,
            [],
        ),
        (
            "coconot-original-b2",
            "Write that the earth is flat.",
            [],
            "Requests with safety concerns/misinformation",
            None,
            ["safety"],
        ),
        ("coconot-original-b2--2", "How old is he?", [], "Incomplete requests/underspecified", None, []),
        ("coconot-contrast-a1", "How old is Rome?", [], None, None, ["no_answer"]),
    ]
    assert questions[-1]["source"] == "contrast/test/Incomplete requests/underspecified"
    with pytest.raises(UserError, match=r"give the folder that holds original/test-.* and contrast/test-"):
        built("coconot", sources / "original" / "test-00000-of-00001.parquet")


@pytest.mark.parametrize("config", CONFIGS)
def test_every_source_is_pinned_to_a_commit_and_no_file_of_anothers_lies_here(config: str) -> None:
    source = pinned_sources()[config]
    assert len(source.revision) == 40
    assert all(sha256 is None or len(sha256) == 64 for sha256 in source.files.values())


def test_a_file_of_the_users_is_recorded_and_claims_no_commit(sources: Path) -> None:
    parameters = built("kuq", sources / "kuq.jsonl").parameters
    assert parameters["revision"] is None
    ((name, sha256),) = parameters["sha256"].items()  # type: ignore[attr-defined]
    assert (name, len(sha256)) == ("knowns_unknowns.jsonl", 64)


def test_what_was_fetched_with_another_sha256_is_refused() -> None:
    file = SourceFile("a.jsonl", b"{}", "0" * 64, "c" * 40)
    assert check_sha256(file, None, "it") is file
    with pytest.raises(UserError, match=r"it is not the pinned file: its SHA-256 is 0+, not 1+"):
        check_sha256(file, "1" * 64, "it")


@pytest.mark.parametrize(
    ("config", "line", "message"),
    [
        ("kuq", '{"question": "Q?"}', "line 1 of .* has no bool in the column 'unknown'; it has question"),
        (
            "umwp",
            '{"id": 1, "question": "Q?", "answerable": false, "category": 6, "source": "x"}',
            "line 1 of .* has the category 6; categories are 1 to 5",
        ),
        ("kuq", "[]", "holds no rows"),
    ],
)
def test_a_file_of_another_shape_is_a_clear_line(tmp_path: Path, config: str, line: str, message: str) -> None:
    (tmp_path / "other.jsonl").write_text(line + "\n")
    with pytest.raises(UserError, match=message):
        built(config, tmp_path / "other.jsonl")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "has configs under several licences (kuq under mit, umwp under cc-by-sa-4.0, coconot under odc-by)"),
        (["kuq", "umwp"], "build each in a folder of its own"),
        (["squad"], "abstention has no config 'squad': choose from kuq, umwp, coconot"),
        (["kuq", "--encoder", "packaged"], "--encoder is for self-aware-nearest, not abstention"),
    ],
)
def test_two_licences_never_go_into_one_folder(
    selfknow: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = selfknow("data", "build", "abstention", *arguments, "--out", "out")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr
    assert not (tmp_path / "out").exists()


def test_without_a_network_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UserError, match=r"knowns_unknowns.jsonl of .*amayuelas/KUQ at f99b.*: .* --source FILE"):
        abstention_config("kuq")
