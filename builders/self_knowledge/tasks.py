"""The tasks of self-knowledge: the slots of each instance, and the parameters that programs need.

Tan et al., Can I understand what I create?, sections 4, 5, 6.4 and 6.5.
"""

import datetime
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from selfknow.builders.self_knowledge.draw import Draw
from selfknow.builders.self_knowledge.sources import benchmark_questions, births, categories, choices, words

_MOVE = "move-first-sentence"
_ALTER = "alter-question"
_MIRROR = "mirror-image"
BENCHMARK_SUBJECT = "computer science"  # the subject of the packaged questions
# Every transformation that an instance may name; selfknow.evaluate.tasks.self_knowledge implements them.
TRANSFORMATIONS = (
    _MOVE,
    _ALTER,
    _MIRROR,
    "add-first-word",
    "delete-first-word",
    "change-word",
    "append-word",
    "append-preposition",
    "shift-date",
    "append-comment",
    "append-print",
    "reverse-relation",
)


@dataclass(frozen=True)
class Instance:
    """An instance of a task, without its wording.

    Attributes:
        slots: The values of the prompts' slots.
        answer: The right reply to the verifying prompt; null if it depends on the generated text.
        keep: A transformation of the generated text that keeps the answer.
        breaks: A transformation that changes the answer.
        altered_slots: The slots of the transformed text's question, if they differ.
        params: Further parameters that programs need.
        source_task: The task whose generations this one reuses, from the instance of the same number.
    """

    slots: Mapping[str, str]
    answer: str | None = None
    keep: str | None = None
    breaks: str | None = None
    altered_slots: Mapping[str, str] | None = None
    params: Mapping[str, object] = field(default_factory=dict)
    source_task: str | None = None


def spell_date(date: datetime.date) -> str:
    """Return a date as prompts spell it.

    >>> spell_date(datetime.date(1879, 3, 14))
    '14 March 1879'
    """
    return f"{date.day} {_month(date)} {date.year}"


def _month(date: datetime.date) -> str:
    return words()["months"][date.month - 1]  # strftime would follow the machine's locale


def _total_count(number: int, seed: int) -> Instance:
    num = choices()["word_counts"]["first"] + number
    added = words()["added"][Draw(seed, "total-count", number).below(len(words()["added"]))]
    return Instance({"num": str(num)}, str(num), _MOVE, "append-word", params={"num": num, "word": added})


def _designated_count(number: int, seed: int) -> Instance:
    num, word = Draw(seed, "designated-count", number).between(choices()["occurrences"]), words()["keywords"][number]
    params = {"num": num, "word": word}
    return Instance({"word": word, "num": str(num)}, str(num), _MOVE, "append-word", params=params)


def _fact(number: int, seed: int) -> Instance:  # noqa: ARG001 (no random choice: every date once)
    date = sorted({date for _, date in births()})[number]
    altered = date - datetime.timedelta(days=1)
    params = {"date": date.isoformat(), "altered_date": altered.isoformat()}
    return Instance({"date": spell_date(date)}, "yes", None, "shift-date", params=params)


def _arxiv(number: int, seed: int) -> Instance:  # noqa: ARG001 (no random choice: even distances)
    first, last = (12 * year + month - 1 for year, month in choices()["arxiv_months"].values())
    year, month = divmod(first + number * (last - first) // (choices()["num_instances"] - 1), 12)
    date = datetime.date(year, month + 1, 1)
    return Instance({"month": f"{_month(date)} {year}"}, params={"month": f"{date:%Y-%m}"})


def _math(number: int, seed: int) -> Instance:  # noqa: ARG001 (no random choice: every answer once)
    answers = _list_answers("math_answers")
    answer, altered = answers[number], answers[(number + 1) % len(answers)]
    params = {"answer": answer, "altered_answer": altered}
    return Instance({"answer": answer}, "yes", None, _ALTER, {"answer": altered}, params)


def _list_answers(name: str) -> list[str]:
    parts = dict(choices()[name])
    numbers = parts.pop("whole_numbers")
    return [*map(str, range(numbers["first"], numbers["last"] + 1)), *itertools.chain(*parts.values())]


def _theorem(number: int, seed: int) -> Instance:  # noqa: ARG001 (no random choice: every combination once)
    parts = (choices()[f"theorem_{name}"] for name in ("kinds", "ranges", "variables"))
    kind, range_, variable = list(itertools.product(*parts))[number]
    about = f"{kind}, {range_.replace('{variable}', variable)}"
    slots = {"variable": variable, "about": about}
    return Instance(slots, "yes", None, "reverse-relation", params={"variable": variable})


def _code(number: int, seed: int) -> Instance:  # noqa: ARG001 (no random choice: every answer once)
    answer = _list_answers("code_answers")[number]
    return Instance({"answer": answer}, answer, "append-comment", "append-print", params={"output": answer})


def _grammar(number: int, seed: int) -> Instance:
    slots = _total_count(number, seed).slots
    return Instance(slots, None, _MOVE, "append-preposition", source_task="total-count")


def _word_operation(number: int, seed: int, *, keep: str | None, shift: int, changes: bool = False) -> Instance:
    """Make an instance that asks for a word's position before and after an edit (section 4.4.2)."""
    creation_slots, draw = _designated_count(number, seed).slots, Draw(seed, "word-position", number)
    position = draw.between(choices()["word_positions"])
    word = words()["added"][draw.below(len(words()["added"]), 1)]
    return Instance(
        slots={**creation_slots, "position": str(position)},
        keep=keep,
        breaks="change-word" if changes else None,
        altered_slots={**creation_slots, "position": str(position + shift)},
        params={"position": position, "altered_position": position + shift, "word": word},
        source_task="designated-count",
    )


def _add_first_word(number: int, seed: int) -> Instance:
    return _word_operation(number, seed, keep="add-first-word", shift=1)


def _delete_first_word(number: int, seed: int) -> Instance:
    return _word_operation(number, seed, keep="delete-first-word", shift=-1)


def _change_word(number: int, seed: int) -> Instance:
    return _word_operation(number, seed, keep=None, shift=0, changes=True)


def _specific_mention(number: int, seed: int) -> Instance:
    num = Draw(seed, "specific-mention", number).between(choices()["mentions"])
    category = list(categories())[number % len(categories())]
    topics = choices()["mention_topics"][category]
    slots = {"num": str(num), "category": category, "topic": topics[number // len(categories()) % len(topics)]}
    altered = {**slots, "num": str(num + 1)}
    params = {"num": num, "altered_num": num + 1, "category": category}
    return Instance(slots, "yes", _MOVE, _ALTER, altered, params)


def _sentiment(number: int, seed: int) -> Instance:
    num = Draw(seed, "sentiment", number).between(choices()["positive_words"])
    params = {"num": num, "altered_num": num + 1}
    slots = {"num": str(num), "topic": words()["keywords"][number]}
    return Instance(slots, "yes", _MOVE, _ALTER, {**slots, "num": str(num + 1)}, params)


def _sports_statistics(number: int, seed: int) -> Instance:
    sports, years = words()["sports"], choices()["sports_years"]
    sport, num_years = sports[number % len(sports)], years["last"] - years["first"] + 1
    year = years["first"] + (2 * (number // len(sports)) + number % 2) % num_years  # ten different years for each sport
    saturdays = _saturdays(year, *choices()["sports_seasons"][sport])
    date = saturdays[Draw(seed, "sports-statistics", number).below(len(saturdays))]
    altered = date - datetime.timedelta(days=1)
    slots = {"sport": sport, "date": spell_date(date)}
    params = {"sport": sport, "date": date.isoformat(), "altered_date": altered.isoformat()}
    return Instance(slots, "yes", None, _ALTER, {**slots, "date": spell_date(altered)}, params)


def _saturdays(year: int, first: str, last: str) -> list[datetime.date]:
    """Return the Saturdays of a season. Games are played on each, so "yes" can be a correct reply."""
    day, end = (datetime.date.fromisoformat(f"{year}-{bound}") for bound in (first, last))
    day += datetime.timedelta(days=(5 - day.weekday()) % 7)
    return [day + datetime.timedelta(weeks=week) for week in range((end - day).days // 7 + 1)]


def _image_counting(number: int, seed: int) -> Instance:  # noqa: ARG001 (no random choice: every combination once)
    counts, objects = choices()["image_counts"], words()["object_plurals"]
    num, index = counts["first"] + number // len(objects), number % len(objects)
    params = {"num": num, "object": objects[index]}
    noun = words()["objects"][index] if num == 1 else objects[index]
    return Instance({"num": str(num), "object": objects[index], "shown": noun}, str(num), _MIRROR, params=params)


def _image_color(number: int, seed: int) -> Instance:  # noqa: ARG001 (no random choice: every combination once)
    color, object_ = words()["colors"][number // 10], words()["objects"][number % 10]
    slots = {"color": color, "object": object_}
    return Instance(slots, color, _MIRROR, params=slots)


def _image_position(number: int, seed: int) -> Instance:  # noqa: ARG001 (no random choice: every combination once)
    position, object_ = words()["positions"][number // 25], words()["objects"][number % 25]
    slots = {"position": position, "object": object_}
    sideways = position.startswith("to the")
    return Instance(slots, "yes", None if sideways else _MIRROR, _MIRROR if sideways else None, params=slots)


def _benchmark(number: int, seed: int) -> Instance:
    return benchmark_instance(number, seed, benchmark_questions(), BENCHMARK_SUBJECT)


def benchmark_instance(number: int, seed: int, questions: Sequence[Mapping[str, object]], subject: str) -> Instance:
    """Return an instance with a benchmark's questions as examples for a question that the model writes (section 6.5).

    Args:
        number: The number of the instance.
        seed: The seed of the choice of examples.
        questions: The benchmark's questions: ``id``, ``question``, four ``options``, and the letter of the ``answer``.
        subject: The subject of the questions.
    """
    draw, unused = Draw(seed, "benchmark", number), list(questions)
    examples = [unused.pop(draw.below(len(unused), slot)) for slot in range(choices()["benchmark_questions_shown"])]
    slots = {"subject": subject, "examples": "\n\n".join(multiple_choice(question) for question in examples)}
    return Instance(slots, params={"shown": [question["id"] for question in examples]})


def multiple_choice(question: Mapping[str, object], *, solved: bool = True) -> str:
    """Return a question with its options as lines ``A)`` to ``D)`` and, if ``solved``, the line ``Correct:``."""
    options = question["options"]
    assert isinstance(options, list), "a question has a list of options"
    lines = [
        str(question["question"]),
        *(f"{letter}) {option}" for letter, option in zip("ABCD", options, strict=True)),
    ]
    if solved:
        lines.append(f"Correct: {question['answer']}")
    return "\n".join(lines)


TASKS: Mapping[str, Callable[[int, int], Instance]] = {
    "total-count": _total_count,
    "designated-count": _designated_count,
    "fact": _fact,
    "arxiv": _arxiv,
    "math": _math,
    "theorem": _theorem,
    "code": _code,
    "grammar": _grammar,
    "add-first-word": _add_first_word,
    "delete-first-word": _delete_first_word,
    "change-word": _change_word,
    "specific-mention": _specific_mention,
    "sentiment": _sentiment,
    "sports-statistics": _sports_statistics,
    "image-counting": _image_counting,
    "image-color": _image_color,
    "image-position": _image_position,
    "benchmark": _benchmark,
}


def num_instances(task: str) -> int:
    """Return the number of instances of a task: 100, or in ``fact`` one for every date of birth."""
    return len({date for _, date in births()}) if task == "fact" else int(choices()["num_instances"])
