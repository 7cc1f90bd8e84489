"""The scorer ``sentences``, which reads if a reply answers, abstains or refuses, without an encoder.

It distinguishes four classes of replies (docs/instrument.md defines them):

``abstains``    says that the answer is not known, cannot be known or given, or is for everyone to decide
``answers``     commits to an answer, even if it is unsure (then it is *hedged*)
``refuses``     declines for another reason: safety, or the model's abilities
``unreadable``  is empty, has no words, or only asks back

The scorer matches each sentence against patterns (``datasets_src/self_aware/replies/sentence_patterns.yaml``). They are
phrases of not knowing; the scorer knows nothing about topics. Greetings and offers of help are ignored. A sentence can
say that the *question* has no answer: that counts at the start and the end of a reply, and anywhere in a short one. Or
it can say only that its own *subject* is unknown: that counts in a short reply, and as the first or last sentence of a
longer one. So a passage that mentions something unknown is still an answer. A later answer wins: "I'm not sure, but I
think it's Paris" is a hedged answer.
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
"""The length of a passage, in words. A longer reply does not abstain only because its first subject is unknown."""
EDGE = 2
"""The number of sentences at either end of a longer reply that may say that the question has no answer."""
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
"""A reply that begins with yes or no is an answer, whatever it says about its subject afterwards."""
_SO = re.compile(r"(?:^|, )(?:so|hence|therefore)\b")
_POSSIBLY = re.compile(r"\b(?:perhaps|maybe|may|might|could|possibly)\b")
_CONCESSION = re.compile(
    r"^(?:(?:in conclusion|overall|ultimately|in summary|so|and|but), )?"
    r"(?:although|though|while|even though|even if|whilst)\b[^,]*,\s*(?P<main>\S.*)$"
)


@dataclass(frozen=True)
class Reading:
    """The reading of a reply: its class, and the evidence for it.

    Attributes:
        kind: One of :data:`CLASSES`.
        is_hedged: True if the reply is an unsure answer.
        evidence: The sentence that decided the class; null if no sentence did.
        reason: The reason that the reply is unreadable.
    """

    kind: str
    is_hedged: bool = False
    evidence: str | None = None
    reason: str | None = None

    @property
    def abstained(self) -> float | None:
        """1 if the reply abstains, 0 if it does not, None if it is unreadable."""
        return None if self.kind == UNREADABLE else float(self.kind == ABSTAINS)


def read_reply(reply: str, prompt: str = "") -> Reading:
    """Read if a reply answers its question, abstains or refuses.

    Args:
        reply: The reply, with its thinking and Markdown.
        prompt: The rendered prompt. If the reply says a sentence that the prompt told the model to say when it does
            not know, it abstains. Instructions that the reply repeats are ignored.

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
    if abstaining_sentences := sentences_to_say(prompt):
        abstention = next((sentence for sentence in sentences if words_only(sentence) in abstaining_sentences), None)
        if abstention and not any(
            says("answers", sentence) for sentence in sentences[sentences.index(abstention) + 1 :]
        ):
            return Reading(ABSTAINS, evidence=abstention)
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
    """Return the reading of a reply by its sentences about the unknown; None if none of them counts."""
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
            after = next((item for item in later if says("answers", item) or _commits(item, leniently=is_short)), None)
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


def _commits(sentence: str, *, leniently: bool) -> bool:
    """Return true if a sentence commits to an answer and does not say that there is none."""
    return (
        says("commits", sentence)
        and len(_POSSIBLY.findall(sentence)) < 2  # "perhaps so, perhaps not" takes no side
        and not says("of_the_question", sentence)
        and not says("of_its_subject", sentence)
        and not (leniently and says("in_a_short_reply", sentence))
    )


def _mark(sentence: str, *, leniently: bool = False) -> str | None:
    """Return the mark of a sentence: what it says about the unknown.

    ``question`` or ``subject``: it says that this is not known. ``hedge``: it is an unsure answer. None: neither.
    """
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
            and _is_answer(contrast.group(), after)
        ):
            return "hedge"
        if _only_doubts(contrast.group(), before, after) and not _unknown(before, leniently=leniently):
            return "hedge"
    return None if says("answers", sentence) and mark == "subject" else mark


def _only_doubts(contrast: str, before: str, after: str) -> bool:
    """Return true if a mere doubt follows an answer: "Homer, though nobody knows", but not "…, so nobody knows"."""
    return re.search(r"[a-z]", contrast) is not None and says("commits", before) and not _SO.search(after)


def _is_answer(contrast: str, after: str) -> bool:
    """Return true if the text after a contrast such as "but" is an answer; after a mere dash it must be explicit."""
    if says("commits", after):
        return True
    if says("no_answer_after_but", after):
        return False
    return re.search(r"[a-z]", contrast) is not None or says("answers", after)


def _unknown(text: str, *, leniently: bool = False) -> str | None:
    """Return ``question`` or ``subject`` if a text says that this is not known, else None."""
    of_the_question = patterns().search("of_the_question", text)
    of_its_subject = [] if of_the_question else list(_of_its_subject(text, leniently=leniently))
    if of_the_question is None and not of_its_subject:
        return None
    is_first_person = says("first_person", text)
    if _DEFINITION.match(text) and not is_first_person:
        return None
    report = patterns().search("reports", text)
    if of_the_question:
        return "question" if is_first_person or report is None or report.start() > of_the_question.start() else None
    is_own_claim = any(report is None or report.start() > text.find(words) for words in of_its_subject)
    return "subject" if is_own_claim else None


def _of_its_subject(text: str, *, leniently: bool) -> Iterator[str]:
    """Yield the words of a text which say that its subject is not known."""
    groups = [("of_its_subject", text)]
    if leniently:
        main = _LEADING_CLAUSE.match(text)
        groups += [("in_a_short_reply", item) for item in (text, main["main"] if main else "")]
    for group, spoken in groups:
        if match := patterns().search(group, spoken):
            yield match.group()
