"""``selfknow evaluate``: ask a model a task, and record everything it says in a run folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.evaluate_models import Opening
from selfknow.cli.evaluate_pictures import PictureOptions, ask_about_pictures, is_about_pictures
from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from selfknow.evaluate.corpora import Corpus
    from selfknow.evaluate.models import Decoding, LanguageModel
    from selfknow.evaluate.runner import Progress
    from selfknow.evaluate.self_knowledge.evaluating import Asked
    from selfknow.evaluate.self_knowledge.protocols import Setup


def evaluate(
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
        typer.Option(help="Address of an OpenAI-compatible server, or of TGI with --text.", show_default=False),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="The endpoint is TGI: send plain prompts, not messages.")
    ] = False,
    split: Annotated[str, typer.Option(help="The split whose questions are asked.")] = "test",
    probes: Annotated[bool, typer.Option("--probes", help="Also ask the five continuation probes A to E.")] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="Also score the answer's end against the next title at every boundary.")
    ] = False,
    samples: Annotated[int, typer.Option(min=1, help="Answers to each question.")] = 1,
    temperature: Annotated[
        float | None,
        typer.Option(min=0.0, help="0 is greedy. Default: 0; of self-aware 0.7, as the paper.", show_default=False),
    ] = None,
    top_p: Annotated[float, typer.Option(min=0.0, max=1.0, help="Nucleus sampling, with a temperature.")] = 1.0,
    max_new_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="The longest answer, in tokens. Default: 512; of self-aware 256.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the samples.")] = 0,
    chat: Annotated[
        bool | None,
        typer.Option(help="Use the local model's chat template. Default: where it has one.", show_default=False),
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Local models: answers generated at once.")] = 64,
    concurrency: Annotated[int, typer.Option(min=1, help="Endpoints: requests under way at once.")] = 8,
    requests_per_minute: Annotated[
        float | None, typer.Option(min=0.1, help="Endpoints: requests started a minute.", show_default=False)
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Endpoints: seconds for one try.")] = 120.0,
    tries: Annotated[int, typer.Option(min=1, help="Endpoints: tries of one request.")] = 5,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only so many questions.", show_default=False)] = None,
    form: Annotated[
        str, typer.Option(help="self-aware: direct, instruction (the answer may be unknown), icl (and six examples).")
    ] = "direct",
    protocol: Annotated[
        str,
        typer.Option(help="self-knowledge: separate, in-context, in-context-noise, dual, consistency, inconsistency."),
    ] = "separate",
    style: Annotated[
        list[str] | None,
        typer.Option(help="self-knowledge: plain (the default), expert, cot; may be repeated.", show_default=False),
    ] = None,
    wording: Annotated[str, typer.Option(help="self-knowledge: ours, or the paper's where it gives it.")] = "ours",
    verifier: Annotated[
        list[str] | None,
        typer.Option(
            help="self-knowledge: a model that is asked about what --model wrote, instead of itself; may be repeated.",
            show_default=False,
        ),
    ] = None,
    reuse: Annotated[
        Path | None,
        typer.Option(help="self-knowledge: a run whose texts are asked about; none are written.", show_default=False),
    ] = None,
    image_model: Annotated[
        str | None,
        typer.Option(
            help="self-knowledge:image-…: who draws what --model looks at: a diffusers pipeline (folder or Hub id), "
            "or with --image-endpoint the name there.",
            show_default=False,
        ),
    ] = None,
    image_endpoint: Annotated[
        str | None,
        typer.Option(help="Address of a server that answers /v1/images/generations.", show_default=False),
    ] = None,
    image_size: Annotated[
        str | None, typer.Option(help="Of pictures, as 512x512. Default: the generator's.", show_default=False)
    ] = None,
    image_steps: Annotated[
        int | None, typer.Option(min=1, help="Local image models: denoising steps.", show_default=False)
    ] = None,
    image_guidance: Annotated[
        float | None, typer.Option(min=0.0, help="Local image models: guidance scale.", show_default=False)
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            help="self-knowledge:benchmark: a file of questions, or `cais/mmlu:college_computer_science`; new ones are "
            "written after it. Default: our own.",
            show_default=False,
        ),
    ] = None,
    portrait: Annotated[
        str | None,
        typer.Option(help="according-to: the corpus's portrait, a folder or a Hub id.", show_default=False),
    ] = None,
    prompts: Annotated[
        str, typer.Option(help="according-to: `all`, or ids with commas between; null is always asked.")
    ] = "all",
    prompt_format: Annotated[
        str | None,
        typer.Option(help="according-to: short, two-step, long, long-answer. Default: the set's.", show_default=False),
    ] = None,
    placement: Annotated[
        str, typer.Option(help="according-to: where the phrase stands: appended, prepended, both.")
    ] = "appended",
    corpus_name: Annotated[str, typer.Option(help="according-to: what the prompts call the corpus.")] = "Wikipedia",
    corpus_address: Annotated[
        str | None, typer.Option(help="according-to: where the corpus is to be found.", show_default=False)
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option(
            help="according-to: a file of id (or question) and count: passages with both entities.",
            show_default=False,
        ),
    ] = None,
    num_parameters: Annotated[
        int | None,
        typer.Option(
            min=1, help="according-to: the size of a served model, for questions by size.", show_default=False
        ),
    ] = None,
    instruction_tuned_from: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="according-to: the base model that this one was tuned from, as its own run calls it.",
            show_default=False,
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
    from selfknow.evaluate.corpora import open_corpus
    from selfknow.evaluate.evaluate_diaries import evaluate_diaries
    from selfknow.evaluate.gsm8k.evaluating import evaluate_gsm8k
    from selfknow.evaluate.gsm8k.questions import is_gsm8k, open_questions
    from selfknow.evaluate.models import Decoding
    from selfknow.evaluate.self_aware.evaluating import MAX_NEW_TOKENS, TEMPERATURE, evaluate_self_aware, is_self_aware
    from selfknow.evaluate.self_aware.forms import check_form
    from selfknow.evaluate.self_knowledge.evaluating import is_self_knowledge
    from selfknow.evaluate.self_knowledge.protocols import Setup

    check_form(form)
    invents = task == "self-knowledge:agents"
    name, _, set_name = task.partition(":")
    corpus = None if invents or name == "according-to" or is_gsm8k(task) else open_corpus(task)
    asks_the_unanswerable = corpus is not None and is_self_aware(corpus)
    usual = (TEMPERATURE, MAX_NEW_TOKENS) if asks_the_unanswerable else (0.0, 512)
    decoding = Decoding(
        temperature=usual[0] if temperature is None else temperature,
        max_new_tokens=usual[1] if max_new_tokens is None else max_new_tokens,
        top_p=top_p,
        seed=seed,
    )
    opening = Opening(endpoint, text, chat, batch_size, concurrency, requests_per_minute, timeout, tries)
    images = PictureOptions(image_model, image_endpoint, image_size, image_steps, image_guidance)
    if corpus is not None and is_about_pictures(corpus, split):
        setup = Setup(corpus.config, protocol, wording, tuple(style or ["plain"]))
        who = list(dict.fromkeys([model, *(verifier or [])] if model or not verifier else verifier))
        stages = ask_about_pictures(corpus, split, setup, images, opening, who, decoding, out, samples, limit, reuse)
        _print_stages(out, stages, output_format)
        return
    images.check_unused(task)
    if name == "according-to":
        setting = (prompt_format, prompts, placement, corpus_name, corpus_address)
        facts = {"num_parameters": num_parameters, "instruction_tuned_from": instruction_tuned_from}
        stages = _according_to(
            set_name,
            setting,
            portrait,
            counts,
            decoding,
            out,
            lambda: opening.language_model(model),
            samples,
            limit,
            facts,
        )
        _print_stages(out, stages, output_format)
        return
    if is_gsm8k(task):
        questions, asked = open_questions(task, out), opening.language_model(model)
        progress = evaluate_gsm8k(questions, asked, decoding, out, samples=samples, limit=limit)
        _print_progress(out, asked, progress, output_format)
        return
    asked = opening.language_model(model)
    if corpus is None:
        from selfknow.evaluate.self_knowledge.agents import evaluate_agents

        judge = opening.language_model(verifier[0]) if verifier else asked
        _print_stages(out, evaluate_agents(out, decoding, asked, judge, num_proposals=limit or 20), output_format)
        return
    if asks_the_unanswerable:
        progress = evaluate_self_aware(asked, corpus, form, decoding, out, samples=samples, limit=limit)
        _print_progress(out, asked, progress, output_format)
        return
    if is_self_knowledge(corpus.read(split)):
        others = [asked if name == model else opening.language_model(name) for name in verifier] if verifier else None
        setup = Setup(corpus.config, protocol, wording, tuple(style or ["plain"]))
        where = (corpus, split, benchmark)
        _self_knowledge(where, setup, decoding, out, asked, others, samples, limit, reuse, output_format)
        return
    progress = evaluate_diaries(
        asked, corpus, split, decoding, out, probes=probes, stop=stop, samples=samples, limit=limit
    )
    _print_progress(out, asked, progress, output_format)


def _according_to(
    set_name: str,
    setting: tuple[str | None, str, str, str, str | None],
    portrait: str | None,
    counts: Path | None,
    decoding: "Decoding",
    out: Path,
    open_model: "Callable[[], LanguageModel]",
    samples: int,
    limit: int | None,
    facts: "Mapping[str, object]",
) -> "list[Asked]":
    from selfknow.evaluate.according_to.evaluating import Setup, chosen_prompts, evaluate_according_to
    from selfknow.evaluate.according_to.questions import open_questions

    if portrait is None:
        raise UserError("name the corpus's --portrait: a folder that `selfknow portrait build` made, or a Hub id")
    prompt_format, prompts, placement, corpus_name, corpus_address = setting
    questions = open_questions(set_name, out, counts)
    how = Setup(prompt_format or questions.format, chosen_prompts(prompts), placement, corpus_name, corpus_address)
    return evaluate_according_to(
        *(questions, how, portrait, decoding, out, [open_model()]), samples=samples, limit=limit, facts=facts
    )


def _print_progress(out: Path, asked: "LanguageModel", progress: "Progress", output_format: Format) -> None:
    print_rows([{"run": str(out), "model": asked.name, **vars(progress)}], output_format)
    if progress.failed:
        raise typer.Exit(1)


def _self_knowledge(
    where: "tuple[Corpus, str, str | None]",
    setup: "Setup",
    decoding: "Decoding",
    out: Path,
    generator: "LanguageModel",
    verifiers: "list[LanguageModel] | None",
    samples: int,
    limit: int | None,
    reuse: Path | None,
    output_format: Format,
) -> None:
    from selfknow.evaluate.self_knowledge.benchmark import rows_of
    from selfknow.evaluate.self_knowledge.evaluating import evaluate_self_knowledge

    rows, reference, given = rows_of(*where, setup.protocol)
    asked = evaluate_self_knowledge(
        rows,
        reference,
        setup,
        decoding,
        out,
        [generator],
        verifiers=verifiers,
        samples=samples,
        limit=limit,
        reuse=reuse,
        given=given,
    )
    _print_stages(out, asked, output_format)


def _print_stages(out: Path, asked: "list[Asked]", output_format: Format) -> None:
    rows = [{"run": str(out), "stage": one.stage, "model": one.model, **vars(one.progress)} for one in asked]
    print_rows(rows, output_format)
    if any(one.progress.failed for one in asked):
        raise typer.Exit(1)
