"""A check that a run is resumed in its own precision: a model gives other texts in another one."""

from collections.abc import Mapping
from typing import Any

from selfknow.errors import UserError, argument
from selfknow.files import read_json
from selfknow.models.interface import LanguageModel
from selfknow.runs.writer import RunWriter


def check_precision(run: RunWriter, model: LanguageModel) -> None:
    """Refuse a model in another precision than that of its replies in a run.

    A run of an earlier version does not record it; its models computed in the precision of their checkpoints.

    Raises:
        UserError: The precision is another one; the message names the option for the run's own.
    """
    precision = getattr(model, "precision", None)
    if precision is None or not run.has_replies(model.name, model.revision):
        return
    known = _recorded_precision(read_json(run.folder / "run.json").get("models"), model)
    before = known or _saved_precision(model.name)
    if before == precision:
        return
    option = argument("precision", before if before in ("float32", "bfloat16") else "saved")
    raise UserError(
        f"{model.name} was asked in {before} in {run.folder}, not in {precision}: add {option}, or name a new folder"
    )


def _recorded_precision(models: Any, model: LanguageModel) -> str | None:
    """Return a model's precision from ``run.json``, where ``models`` is a list or, in an earlier version, by name."""
    if isinstance(models, Mapping):
        models = [{"name": name, "revision": model.revision, **facts} for name, facts in models.items()]
    for entry in models or ():
        if entry.get("name") == model.name and entry.get("revision") == model.revision:
            return str(entry["precision"]) if entry.get("precision") else None
    return None


def _saved_precision(name: str) -> str:
    from selfknow.models.checkpoints import load_config

    dtype = getattr(load_config(name), "dtype", None)
    return str(dtype).removeprefix("torch.") if dtype else "float32"
