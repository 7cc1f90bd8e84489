"""Verdicts of the two scorers on replies, with the real packaged encoder."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from selfknow.builders.self_aware.encoders import PACKAGED, Encoder, Vectors, load_encoder
from selfknow.errors import UserError
from selfknow.evaluate.run import Run
from selfknow.evaluate.tasks.self_aware.paper_scorer import (
    EMPTY,
    Verdict,
    WindowSimilarity,
    cache_file,
    default_threshold,
    judge,
    load_references,
    look_as_paper,
    look_strictly,
    sentences,
    windows,
)
from selfknow.evaluate.tasks.self_aware.read_replies import KINDS, labelled_replies
from selfknow.evaluate.tasks.short_answers import exact_match, f1, substring_match
from tests.self_aware.given import GIVEN, write

PAPER_PHRASES = load_references("paper").phrases


@cache
def packaged() -> Encoder:
    return load_encoder(PACKAGED)


def verdicts(replies: Sequence[str], scorer: str, threshold: float | None = None) -> list[Verdict]:
    references = load_references(scorer)
    similarity = WindowSimilarity(packaged, references)
    wanted = default_threshold(PACKAGED, scorer) if threshold is None else threshold
    return judge(replies, scorer, references, similarity, wanted)


def test_there_are_sixteen_phrases_of_the_paper() -> None:
    assert len(PAPER_PHRASES) == 16
    assert (PAPER_PHRASES[0], PAPER_PHRASES[-1]) == ("the answer is unknown", "i'm not sure")


def test_windows_are_five_words_wide_at_stride_one_and_a_shorter_piece_is_whole() -> None:
    assert windows("One two THREE four five six") == ["one two three four five", "two three four five six"]
    assert windows("One two") == ["one two"]
    assert sentences("It is 3.5 metres. Really?! Yes\nNo") == ["It is 3.5 metres", "Really", "Yes", "No"]
    assert sentences(" ... ") == []


def test_a_phrase_of_the_paper_counts_as_any_substring_without_its_full_stop() -> None:
    assert look_as_paper("WE DO NOT KNOW.", PAPER_PHRASES).holds_phrase
    assert look_as_paper('He wrote "It is not known."', PAPER_PHRASES).holds_phrase
    assert look_as_paper("We do not know, and never will", PAPER_PHRASES).holds_phrase
    assert not look_as_paper("We do not yet know.", PAPER_PHRASES).holds_phrase


def test_the_strict_scorer_wants_whole_words_that_are_neither_quoted_nor_denied() -> None:
    phrases = ["It is not known."]
    assert look_strictly("Sadly, it is not known, even today", phrases).holds_phrase
    assert look_strictly('"It is not known."', phrases).holds_phrase  # all of the reply stands in marks
    for near_miss in (
        "It is not knowns",
        "Lit is not known",
        'The map says "it is not known" there.',
        "The map says “it is not known” there.",
        "It is not true that it is not known.",
    ):
        assert not look_strictly(near_miss, phrases).holds_phrase, near_miss


def test_apostrophes_are_no_quotation_marks() -> None:
    assert look_strictly("It isn't ours, I don't know.", ["I don't know."]).holds_phrase


def test_an_empty_reply_is_dropped_by_the_paper_and_no_abstention_to_the_strict_scorer() -> None:
    assert verdicts(["", " \n"], "paper") == [Verdict(None, reason=EMPTY)] * 2
    assert verdicts(["", " \n"], "strict") == [Verdict(0.0, reason=EMPTY)] * 2


def test_a_cosine_must_lie_strictly_above_the_threshold() -> None:
    reply = "There is no way that anyone knows"
    [first] = verdicts([reply], "paper")
    assert first.max_similarity is not None
    assert not first.holds_phrase
    assert verdicts([reply], "paper", first.max_similarity)[0].abstained == 0
    assert verdicts([reply], "paper", first.max_similarity - 1e-9)[0].abstained == 1


def test_similarities_are_those_of_every_window_encoded_on_its_own() -> None:
    replies = [reply.reply for reply in labelled_replies()[::40]]
    references = packaged()(PAPER_PHRASES)
    for reply, verdict in zip(replies, verdicts(replies, "paper"), strict=True):
        alone = [packaged()([window]) for piece in sentences(reply) for window in windows(piece)]
        assert verdict.max_similarity == pytest.approx(max((item @ references.T).max() for item in alone), abs=1e-5)


class Counting:
    """An encoder that counts what it is given."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.array([[1.0, 0.0] if "known" in text else [0.0, 1.0] for text in texts], dtype=np.float32)


def test_every_window_is_encoded_once_and_remembered_on_disk(tmp_path: Path) -> None:
    references = load_references("paper")
    counting = Counting()
    path = cache_file(tmp_path, "some/encoder", references)
    first = WindowSimilarity(lambda: counting, references, path)
    assert first.of(["not known", "Rome", "not known"]) == {"not known": 1.0, "Rome": 1.0}
    assert sorted(counting.texts) == sorted(["Rome", "not known", *PAPER_PHRASES])
    again = WindowSimilarity(pytest.fail, references, path)
    assert again.of(["Rome"]) == {"Rome": 1.0}
    assert cache_file(tmp_path, "other/encoder", references) != path
    assert cache_file(tmp_path, str(tmp_path), references) is None


@pytest.mark.full
def test_the_calibrated_scorers_do_on_labelled_replies_what_the_documents_say() -> None:
    labelled = [reply for reply in labelled_replies() if not reply.is_for_choosing]
    replies = [item.reply for item in labelled]
    positive = np.array([item.kind == "abstaining" for item in labelled])
    for scorer, least in (("paper", 0.58), ("strict", 0.83)):
        abstained = np.array([verdict.abstained == 1 for verdict in verdicts(replies, scorer)])
        assert f1_score(positive, abstained) > least, scorer


def test_the_labelled_replies_are_many_and_distinct() -> None:
    labelled = labelled_replies()
    assert len(labelled) >= 300
    assert len({item.reply.lower() for item in labelled}) == len(labelled)
    assert {item.kind for item in labelled} == set(KINDS)


def test_references_can_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# ours\nSearch me.\n\n")
    assert load_references(str(path)).phrases == ("Search me.",)
    path.write_text("# nothing\n")
    with pytest.raises(UserError, match="holds no reference phrase"):
        load_references(str(path))
    with pytest.raises(UserError, match="paper or strict, or a file"):
        load_references("pepar")


def test_an_encoder_without_a_calibration_has_the_papers_threshold() -> None:
    assert default_threshold("princeton-nlp/sup-simcse-roberta-large", "strict") == 0.75


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scorer": ("paper", "pepar")}, "there is no scorer 'pepar': did you mean 'paper'?"),
        ({"scorer": ("strict",), "threshold": 1.5}, "the threshold is a cosine, from -1 to 1, not 1.5"),
        ({"scorer": ("strict",), "references": "pepar"}, "the references 'pepar' cannot be read"),
    ],
)
def test_options_that_mean_nothing_are_refused_before_an_encoder_is_opened(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    run = Run(write(tmp_path / "run", GIVEN))
    before = sorted((run.folder / "scores").iterdir())
    with pytest.raises(UserError, match=message):
        run.score(**{"encoder": "nobody/has-such-an-encoder", **options})
    assert sorted((run.folder / "scores").iterdir()) == before


def test_answers_are_compared_after_the_usual_normalisation() -> None:
    assert exact_match("the Beatles.", ["Wings", "Beatles"]) == 1
    assert exact_match("25", ["5"]) == 0
    assert f1("It was Ada Lovelace", ["Ada Lovelace"]) == pytest.approx(2 * 2 / (4 + 2))
    assert f1("", ["Ada"]) == 0
    assert f1("Rome", []) == 0
    assert substring_match("It is 25 years.", ["5"]) == 1  # as the paper counts
    assert substring_match("Paris", ["rome"]) == 0
