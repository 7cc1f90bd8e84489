"""A run stays in the precision that it was started in: the same model gives other texts in another one."""

from collections.abc import Mapping
from typing import Any

from selfknow.errors import UserError
from selfknow.files import read_json
from selfknow.models.interface import LanguageModel
from selfknow.runs.writer import RunWriter


def check_precision(run: RunWriter, model: LanguageModel) -> None:
    """Refuse to go on in another precision than a model's replies in a run were drawn in.

    A run of an earlier version does not say; its models were asked in what their checkpoints were saved in.

    Raises:
        UserError: The precision is another one; names the option that goes on.
    """
    precision = getattr(model, "precision", None)
    if precision is None or not run.has_replies(model.name, model.revision):
        return
    known = _said(read_json(run.folder / "run.json").get("models"), model)
    before = known or _saved_precision(model.name)
    if before == precision:
        return
    option = f"--precision {before}" if before in ("float32", "bfloat16") else "--precision saved"
    raise UserError(
        f"{model.name} was asked in {before} in {run.folder}, not in {precision}: add {option}, or name a new folder"
    )


def _said(models: Any, model: LanguageModel) -> str | None:
    """What ``run.json`` says of a model's precision: ``models`` is by name, or a list with names and revisions."""
    if isinstance(models, Mapping):
        models = [{"name": name, "revision": model.revision, **facts} for name, facts in models.items()]
    for one in models or ():
        if one.get("name") == model.name and one.get("revision") == model.revision:
            return str(one["precision"]) if one.get("precision") else None
    return None


def _saved_precision(name: str) -> str:
    from selfknow.models.checkpoints import load_config

    dtype = getattr(load_config(name), "dtype", None)
    return str(dtype).removeprefix("torch.") if dtype else "float32"
