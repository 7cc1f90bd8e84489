"""A check that a run is resumed in the same precision: another precision changes a model's replies."""

from collections.abc import Mapping
from typing import Any

from selfknow.errors import UserError, argument
from selfknow.files import read_json
from selfknow.models.interface import LanguageModel
from selfknow.runs.writer import RunWriter


def check_precision(run: RunWriter, model: LanguageModel) -> None:
    """Refuse a model whose replies in the run were computed in another precision.

    Earlier versions did not record the precision; they used that of the checkpoint.

    Raises:
        UserError: The precisions differ; the message names the option that resumes the run.
    """
    precision = getattr(model, "precision", None)
    if precision is None or not run.has_replies(model.name, model.revision):
        return
    recorded = _recorded_precision(read_json(run.folder / "run.json").get("models"), model)
    earlier = recorded or _checkpoint_precision(model.name)
    if earlier == precision:
        return
    option = argument("precision", earlier if earlier in ("float32", "bfloat16") else "saved")
    raise UserError(
        f"{model.name} was asked in {earlier} in {run.folder}, not in {precision}: add {option}, or name a new folder"
    )


def _recorded_precision(models: Any, model: LanguageModel) -> str | None:
    """Return a model's precision in ``run.json``; null if it is not recorded.

    ``models`` is a list of models; an earlier version wrote a mapping from their names.
    """
    if isinstance(models, Mapping):
        models = [{"name": name, "revision": model.revision, **facts} for name, facts in models.items()]
    for entry in models or ():
        if entry.get("name") == model.name and entry.get("revision") == model.revision:
            return str(entry["precision"]) if entry.get("precision") else None
    return None


def _checkpoint_precision(name: str) -> str:
    from selfknow.models.checkpoints import load_config

    dtype = getattr(load_config(name), "dtype", None)
    return str(dtype).removeprefix("torch.") if dtype else "float32"
