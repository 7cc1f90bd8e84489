"""``selfknow advanced creations tune``: models before and after tuning on their own and on other models' questions."""

from pathlib import Path
from typing import Annotated, Any

import typer

from selfknow.cli.options import parameters, with_options
from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError
from selfknow.train.tuning_settings import TuningSettings

_COLUMNS = ("model", "creator", "data", "version", "n_tuned_on", "n_pairs", "initial", "tuned", "difference")


@with_options(parameters(TuningSettings))
def tune(
    model: Annotated[list[str], typer.Option(help="A checkpoint folder, a FILE.gguf or a Hub id; may be repeated.")],
    out: Annotated[Path, typer.Option(help="The folder for the results; give the same command again to resume.")],
    creations: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder of creations; may be repeated. Default: every model makes up its own first, in OUT/made.",
            exists=True,
            show_default=False,
        ),
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(min=1, help="Without --creations: questions for each model. Default: 100.", show_default=False),
    ] = None,
    wording: Annotated[
        str, typer.Option(help="Without --creations: the wording of the prompts, ours or paper.")
    ] = "paper",
    gsm8k: Annotated[
        str | None,
        typer.Option(help="A file in GSM8K's format. Default: GSM8K's test split on the Hub.", show_default=False),
    ] = None,
    version: Annotated[
        list[str] | None, typer.Option(help="raw or corrected; may be repeated. Default: both.", show_default=False)
    ] = None,
    micro_batch_size: Annotated[
        int | None, typer.Option(min=1, help="Send this many questions through the model at once.", show_default=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the trainings and their memory, and train nothing.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask at most this many questions of GSM8K.", show_default=False)
    ] = None,
    max_new_tokens: Annotated[int, typer.Option(min=1, help="The longest reply, in tokens.")] = 512,
    chat: Annotated[
        bool | None, typer.Option(help="Use the chat template. Default: if there is one.", show_default=False)
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Questions asked at once.")] = 64,
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
    **settings: Any,
) -> None:
    """Ask models GSM8K's questions, tune each on every version of every folder of creations, and ask again.

    The defaults are the paper's settings. Without --creations, every model first makes up questions, a program answers
    them, and the model writes the solutions; no person is asked. The trainings are in OUT. The run folders are in
    OUT/*/*/gsm8k, for `selfknow query self_knowledge_tuning` and `selfknow report`. Exit code 1: some requests failed;
    the same command tries them again.

    **Example:** `selfknow advanced creations tune --creations made/a --creations made/b --model a --out tuned`
    """
    from selfknow.models.checkpoints import quieten, require_models_extra

    require_models_extra()
    quieten()
    from selfknow.evaluate.connection import connect
    from selfknow.evaluate.tasks.gsm8k.questions import TASK, open_questions
    from selfknow.evaluate.tasks.self_knowledge.creations import VERSIONS, read_creations
    from selfknow.models.interface import Decoding
    from selfknow.sql.queries import run_query
    from selfknow.train.making import make_creations
    from selfknow.train.tuning_experiment import Experiment, plan_experiment, run_experiment, short_name

    tuning = TuningSettings(**settings)
    if not creations and dry_run:
        raise UserError("a dry run counts the tokens of the creations: name their folders with --creations")
    models = tuple(dict.fromkeys(model))
    if creations:
        creations_to_tune_on = [read_creations(folder) for folder in dict.fromkeys(creations)]
    else:
        names = [(model, short_name(model)) for model in models]
        creations_to_tune_on = make_creations(
            names, out / "made", num_questions=questions, wording=wording, chat=chat, batch_size=batch_size
        )
    earlier_run = next(iter(sorted(out.glob("*/*/gsm8k"))), None)
    experiment = Experiment(
        models,
        tuple(creations_to_tune_on),
        open_questions(f"{TASK}:{gsm8k}" if gsm8k else TASK, earlier_run),
        tuple(dict.fromkeys(version or VERSIONS)),
        tuning,
        Decoding(max_new_tokens=max_new_tokens),
        limit,
        batch_size,
        chat,
        micro_batch_size,
    )
    if dry_run:
        print_rows(plan_experiment(experiment), output_format)
        return
    outcome = run_experiment(experiment, out)
    with connect(outcome.runs) as connection:
        relation = run_query(connection, "self_knowledge_tuning").project(", ".join(_COLUMNS))
        rows = [dict(zip(_COLUMNS, row, strict=True)) for row in relation.fetchall()]
    print_rows(rows, output_format)
    if outcome.failed:
        raise typer.Exit(1)
