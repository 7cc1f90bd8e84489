"""A check that a resumed run asks the same functions as before: another function may have the same name."""

from collections.abc import Sequence

from selfknow.errors import UserError
from selfknow.models.function import FunctionModel
from selfknow.models.interface import LanguageModel
from selfknow.runs.writer import RunWriter


def check_functions(run: RunWriter, models: Sequence[LanguageModel], *, judging: bool = False) -> None:
    """Refuse a function if the run holds replies of another function of the same name.

    Args:
        run: An open run.
        models: The models to run now.
        judging: Compare with the run's judgements instead of its replies.

    Raises:
        UserError: There are such replies; the message names their function and counts them.
    """
    functions = [model for model in models if isinstance(model, FunctionModel) and model.revision is not None]
    revisions = {(model.name, model.revision) for model in functions}
    for model in functions:
        replies = run.replies_by_revision(model.name, judging=judging)
        other_revisions = [revision for revision in replies if (model.name, revision) not in revisions]
        if other_revisions and model.revision not in replies:
            raise UserError(
                f"{run.folder} holds {replies[other_revisions[0]]:,} replies of another function {model.name} "
                f"({other_revisions[0] or 'known by its name alone'}), not of this one ({model.revision}): its code, "
                "or a value that it uses, has changed; name a new folder, or pass another name='…'"
            )
