"""The prompts of self-knowledge: ours in three styles, and the paper's."""

import json
import re
from collections.abc import Mapping

from selfknow.builders.self_knowledge.sources import paper_templates, prompts
from selfknow.builders.self_knowledge.tasks import TASKS, Instance

MARKER = "{generation}"
STYLES = ("plain", "expert", "cot")
_ARTEFACT = re.compile(r"(?<=\?) \w+\Z")  # a word for the generated text, which the paper puts after the question
_PAPER_SLOTS = {
    "[num]": "num",
    "[word]": "word",
    "[year, month, day]": "date",
    "[year, month]": "month",
    "[answer]": "answer",
    "[countries]": "category",
    "[sport]": "sport",
    "[date]": "date",
    "[objects]": "object",
    "[object]": "object",
    "[color]": "color",
    "[position relationship]": "position",
}


def row(task: str, number: int, style: str, seed: int) -> dict[str, str | None]:
    """Make an instance of a task, and return its row of the dataset."""
    return row_of(TASKS[task](number, seed), task, number, style)


def row_of(instance: Instance, task: str, number: int, style: str) -> dict[str, str | None]:
    """Return the dataset's row of an instance, in one style."""
    altered = None if instance.altered_slots is None else question_prompt(task, style, instance.altered_slots)
    params = {
        **instance.params,
        "keep": instance.keep,
        "break": instance.breaks,
        "altered_verify_prompt": altered,
        "source_id": _id(instance.source_task, number, style) if instance.source_task else None,
        "paper": _paper_prompts(task, instance, style),
    }
    return {
        "id": _id(task, number, style),
        "task": task,
        "style": style,
        "generate_prompt": _generate(instance.source_task or task, style, instance.slots, "generate"),
        "verify_prompt": question_prompt(task, style, instance.slots),
        "dual_prompt": _dual(task, style, instance.slots),
        "answer": instance.answer,
        "params": json.dumps(params, ensure_ascii=False),
    }


def _id(task: str, number: int, style: str) -> str:
    return f"{task}-{number:03d}-{style}"


def _fill(template: str, slots: Mapping[str, str]) -> str:
    for name, value in slots.items():
        if value.lower().startswith(("a", "e", "i", "o", "u")):
            template = template.replace(f" a {{{name}}}", f" an {{{name}}}")
        template = template.replace(f"{{{name}}}", value)
    return template


def _generate(task: str, style: str, slots: Mapping[str, str], kind: str) -> str:
    wording = prompts()["tasks"][task]
    if task == "image-counting":  # 'one cats' is not English
        slots = {**slots, "object": slots["shown"]}
    frame = prompts()["frames"][style if "artefact" in wording else "image"]["generate"]
    parts = {name: str(wording.get(name, "")) for name in ("expertise", "artefact")}
    return _fill(_fill(frame, {**parts, "generate": wording[kind]}), slots)


def question_prompt(task: str, style: str, slots: Mapping[str, str]) -> str:
    """Return the question about a written text, with a marker in the text's place."""
    wording = prompts()["tasks"][task]
    parts = {name: str(wording[name]) for name in ("expertise", "reply", "question")}
    question = _fill(_fill(prompts()["frames"][style]["verify"], parts), slots)
    return question if _is_image(task) else f"{question}\n\n{MARKER}"


def _is_image(task: str) -> bool:
    return task.startswith("image-")


def _dual(task: str, style: str, slots: Mapping[str, str]) -> str | None:
    if "dual" not in prompts()["tasks"][task]:
        return None
    return f"{_generate(task, style, slots, 'dual')}\n\n{MARKER}"


def _paper_prompts(task: str, instance: Instance, style: str) -> dict[str, str | None]:
    """Return the paper's own prompts, or nulls: it has an expert's wording for one task, and no chain of thought."""
    tables = paper_templates()["tables_8_13_and_14"]
    sections = paper_templates()["sections_3_and_4_3"].get(task, {})
    templates = {**tables.get(task, {}), **sections}
    if task == "grammar":  # it reuses the paragraphs of section 4.2.1
        templates["generate"] = tables["total-count"]["generate"]
    if style == "plain":
        preamble = ""
    elif style == "expert" and task == "total-count":
        preamble = paper_templates()["section_7_2_1"]["expert"]
    else:
        templates, preamble = {}, ""
    altered = None
    if instance.altered_slots:
        altered = _paper_question(templates.get("verify"), preamble, instance.altered_slots)
    return {
        "generate_prompt": _paper_text(templates.get("generate"), preamble, instance.slots),
        "verify_prompt": _paper_question(templates.get("verify"), preamble, instance.slots),
        "dual_prompt": f"{preamble}{templates['dual']}\n\n{MARKER}" if "dual" in templates else None,
        "altered_verify_prompt": altered,
    }


def _paper_text(template: str | None, preamble: str, slots: Mapping[str, str]) -> str | None:
    if template is None:
        return None
    for slot, name in _PAPER_SLOTS.items():
        if slot in template:
            template = template.replace(slot, slots[name])
    return preamble + template


def _paper_question(template: str | None, preamble: str, slots: Mapping[str, str]) -> str | None:
    text = _paper_text(template, preamble, slots)
    if text is None:
        return None
    if "[title]" in text:
        return text.replace("[title]", MARKER)
    question = _ARTEFACT.sub("", text)
    return question if text.endswith("? image") else f"{question}\n\n{MARKER}"
