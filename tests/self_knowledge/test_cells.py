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


def test_cells_say_what_the_functions_of_shares_say_over_all_replies() -> None:
    columns = ", ".join(f'n_{name}, "{name}", {name}_low, {name}_high' for name in SHARES)
    shares = ", ".join(f"unnest({name}_share({value}, prompt_id))" for name, value in SHARES.items())
    # Each prompt was asked once. Here a cell has five at most, so that most were asked several times.
    few_prompts = "(select * replace (hash(prompt_id) % 5 as prompt_id) from self_knowledge_replies)"
    view = (files(self_knowledge) / "views" / "self_knowledge_cells.sql").read_text(encoding="utf-8")
    of_few_prompts = view[view.index("with prompts as") :].replace("self_knowledge_replies", few_prompts).rstrip(";\n ")
    with connect(sorted(run_folders().glob("*/self-knowledge-*"))) as connection:
        cells = connection.rows(f"select {KEYS}, n, n_prompts, {columns} from ({of_few_prompts}) order by {KEYS}")
        direct = connection.rows(
            f"select {KEYS}, count(*) as n, count(distinct prompt_id) as n_prompts, {shares} "
            f"from {few_prompts} group by {KEYS} order by {KEYS}"
        )
    assert len(cells) > 90
    assert {cell["n_prompts"] for cell in cells} <= {3, 4, 5}
    assert [_rounded(cell) for cell in cells] == [_rounded(row) for row in direct]


def _rounded(row: dict[str, object]) -> dict[str, object]:
    return {name: round(value, 12) if isinstance(value, float) else value for name, value in row.items()}
