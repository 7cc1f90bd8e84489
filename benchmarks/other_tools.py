"""Every task in Inspect and lm-evaluation-harness against our own run: replies, and values row by row.

    python -m benchmarks.other_tools --model MODEL --chat

Both tools run unmodified, through their own command lines. All replies are greedy. The tool's *replies* are compared
with ours, to the byte. Its *values* are compared with those that `selfknow score` gives the imported log; a value that
does not apply must be missing in both.
"""

import argparse
import json
import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.tables import print_table
from selfknow.builders.according_to.prompts import formats
from selfknow.builders.catalogue import find_dataset
from selfknow.evaluate.run import Run, ask
from selfknow.integrations.asking import METRICS
from selfknow.portraits import Portrait
from selfknow.runs.importers.inspect_ai import read_inspect
from selfknow.runs.importers.lm_eval import read_lm_eval
from selfknow.runs.importers.own_task import RECORD_KEY
from selfknow.runs.importers.run import ImportedLog, write_imported
from tests.integrations.command_lines import (
    PLAIN,
    TASKS,
    Replies,
    inspect_eval,
    lm_eval_run,
    of_inspect,
    of_lm_eval,
    replies_of,
    scored_rows,
)

PROTOCOLS = ("in-context", "in-context-noise", "dual", "consistency", "inconsistency")
ONLY = {
    "grammar": "dual",
    "add-first-word": "consistency",
    "delete-first-word": "consistency",
    "change-word": "inconsistency",
}
"""Tasks without the protocol ``separate``, each with a protocol that it has."""
Values = dict[tuple[str, str], dict[str, float | None]]
"""The values of each sample (its row and variant), by their names in the tool; null if a value does not apply."""


@dataclass(frozen=True)
class Setting:
    """A model, and the settings with which every tool asks it.

    Attributes:
        model: The checkpoint's folder.
        folder: The folder of all runs and logs.
        limit: The number of rows of each task.
        max_new_tokens: The longest reply.
        chat: True if the model has a chat template.
    """

    model: Path
    folder: Path
    limit: int = 3
    max_new_tokens: int = 32
    chat: bool = False


@dataclass
class Agreement:
    """Counts of a tool's replies and values, by whether they are the same as ours."""

    replies: Counter[bool] = field(default_factory=Counter)
    values: Counter[bool] = field(default_factory=Counter)

    def add(self, replies: tuple[Replies, Replies], values: tuple[Values, Values]) -> None:
        """Count the replies and values of one log."""
        replies_of_tool, our_replies = replies
        self.replies.update(our_replies.get(key) == text for key, text in replies_of_tool.items())
        shown, imported = values
        for sample, values_by_name in shown.items():
            self.values.update(imported[sample].get(name) == value for name, value in values_by_name.items())

    def cells(self) -> list[str]:
        """Return both as cells of a table."""
        return [f"{counts[True]:,} of {counts.total():,}" for counts in (self.replies, self.values)]


def compare(setting: Setting) -> Iterator[tuple[str, str, int, Agreement]]:
    """Yield a tool, a family of tasks, the number of ways to ask it, and the agreement with our run."""
    (setting.folder / "logs").mkdir(parents=True)
    questions, portrait = setting.folder / "questions.jsonl", setting.folder / "portrait"
    texts = ["Who wrote Emma?", "Who painted Guernica?", "Who discovered radium?"]
    lines = [{"id": str(place), "question": text, "answer": "Jane Austen"} for place, text in enumerate(texts)]
    questions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    Portrait.build([*texts, "The answer is that it was written by Jane Austen."], width=5).save(portrait)
    portrait_option = {"portrait": str(portrait)}
    for family, ways in _inspect_ways(str(questions), portrait_option).items():
        agreement = Agreement()
        for place, (name, options) in enumerate(ways):
            _in_inspect(setting, family, f"{family}-{place}", name, options, agreement)
        yield f"Inspect {metadata.version('inspect-ai')}", family, len(ways), agreement
    yield from _in_lm_eval(setting, str(questions), portrait_option)


def _inspect_ways(questions: str, portrait_option: Mapping[str, str]) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return, for each task in Inspect, a dataset and options for each way to ask it."""
    return {
        "diary_recall": [(f"diary-recall:{config}", {}) for config in ("1k", "1k-simplified")],
        "self_aware": [("self-aware:authored", {"form": form}) for form in ("direct", "instruction", "icl")],
        "according_to": [
            (f"according-to:{questions}", {**portrait_option, "prompt_format": name, "prompts": "attributed,without"})
            for name in formats()
        ],
        "self_knowledge": [
            *((f"self-knowledge:{task}", {"protocol": ONLY.get(task, "separate")}) for task in _written_tasks()),
            *(("self-knowledge:total-count", {"protocol": protocol}) for protocol in PROTOCOLS),
        ],
    }


def _written_tasks() -> list[str]:
    """Return the tasks of self-knowledge that other tools can ask: all but those of pictures and of a benchmark."""
    return [name for name in find_dataset("self-knowledge").configs if not name.startswith(("image-", "benchmark"))]


def _ours(setting: Setting, run: str, name: str, options: Mapping[str, Any]) -> Replies:
    """Ask with ``selfknow evaluate``, without the worked examples that other tools do not show."""
    decoding = {"precision": "float32", "temperature": 0.0, "max_new_tokens": setting.max_new_tokens}
    examples = {} if name.startswith("diary-recall") else {"examples": False}
    out = setting.folder / "ours" / run
    return replies_of(
        ask(name, str(setting.model), out=out, quiet=True, limit=setting.limit, **decoding, **examples, **options)
    )


def _in_inspect(
    setting: Setting, task: str, run: str, name: str, options: Mapping[str, Any], agreement: Agreement
) -> None:
    words = ("--max-tokens", setting.max_new_tokens)
    template = () if setting.chat else ("-M", f"chat_template={PLAIN}")
    rows = {"questions" if task == "according_to" else "dataset": name.removeprefix("according-to:")}
    arguments = {**rows, **options, "limit": setting.limit}
    logs = setting.folder / "logs"
    log = inspect_eval(task, setting.model, logs, *words, *template, samples=setting.limit, **arguments)
    shown = _shown_by_inspect(log)
    imported = _imported(read_inspect(log), setting.folder / "from-inspect" / run, shown)
    agreement.add((of_inspect(log)[0], _ours(setting, run, name, options)), (shown, imported))


def _in_lm_eval(
    setting: Setting, questions: str, portrait_option: Mapping[str, str]
) -> Iterator[tuple[str, str, int, Agreement]]:
    """Compare all tasks of the harness, which are asked in one command."""
    tasks = sorted(path.stem for path in TASKS.glob("[a-z]*.yaml"))
    words = ("--apply_chat_template",) if setting.chat else ()
    metadata_ = {"limit": setting.limit, "questions": questions, **portrait_option}
    out = setting.folder / "harness"
    logs = lm_eval_run(tasks, setting.model, out, *words, max_new_tokens=setting.max_new_tokens, **metadata_)
    for family in ("diary_recall", "self_aware", "according_to"):
        agreement, family_tasks = Agreement(), [task for task in tasks if task.startswith(family)]
        for task in family_tasks:
            detail = task.removeprefix(f"{family}_")
            name, options = {
                "diary_recall": (f"diary-recall:{detail.replace('_', '-')}", {}),
                "self_aware": ("self-aware:authored", {"form": detail.removeprefix("authored").strip("_") or "direct"}),
                "according_to": (f"according-to:{questions}", {**portrait_option, "prompt_format": "short"}),
            }[family]
            shown = _shown_by_lm_eval(logs[task])
            imported = _imported(read_lm_eval(logs[task]), setting.folder / "from-lm-eval" / task, shown)
            run = family if family == "according_to" else task  # one run of ours has all prompts
            agreement.add((of_lm_eval(logs[task])[0], _ours(setting, run, name, options)), (shown, imported))
        yield f"lm-eval {metadata.version('lm-eval')}", family, len(family_tasks), agreement


def _shown_by_inspect(log: Path) -> Values:
    from inspect_ai.log import read_eval_log

    values: Values = {}
    for sample in read_eval_log(str(log)).samples or []:
        record, scores = sample.metadata[RECORD_KEY], (sample.scores or {})["own_scores"].value
        assert isinstance(scores, dict)
        numbers = {name: float(value) for name, value in scores.items() if isinstance(value, int | float)}
        sample_values = {name: None if math.isnan(value) else value for name, value in numbers.items()}
        values[record["row"]["id"], sample.metadata["variant"]] = sample_values
    return values


def _shown_by_lm_eval(samples: Path) -> Values:
    values: Values = {}
    for line in samples.read_text(encoding="utf-8").splitlines():
        sample = json.loads(line)
        record = json.loads(sample["doc"][RECORD_KEY])
        values[sample["doc"]["id"], record["variant"]] = {name: sample.get(name) for name in METRICS[record["task"]]}
    return values


def _imported(log: ImportedLog, folder: Path, shown: Values) -> Values:
    """Return the values of our own scorer over an imported log, by the names that the tool shows."""
    write_imported(log, folder)
    values: Values = {sample: {} for sample in shown}
    for call, metric, value in scored_rows(Run(folder)):
        is_first = call["parent_generation_id"] is None  # the first call of a sample has the variant of the sample
        for (row, variant), values_by_name in values.items():
            if call["example_id"] != row or (is_first and call["variant"] != variant):
                continue
            stage, own_variant = call["stage"], call["variant"]
            names = [f"{stage}/{own_variant}/{metric}", f"{stage}/{metric}"]
            if not any(name.startswith(f"{stage}/") for name in shown[row, variant]):
                names += [f"{own_variant}/{metric}", metric]  # names without a stage, unless another stage has them
            name = next((name for name in names if name in shown[row, variant]), None)
            if name is not None:
                values_by_name[name] = value
    return values


def main() -> None:
    """Print a row for each tool and family of tasks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="a checkpoint's folder")
    parser.add_argument("--chat", action="store_true", help="the model has a chat template")
    parser.add_argument("--limit", type=int, default=3, help="rows of each task")
    parser.add_argument("--max-new-tokens", type=int, default=32)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        setting = Setting(
            arguments.model, Path(folder) / "work", arguments.limit, arguments.max_new_tokens, arguments.chat
        )
        rows = ([tool, f"`{task}`", ways, *agreement.cells()] for tool, task, ways, agreement in compare(setting))
        columns = ["tool", "task", "ways to ask", "replies like ours", "values like the import's"]
        print_table(columns, rows, left=(0, 1))


if __name__ == "__main__":
    main()
