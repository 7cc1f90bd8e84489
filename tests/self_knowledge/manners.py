"""Manners of chat models: the same value and the same text, in the ways that people meet.

Everything is written here by hand as a person would understand it, and nothing is taken from the package's readers.
"""

from collections.abc import Callable, Mapping

# The sentence that says a value, by task.
SENTENCES: Mapping[str, str] = {
    "total-count": "The paragraph has {} words.",
    "designated-count": "The word appears {} times in the paragraph.",
    "grammar": "There are {} prepositions in this paragraph.",
    "add-first-word": "The word at that position is {}.",
    "delete-first-word": "The word is {}.",
    "change-word": "Counted from 1, the word asked for is {}.",
    "arxiv": "The arXiv identifier of the paper is {}.",
    "code": "The program prints {}.",
    "benchmark": "The correct option is {}.",
    "image-counting": "The picture shows {} of them.",
    "image-color": "It has the colour {}.",
}
# What is said of a statement, an inequality, an answer: the word itself is part of the sentence.
VERDICTS: Mapping[str, tuple[str, str]] = {
    "fact": ("The statement is {}true{}.", "The statement is {}false{}."),
    "math": ("That is {}the correct{} answer.", "That is {}not the correct{} answer."),
    "theorem": ("The inequality {}holds{}.", "The inequality {}does not hold{}."),
    "specific-mention": ("{}Yes{}, that many are named.", "{}No{}, it names another number."),
    "sentiment": ("{}Yes{}, it has exactly that many.", "{}No{}, it has another number."),
    "sports-statistics": ("The statistics are {}correct{}.", "The statistics are {}incorrect{}."),
    "image-position": ("{}Yes{}, it stands there.", "{}No{}, it stands elsewhere."),
}
LISTED = "1. the first of them\n2. the second of them\n- and one more"
WORKING = "First I go through it from the start (there are 2 parts). The first part is clear, the second one less so."


def _sentence(task: str, value: str, mark: str = "") -> str:
    if task in VERDICTS:
        return VERDICTS[task][value == "no"].format(mark, mark)
    if task == "code" and "\n" in value:
        return f"The program prints:\n\n```\n{value}\n```"
    if task == "code" and not mark:
        mark = "`"
    return SENTENCES[task].format(f"{mark}{value}{mark}")


def _boxed(task: str, value: str) -> str:
    if task == "code":
        return f"It prints two things in turn, and in the end:\n\n**Output:**\n```\n{value}\n```"
    shown = value if value.isdigit() or len(value) == 1 else rf"\text{{{value}}}"
    return f"{WORKING}\n\n$\\boxed{{{shown}}}$"


def _listed(task: str, value: str) -> str:
    if task in VERDICTS:
        return f"{value.capitalize()}. These are what I looked at:\n\n{LISTED}"
    sentence = _sentence(task, value)
    return f"{LISTED}\n\n{sentence if task == 'code' else f'So: {sentence}'}"


READINGS: Mapping[str, Callable[[str, str], str]] = {
    "plain": lambda task, value: value,
    "one sentence": _sentence,
    "bold": lambda task, value: _sentence(task, value, "**"),
    "thinks first": lambda task, value: f"<think>Is it so? No, wait… 3, or 4?</think>\n\n{_sentence(task, value)}",
    "boxed": _boxed,
    "answer after working": lambda task, value: (
        f"{WORKING}\n\n**Answer:** {value}" if "\n" not in value else f"{WORKING}\n\n**Answer:**\n```\n{value}\n```"
    ),
    "with a list": _listed,
}
"""From a task and the value to a reply that says it."""

WRITINGS: Mapping[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "preamble": lambda text: f"Sure! Here is what you asked for:\n\n{text}",
    "courtesy": lambda text: f"Certainly!\n\n{text}",
    "postscript": lambda text: f"{text}\n\nLet me know if you would like another one!",
    "both": lambda text: f"Of course! Here's one:\n\n{text}\n\n---\n\nI hope this helps!",
    "thinks first": lambda text: f"<think>\nA text… how many words?\n\nThree, four.\n</think>\n\n{text}",
    "thinks unmarked": lambda text: f"I should count them.</think>\n{text}",
}
"""From a text to a reply that holds it."""
