"""Requests as a served model gets them: every prompt of Table 1, in every format of Appendix A, at every place."""

import json
from pathlib import Path

import pytest

from selfknow.evaluate.run import ask
from selfknow.models.endpoint import Endpoint, EndpointModel
from selfknow.portraits import Portrait
from tests.according_to.quoting_server import CORPUS, Quoter, quoting_server
from tests.according_to.test_builder import TABLE_1

QUESTION, ANSWER = "what is moon", "A moon!"
INSTRUCTIONS = (
    "You are a highly intelligent & complex question-answer generative model. You take a question as an input and "
    "answer it by imitating the way a human gives short answers with a corresponding explanation. You answer should be "
    "short - only a few words.\n\nYour output format should be the answer, then a semicolon, then the explanation.\n"
)


def placed(placement: str, phrase: str) -> str:
    """Return the question with a phrase of Table 1 at its place; the null prompt's is empty."""
    parts = {"appended": [QUESTION, phrase], "prepended": [phrase, QUESTION], "both": [phrase, QUESTION, phrase]}
    return " ".join(part for part in parts[placement] if part)


def expected(format_: str, placement: str) -> list[str]:
    """Return all prompts that are sent for one question."""
    expected_prompts = [placed(placement, phrase) for phrase in TABLE_1]
    match format_:
        case "short":
            return [INSTRUCTIONS + item for item in expected_prompts]
        case "long":
            return expected_prompts
        case "long-answer":
            return [f"{item}\nAnswer:" for item in expected_prompts]
    before = ["" if placement == "appended" or not phrase else f"{phrase} " for phrase in TABLE_1]
    behind = ["" if placement == "prepended" else phrase for phrase in TABLE_1]
    return [f"Output the answer only. {QUESTION}\nAnswer string only:"] + [
        f"{first}Question: {QUESTION}\nAnswer: {ANSWER}\n\n\n"
        f"Give a detailed explanation for why this is true. {last} \nExplanation:"
        for first, last in zip(before, behind, strict=True)
    ]


@pytest.mark.parametrize("placement", ["appended", "prepended", "both"])
@pytest.mark.parametrize("format_", ["short", "two-step", "long", "long-answer"])
def test_every_prompt_is_sent_to_the_letter(
    format_: str, placement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "set.jsonl").write_text(json.dumps({"question": QUESTION, "answer": "moon"}))
    Portrait.build(list(CORPUS.values())).save(tmp_path / "portrait")
    sent: list[str] = []
    monkeypatch.setattr(Quoter, "fails", staticmethod(lambda prompt: bool(sent.append(prompt))))
    with quoting_server() as server:
        model = EndpointModel(Endpoint(server, "quoter", concurrency=1))
        options = {"portrait": str(tmp_path / "portrait"), "prompt_format": format_, "placement": placement}
        ask(f"according-to:{tmp_path / 'set.jsonl'}", model, out=tmp_path / "run", quiet=True, **options)
    assert sorted(sent) == sorted(expected(format_, placement))
    assert len(set(sent)) == len(sent) == (13 if format_ == "two-step" else 12)
