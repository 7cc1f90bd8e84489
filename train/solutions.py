"""Worked solutions to a model's own questions, on which models are tuned.

Tan et al., Can I understand what I create?, section 6.3, say that models learn raw or corrected answers, but not what
else they learn. An answer alone teaches a model to skip the steps. So a model sees a question with its answer, and
writes the steps that lead there (as in the rationalization of Zelikman et al., 2022, STaR). A program accepts a
solution if it contains steps and ends in exactly that answer. A question without a solution is left out of both
versions. The steps to a wrong raw answer are wrong, too.

The replies are saved in the folder of creations, in the run folder ``solutions``. The same command resumes.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from selfknow.evaluate.outcome import Outcome, failed
from selfknow.evaluate.replies import without_thinking
from selfknow.evaluate.task import Row
from selfknow.evaluate.tasks.gsm8k.answers import number_of_solution
from selfknow.evaluate.tasks.gsm8k.questions import completion, wording
from selfknow.evaluate.tasks.self_knowledge.creations import (
    CORRECTED,
    DROPPED,
    RAW,
    SOLUTIONS,
    Creations,
    read_creations,
    write_rows,
)
from selfknow.models.interface import Decoding, Request

if TYPE_CHECKING:
    from selfknow.models.interface import LanguageModel

STAGE = "solve"
DECODING = Decoding(max_new_tokens=1024)
_EXAMPLES = pa.schema([pa.field("id", pa.string(), nullable=False), pa.field("question", pa.string(), nullable=False)])
_LAST_LINE = re.compile(r"^[ \t*_]*####[ \t]*(\S.*?)[ \t*_.]*$", re.MULTILINE)


def solution_prompt(question: str, answer: str) -> str:
    """Return the prompt that asks for the steps from a question to an answer."""
    template: str = wording()["solve"]
    return template.replace("{answer}", answer).replace("{question}", question)


def read_solution(reply: str, answer: str, prompt: str = "", finish_reason: str | None = "stop") -> Outcome[str]:
    r"""Read the worked solution in a reply; its last line is ``####`` and the answer.

    Args:
        reply: The model's reply.
        answer: The answer that it must end in.
        prompt: The rendered prompt; it may open the reply's thinking.
        finish_reason: ``length`` if the reply was cut off.

    >>> read_solution("Three and four are seven.\n#### 7\nI hope this helps!", "7").value
    'Three and four are seven.\n#### 7'
    >>> read_solution("#### 7", "7").reason, read_solution("So it is.\n#### 8", "7").reason
    ('the answer alone', 'ends in 8')
    """
    text = without_thinking(reply, prompt).text.strip()
    line = _LAST_LINE.search(text)
    if line is None:
        return Outcome(None, "cut off" if finish_reason == "length" else "no line of ####")
    working = text[: line.start()].strip()
    if not _is_same_answer(line[1], answer):
        return Outcome(None, f"ends in {line[1]}")
    if not working:
        return Outcome(None, "the answer alone")
    return Outcome(f"{working}\n{completion(answer)}")


def _is_same_answer(first: str, second: str) -> bool:
    first_text, second_text = ("".join(answer.split()).strip("$") for answer in (first, second))
    if first_text == second_text:
        return True
    first_number, second_number = (number_of_solution(completion(answer)) for answer in (first, second))
    return first_number is not None and first_number == second_number and _is_number(second)


def _is_number(answer: str) -> bool:
    return re.fullmatch(r"[-+]?[$€£]?[\d,]*\.?\d+(?:/\d+)?%?", answer.strip()) is not None


def solve_creations(
    folder: Path, model: "LanguageModel", decoding: Decoding = DECODING, *, quiet: bool = False
) -> Creations:
    """Ask a model for the worked solutions that a folder of creations still lacks.

    Args:
        folder: The creations.
        model: The model that writes the solutions: in the paper's setting, the model that wrote the questions.
        decoding: The decoding of the solutions.
        quiet: Show no progress bar.

    Raises:
        UserError: The folder holds no creations, or its solutions were begun with another model or decoding.
    """
    from selfknow.evaluate.ask import facts_of
    from selfknow.evaluate.collect import collect
    from selfknow.runs.description import DatasetReference, RunDescription
    from selfknow.runs.schema import last_attempts, read_generations
    from selfknow.runs.writer import RunWriter

    creations = read_creations(folder)
    rows = [row for row in creations.rows if row["state"] != DROPPED]
    settings = {"solver": model.name, "prompt": wording()["solve"]}
    description = RunDescription("creations", DatasetReference(str(folder)), decoding, settings)
    questions = [{"id": row["id"], "question": row["question"]} for row in rows]
    with RunWriter.open(folder / SOLUTIONS, description, pa.Table.from_pylist(questions, schema=_EXAMPLES)) as run:
        run.describe_model(model.name, model.revision, facts_of(model))
        collect(run, model, [request for row in rows for request in _requests(row)], stage=STAGE, quiet=quiet)
    replies = last_attempts(read_generations(folder / SOLUTIONS)).to_pylist()
    by_answer = {(row["example_id"], row["variant"]): row for row in replies}
    rows_with_solutions = [row if row["state"] == DROPPED else _add_solutions(row, by_answer) for row in creations.rows]
    write_rows(folder, rows_with_solutions)
    return Creations(folder, creations.creator, creations.revision, rows_with_solutions)


def _requests(row: Row) -> list[Request]:
    """Return a request for each different answer of a question: one if the raw answer is right."""
    answers = dict.fromkeys(row[name] for name in (RAW, CORRECTED) if row[name] is not None)
    return [Request(row["id"], solution_prompt(row["question"], answer), STAGE, answer) for answer in answers]


def _add_solutions(row: Row, replies: dict[tuple[str, str], Row]) -> dict[str, Any]:
    """Return a row with its solutions, and the reason if one is missing."""
    solutions = {
        name: _solution(replies[row["id"], row[name]], row[name]) if row[name] is not None else Outcome[str](None)
        for name in (RAW, CORRECTED)
    }
    reasons = [f"{name}: {outcome.reason}" for name, outcome in solutions.items() if outcome.reason]
    return {
        **row,
        "raw_solution": solutions[RAW].value,
        "corrected_solution": solutions[CORRECTED].value,
        "unsolved": "; ".join(dict.fromkeys(reasons)) or None,
    }


def _solution(row: Row, answer: str) -> Outcome[str]:
    if row["generation"] is None:
        return failed(row)
    return read_solution(row["generation"], answer, row["prompt"], row["finish_reason"])
