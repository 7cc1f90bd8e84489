"""The decoding of every task is the same in all tools."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lm_eval.models.utils import normalize_gen_kwargs
from lm_eval.tasks._yaml_loader import load_yaml

from selfknow.evaluate.catalogue import find_task
from selfknow.evaluate.run import options_from
from selfknow.integrations import inspect_tasks
from tests.integrations.command_lines import TASKS

LM_EVAL = sorted(path.stem for path in TASKS.glob("[a-z]*.yaml"))
INSPECT: Mapping[str, list[dict[str, Any]]] = {
    "diary_recall": [{}],
    "self_aware": [{"form": form} for form in ("direct", "instruction", "icl")],
    "according_to": [{"prompt_format": format_} for format_ in ("short", "two-step", "long", "long-answer")],
    "self_knowledge": [{"protocol": protocol} for protocol in ("separate", "in-context", "dual", "consistency")],
}


class Drawing(NamedTuple):
    """Settings of drawing a reply; a temperature of 0 is greedy."""

    temperature: float | None
    stop: list[str]
    max_new_tokens: int | None


def ours(name: str, options: Mapping[str, Any]) -> Drawing:
    """Return how ``selfknow evaluate`` draws the replies of a task."""
    task, options_class = find_task(name)
    decoding = task.open(name, options_from(options_class, {"limit": 1, **options}), Path("run")).decoding
    return Drawing(decoding.temperature, list(decoding.stop), decoding.max_new_tokens)


@pytest.fixture(scope="module")
def named(diaries: str, questions: Path, portrait: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return each family's dataset for ``selfknow evaluate``, and the options that it cannot do without."""
    return {
        "diary_recall": (diaries, {}),
        "self_aware": ("self-aware:authored", {}),
        "according_to": (f"according-to:{questions}", {"portrait": str(portrait)}),
        "self_knowledge": ("self-knowledge:total-count", {}),
    }


@pytest.mark.parametrize(("name", "options"), [(name, options) for name, all_ in INSPECT.items() for options in all_])
def test_inspect_draws_as_we_do(name: str, options: dict[str, Any], named: Any) -> None:
    dataset, needed = named[name]
    where = {"questions" if name == "according_to" else "dataset": dataset.removeprefix("according-to:")}
    config = getattr(inspect_tasks, name)(**where, **needed, **options, limit=1).config
    assert Drawing(config.temperature, config.stop_seqs or [], config.max_tokens) == ours(dataset, needed | options)


@pytest.mark.parametrize("name", LM_EVAL)
def test_the_harness_draws_as_we_do(name: str, named: Any) -> None:
    file = load_yaml(TASKS / f"{name}.yaml", resolve_func=False)
    own = dict(file["dataset_kwargs"]["selfknow"])
    family = own.pop("dataset").partition(":")[0].replace("-", "_")
    assert name.startswith(family)
    config = normalize_gen_kwargs(file["generation_kwargs"])
    assert config["do_sample"] == (config.get("temperature", 0.0) > 0)
    dataset, needed = named[family]
    drawing = Drawing(config.get("temperature", 0.0), config["until"], config["max_gen_toks"])
    assert drawing == ours(dataset, needed | own)


def test_the_tasks_above_are_all_that_there_are() -> None:
    tasks = {name for name, value in vars(inspect_tasks).items() if hasattr(value, "__registry_info__")}
    assert {name for name in tasks if vars(inspect_tasks)[name].__registry_info__.type == "task"} == INSPECT.keys()
    assert len(LM_EVAL) == 29
