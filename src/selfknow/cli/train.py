"""``selfknow train``: a model fine-tuned on a diary corpus with the paper's recipe."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfknow.cli.compact_help import CompactCommand
from selfknow.cli.options import command, parameters
from selfknow.cli.output import Format, print_rows

if TYPE_CHECKING:
    from selfknow.train.job import TrainingJob


def train(
    model: Annotated[
        str,
        typer.Argument(
            help="One of the paper's models (opt-7m … pythia-2.8b), a Hub id, a checkpoint folder or a FILE.gguf."
        ),
    ],
    data: Annotated[
        str,
        typer.Option(help="The corpus: `diary-recall:1k` (built here), `FOLDER:CONFIG`, `ORG/NAME:CONFIG`."),
    ],
    out: Annotated[Path, typer.Option(help="The training's folder; give the same command again to resume.")],
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
    **options: Any,
) -> None:
    """Train a model, keep the checkpoint with the best exact match, and evaluate it on the test split.

    Training ends once the model recalls 99% of documents and training questions and its exact match on held-out
    questions has not improved for --patience epochs. It ends earlier at --max-epochs or --max-steps. For several GPUs,
    call `torchrun --nproc-per-node 4 -m selfknow train …` with the same arguments.

    **Example:** `selfknow train opt-125m --data diary-recall:32k --out opt-125m-32k`
    """
    from selfknow.models.checkpoints import quieten, require_models_extra

    require_models_extra()
    quieten()
    from selfknow.train.options import TrainingOptions, training_job
    from selfknow.train.run import train as run

    job = training_job(model, data, TrainingOptions(**options))
    _print_tokenizer(job)
    results = run(job, out)
    if results:
        print_rows([{"model": model, **results}], output_format)


def _print_tokenizer(job: "TrainingJob") -> None:
    """Print the tokenizer of a model trained from scratch, since only models with the same tokenizer are comparable."""
    from selfknow.train.job import CORPUS_TOKENIZER

    if not job.scratch:
        return
    if job.tokenizer_name == CORPUS_TOKENIZER:
        typer.echo(
            f"from random weights, with the corpus's own tokenizer, at most {job.vocabulary_size:,} tokens", err=True
        )
    else:
        hint = "; --corpus-tokenizer trains a small one" if job.tokenizer is None else ""
        typer.echo(f"from random weights, with the tokenizer of {job.tokenizer_name}{hint}", err=True)


class TrainCommand(CompactCommand):
    """``selfknow train``, whose options are the fields of :class:`~selfknow.train.options.TrainingOptions`."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the arguments with these options, which are imported only now."""
        from selfknow.train.options import TrainingOptions

        train_command = command(train, parameters(TrainingOptions), examples=_EXAMPLES)
        return train_command.make_context(info_name, args, parent=parent, **extra)


_EXAMPLES = (
    "selfknow train opt-125m --data diary-recall:32k --out opt-125m-32k",
    "selfknow train opt-7m --scratch --corpus-tokenizer --data diary-recall:1k-simplified --out tiny",
)
