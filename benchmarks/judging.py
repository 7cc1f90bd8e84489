"""The verdicts of a model that judges the labelled replies.

    python -m benchmarks.judging MODEL [ENDPOINT] [LIMIT] [TOKENS]

The command asks the model about the unseen part without documentation and gold answers, with the prompts of ``selfknow
judge``. The verdicts go to ``judge_verdicts.tsv``, and the instrument's page shows them beside the labels.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from selfknow.builders.sources import DATASETS_SRC
from selfknow.evaluate.judge import DECODING
from selfknow.evaluate.tasks.self_aware.judging import ABSTENTION, prompt_of, read_grade
from selfknow.evaluate.tasks.self_aware.read_replies import UNSEEN, read_replies
from selfknow.models.interface import Request
from selfknow.models.opening import ModelOptions

VERDICTS = "self_aware/replies/judge_verdicts.tsv"


def main(model: str, endpoint: str | None = None, limit: int | None = None, tokens: int | None = None) -> None:
    """Ask the model, and write its verdicts."""
    labelled = {
        reply.id: reply
        for reply in read_replies()
        if reply.part == UNSEEN and reply.reply.strip() and reply.manner not in ("documentation", "bare answer")
    }
    # Ids are hashes, so the first ones in their order are a random sample.
    ids = sorted(labelled)[:limit]
    requests = [Request(id_, prompt_of(ABSTENTION, labelled[id_].question or "", labelled[id_].reply)) for id_ in ids]
    language_model = ModelOptions(model=model, endpoint=endpoint or None).language_model()
    decoding = DECODING if tokens is None else replace(DECODING, max_new_tokens=tokens)
    grades = {
        request.example_id: None if reply.error else read_grade(ABSTENTION, reply.generation or "")
        for request, reply in language_model.generate(requests, decoding)
    }
    _save(Path(model).name.removesuffix(".gguf"), grades)
    print("python -m benchmarks.instrument shows them beside the labels")


def _save(judge: str, grades: Mapping[str, str | None]) -> None:
    """Write the grades of a judge in place of its earlier ones."""
    path = DATASETS_SRC / VERDICTS
    lines = path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []
    others = [line for line in lines if line.split("\t")[0] != judge]
    new = [f"{judge}\t{id_}\t{word or ''}" for id_, word in sorted(grades.items())]
    path.write_text("\n".join(["judge\tid\tclass", *others, *new]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[3:5]]
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, *numbers)
