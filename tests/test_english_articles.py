"""Every prompt that we put together has the article that its next word needs."""

import json
import re
from collections.abc import Iterator

import pytest

from selfknow.builders.self_aware.questions import SPLITS, questions
from selfknow.builders.self_knowledge.prompts import STYLES, row
from selfknow.builders.self_knowledge.tasks import TASKS, num_instances
from selfknow.builders.sources import DATASETS_SRC

# A vowel letter that is no vowel sound (a union, a one-way street), and the other way round (an hour).
_A = re.compile(
    r"(?:\ba|(?:^|[.?!:] )A) "
    r"(?!(?i:uni|use|usu|uti|uto|uri|ure|one|once|eu|ewe|ukulele)|UNESCO|US\b|UK\b)[aeiouAEIOU]\w+"
)
_AN = re.compile(r"\b[Aa]n (?!hour|hono|heir|honest|[FHLMNRSX]\b|[FHLMNRSX][A-Z]|8|11|18)(?![aeiouAEIOU\W])\w+")


def wrong_articles(text: str) -> list[str]:
    return _A.findall(text) + _AN.findall(text)


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("about a engine", ["a engine"]),
        ("An car, a apple", ["a apple", "An car"]),
        ("an hour of a union, a one, an 8, an F, a European, an apple, a house", []),
        ("vitamin A is not", []),
    ],
)
def test_a_wrong_article_is_found(text: str, errors: list[str]) -> None:
    assert wrong_articles(text) == errors


def _prompts() -> Iterator[str]:
    for task in TASKS:
        for number in range(num_instances(task)):
            for style in STYLES:
                built = row(task, number, style, 0)
                params = json.loads(str(built["params"]))
                yield from filter(None, (built[f"{name}_prompt"] for name in ("generate", "verify", "dual")))
                yield params["altered_verify_prompt"] or ""


def test_the_prompts_of_self_knowledge_have_the_right_articles() -> None:
    assert {error for prompt in _prompts() for error in wrong_articles(prompt)} == set()


def test_the_questions_of_self_aware_have_the_right_articles() -> None:
    texts = [question.question for split in SPLITS for question in questions(split)]
    assert {error for text in texts for error in wrong_articles(text)} == set()


def test_the_other_prompts_have_the_right_articles() -> None:
    paths = [path for path in sorted(DATASETS_SRC.rglob("*.yaml")) if "prompt" in path.name or "template" in path.name]
    assert paths
    assert {error for path in paths for error in wrong_articles(path.read_text(encoding="utf-8"))} == set()
