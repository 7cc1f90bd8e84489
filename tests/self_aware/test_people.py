"""People who answer the questions, and people who judge the replies: sheets out, what they filled in back."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.self_aware.questions import SCHEMA
from selfknow.errors import UserError
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.evaluate.tasks.self_aware.hand_labels import (
    abstaining_report,
    label_scores,
    read_replies,
    read_reply_sheets,
    write_labels,
)
from selfknow.evaluate.tasks.self_aware.paper_scorer import load_references, look_as_paper, look_strictly
from selfknow.evaluate.tasks.self_aware.question_sheets import Item, read_items, sample_of, sheet
from selfknow.evaluate.tasks.self_aware.volunteers import ABSTENTION, human_log, judgements_of, read_answers
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.writer import RunWriter
from tests.conftest import Run as Selfknow
from tests.self_aware.rows import example


def fill(path: Path, column: str, judge: Callable[[dict[str, str]], str]) -> None:
    rows = list(csv.DictReader(path.open(newline="")))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, column: judge(row)} for row in rows)


def printed(selfknow: Selfknow, *arguments: object) -> list[dict[str, Any]]:
    result = selfknow(*arguments, "--format", "json")
    assert result.returncode == 0, result.stderr
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


@pytest.fixture
def replied(tmp_path: Path) -> Path:
    """Return a run of four replies, an empty one and a failed one."""
    rows = [example(0, place, answerable=place > 0) for place in range(6)]
    description = RunDescription("self-aware", DatasetReference("small", "authored"), Decoding(), {})
    replies = ["Nobody knows.", "It is 1,\nor so.", "It is 2.", 'They say "3".', " "]
    with RunWriter.open(tmp_path / "run", description, pa.Table.from_pylist(rows, schema=SCHEMA)) as run:
        for row, reply in zip(rows, [*replies, None], strict=True):
            text = Reply(None, error="503") if reply is None else Reply(reply, "stop")
            run.append("ann", None, Request(str(row["id"]), "?", variant="direct"), text)
    return tmp_path / "run"


# People who answer.


def test_volunteers_stand_beside_models_from_the_command_line_to_sql(
    selfknow: Selfknow, aware_folder: ConfigFiles, tmp_path: Path
) -> None:
    result = selfknow("advanced", "annotate", "volunteers", aware_folder.folder, "--sample", 20, "--out", "sheets")
    assert result.returncode == 0, result.stderr
    paths = sorted((tmp_path / "sheets").glob("*.csv"))
    assert [path.name for path in paths] == ["volunteer-1.csv", "volunteer-2.csv"]
    item, two = (list(csv.DictReader(path.open())) for path in paths)
    assert list(item[0]) == ["code", "question", "answer"]
    assert not any(row["answer"] for row in item)
    assert [row["code"] for row in item] != [row["code"] for row in two]
    assert {row["code"] for row in item} == {row["code"] for row in two}
    unanswerable = sum(row["question"].startswith("Why") for row in item)
    assert 0 < unanswerable < 20
    last = item[-1]["code"]

    def rightly(row: dict[str, str]) -> str:
        return " Unknown. " if row["question"].startswith("Why") else "The number 1"

    fill(paths[0], "answer", lambda row: "" if row["code"] == last else rightly(row))
    fill(paths[1], "answer", lambda row: "unknown")
    first, second, both = printed(
        selfknow, "advanced", "annotate", "import-volunteers", aware_folder.folder, *paths, "--out", "human"
    )
    assert (first["judged"], second["judged"], second["abstains"]) == (19, 20, 1.0)
    assert both["judged"] == 19
    assert both["fleiss_kappa"] < 0
    printed(selfknow, "score", "human", "--encoder", "packaged")
    rows = printed(selfknow, "query", "self_aware_f1", "human")
    assert {(row["model"], row["form"], row["n"]) for row in rows} == {
        ("human/volunteer-1", "direct", 19),
        ("human/volunteer-2", "direct", 20),
    }
    for row in rows:
        always = 2 * unanswerable / (20 + unanswerable)
        assert row["f1"] == pytest.approx(1 if row["model"].endswith("1") else always)
    again = selfknow("advanced", "annotate", "import-volunteers", aware_folder.folder, *paths, "--out", "human")
    assert (again.returncode, "human exists: name a new folder" in again.stderr) == (2, True)


def test_what_stands_for_unknown_holds_a_reference_phrase_of_either_scorer() -> None:
    assert look_as_paper(ABSTENTION, load_references("paper").phrases).holds_phrase
    assert look_strictly(ABSTENTION, load_references("strict").phrases).holds_phrase


def test_a_sample_of_only_unanswerable_questions_keeps_the_types_of_its_columns(aware_folder: ConfigFiles) -> None:
    log = human_log(aware_folder, {"ann": {"pair-0-unknown": "unknown", "pair-1-unknown": ""}})
    assert isinstance(log.examples, pa.Table)
    assert log.examples.schema.field("answers").type == pa.list_(pa.string())
    assert log.examples["id"].to_pylist() == ["pair-0-unknown"], "what was left blank was not asked"
    [call] = log.calls
    assert (call.model, call.variant, call.reply.generation) == ("human/ann", "direct", ABSTENTION)


def test_only_the_word_unknown_abstains() -> None:
    text = judgements_of({"ann": {"a": "UNKNOWN.", "b": "an unknown soldier", "c": ""}})
    assert text == {"ann": {"a": "abstains", "b": "answers"}}


def test_blank_sheets_make_no_human_line(aware_folder: ConfigFiles) -> None:
    with pytest.raises(UserError, match="no answer is filled in"):
        human_log(aware_folder, {"ann": {"pair-0-unknown": ""}})


def test_the_sample_of_a_hundred_is_the_same_for_the_same_seed(aware_folder: ConfigFiles) -> None:
    items = list(read_items(aware_folder).values())
    assert sample_of(items, 10, 0) == sample_of(items[::-1], 10, 0) != sample_of(items, 10, 1)
    assert sheet(items, "ann", 0) == sheet(items[::-1], "ann", 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"code,question\na,b\n", "no columns code and answer"),
        (b"", "no columns code and answer"),
        (b"code,answer\nffff,1\n", "line 2 of .* has the code 'ffff', which is not a question of this dataset"),
        (b"code,answer\n{code},1\n{code},2\n", "line 3 of .* a second time"),
        (b"code;answer\n{code};caf\xe9\n", "not UTF-8"),
        (b"code,answer\n{code}," + b"x" * 200_000, "cannot be read as CSV"),
    ],
)
def test_a_volunteers_sheet_that_is_wrong_is_a_clear_line(tmp_path: Path, content: bytes, message: str) -> None:
    item = Item("pair-0-unknown", "Why?", answerable=False)
    path = tmp_path / "ann.csv"
    path.write_bytes(content.replace(b"{code}", item.code.encode()))
    with pytest.raises(UserError, match=message):
        read_answers([path], {item.code: item})


# People who judge replies.


def test_labels_of_replies_reach_the_ablation_and_outlive_scoring(
    selfknow: Selfknow, replied: Path, tmp_path: Path
) -> None:
    result = selfknow("advanced", "annotate", "replies", "run", "--sample", 4, "--out", "sheets")
    assert result.returncode == 0, result.stderr
    paths = sorted((tmp_path / "sheets").glob("*.csv"))
    rows = list(csv.DictReader(paths[0].open(newline="")))
    assert list(rows[0]) == ["generation_id", "question", "reply", "judgement", "remark"]
    assert {row["reply"] for row in rows} == {"Nobody knows.", "It is 1,\nor so.", "It is 2.", 'They say "3".'}

    def rightly(row: dict[str, str]) -> str:
        return "Abstains" if row["reply"].startswith("Nobody") else "answers"

    fill(paths[0], "judgement", rightly)
    fill(paths[1], "judgement", lambda row: "abstains" if "3" in row["reply"] else rightly(row))
    *_, everyone, labels = printed(selfknow, "advanced", "annotate", "import-replies", "run", *paths)
    # Of 8 judgements 3 say that it abstains, and of 4 replies one is disputed.
    by_chance = (3 / 8) ** 2 + (5 / 8) ** 2
    assert (everyone["judged"], everyone["fleiss_kappa"]) == (4, pytest.approx((3 / 4 - by_chance) / (1 - by_chance)))
    assert (labels["judged"], labels["abstains"]) == (3, pytest.approx(1 / 3))
    written = (replied / "scores" / "hand-abstained.parquet").read_bytes()
    printed(selfknow, "score", "run", "--encoder", "packaged", "--scorer", "strict")
    assert (replied / "scores" / "hand-abstained.parquet").read_bytes() == written
    results = printed(selfknow, "query", "self_aware_thresholds", "run")
    assert {row["n_labelled"] for row in results} == {3}
    refused = selfknow("advanced", "annotate", "replies", "run", "--sample", 5, "--out", "more")
    assert (refused.returncode, "only 4 replies have any text, so 5 cannot be drawn" in refused.stderr) == (2, True)
    refused = selfknow("advanced", "annotate", "replies", "run", "--out", "sheets")
    assert (refused.returncode, "never overwritten" in refused.stderr) == (2, True)


def test_a_label_is_what_more_than_half_say_and_else_null_with_its_reason(replied: Path) -> None:
    text = {
        "ann": {"a": "abstains", "b": "abstains", "c": "answers"},
        "bob": {"a": "abstains", "b": "answers"},
        "cat": {"a": "answers"},
    }
    rows = {row["generation_id"]: (row["value"], row["reason"]) for row in label_scores(text).to_pylist()}
    assert rows == {
        "a": (1.0, None),
        "b": (None, "annotators disagree: 1 of 2 say that it abstains"),
        "c": (0.0, None),
    }
    write_labels(replied, text)
    write_labels(replied, {"ann": {"a": "answers"}})
    assert pq.read_table(replied / "scores" / "hand-abstained.parquet")["value"].to_pylist() == [0.0]
    with pytest.raises(UserError, match="no judgement is filled in"):
        write_labels(replied, {"ann": {}})


def test_agreement_that_chance_alone_explains_is_null() -> None:
    *_, both = abstaining_report({"ann": {"a": "answers"}, "bob": {"a": "answers", "b": "abstains"}})
    assert (both["judged"], both["abstains"], both["fleiss_kappa"]) == (1, 0.0, None)
    *_, alone = abstaining_report({"ann": {"a": "answers"}})
    assert alone["fleiss_kappa"] is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"generation_id,reply\n{id},?\n", "no columns generation_id and judgement"),
        (b"generation_id,judgement\n{id},perhaps\n", "says 'perhaps': a judgement is abstains or answers"),
        (b"generation_id,judgement\nother-run-1,answers\n", "'other-run-1', which is not a reply of the run"),
        (b"generation_id,judgement\n{id},answers\n{id},answers\n", "a second time"),
        (b"generation_id,judgement,remark\n{id},answers,\xe9\n", "not UTF-8"),
    ],
)
def test_a_sheet_of_replies_that_is_wrong_is_a_clear_line(replied: Path, content: bytes, message: str) -> None:
    replies = read_replies(replied)
    path = replied.parent / "ann.csv"
    path.write_bytes(content.replace(b"{id}", min(replies).encode()))
    with pytest.raises(UserError, match=message):
        read_reply_sheets([path], replies)


def test_replies_of_another_task_are_not_judged(replied: Path) -> None:
    described = json.loads((replied / "run.json").read_text())
    (replied / "run.json").write_text(json.dumps({**described, "task": "diary-recall"}))
    with pytest.raises(UserError, match="a run of 'diary-recall': replies are judged in runs of self-aware"):
        read_replies(replied)
