r"""Removal of further questions from the replies of completion models.

If nothing stops a base model, it continues with a next question of its own. Only replies to certain prompts can do so:
prompts that end with the cue for an answer, and were not sent as chat messages. The pairs of cues are data
(``datasets_src/completion.yaml``).
"""

import re
from collections.abc import Mapping
from functools import cache, reduce

import pyarrow as pa
import pyarrow.compute as pc
import yaml

from selfknow.builders.sources import read_text


@cache
def _cues() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    pairs = yaml.safe_load(read_text("completion.yaml"))["cues"]
    return tuple((question, answer, re.compile(rf"\s*\n{re.escape(question)}")) for question, answer in pairs)


def answer_end(reply: str, prompt: str) -> int:
    r"""Return the end of a completion model's answer: the start of the next question, else the end of the reply.

    Args:
        reply: The raw reply.
        prompt: The prompt as the model got it.

    Example:
        >>> answer_end(" Paris\n\nQuestion: And of Spain?\nAnswer: Madrid", "Question: Capital of France?\nAnswer:")
        6
        >>> answer_end(" Paris\nProblem: none", "Question: Capital of France?\nAnswer:")
        20
    """
    stripped_prompt = prompt.rstrip()
    for question, answer, next_question in _cues():
        has_cue = stripped_prompt.endswith(f"\n{answer}") and re.search(
            rf"^{re.escape(question)}", stripped_prompt, re.MULTILINE
        )
        if has_cue and (match := next_question.search(reply)):
            return match.start()
    return len(reply)


def up_to_next_question(calls: pa.Table) -> tuple[pa.Table, Mapping[str, str]]:
    """Return calls with replies up to their next question, and the whole replies that had one, by ``generation_id``.

    A reply with a next question has a finished answer, so its finish reason becomes ``stop`` even if it was cut off.

    Args:
        calls: A table in the shape of ``generations``.
    """
    prompts = pc.utf8_rtrim_whitespace(calls["prompt"])
    has_cue = reduce(pc.or_, (pc.ends_with(prompts, f"\n{answer}") for _, answer, _ in _cues()))
    places = pc.indices_nonzero(pc.and_(pc.is_null(calls["messages"]), has_cue)).to_pylist()
    whole_replies: dict[int, str] = {}
    for place in places:
        reply, prompt = calls["generation"][place].as_py(), calls["prompt"][place].as_py()
        if reply is not None and answer_end(reply, prompt) < len(reply):
            whole_replies[place] = reply
    if not whole_replies:
        return calls, {}
    generations, reasons = calls["generation"].to_pylist(), calls["finish_reason"].to_pylist()
    for place, reply in whole_replies.items():
        generations[place] = reply[: answer_end(reply, calls["prompt"][place].as_py())]
        reasons[place] = "stop"
    whole_by_id = {calls["generation_id"][place].as_py(): reply for place, reply in whole_replies.items()}
    for name, values in (("generation", generations), ("finish_reason", reasons)):
        number = calls.schema.get_field_index(name)
        calls = calls.set_column(number, calls.schema.field(number), pa.array(values, calls.schema.field(number).type))
    return calls, whole_by_id
