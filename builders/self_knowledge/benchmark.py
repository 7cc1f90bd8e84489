"""Rows of the task ``benchmark`` for any benchmark: prompts to write new questions, and the benchmark's questions.

See Tan et al., section 6.5. A question is a mapping with ``id``, ``question``, four ``options``, and the letter of the
``answer``.
"""

import json
from collections.abc import Mapping, Sequence

import pyarrow as pa

from selfknow.builders.self_knowledge.builder import SCHEMA
from selfknow.builders.self_knowledge.prompts import MARKER, STYLES, question_prompt, row_of
from selfknow.builders.self_knowledge.tasks import benchmark_instance, multiple_choice, num_instances

TASK = "benchmark"
Question = Mapping[str, object]


def new_rows(questions: Sequence[Question], subject: str, seed: int = 0) -> pa.Table:
    """Return the rows of all instances in every style, with examples from these questions.

    Args:
        questions: The benchmark's questions, at least as many as an instance shows.
        subject: The subject of the questions.
        seed: The seed of the choice of examples.
    """
    numbers = range(num_instances(TASK))
    instances = [benchmark_instance(number, seed, questions, subject) for number in numbers]
    rows = [row_of(instances[number], TASK, number, style) for number in numbers for style in STYLES]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def benchmark_rows(questions: Sequence[Question], subject: str) -> pa.Table:
    """Return rows that ask the benchmark's questions in the words used for generated ones; they generate nothing."""
    rows = [
        _benchmark_row(number, question, subject, style)
        for number, question in enumerate(questions)
        for style in STYLES
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _benchmark_row(number: int, question: Question, subject: str, style: str) -> dict[str, object]:
    prompt = question_prompt(TASK, style, {"subject": subject})
    params = {"question_id": question["id"], "altered_verify_prompt": None, "source_id": None, "paper": {}}
    return {
        "id": f"{TASK}-given-{number:05d}-{style}",
        "task": TASK,
        "style": style,
        "generate_prompt": None,
        "verify_prompt": prompt.replace(MARKER, multiple_choice(question, solved=False)),
        "dual_prompt": None,
        "answer": question["answer"],
        "params": json.dumps(params),
    }
