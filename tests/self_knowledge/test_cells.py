"""The cells of the matrix, which are counted prompt by prompt, over the replies of real models."""

from importlib.resources import files

from selfknow.builders.model_replies.runs import run_folders
from selfknow.evaluate.connection import connect
from selfknow.evaluate.tasks import self_knowledge

KEYS = "task, generator, verifier, wording, style, protocol, stage"
SHARES = {
    "written": "generation_correct",
    "read": "verification_correct",
    "consistent": "self_consistent",
    "changed": "answer_changed",
    "true": "all_correct",
}


FEW_PROMPTS = (
    "(select * replace (hash(prompt_id) % 5 as prompt_id, hash(generate_id) as question_hash)"
    " from self_knowledge_replies)"
)
"""The replies, as if there were five prompts at most: each prompt was asked once, so that here most are repeated.

No two questions are the same here.
"""


def test_cells_say_what_the_functions_of_shares_say_over_all_replies() -> None:
    columns = ", ".join(f'n_{name}, "{name}", {name}_low, {name}_high' for name in SHARES)
    shares = ", ".join(f"unnest({name}_share({value}, prompt_id))" for name, value in SHARES.items())
    view = (files(self_knowledge) / "views" / "self_knowledge_cells.sql").read_text(encoding="utf-8")
    of_few_prompts = view[view.index("with prompts as") :].replace("self_knowledge_replies", FEW_PROMPTS).rstrip(";\n ")
    with connect(sorted(run_folders().glob("*/self-knowledge-*"))) as connection:
        cells = connection.rows(f"select {KEYS}, n, n_prompts, {columns} from ({of_few_prompts}) order by {KEYS}")
        direct = connection.rows(
            f"select {KEYS}, count(*) as n, count(distinct prompt_id) as n_prompts, {shares} "
            f"from {FEW_PROMPTS} group by {KEYS} order by {KEYS}"
        )
    assert len(cells) > 90
    assert {cell["n_prompts"] for cell in cells} <= {3, 4, 5}
    assert [_rounded(cell) for cell in cells] == [_rounded(row) for row in direct]


def test_the_summary_and_the_numbers_beside_the_paper_count_prompts_once_however_often_they_were_asked() -> None:
    summary = _query("self_knowledge_summary")
    measured = _query("self_knowledge_published").partition("\nselect\n    published.table")[0].rstrip(" \n,")
    settings = "protocol, wording, style, stage, generator, verifier"
    of_summary = f"""
        select {settings}, n_tasks, n, n_prompts, n_read, read.* from (
            select
                {settings}, count(distinct task) as n_tasks, count(*) as n, count(distinct prompt_id) as n_prompts,
                count(verification_correct) as n_read, prompt_share(read, prompt_id) as read
            from {FEW_PROMPTS} group by all
        ) order by all
    """
    of_paper = f"""
        select {KEYS}, temperature, unnest(prompt_share(generation_correct, prompt_id))
        from (select *, self.task as task from {FEW_PROMPTS} as self inner join runs using (run_id))
        group by {KEYS}, temperature order by all
    """
    with connect(sorted(run_folders().glob("*/self-knowledge-*"))) as connection:
        rows = connection.rows(f"select * from ({summary}) order by {settings}")
        direct = connection.rows(of_summary)
        for row, expected in zip(rows, direct, strict=True):
            names = ("n_tasks", "n", "n_prompts", "n_read")
            assert [row[name] for name in names] == [expected[name] for name in names]
            shares = [expected[name] for name in ("share", "low", "high")]
            assert [row["read"], row["read_low"], row["read_high"]] == shares
        assert len(rows) == 18, "nine protocols and stages of two models"
        numbers = connection.rows(
            f"{measured} select {KEYS}, temperature, n, shares.n_graded, n_prompts, shares.* exclude (n_graded) "
            "from measured where measure = 'written' order by all"
        )
        columns = f"{KEYS}, temperature, n, n_graded, n_prompts, share, low, high"
        expected = connection.rows(f"select {columns} from ({of_paper})")
        assert sorted(map(repr, map(_rounded, numbers))) == sorted(map(repr, map(_rounded, expected)))
        assert len(numbers) > 90


def test_equal_texts_of_thirty_prompts_are_one_trial_of_reading_and_thirty_of_writing() -> None:
    with connect([run_folders() / "gemma-3-270m" / "self-knowledge-total-count-separate"]) as connection:
        [texts] = connection.rows(
            "select count(*) as n, count(distinct prompt_id) as n_prompts, "
            "count(distinct question_hash) as n_questions from self_knowledge_replies"
        )
        assert texts == {"n": 30, "n_prompts": 30, "n_questions": 1}
        [of_1], [of_30] = (
            connection.rows("select unnest(wilson(1, 1))"),
            connection.rows("select unnest(wilson(0, 30))"),
        )
        for query in ("self_knowledge_cells", f"({_text('self_knowledge_summary')})"):
            [row] = connection.rows(f"select * from {query}")
            assert (row["n_read"], row["read"], row["read_low"], row["read_high"]) == (30, 1, of_1["low"], of_1["high"])
            assert (row["written"], row["written_low"], row["written_high"]) == (0, of_30["low"], of_30["high"])


def _text(name: str) -> str:
    text = (files(self_knowledge) / f"{name}.sql").read_text(encoding="utf-8")
    return text[text.index("\nwith ") :]


def _query(name: str) -> str:
    """Return a query over few prompts, without its head."""
    return _text(name).replace("self_knowledge_replies", FEW_PROMPTS)


def _rounded(row: dict[str, object]) -> dict[str, object]:
    return {name: round(value, 12) if isinstance(value, float) else value for name, value in row.items()}
