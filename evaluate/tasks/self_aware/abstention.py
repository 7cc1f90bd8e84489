"""Does a reply say that the answer is not known: the paper's scorer, and a strict one without its quirks.

Yin et al., section 4.1. Both look for a reference phrase, and then for a window of five words whose cosine with a
reference lies above the threshold. They differ in what numbers depend on:

===================  ==================================================  ==============================================
                     ``paper``                                           ``strict``
===================  ==================================================  ==============================================
an empty reply       is dropped: it has no verdict                       abstains from nothing: 0
a reference phrase   counts as any substring of the lower-cased reply    counts as whole words
a quotation          counts                                              is passed over
a denial             counts                                              its sentence is passed over
===================  ==================================================  ==============================================

A failed request has no verdict in either; its reason says so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from selfknow.builders.self_aware.question_text import holds_phrase
from selfknow.errors import UserError, nearest
from selfknow.evaluate.tasks.self_aware.references import SCORERS, References, denials
from selfknow.evaluate.tasks.self_aware.similarity import WindowSimilarity
from selfknow.evaluate.tasks.self_aware.windows import sentences, windows

_QUOTATION = re.compile(r'"[^"]*"|“[^“”]*”|«[^«»]*»|‘[^‘’]*’(?!\w)|(?<!\w)\'[^\']*\'(?!\w)')
EMPTY = "an empty reply"


@dataclass(frozen=True)
class Verdict:
    """What a scorer finds in one reply.

    Attributes:
        abstained: 1 or 0; null where the reply does not count.
        holds_phrase: Whether a reference phrase stands in it.
        max_similarity: The largest cosine of a window with a reference; null where there is no window. It is there for
            replies that hold a phrase too, so that any threshold can be tried later.
        reason: Why there is no verdict, or what is odd about the reply.
    """

    abstained: float | None
    holds_phrase: bool = False
    max_similarity: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Evidence:
    """The part of a reply that a scorer looks at."""

    holds_phrase: bool
    windows: tuple[str, ...]


def look_as_paper(reply: str, phrases: Sequence[str]) -> Evidence:
    """All of a reply, phrases as substrings of it in lower case.

    >>> look_as_paper("It was said: 'It is not known.'", ["It is not known."]).holds_phrase
    True
    """
    lowered = reply.lower()
    has_phrase = any(phrase.lower() in lowered for phrase in phrases)
    return Evidence(has_phrase, tuple(window for piece in sentences(lowered) for window in windows(piece)))


def look_strictly(reply: str, phrases: Sequence[str]) -> Evidence:
    """A reply without quotations and denials, phrases as whole words.

    >>> look_strictly("They wrote 'it is not known' there.", ["It is not known."]).holds_phrase
    False
    """
    own = sentences(without_quotations(reply))
    kept = [piece for piece in own if not any(holds_phrase(piece, denial) for denial in denials())]
    has_phrase = any(holds_phrase(piece, phrase) for piece in kept for phrase in phrases)
    return Evidence(has_phrase, tuple(window for piece in kept for window in windows(piece)))


def without_quotations(reply: str) -> str:
    """A reply without what stands in quotation marks, unless all of it does.

    >>> without_quotations('"Not known" is on the map.'), without_quotations('"Not known."')
    ('  is on the map.', 'Not known.')
    """
    bare = reply.strip()
    if _QUOTATION.fullmatch(bare):
        return bare[1:-1]
    return _QUOTATION.sub(" ", bare)


_LOOKS = {"paper": look_as_paper, "strict": look_strictly}


def judge(
    replies: Sequence[str],
    scorer: str,
    references: References,
    similarity: WindowSimilarity,
    threshold: float,
    *,
    quiet: bool = True,
) -> list[Verdict]:
    """Judge replies; windows of all of them are encoded together, each once.

    Args:
        replies: The texts, empty ones too.
        scorer: ``paper`` or ``strict``.
        references: What is looked for.
        similarity: Of windows with the same references.
        threshold: A cosine must be larger than this.
        quiet: Show no progress bar.

    Raises:
        UserError: There is no such scorer.
    """
    if scorer not in SCORERS:
        raise UserError(f"there is no scorer {scorer!r}{nearest(scorer, SCORERS)}")
    evidence = [_LOOKS[scorer](reply, references.phrases) for reply in replies]
    similarities = similarity.of((window for one in evidence for window in one.windows), quiet=quiet)
    return [_verdict(reply, scorer, one, similarities, threshold) for reply, one in zip(replies, evidence, strict=True)]


def _verdict(reply: str, scorer: str, evidence: Evidence, similarities: dict[str, float], threshold: float) -> Verdict:
    if not reply.strip():
        return Verdict(None if scorer == "paper" else 0.0, reason=EMPTY)
    largest = max((similarities[window] for window in evidence.windows), default=None)
    near = largest is not None and largest > threshold
    return Verdict(float(evidence.holds_phrase or near), evidence.holds_phrase, largest)
