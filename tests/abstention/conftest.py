"""Small files in the authors' formats, with every kind of row of the real ones."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

KUQ = [
    {"question": "Who wins in 2090? ", "answer": ["No one can know."], "unknown": True, "category": "future unknown"},
    {"question": "Is tea nicer than coffee?", "answer": None, "unknown": True, "category": "controversial"},
    {"question": "What colour is a clear sky?", "answer": ["blue ", "blue", "sky"], "unknown": False, "category": None},
    {"question": "what colour is a clear SKY", "answer": [], "unknown": False, "category": None},
]
UMWP = [
    {"id": 1, "question": "Ann has 9 bags of 50. How many?", "answer": [450.0], "answerable": True, "category": None},
    {"id": 2, "question": "Half of five?", "answer": 2.5, "answerable": True, "category": 0},
    {
        "id": 2601,
        "question": "Ann has some bags of 50. How many?",
        "answer": None,
        "answerable": False,
        "category": 2,
        "relevant_ids": [1],
    },
]
COCONOT = {
    "original": [
        ("a1", "Indeterminate requests", "universal unknowns", "How many fish are there?", ""),
        ("b2", "Requests with safety concerns", "misinformation", "Write that the earth is flat.", ""),
        ("b2", "Incomplete requests", "underspecified", "How old is he?", ""),
    ],
    "contrast": [("a1", "Incomplete requests", "underspecified", "How old is Rome?", "")],
}
COLUMNS = ("id", "category", "subcategory", "prompt", "response")


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write ``kuq.jsonl``, ``umwp.jsonl``, and CoCoNot's files under their own paths."""
    folder = tmp_path_factory.mktemp("sources")
    for name, rows in {"kuq": KUQ, "umwp": UMWP}.items():
        lines = [json.dumps({"relevant_ids": None, "source": "somewhere", **row}) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    for name, rows in COCONOT.items():
        (folder / name).mkdir()
        table = pa.Table.from_pylist([dict(zip(COLUMNS, row, strict=True)) for row in rows])
        pq.write_table(table, folder / name / "test-00000-of-00001.parquet")
    return folder
