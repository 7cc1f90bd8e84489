"""Every reader of replies on inputs of twice the length: ``python -m benchmarks.growth.readers``.

Models that got stuck, and attackers who want to stop a scorer, repeat a few characters for pages. Each reader gets such
inputs, fixed and random (with a fixed seed), at a length that takes long enough to measure, and at twice that length.
A reader with linear growth needs twice the CPU time. More than 2.5 times is a defect, and the exit code is 1. Each
input is read in its own process with a limit of CPU time, because a regular expression cannot be interrupted.
"""

import argparse
import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from benchmarks.tables import print_table

MOST = 2.5
LONGEST = 32_000
_MEASURABLE = 0.01  # seconds
_LIMIT = 20  # seconds for one reader and input, at all its lengths
_PIECES = (
    *"aA1|\n*#.\"'`-–_ \t,;:!?()[]{}<>=/\\$~^+%&@é’“”‘«»…",
    *("x<", "-1<x ", "1,", "1.5", "Ab ", "A of ", "answer ", "Answer: ", "Title: ", "the ", "not ", "is ", "so "),
    *("if ", "one hundred and ", "```\n", "\\frac{", "{}", "\\boxed{", "####", "<think>", "</think>", "\n\n", "- "),
    *(" -", ". ", "2406.", "abs/", "/0001001", "a-", "a.", "1 2 ", "print(", "prints ", ": ", "**a", "it's ", "x in ["),
    *("I don't know", "(a", "[a", "'a", '"a', "$a", "<a", "yes ", "no ", "correct ", "true that ", "Sure! "),
    *("here is ", "word count "),
)


@dataclass(frozen=True)
class Growth:
    """The growth of a reader's time from an input to one of twice the length.

    Attributes:
        reader: The reader's name.
        piece: The text that is repeated.
        length: Characters of the shorter input.
        seconds: CPU seconds for the shorter input.
        ratio: The time of the longer input over that of the shorter one; infinite if it reached the limit.
    """

    reader: str
    piece: str
    length: int
    seconds: float
    ratio: float


def readers() -> dict[str, Callable[[str], object]]:
    """Return every function that reads a reply, by name."""
    from selfknow.evaluate import replies as cleaning
    from selfknow.evaluate.readers import numbers, programs, sentences, verdicts, words
    from selfknow.evaluate.readers.reading import is_refusal
    from selfknow.evaluate.readers.reading import read_reply as read_value
    from selfknow.evaluate.tasks import short_answers
    from selfknow.evaluate.tasks.according_to import cooccurrences
    from selfknow.evaluate.tasks.diary_recall import documents
    from selfknow.evaluate.tasks.gsm8k import answers
    from selfknow.evaluate.tasks.self_aware import judging, paper_scorer, reading
    from selfknow.evaluate.tasks.self_knowledge import (
        arithmetic,
        counting,
        inequalities,
        mathematics,
        replies,
        transformations,
    )
    from selfknow.evaluate.tasks.self_knowledge.agents.prompts import read_proposal
    from selfknow.evaluate.tasks.self_knowledge.content import Content, content_of
    from selfknow.evaluate.tasks.self_knowledge.replies import leaks_answer

    params = {
        "num": 3,
        "word": "river",
        "variable": "x",
        "position": 3,
        "category": "countries",
        "answer": "3",
        "date": "1879-03-14",
        "altered_date": "1879-03-13",
    }

    def excerpt(text: str) -> cleaning.Excerpt:
        return cleaning.Excerpt(text, 0, len(text))

    functions: dict[str, Callable[[str], object]] = {
        "find_name": lambda text: words.find_name(excerpt(text)),
        "read_number": lambda text: numbers.read_number(text, "words?"),
        "whole_numbers": numbers.whole_numbers,
        "read_program": lambda text: programs.read_program(excerpt(text)),
        "read_output": programs.read_output,
        "is_refusal": is_refusal,
        "sentences": lambda text: [sentences.concludes(sentence) for sentence in sentences.sentences(text)],
        "without_asides": sentences.without_asides,
        "without_quotations": sentences.without_quotations,
        "read_verdict": verdicts.read_verdict,
        "read_word": words.read_word,
        "read_arxiv_id": words.read_arxiv_id,
        "read_letter": words.read_letter,
        "read_among": lambda text: words.read_among(["red", "blue"], "colour", text),
        "read_reply": lambda text: read_value(numbers.read_number, text),
        "explicit_answers": lambda text: cleaning.explicit_answers(cleaning.without_thinking(text)),
        "asked_text": cleaning.asked_text,
        "plain": cleaning.plain,
        "fenced_blocks": lambda text: list(cleaning.fenced_blocks(excerpt(text))),
        "measured_text": cleaning.measured_text,
        "gsm8k number_of_reply": answers.number_of_reply,
        "gsm8k gives_several": answers.gives_several,
        "self_aware read_reply": reading.read_reply,
        "self_knowledge inequalities": inequalities.runs,
        "self_knowledge arithmetic": arithmetic._equation,
        "self_knowledge arithmetic, computed": arithmetic._COMPUTE.match,
        "self_knowledge read_proposal": read_proposal,
        "self_knowledge count_words": counting.count_words,
        "self_knowledge count_occurrences": lambda text: counting.count_occurrences(text, ["river"]),
        "self_knowledge count_mentions": lambda text: counting.count_mentions(text, "countries"),
        "self_knowledge mathematics": mathematics.plain_notation,
        "self_aware look_strictly": lambda text: paper_scorer.look_strictly(text, ["not known"]),
        "self_aware windows": lambda text: [
            paper_scorer.windows(sentence) for sentence in paper_scorer.sentences(text)
        ],
        "self_aware read_grade": lambda text: [judging.read_grade(what, text) for what in judging.WORDS],
        "diary_recall cut": documents.cut,
        "diary_recall parse_title": documents.parse_title,
        "according_to words_of": cooccurrences.words_of,
        "short_answers exact_match": lambda text: short_answers.exact_match(text, ["one"]),
        "short_answers f1": lambda text: short_answers.f1(text, ["one"]),
        "short_answers whole_word_match": lambda text: short_answers.whole_word_match(text, ["one"]),
    }
    for kind in replies.KINDS:
        functions[f"self_knowledge parse {kind}"] = lambda text, kind=kind: replies.parse(kind, text)  # type: ignore[misc]
    for task in ("fact", "arxiv", "code", "benchmark", "total-count"):
        functions[f"self_knowledge content {task}"] = lambda text, task=task: content_of(task, params, text)  # type: ignore[misc]
        functions[f"self_knowledge leak {task}"] = lambda text, task=task: leaks_answer(task, text, "B")  # type: ignore[misc]
    functions["self_knowledge final text"] = lambda text: content_of("total-count", params, text, final_text=True)
    for name in transformations.TRANSFORMATIONS:
        functions[f"self_knowledge {name}"] = lambda text, name=name: transformations.transformed(  # type: ignore[misc]
            name, Content(text, subject="x"), params
        )
    return functions


def inputs(count: int, seed: int = 0) -> list[str]:
    """Return texts to repeat: each piece alone, and ``count`` random runs of two to four pieces."""
    generator = random.Random(seed)
    mixed = ("".join(generator.choices(_PIECES, k=generator.randint(2, 4))) for _ in range(count))
    return list(dict.fromkeys([*_PIECES, *mixed]))


def growths(piece: str, functions: dict[str, Callable[[str], object]]) -> Iterator[Growth]:
    """Yield the growth of each reader's time if a piece is repeated twice as often."""
    for name, reader in functions.items():
        yield _in_a_process(name, reader, piece)


def _in_a_process(name: str, reader: Callable[[str], object], piece: str) -> Growth:
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            resource.setrlimit(resource.RLIMIT_CPU, (_LIMIT, _LIMIT))
            os.write(sending, json.dumps(_measured(reader, piece)).encode())
        os._exit(0)
    os.close(sending)
    with os.fdopen(receiving) as file:
        result = file.read()
    os.waitpid(child, 0)
    length, seconds, ratio = json.loads(result) if result else (0, float(_LIMIT), float("inf"))
    return Growth(name, piece, length, seconds, ratio)


def _measured(reader: Callable[[str], object], piece: str) -> tuple[int, float, float]:
    length = 2_000
    while (seconds := _seconds(reader, piece, length)) < _MEASURABLE and length < LONGEST:
        length *= 2
    if seconds < _MEASURABLE:
        return length, seconds, 2.0  # too fast to measure, at a length that no reply has
    ratio = _seconds(reader, piece, 2 * length) / seconds
    for _ in range(3):  # other work on the machine may disturb a measurement
        if ratio <= MOST:
            break
        seconds = _seconds(reader, piece, length)
        ratio = min(ratio, _seconds(reader, piece, 2 * length) / seconds)
    return length, seconds, ratio


def _seconds(reader: Callable[[str], object], piece: str, length: int) -> float:
    text = "x" + (piece * length)[:length] + "y"
    start = time.process_time()
    with suppress(ValueError, RecursionError):
        reader(text)
    return time.process_time() - start


def main() -> None:
    """Measure all readers, and print those that grow faster than their input."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth.readers", description=__doc__)
    parser.add_argument("--random", type=int, default=200, help="the number of random inputs beside the fixed ones")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the random inputs")
    parser.add_argument("--only", default="", help="measure only readers whose name contains this")
    options = parser.parse_args()
    readers_to_measure = {name: reader for name, reader in readers().items() if options.only in name}
    pieces = inputs(options.random, options.seed)
    worst: dict[str, Growth] = {}
    defects = 0
    for piece in pieces:
        for growth in growths(piece, readers_to_measure):
            if growth.reader not in worst or growth.ratio > worst[growth.reader].ratio:
                worst[growth.reader] = growth
            if growth.ratio > MOST:
                defects += 1
                print(
                    f"{growth.reader} {growth.piece!r}: {growth.ratio:.1f} times at {growth.length:,}", file=sys.stderr
                )
    rows = ([name, len(pieces), f"{growth.ratio:.2f}"] for name, growth in worst.items())
    print_table(["reader", "inputs", "largest growth"], rows)
    sys.exit(1 if defects else 0)


if __name__ == "__main__":
    main()
