"""``selfknow evaluate``: ask a model a task, and record everything it says in a run folder."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.evaluate_models import Opening
from selfknow.cli.evaluate_options import Common, DiaryOptions, PictureOptions, QuotingOptions, SelfKnowledgeOptions
from selfknow.cli.evaluate_tasks import ask
from selfknow.cli.output import Format, print_rows

# The panels of --help.
_DIARY_RECALL = "Diary recall"
_SELF_AWARE = "Self-aware"
_SELF_KNOWLEDGE = "Self-knowledge"
_PICTURES_OF_SELF_KNOWLEDGE = "Pictures of self-knowledge"
_ACCORDING_TO = "According to"
_ENDPOINTS = "Endpoints"
_LOCAL_MODELS = "Local models"
_REPLIES = "Replies"


def evaluate(
    context: typer.Context,
    task: Annotated[
        str,
        typer.Argument(
            help="What is asked: `diary-recall:1k` (built), `FOLDER:CONFIG`, `ORG/NAME:CONFIG`, `according-to:SET`, "
            "`gsm8k` (from the Hub) or `gsm8k:FILE`."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The run folder; give the same command again to resume.")],
    model: Annotated[
        str | None,
        typer.Option(
            help="A checkpoint folder, a Hub id, or with --endpoint the model's name there.", show_default=False
        ),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(
            help="Address of an OpenAI-compatible server, or of TGI with --text.",
            show_default=False,
            rich_help_panel=_ENDPOINTS,
        ),
    ] = None,
    text: Annotated[
        bool,
        typer.Option(
            "--text", help="The endpoint is TGI: send plain prompts, not messages.", rich_help_panel=_ENDPOINTS
        ),
    ] = False,
    split: Annotated[str, typer.Option(help="The split whose questions are asked.")] = "test",
    probes: Annotated[
        bool,
        typer.Option("--probes", help="Also ask the five continuation probes A to E.", rich_help_panel=_DIARY_RECALL),
    ] = False,
    stop: Annotated[
        bool,
        typer.Option(
            "--stop",
            help="Also score the answer's end against the next title at every boundary.",
            rich_help_panel=_DIARY_RECALL,
        ),
    ] = False,
    samples: Annotated[int, typer.Option(min=1, help="Answers to each question.", rich_help_panel=_REPLIES)] = 1,
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="0 is greedy. Default: 0; of self-aware 0.7, as the paper.",
            show_default=False,
            rich_help_panel=_REPLIES,
        ),
    ] = None,
    top_p: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Nucleus sampling, with a temperature.", rich_help_panel=_REPLIES)
    ] = 1.0,
    max_new_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="The longest answer, in tokens. Default: 512; of self-aware 256.",
            show_default=False,
            rich_help_panel=_REPLIES,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the samples.", rich_help_panel=_REPLIES)] = 0,
    chat: Annotated[
        bool | None,
        typer.Option(
            help="Use the local model's chat template. Default: where it has one.",
            show_default=False,
            rich_help_panel=_LOCAL_MODELS,
        ),
    ] = None,
    batch_size: Annotated[
        int, typer.Option(min=1, help="Answers generated at once.", rich_help_panel=_LOCAL_MODELS)
    ] = 64,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Requests under way at once.", rich_help_panel=_ENDPOINTS)
    ] = 8,
    requests_per_minute: Annotated[
        float | None,
        typer.Option(min=0.1, help="Requests started a minute.", show_default=False, rich_help_panel=_ENDPOINTS),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one try.", rich_help_panel=_ENDPOINTS)] = 120.0,
    tries: Annotated[int, typer.Option(min=1, help="Tries of one request.", rich_help_panel=_ENDPOINTS)] = 5,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only so many questions.", show_default=False)] = None,
    form: Annotated[
        str,
        typer.Option(
            help="One of direct, instruction (the answer may be unknown), icl (and six examples).",
            rich_help_panel=_SELF_AWARE,
        ),
    ] = "direct",
    protocol: Annotated[
        str,
        typer.Option(
            help="One of separate, in-context, in-context-noise, dual, consistency, inconsistency.",
            rich_help_panel=_SELF_KNOWLEDGE,
        ),
    ] = "separate",
    style: Annotated[
        list[str] | None,
        typer.Option(
            help="One of plain (the default), expert, cot; may be repeated.",
            show_default=False,
            rich_help_panel=_SELF_KNOWLEDGE,
        ),
    ] = None,
    wording: Annotated[
        str, typer.Option(help="Ours, or the paper's where it gives it.", rich_help_panel=_SELF_KNOWLEDGE)
    ] = "ours",
    verifier: Annotated[
        list[str] | None,
        typer.Option(
            help="A model that is asked about what --model wrote, instead of itself; may be repeated.",
            show_default=False,
            rich_help_panel=_SELF_KNOWLEDGE,
        ),
    ] = None,
    reuse: Annotated[
        Path | None,
        typer.Option(
            help="A run whose texts are asked about, --model's or without it everybody's; none are written.",
            show_default=False,
            rich_help_panel=_SELF_KNOWLEDGE,
        ),
    ] = None,
    image_model: Annotated[
        str | None,
        typer.Option(
            help="Who draws what --model looks at: a diffusers pipeline (folder or Hub id), "
            "or with --image-endpoint the name there.",
            show_default=False,
            rich_help_panel=_PICTURES_OF_SELF_KNOWLEDGE,
        ),
    ] = None,
    image_endpoint: Annotated[
        str | None,
        typer.Option(
            help="Address of a server that answers /v1/images/generations.",
            show_default=False,
            rich_help_panel=_PICTURES_OF_SELF_KNOWLEDGE,
        ),
    ] = None,
    image_size: Annotated[
        str | None,
        typer.Option(
            help="Of pictures, as 512x512. Default: the generator's.",
            show_default=False,
            rich_help_panel=_PICTURES_OF_SELF_KNOWLEDGE,
        ),
    ] = None,
    image_steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Denoising steps of a local pipeline.",
            show_default=False,
            rich_help_panel=_PICTURES_OF_SELF_KNOWLEDGE,
        ),
    ] = None,
    image_guidance: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Guidance scale of a local pipeline.",
            show_default=False,
            rich_help_panel=_PICTURES_OF_SELF_KNOWLEDGE,
        ),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            help="Of the task `benchmark`: a file of questions, or `cais/mmlu:college_computer_science`; new ones are "
            "written after it. Default: our own.",
            show_default=False,
            rich_help_panel=_SELF_KNOWLEDGE,
        ),
    ] = None,
    portrait: Annotated[
        str | None,
        typer.Option(
            help="The corpus's portrait, a folder or a Hub id.", show_default=False, rich_help_panel=_ACCORDING_TO
        ),
    ] = None,
    prompts: Annotated[
        str,
        typer.Option(help="`all`, or ids with commas between; null is always asked.", rich_help_panel=_ACCORDING_TO),
    ] = "all",
    prompt_format: Annotated[
        str | None,
        typer.Option(
            help="One of short, two-step, long, long-answer. Default: the set's.",
            show_default=False,
            rich_help_panel=_ACCORDING_TO,
        ),
    ] = None,
    placement: Annotated[
        str, typer.Option(help="Where the phrase stands: appended, prepended, both.", rich_help_panel=_ACCORDING_TO)
    ] = "appended",
    corpus_name: Annotated[
        str, typer.Option(help="What the prompts call the corpus.", rich_help_panel=_ACCORDING_TO)
    ] = "Wikipedia",
    corpus_address: Annotated[
        str | None,
        typer.Option(help="Where the corpus is to be found.", show_default=False, rich_help_panel=_ACCORDING_TO),
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option(
            help="A file of id (or question) and count: passages with both entities.",
            show_default=False,
            rich_help_panel=_ACCORDING_TO,
        ),
    ] = None,
    num_parameters: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="The size of a served model, for questions by size.",
            show_default=False,
            rich_help_panel=_ACCORDING_TO,
        ),
    ] = None,
    instruction_tuned_from: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="The base model that this one was tuned from, as its own run calls it.",
            show_default=False,
            rich_help_panel=_ACCORDING_TO,
        ),
    ] = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="How the result is printed on stdout.")
    ] = Format.table,
) -> None:
    """Ask a model a task's questions and record every reply in a run folder.

    An endpoint's token is read from the environment variable SELFKNOW_TOKEN, an image endpoint's from
    SELFKNOW_IMAGE_TOKEN. Exit code 1: some requests failed; the same command tries them again.

    **Examples:**

    `selfknow evaluate diary-recall:1k --model tiny --stop --probes --out runs/tiny`

    `selfknow evaluate diary-recall:1k --endpoint http://localhost:8000 --model tiny --out runs/served`

    `selfknow evaluate self-aware --form icl --model tiny --out runs/aware`

    `selfknow evaluate self-knowledge:total-count --protocol dual --model tiny --out runs/dual`

    `selfknow evaluate self-knowledge:grammar --protocol consistency --reuse runs/dual --model tiny --out runs/grammar`

    `selfknow evaluate self-knowledge:benchmark --benchmark my_questions.csv --model tiny --out runs/benchmark`

    `selfknow evaluate self-knowledge:agents --model tiny --verifier judge --limit 20 --out runs/agents`

    `selfknow evaluate self-knowledge:image-color --image-model PIPELINE --model VISION-MODEL --out runs/color`

    `selfknow evaluate according-to:nq --portrait portraits/wikipedia --prompts all --model tiny --out runs/nq`

    `selfknow evaluate according-to:my.jsonl --portrait diaries --corpus-name 'the diaries' --model tiny --out runs/own`

    `selfknow evaluate gsm8k --model tiny --out runs/gsm8k`
    """
    common = Common(
        task=task,
        split=split,
        out=out,
        model=model,
        verifiers=tuple(verifier or ()),
        reuse=reuse,
        temperature=temperature,
        max_new_tokens=max_new_tokens,
        top_p=top_p,
        seed=seed,
        samples=samples,
        limit=limit,
        opening=Opening(endpoint, text, chat, batch_size, concurrency, requests_per_minute, timeout, tries),
        given=tuple(name for name in context.params if _is_given(context, name)),
    )
    quoting = QuotingOptions(
        portrait=portrait,
        prompts=prompts,
        format=prompt_format,
        placement=placement,
        corpus_name=corpus_name,
        corpus_address=corpus_address,
        counts=counts,
        num_parameters=num_parameters,
        instruction_tuned_from=instruction_tuned_from,
    )
    rows = ask(
        common,
        DiaryOptions(probes, stop),
        form,
        SelfKnowledgeOptions(protocol, wording, tuple(style or ["plain"]), benchmark),
        PictureOptions(image_model, image_endpoint, image_size, image_steps, image_guidance),
        quoting,
    )
    print_rows(rows, output_format)
    if any(row["failed"] for row in rows):
        raise typer.Exit(1)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
