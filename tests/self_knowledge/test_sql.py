"""Given rows, expected rows, of every query over self-knowledge runs."""

import math
from collections.abc import Iterator
from importlib.resources import files
from itertools import count
from typing import Any

import duckdb
import pytest
from scipy.stats import binomtest, norm
from sklearn.metrics import roc_auc_score

from selfknow.evaluate.tasks.self_knowledge.task import SELF_KNOWLEDGE
from selfknow.sql.published import published
from tests.conftest import REPOSITORY

EVALUATE = files("selfknow.evaluate")
FOLDER = EVALUATE / "tasks" / "self_knowledge"
QUERIES = sorted(path.name[:-4] for path in FOLDER.iterdir() if path.name.endswith(".sql"))
METRICS = ("reply_parsed", "verification_correct", "self_consistent", "answer_changed", "all_correct")
Given = tuple[float | None, float | None, float | None]  # written, read, consistent


class Runs:
    """The views that the queries read, filled by hand."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.ids = count()
        connection.execute(
            "create table calls (generation_id varchar, run_id varchar, task varchar, example_id varchar,"
            " stage varchar, variant varchar, sample integer, parent_generation_id varchar, model varchar,"
            " revision varchar, generation varchar, error varchar, prompt varchar, logprob double,"
            " messages struct(role varchar, content varchar)[])"
        )
        connection.execute(
            "create table runs (run_id varchar, task varchar, dataset varchar, content_hash varchar,"
            " dataset_revision varchar, decoding varchar, tuned_model varchar, tuned_revision varchar,"
            " tuned_on varchar, tuned_version varchar, tuned_on_own boolean, num_tuned_on bigint, config varchar,"
            " temperature double, settings varchar)"
        )
        connection.execute("create table scores (generation_id varchar, metric varchar, value double, reason varchar)")
        connection.execute("create table self_knowledge_unread (generation_id varchar, metric varchar)")
        connection.execute(
            "create table self_knowledge_readings (generation_id varchar, said varchar, expected varchar,"
            " truth varchar, reason varchar)"
        )
        connection.execute(
            "create table kept_replies (generation_id varchar, start_character integer, end_character integer)"
        )
        connection.execute(f"create view published as {published()}")
        connection.execute("insert into runs (run_id, dataset, config) values ('run', 'org/exam', 'biology')")
        for name in ("wilson", "share", "normal", "student", "paired"):
            connection.execute((files("selfknow") / "sql" / "functions" / f"{name}.sql").read_text())
        for name in SELF_KNOWLEDGE.sql.views:
            connection.execute((FOLDER / "views" / f"{name}.sql").read_text())

    def call(self, task: str, number: int, stage: str, variant: str, model: str, parent: str | None, style: str) -> str:
        name = f"{stage}-{next(self.ids)}"
        example, prompt = f"{task}-{number:03d}-{style}", f"{stage} {task} {number} {style}"
        row = [name, "run", "self-knowledge", example, stage, variant, 0, parent, model, prompt]
        self.connection.execute(
            "insert into calls values (?, ?, ?, ?, ?, ?, ?, ?, ?, null, 'a reply', null, ?, null, null)", row
        )
        return name

    def score(self, name: str, metric: str, value: float | None, reason: str | None = None) -> None:
        self.connection.execute("insert into scores values (?, ?, ?, ?)", [name, metric, value, reason])

    def add(
        self,
        task: str,
        texts: list[Given],
        *,
        protocol: str = "separate",
        stage: str = "verify",
        generator: str = "ann",
        verifier: str | None = None,
        style: str = "plain",
        reason: str = "no number",
    ) -> None:
        """Texts that were written, and one reply about each in the named stage (and none in the others)."""
        for number, (written, read, consistent) in enumerate(texts):
            variant = f"{protocol}/ours"
            text = self.call(task, number, "generate", variant, generator, None, style)
            self.score(text, "generation_correct", written, None if written is not None else "unknown")
            about = text
            if stage == "verify-dual":
                about = self.call(task, number, "dual", variant, generator, text, style)
                self.score(about, "generation_correct", written)
            reply = self.call(task, number, stage, variant, verifier or generator, about, style)
            numbers = (written, read, consistent)
            true = None if None in numbers else float(all(numbers))
            values = (float(consistent is not None), read, consistent, None, true)
            for metric, value in zip(METRICS, values, strict=True):
                self.score(reply, metric, value, None if value is not None else reason)

    def unasked(self, task: str, number: int, reason: str, protocol: str = "separate") -> None:
        text = self.call(task, number, "generate", f"{protocol}/ours", "ann", None, "plain")
        for metric in ("generation_correct", "verification_correct", "self_consistent", "all_correct"):
            self.score(text, metric, None, reason)

    def gsm8k(
        self,
        values: list[float | None],
        model: str = "ann",
        tuned: tuple[str, str, str, bool, int] | None = None,
        content: str = "c",
        samples: int = 1,
    ) -> None:
        """Add a run of GSM8K: `tuned` is the model before, the creator, the version, if both are one, how many."""
        run = f"gsm8k-{next(self.ids)}"
        before, creator, version, is_own, number = tuned or (None, None, None, None, None)
        row = [
            run,
            "gsm8k",
            "gsm8k.jsonl",
            content,
            None,
            "{}",
            before,
            before and "1",
            creator,
            version,
            is_own,
            number,
        ]
        self.connection.execute(f"insert into runs values ({', '.join('?' * 12)}, null, null, null)", row)
        for place, value in enumerate(values):
            name = f"{run}-{place}"
            call = [
                name,
                run,
                "gsm8k",
                f"gsm8k-{place // samples}",
                "answer",
                "plain",
                place % samples,
                None,
                model,
                "1",
                None,
                "503" if value is None else None,
                "a problem",
            ]
            self.connection.execute(f"insert into calls values ({', '.join('?' * 13)}, null, null)", call)
            self.score(name, "correct", value, "the request failed: 503" if value is None else None)

    def claims(self, task: str, replies: list[tuple[str | None, str | None, str | None, float]], model: str) -> None:
        """Texts, and what was said of each and of its wrong twin: the replies, the text's truth, and their logprob."""
        for number, (of_text, of_twin, truth, logprob) in enumerate(replies):
            variant = "inconsistency/ours"
            text = self.call(task, number, "generate", variant, model, None, "plain")
            for stage, reply, true in (("verify", of_text, truth), ("verify-broken", of_twin, truth and "no")):
                name = self.call(task, number, stage, variant, model, text, "plain")
                self.connection.execute(
                    "update calls set generation = ?, logprob = ? where generation_id = ?",
                    [f"{reply}." if reply else "It depends.", logprob, name],
                )
                values = [name, reply, None, true, None]
                self.connection.execute("insert into self_knowledge_readings values (?, ?, ?, ?, ?)", values)

    def ask(self, name: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = (
            self.connection.sql((FOLDER / f"{name}.sql").read_text()).to_arrow_table().to_pylist()
        )
        return rows


@pytest.fixture
def runs() -> Iterator[Runs]:
    with duckdb.connect() as connection:
        yield Runs(connection)


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_says_what_it_is_and_runs_over_nothing(runs: Runs, name: str) -> None:
    head = (FOLDER / f"{name}.sql").read_text()
    assert all(f"-- {field}: " in head for field in ("Source", "Grain", "Columns", "Needs"))
    assert runs.ask(name) == []


def test_every_query_stands_in_the_reference() -> None:
    reference = (REPOSITORY / "docs" / "sql-reference.md").read_text().partition("## Views")[0]
    listed = {line.split("`")[1] for line in reference.splitlines() if line.startswith("| `self_knowledge_")}
    assert listed == {*QUERIES, "self_knowledge_agents", "self_knowledge_proposals"}


def test_tables_have_averages_that_follow_from_their_rows_and_texts_that_were_not_asked_about(runs: Runs) -> None:
    runs.add("total-count", [(1, 1, 1), (1, 0, 0), (0, 1, 0)])
    runs.unasked("total-count", 3, "not asked: refusal")
    runs.add("fact", [(None, None, 1), (None, None, None)])
    rows = runs.ask("self_knowledge_tables")
    results = {row["task"]: row for row in rows}
    assert [row["task"] for row in rows] == ["fact", "total-count", "average"]
    total = results["total-count"]
    assert (total["n"], total["n_graded"], total["share_null"]) == (4, 3, 0.25)
    assert total["score"] == pytest.approx(1 / 3)
    assert total["score_null_as_wrong"] == 0.25
    interval = binomtest(1, 3).proportion_ci(method="wilson")
    assert (total["score_low"], total["score_high"]) == (pytest.approx(interval.low), pytest.approx(interval.high))
    average = results["average"]
    assert (average["n_tasks"], average["n"], average["n_graded"]) == (2, 6, 4)
    assert average["score"] == pytest.approx((1 / 3 + 1) / 2)
    assert average["score_null_as_wrong"] == pytest.approx((0.25 + 0.5) / 2)
    assert {row["paper_table"] for row in rows} == {"Table 1"}


def test_the_summary_counts_the_texts_of_all_tasks_and_no_text_of_a_prompt_twice(runs: Runs) -> None:
    runs.add("total-count", [(1, 1, 1), (1, 0, 0), (0, 1, 0)])
    runs.add("total-count", [(1, 1, 1)])  # a second text of the first prompt
    runs.add("fact", [(None, None, 1)])
    [row] = runs.ask("self_knowledge_summary")
    assert (row["generator"], row["verifier"], row["n_tasks"], row["n"]) == ("ann", "ann", 2, 5)
    assert (row["n_written"], row["n_read"], row["n_consistent"]) == (4, 4, 5)
    assert (row["written"], row["read"], row["consistent"]) == (0.75, 0.75, pytest.approx(3 / 5))
    for name, share, prompts in (("written", 0.75, 3), ("consistent", 0.6, 4)):
        centre, half = (share + 1.9207295 / prompts), 1.959964
        spread = half * (share * (1 - share) / prompts + 0.96036475 / prompts**2) ** 0.5
        scale = 1 + 3.841459 / prompts
        assert row[f"{name}_low"] == pytest.approx((centre - spread) / scale)
        assert row[f"{name}_high"] == pytest.approx((centre + spread) / scale)


def test_a_reply_that_could_not_be_read_is_wrong_in_the_summary_and_counted_beside_it(runs: Runs) -> None:
    runs.add("total-count", [(1, 1, 1), (1, None, None)])  # the second reply said two numbers
    runs.add("sports-statistics", [(None, None, 1)])  # nobody knows whether the statistics are right
    unread = "select max(generation_id), unnest(['verification_correct', 'self_consistent']) from calls"
    runs.connection.execute(
        f"insert into self_knowledge_unread {unread} where example_id = 'total-count-001-plain' and stage = 'verify'"
    )
    [row] = runs.ask("self_knowledge_summary")
    assert (row["n"], row["n_read"], row["read"]) == (3, 1, 0.5)
    assert (row["n_consistent"], row["consistent"]) == (2, pytest.approx(2 / 3))
    assert (row["n_written"], row["written"]) == (2, 1.0)


def test_a_sample_of_readings_shows_what_was_kept(runs: Runs) -> None:
    runs.add("total-count", [(1, 1, 1)] * 3)
    runs.connection.execute(
        "insert into self_knowledge_readings select generation_id, '5', '5', '5', null from calls"
        " where stage = 'verify'"
    )
    runs.connection.execute("insert into kept_replies select generation_id, 2, 7 from calls")
    rows = runs.ask("self_knowledge_readings_sample")
    assert [(row["task"], row["outcome"], row["n"], row["said"]) for row in rows] == [
        ("total-count", "read", 3, "5")
    ] * 2
    assert {row["generation"][row["start_character"] : row["end_character"]] for row in rows} == {"reply"}


def test_each_table_takes_its_own_stage(runs: Runs) -> None:
    runs.add("math", [(1, 1, 1)], protocol="dual", stage="verify-dual")
    runs.add("grammar", [(None, 1, 0)], protocol="consistency", stage="verify-kept")
    runs.add("change-word", [(None, 1, 1)], protocol="inconsistency", stage="verify-broken")
    runs.add("benchmark", [(None, None, 1)], style="plain")
    runs.add("benchmark", [(None, None, 0)], style="expert")
    rows = {(row["paper_table"], row["task"]): row["score"] for row in runs.ask("self_knowledge_tables")}
    assert {key: value for key, value in rows.items() if key[1] != "average"} == {
        ("Table 2", "math"): 1.0,
        ("Table 3", "grammar"): 0.0,
        ("Table 3", "change-word"): 1.0,
        ("Table 9", "benchmark"): 1.0,
    }
    assert rows["Table 3", "average"] == 0.5


def test_a_text_that_nobody_could_ask_about_is_nobodys_success(runs: Runs) -> None:
    runs.unasked("total-count", 0, "not asked: empty")
    [row, _] = runs.ask("self_knowledge_tables")
    assert (row["verifier"], row["n"], row["n_graded"], row["score"]) == ("ann", 1, 0, None)
    [reason] = runs.ask("self_knowledge_unparsed")
    assert (reason["reason"], reason["n"], reason["share"]) == ("not asked: empty", 1, 1.0)


def test_reasons_are_counted_with_their_share_of_all(runs: Runs) -> None:
    runs.add("total-count", [(1, None, None), (1, 1, 1)], reason="no number")
    runs.unasked("total-count", 7, "not asked: refusal")
    rows = {row["reason"]: (row["n"], row["share"]) for row in runs.ask("self_knowledge_unparsed")}
    assert rows == {"no number": (1, pytest.approx(1 / 3)), "not asked: refusal": (1, pytest.approx(1 / 3))}


def test_protocols_stand_side_by_side(runs: Runs) -> None:
    for protocol, inputs in (("separate", 0), ("in-context", 1), ("in-context-noise", 1)):
        runs.add("total-count", [(1, inputs, inputs)], protocol=protocol)
    rows = {row["protocol"]: row for row in runs.ask("self_knowledge_protocols")}
    assert {name: row["consistent"] for name, row in rows.items()} == {
        "separate": 0.0,
        "in-context": 1.0,
        "in-context-noise": 1.0,
    }
    assert rows["separate"]["n"] == rows["separate"]["n_read"] == 1


def test_texts_of_one_prompt_are_one_trial(runs: Runs) -> None:
    runs.add("theorem", [(1, 1, 1)] * 100)
    runs.connection.execute("update calls set prompt = 'Generate a hard inequality.' where stage = 'generate'")
    one_prompt = (pytest.approx(wilson(1, 1)[0]), 1.0)
    [table, _] = runs.ask("self_knowledge_tables")
    assert (table["n"], table["n_prompts"], table["score"]) == (100, 1, 1.0)
    assert (table["score_low"], table["score_high"]) == one_prompt
    for name in ("protocols", "inconsistency", "styles", "matrix", "summary"):
        [row] = runs.ask(f"self_knowledge_{name}")
        assert (row["n"], row["n_prompts"], row["n_consistent"]) == (100, 1, 100)
        assert (row["consistent_low"], row["consistent_high"]) == one_prompt
    [kind] = runs.ask("self_knowledge_writing_or_reading")
    assert (kind["n"], kind["n_prompts"], kind["share_low"], kind["share_high"]) == (100, 1, *one_prompt)


def wilson(successes: int, n: int) -> tuple[float, float]:
    interval = binomtest(successes, n).proportion_ci(method="wilson")
    return interval.low, interval.high


def test_the_papers_numbers_stand_beside_those_of_the_same_cell(runs: Runs) -> None:
    runs.add("fact", [(1, 1, 1), (1, 0, 0)], generator="Qwen/Qwen1.5-7B-Chat")
    runs.add("fact", [(1, 1, 1)], generator="http://host gpt-4-0125-preview")
    runs.connection.execute("update calls set variant = 'separate/paper'")
    of_table_1 = [row for row in runs.ask("self_knowledge_published") if row["table"] == "table-1"]
    assert len(of_table_1) == 7 * 2, "seven printed models, two of ours"
    same = {row["published_model"]: row for row in of_table_1 if row["is_same_model"]}
    assert {name: (row["published"], row["ours"], row["is_same_setting"]) for name, row in same.items()} == {
        "Qwen1.5-7B-Chat": (0.77, 0.5, True),
        "GPT-4": (0.71, 1.0, False),  # an API was asked at temperature 0, and this one by its own sampling
    }
    runs.connection.execute("update runs set temperature = 0")
    settings = {row["published_model"]: row["is_same_setting"] for row in runs.ask("self_knowledge_published")}
    assert (settings["GPT-4"], settings["Qwen1.5-7B-Chat"]) == (True, False)


def test_inconsistency_stands_beside_consistency(runs: Runs) -> None:
    runs.add("math", [(1, 1, 1)])
    runs.add("math", [(1, 1, None)], protocol="inconsistency", stage="verify-broken")
    runs.connection.execute(
        "update scores set value = 1 where metric = 'answer_changed' and generation_id like '%broken%'"
    )
    rows = {(row["protocol"], row["stage"]): row for row in runs.ask("self_knowledge_inconsistency")}
    assert rows["separate", "verify"]["consistent"] == 1.0
    assert rows["inconsistency", "verify-broken"]["changed"] == 1.0


def test_styles_have_all_four_columns_of_table_11(runs: Runs) -> None:
    runs.add("total-count", [(0, 0, 1), (1, 1, 1)], style="expert")
    runs.add("total-count", [(0, 1, 0), (1, 1, 1)])
    rows = {row["style"]: row for row in runs.ask("self_knowledge_styles")}
    columns = ("consistent", "written", "read", "true")
    assert [rows["expert"][column] for column in columns] == [1.0, 0.5, 0.5, 0.5]
    assert [rows["plain"][column] for column in columns] == [0.5, 0.5, 1.0, 0.5]


def test_the_matrix_keeps_writers_and_readers_apart(runs: Runs) -> None:
    runs.add("total-count", [(1, 1, 1)], generator="ann", verifier="bob")
    runs.add("total-count", [(0, 1, 0)], generator="bob", verifier="bob")
    rows = {(row["generator"], row["verifier"]): row["consistent"] for row in runs.ask("self_knowledge_matrix")}
    assert rows == {("ann", "bob"): 1.0, ("bob", "bob"): 0.0}


CLAIMS: list[tuple[str | None, str | None, str | None, float]] = [
    *[("yes", "no", "yes", -0.1 * number) for number in range(1, 7)],  # six are told apart, ever less surely
    ("yes", "yes", None, -0.3),  # two are believed as they are and altered; no program knows them
    ("yes", "yes", None, -0.9),
    ("no", "no", "yes", -1.2),  # one is never believed
    ("no", "no", "no", -0.2),  # was written wrongly: it is no truth that could be recognized
    (None, "no", "yes", -0.2),  # could not be read
]


def test_verification_as_detection_is_yes_to_the_text_against_yes_to_its_wrong_twin(runs: Runs) -> None:
    runs.claims("math", CLAIMS, "ann")
    runs.claims("math", [("yes", "yes", None, -0.5)] * 4, "bob")
    runs.add("total-count", [(1, 1, 1)], protocol="inconsistency")  # is not answered with yes or no
    row, yes_man = runs.ask("self_knowledge_detection")
    assert (row["verifier"], row["n"], row["n_known"], row["n_graded"], row["n_prompts"]) == ("ann", 11, 9, 9, 9)
    assert (row["hits"], row["false_alarms"]) == (8, 2)
    hit_rate, false_alarm_rate = 8.5 / 10, 2.5 / 10
    assert (row["hit_rate"], row["false_alarm_rate"]) == (hit_rate, false_alarm_rate)
    z_hit, z_false = norm.ppf([hit_rate, false_alarm_rate])
    assert row["d_prime"] == pytest.approx(z_hit - z_false, abs=1e-6)
    assert row["criterion"] == pytest.approx(-(z_hit + z_false) / 2, abs=1e-6)
    variance = sum(p * (1 - p) / 9 / norm.pdf(z) ** 2 for p, z in ((hit_rate, z_hit), (false_alarm_rate, z_false)))
    assert row["d_prime_high"] - row["d_prime"] == pytest.approx(1.959964 * math.sqrt(variance), abs=1e-5)
    probabilities = [
        math.exp(logprob) if reply == "yes" else 1 - math.exp(logprob)
        for of_text in (True, False)
        for text, twin, _, logprob in CLAIMS[:9]
        for reply in [text if of_text else twin]
    ]
    assert (row["n_yes"], row["n_no"]) == (9, 9)
    assert row["auroc"] == pytest.approx(roc_auc_score([1] * 9 + [0] * 9, probabilities))
    assert 0 < row["auroc_low"] < row["auroc"] < row["auroc_high"] <= 1
    assert (yes_man["d_prime"], yes_man["auroc"]) == (0, 0.5)
    assert yes_man["criterion"] < -1


def test_a_model_and_another_are_compared_on_the_same_texts(runs: Runs) -> None:
    runs.add("total-count", [(1, 1, 1), (1, 1, 1), (0, 1, 0), (1, None, None)])
    for number, (read, agrees) in enumerate([(1, 1), (0, 0), (0, 1), (1, 1)]):
        text = f"generate-{2 * number}"
        name = runs.call("total-count", number, "verify", "separate/ours", "bob", text, "plain")
        runs.score(name, "verification_correct", read)
        runs.score(name, "self_consistent", agrees)
    [row] = runs.ask("self_knowledge_own_texts")
    assert (row["generator"], row["other"], row["n"], row["n_graded"]) == ("ann", "bob", 4, 3)
    assert (row["own"], row["other_share"], row["difference"]) == (1.0, *map(pytest.approx, (1 / 3, 2 / 3)))
    assert (row["difference_low"], row["difference_high"]) == agresti_and_min(2, 0, 1)
    assert (row["n_own_only"], row["n_other_only"]) == (2, 0)
    assert (row["n_graded_consistent"], row["own_consistent"], row["other_consistent"]) == (
        3,
        *map(pytest.approx, (2 / 3, 2 / 3)),
    )


def test_failures_are_of_writing_or_of_reading(runs: Runs) -> None:
    runs.add("total-count", [(1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0), (1, None, None)])
    rows = {row["kind"]: (row["n"], row["n_consistent"]) for row in runs.ask("self_knowledge_writing_or_reading")}
    assert rows == {"none": (1, 1), "reading": (1, 0), "writing": (1, 0), "both": (2, 1), "unknown": (1, 0)}


def test_estimates_and_texts_that_state_their_own_answer_are_counted(runs: Runs) -> None:
    runs.add("specific-mention", [(1, 1, 1), (1, 0, 0), (0, 1, 0)])
    runs.connection.execute(
        "update scores set reason = 'estimate: closed list' where metric = 'verification_correct' and value = 1"
    )
    runs.add("specific-mention", [(None, None, None)], reason="estimate: of nothing")
    runs.score("generate-0", "leaks_answer", 1)
    runs.score("generate-2", "leaks_answer", 0)
    [matrix] = runs.ask("self_knowledge_matrix")
    assert (matrix["n"], matrix["n_estimated"]) == (4, 2)
    kinds = {row["kind"]: row["n_estimated"] for row in runs.ask("self_knowledge_writing_or_reading")}
    assert kinds == {"none": 1, "reading": 0, "writing": 1, "unknown": 0}
    [style] = runs.ask("self_knowledge_styles")
    assert (style["n"], style["n_leaking"]) == (4, 1)


def test_the_correlation_is_phi_and_null_where_nothing_varies(runs: Runs) -> None:
    runs.add("total-count", [(1, 1, 1), (1, 1, 1), (0, 1, 0), (0, 1, 0), (1, 1, 0), (0, 1, 1), (1, None, 1)])
    [row] = runs.ask("self_knowledge_correlation")
    assert (row["n"], row["n_graded"]) == (7, 6), "what could not be read is counted, and correlates with nothing"
    assert row["phi_written"] == pytest.approx((2 * 2 - 1 * 1) / 9)
    assert row["phi_read"] is None
    assert (row["n_consistent"], row["right_if_consistent"], row["right_if_inconsistent"]) == (3, 1.0, 1.0)


def test_a_benchmarks_own_accuracy_stands_beside_the_score(runs: Runs) -> None:
    """Newcombe (1998), Interval estimation for the difference between independent proportions, Table II, row (a)."""
    runs.add("benchmark", [(None, None, float(number < 56)) for number in range(70)])
    for number in range(81):
        name = runs.call("benchmark-given", number, "answer", "separate/ours", "ann", None, "plain")
        runs.score(name, "answer_correct", None if number == 80 else float(number < 48))
    [row] = runs.ask("self_knowledge_benchmark")
    assert (row["dataset"], row["config"], row["generator"], row["verifier"]) == ("org/exam", "biology", "ann", "ann")
    assert (row["n_given"], row["n_given_graded"], row["initial"]) == (81, 80, 0.6)
    assert row["initial_null_as_wrong"] == pytest.approx(48 / 81)
    assert (row["n"], row["n_graded"], row["score"]) == (70, 70, 0.8)
    assert row["difference"] == pytest.approx(0.2)
    assert (round(row["difference_low"], 4), round(row["difference_high"], 4)) == (0.0524, 0.3339)
    assert row["difference_null_as_wrong"] == pytest.approx(0.8 - 48 / 81)


def test_a_question_of_the_benchmark_that_is_asked_in_several_runs_counts_once(runs: Runs) -> None:
    runs.connection.execute("insert into runs (run_id, dataset, config) values ('again', 'org/exam', 'biology')")
    runs.connection.execute(
        "insert into runs (run_id, dataset, config, content_hash) values ('other', 'org/exam', 'biology', 'changed')"
    )
    runs.add("benchmark", [(None, None, 1.0)] * 4)
    for run, right in (("run", 2), ("again", 2), ("other", 4)):
        for number in range(4):
            name = runs.call("benchmark-given", number, "answer", "separate/ours", "ann", None, "plain")
            runs.connection.execute("update calls set run_id = ? where generation_id = ?", [run, name])
            runs.score(name, "answer_correct", float(number < right))
    [row] = runs.ask("self_knowledge_benchmark")
    assert (row["n_given"], row["n_given_graded"], row["initial"]) == (8, 8, 0.75)
    assert (row["n"], row["score"]) == (4, 1.0)


def test_a_score_without_the_benchmarks_own_accuracy_has_no_difference(runs: Runs) -> None:
    runs.add("benchmark", [(None, None, 1)])
    [row] = runs.ask("self_knowledge_benchmark")
    assert (row["score"], row["n_given"], row["initial"], row["difference"]) == (1.0, None, None, None)


def test_attention_stands_beside_self_consistency(runs: Runs) -> None:
    runs.add("designated-count", [(1, 1, 1), (1, 0, 0)])
    for number, value in ((0, 0.8), (2, 0.4)):
        runs.score(f"generate-{number}", "attention_score", value)
    [row] = runs.ask("self_knowledge_attention")
    assert (row["n"], row["n_consistent"], row["n_attention"], row["consistent"]) == (2, 2, 2, 0.5)
    assert (row["consistent_low"], row["consistent_high"]) == (
        pytest.approx(0.0945, abs=1e-4),
        pytest.approx(0.9055, abs=1e-4),
    )
    # The values 0.8 and 0.4 differ from their mean by 0.2: their standard error is 0.2.
    assert row["attention_high"] - row["attention"] == pytest.approx(1.959964 * 0.2)
    assert row["attention"] - row["attention_low"] == pytest.approx(1.959964 * 0.2)
    assert (row["attention"], row["gap"], row["correlation"]) == (
        pytest.approx(0.6),
        pytest.approx(-0.1),
        pytest.approx(1.0),
    )


def agresti_and_min(gained: int, lost: int, unchanged: int) -> tuple[float, float]:
    """Half a pair more of each of the four kinds, and then Wald's interval of the difference."""
    n, gained_half, lost_half = gained + lost + unchanged + 2, gained + 0.5, lost + 0.5
    center = (gained_half - lost_half) / n
    margin = 1.959964 * math.sqrt(gained_half + lost_half - (gained_half - lost_half) ** 2 / n) / n
    return pytest.approx(center - margin), pytest.approx(center + margin)


def test_tuning_is_compared_on_the_same_questions_before_and_after(runs: Runs) -> None:
    runs.gsm8k([1, 0, 0, 0, 1, None])
    runs.gsm8k([1, 1, 1, 0, 0, 1], "ann/raw", ("ann", "ann", "raw", True, 90))
    runs.gsm8k([1, 1, 1, None, 1, 1], "ann/corrected", ("ann", "ann", "corrected", True, 90))
    runs.gsm8k([0, 0, 0, 0, 0, 0], "ann/of-ben", ("ann", "ben", "corrected", False, 80))
    columns = ("creator", "data", "version", "n_tuned_on", "n_initial", "n_initial_graded", "initial")
    columns += ("n_tuned", "n_tuned_graded", "tuned", "n_pairs", "difference", "n_gained", "n_lost")
    rows = runs.ask("self_knowledge_tuning")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("ann", "self", "raw", 90, 6, 5, 0.4, 6, 6, pytest.approx(4 / 6), 5, pytest.approx(0.2), 2, 1),
        ("ann", "self", "corrected", 90, 6, 5, 0.4, 6, 5, 1.0, 4, 0.5, 2, 0),
        ("ben", "cross", "corrected", 80, 6, 5, 0.4, 6, 6, 0.0, 5, pytest.approx(-0.4), 0, 2),
    ]
    intervals = [(row["difference_low"], row["difference_high"]) for row in rows]
    assert intervals == [agresti_and_min(2, 1, 2), agresti_and_min(2, 0, 2), agresti_and_min(0, 2, 3)]
    wilson = [binomtest(right, 5).proportion_ci(method="wilson") for right in (2, 5)]
    assert (rows[1]["initial_low"], rows[1]["initial_high"]) == tuple(map(pytest.approx, wilson[0]))
    assert (rows[1]["tuned_low"], rows[1]["tuned_high"]) == tuple(map(pytest.approx, wilson[1]))


def test_tuning_has_no_difference_where_nothing_was_asked_before(runs: Runs) -> None:
    runs.gsm8k([1, 1])
    runs.gsm8k([1, 0], "ann/raw", ("ann", "ann", "raw", True, 9), content="other questions")
    runs.gsm8k([1, 0], "ben/raw", ("ben", "ann", "raw", False, 9))
    for row in runs.ask("self_knowledge_tuning"):
        assert (row["tuned"], row["n_pairs"], row["n_gained"], row["n_lost"]) == (0.5, 0, 0, 0)
        empty = ("n_initial", "initial", "initial_low", "difference", "difference_low", "difference_high")
        assert [row[name] for name in empty] == [None] * 6


def test_samples_of_a_question_are_one_question(runs: Runs) -> None:
    runs.gsm8k([1, 0, 0, 0], samples=2)
    runs.gsm8k([1, 1, 1, 0], "ann/raw", ("ann", "ann", "raw", True, 9), samples=2)
    [row] = runs.ask("self_knowledge_tuning")
    assert (row["n_initial"], row["initial"], row["n_pairs"], row["tuned"], row["difference"]) == (
        2,
        0.25,
        2,
        0.75,
        0.5,
    )
