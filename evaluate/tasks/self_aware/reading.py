"""The scorer ``sentences``: reads sentence by sentence if a reply answers, abstains or refuses, without an encoder.

Four classes are kept apart (docs/instrument.md says what each means):

``abstains``    says that the answer is not known, cannot be known or given, or is for everyone to decide
``answers``     takes the side of an answer, also where it is unsure (then it is *hedged*)
``refuses``     declines for another reason: safety, or what the model is able to do
``unreadable``  is empty, holds no words, or only asks back

Each sentence is tried against patterns (``datasets_src/self_aware/replies/sentence_patterns.yaml``), and nothing else:
the scorer knows phrases of not knowing, and no topics. Greetings and offers of help are passed over. What says that the
*question* has no answer counts at the start and the end of a reply, and anywhere in a short one; what says it of its
own subject counts in a short reply, and where it opens or ends a longer one, so that a passage that mentions something
unknown is an answer all the same. An answer that follows wins: "I'm not sure, but I think it's Paris" is a hedged
answer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfknow.evaluate.replies import without_thinking
from selfknow.evaluate.tasks.self_aware.own_sentences import own_sentences, patterns, says, sentences_to_say, words_only

ABSTAINS, ANSWERS, REFUSES, UNREADABLE = "abstains", "answers", "refuses", "unreadable"
CLASSES = (ABSTAINS, ANSWERS, REFUSES, UNREADABLE)
SHORT_REPLY, SHORT_WORDS, SHORT_CHARACTERS = 3, 45, 400  # sentences, words, and characters
PASSAGE = 80
"""A reply of more words is a passage: that it opens with something unknown is not yet its answer."""
EDGE = 2
"""In a longer reply, this many sentences at either end may say that the question has no answer."""
_CONTRAST = re.compile(
    r"[,;:–—]?\s+(?:but|however|nevertheless|still,|though|although|even if|even though|unless|that said,?)\s+|"
    r"[,;:–—]\s+yet\s+|"
    r"[;–—]\s*|:\s+|,\s+(?=(?:maybe|perhaps|probably|possibly|presumably|most likely|likely|i'd|i would|i think)\b)"
)
_DEFINITION = re.compile(
    r"^(?:it (?:says|states)\b|because (?!i\b|we\b)(?!.*,)|"
    r"that (?:an?|the|its?|he|she|they|nobody|no one|nothing)\b(?!.* (?:is|are|was)\b.* (?:is|are|was)\b)|"
    r"(?:someone|a person|those|things?|people|an?(?: \w+){1,4}|the \w+|of \w+|only)\W+"
    r"(?:that|which|who|whose|in which)\b)"
)
_CONCLUSION = re.compile(
    r"^(?:so|thus|therefore|hence|ultimately|in conclusion|in (?:short|summary|the end|essence)|overall|to sum up|"
    r"all in all|unfortunately|sadly|however|as a result|for now|to this day|either way|at the end of the day)\b|"
    r".*\b(?:question|answer)\b"
)
_LEADING_CLAUSE = re.compile(
    r"^(?:because|as|since|if|while|without|given that|by|in|at|to|after|despite)\b[^,]*,\s*(?P<main>\S.*)$"
)
_TAG_QUESTION = re.compile(r", (?:is|was|are|were|did|does|do|has|have|had|would|could)n't (?:it|he|she|they|that)\?$")
_VERDICT = re.compile(r"^(?:yes|no)(?:[,;.!]|$)(?! and no| one\b| idea\b)")
"""A reply that opens with its verdict has answered, whatever it says of its subject afterwards."""
_SO = re.compile(r"(?:^|, )(?:so|hence|therefore)\b")
_POSSIBLY = re.compile(r"\b(?:perhaps|maybe|may|might|could|possibly)\b")
_CONCESSION = re.compile(
    r"^(?:(?:in conclusion|overall|ultimately|in summary|so|and|but), )?"
    r"(?:although|though|while|even though|even if|whilst)\b[^,]*,\s*(?P<main>\S.*)$"
)


@dataclass(frozen=True)
class Reading:
    """The reading of a reply: what it does with its question.

    Attributes:
        kind: One of :data:`CLASSES`.
        is_hedged: True if it answers and is unsure.
        evidence: The sentence that this rests on; null where nothing stands out.
        reason: Why it is unreadable.
    """

    kind: str
    is_hedged: bool = False
    evidence: str | None = None
    reason: str | None = None

    @property
    def abstained(self) -> float | None:
        """1 where it abstains, 0 where it does not, null where it is unreadable."""
        return None if self.kind == UNREADABLE else float(self.kind == ABSTAINS)


def read_reply(reply: str, prompt: str = "") -> Reading:
    """Read a reply: does it answer its question or abstain?

    Args:
        reply: The reply as it came, thinking and Markdown included.
        prompt: The rendered prompt. A sentence that it told the model to say counts; instructions that the reply
            repeats do not.

    Example:
        >>> read_reply("I'm not sure, but I think it's Paris.")
        Reading(kind='answers', is_hedged=True, evidence="i'm not sure, but i think it's paris", reason=None)
        >>> read_reply("The answer is unknown.").kind, read_reply("The Great Unknown is Sir Walter Scott.").kind
        ('abstains', 'answers')
    """
    text = without_thinking(reply, prompt).text
    if not re.search(r"\w", text):
        reason = "an empty reply" if not reply.strip() else "nothing but thinking or marks"
        return Reading(UNREADABLE, reason=reason)
    sentences = own_sentences(text, prompt)
    if offers := sentences_to_say(prompt):
        offered = next((sentence for sentence in sentences if words_only(sentence) in offers), None)
        if offered and not any(says("answers", sentence) for sentence in sentences[sentences.index(offered) + 1 :]):
            return Reading(ABSTAINS, evidence=offered)
    if sentences and all(
        sentence.endswith("?")
        and not _TAG_QUESTION.search(sentence)
        and not says("of_the_question", sentence)
        and not says("commits", sentence)
        for sentence in sentences
    ):
        return Reading(UNREADABLE, reason="it only asks back")
    return _read(sentences)


def _read(sentences: Sequence[str]) -> Reading:
    is_short = (
        len(sentences) <= SHORT_REPLY
        and sum(len(sentence.split()) for sentence in sentences) <= SHORT_WORDS
        and sum(map(len, sentences)) <= SHORT_CHARACTERS
    )
    has_verdict = bool(sentences) and _VERDICT.match(sentences[0]) is not None
    marks = [_mark(sentence, leniently=is_short) for sentence in sentences]
    if has_verdict:
        marks = [None if mark == "subject" else mark for mark in marks]
    refusals = [
        sentence for sentence in sentences[:2] if says("refuses", sentence) and not says("lacks_a_self", sentence)
    ]
    reading = _read_marked(sentences, marks, refusals, is_short=is_short)
    if reading is not None:
        return reading
    if refusals:
        return Reading(REFUSES, evidence=refusals[0])
    hedge = next((hedged for hedged, mark in zip(sentences, marks, strict=True) if mark == "hedge"), None)
    if hedge is None:
        hedge = next(
            (sentence for sentence in sentences[:2] if says("commits", sentence) or _TAG_QUESTION.search(sentence)),
            None,
        )
    return Reading(ANSWERS, hedge is not None, hedge and hedge.rstrip(".!?… "))


def _read_marked(
    sentences: Sequence[str], marks: Sequence[str | None], refusals: Sequence[str], *, is_short: bool
) -> Reading | None:
    """Read a reply with sentences that say that something is unknown; null if none of them counts."""
    last, is_passage = len(sentences) - 1, sum(len(sentence.split()) for sentence in sentences) > PASSAGE
    for place, mark in enumerate(marks):
        near_an_end = is_short or place < EDGE or place > last - EDGE
        concludes = place == last and _CONCLUSION.match(sentences[place]) is not None
        at_an_edge = is_short or concludes or (place == 0 and not is_passage)
        if (mark == "question" and near_an_end) or (mark == "subject" and at_an_edge):
            if refusals and not says("of_the_question", _without_refusals(sentences[place])):
                return Reading(REFUSES, evidence=refusals[0])
            if place and says("doubts", sentences[place].rstrip(".!?… ")) and marks[0] is None:
                return Reading(ANSWERS, is_hedged=True, evidence=sentences[place])
            later = sentences[place + 1 :]
            after = next((item for item in later if says("answers", item) or _side(item, leniently=is_short)), None)
            if after is None and not is_short:
                after = next((item for item in later[:EDGE] if says("goes_on", item) and not _unknown(item)), None)
            if after is not None:
                return Reading(ANSWERS, is_hedged=True, evidence=after)
            before = next((sentence for sentence in sentences[:place] if says("answers", sentence)), None)
            if before is not None and mark == "subject":
                return Reading(ANSWERS, is_hedged=True, evidence=before)
            return Reading(ABSTAINS, evidence=sentences[place])
    return None


def _without_refusals(sentence: str) -> str:
    return patterns().joined["refuses"].sub(" ", sentence)


def _side(sentence: str, *, leniently: bool) -> bool:
    """Return true if a sentence takes the side of an answer, and does not itself say that there is none."""
    return (
        says("commits", sentence)
        and len(_POSSIBLY.findall(sentence)) < 2  # "perhaps so, perhaps not" takes no side
        and not says("of_the_question", sentence)
        and not says("of_its_subject", sentence)
        and not (leniently and says("in_a_short_reply", sentence))
    )


def _mark(sentence: str, *, leniently: bool = False) -> str | None:
    """``question`` or ``subject`` (says that it is not known), ``hedge`` (answers and is unsure), or null."""
    sentence = sentence.rstrip(".!?… ")
    conceded = _CONCESSION.match(sentence)
    if conceded and _unknown(sentence) and not _unknown(conceded["main"]):
        return "hedge"
    mark = _unknown(sentence, leniently=leniently)
    if mark is None:
        return None
    if mark == "subject" and says("caveats", sentence):
        return "hedge"
    for contrast in _CONTRAST.finditer(sentence):
        before, after = sentence[: contrast.start()], sentence[contrast.end() :]
        if (
            _unknown(before, leniently=leniently)
            and not _unknown(after, leniently=leniently)
            and _is_a_side(contrast.group(), after)
        ):
            return "hedge"
        if _takes_back(contrast.group(), before, after) and not _unknown(before, leniently=leniently):
            return "hedge"
    return None if says("answers", sentence) and mark == "subject" else mark


def _takes_back(contrast: str, before: str, after: str) -> bool:
    """Return true if a doubt follows an answer that stands ("Homer, though nobody knows"), unlike "so nobody knows"."""
    return re.search(r"[a-z]", contrast) is not None and says("commits", before) and not _SO.search(after)


def _is_a_side(contrast: str, after: str) -> bool:
    """Return true if what follows "but" is an answer; after a mark alone it must say so itself."""
    if says("commits", after):
        return True
    if says("no_answer_after_but", after):
        return False
    return re.search(r"[a-z]", contrast) is not None or says("answers", after)


def _unknown(text: str, *, leniently: bool = False) -> str | None:
    """Return true if a text says of the question, or only of its own subject, that it is not known."""
    of_the_question = patterns().search("of_the_question", text)
    of_its_subject = [] if of_the_question else list(_of_its_subject(text, leniently=leniently))
    if of_the_question is None and not of_its_subject:
        return None
    own = says("first_person", text)
    if _DEFINITION.match(text) and not own:
        return None
    report = patterns().search("reports", text)
    if of_the_question:
        return "question" if own or report is None or report.start() > of_the_question.start() else None
    is_own = any(report is None or report.start() > text.find(words) for words in of_its_subject)
    return "subject" if is_own else None


def _of_its_subject(text: str, *, leniently: bool) -> Iterator[str]:
    """Yield the words of a text that say of its subject that it is not known."""
    groups = [("of_its_subject", text)]
    if leniently:
        main = _LEADING_CLAUSE.match(text)
        groups += [("in_a_short_reply", item) for item in (text, main["main"] if main else "")]
    for group, spoken in groups:
        if match := patterns().search(group, spoken):
            yield match.group()
