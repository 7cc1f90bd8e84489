"""A check that a run is resumed with the functions it was started with: another one of the same name may differ."""

from collections.abc import Sequence

from selfknow.errors import UserError
from selfknow.models.function import FunctionModel
from selfknow.models.interface import LanguageModel
from selfknow.runs.writer import RunWriter


def check_functions(run: RunWriter, models: Sequence[LanguageModel], *, judging: bool = False) -> None:
    """Refuse a function if a run holds replies of another one of the same name.

    Args:
        run: An open run.
        models: The models to run now.
        judging: Check the judges of the run's replies; a function that wrote them may have a judge's name.

    Raises:
        UserError: There are such replies; the message gives their number and function.
    """
    functions = [model for model in models if isinstance(model, FunctionModel) and model.revision is not None]
    revisions = {(model.name, model.revision) for model in functions}
    for model in functions:
        replies = run.replies_by_revision(model.name, judging=judging)
        others = [revision for revision in replies if (model.name, revision) not in revisions]
        if others and model.revision not in replies:
            raise UserError(
                f"{run.folder} holds {replies[others[0]]:,} replies of another function {model.name} "
                f"({others[0] or 'known by its name alone'}), not of this one ({model.revision}): its code, or a value "
                "that it uses, is another one; name a new folder, or give this function a name of its own, as name='…'"
            )
