"""A reader of verdicts, yes or no: from the beginning of a reply, or from its concluding sentence.

A reply may say both ("It is true that …, but 7 is not the correct answer"). Then the verdict of an explicit conclusion
counts; without one, the reply can be read two ways. Questions, concessions and suppositions ("whether it is true", "it
is true that", "only if") are no verdicts.
"""

import re
from collections.abc import Iterator

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.numbers import as_fraction
from selfknow.evaluate.readers.sentences import concludes, sentences, without_asides, without_quotations
from selfknow.evaluate.replies import plain

_YES = r"(?:yes|true|correct|right|valid|accurate)"
_NO = r"(?:no|false|incorrect|wrong|untrue|invalid|inaccurate)"
_ALONE = re.compile(rf"\W*(?:(?P<yes>{_YES})|(?P<no>{_NO}))\W*", re.IGNORECASE)
_VERDICT_LINE = re.compile(rf"\W*(?:\d{{1,3}}[.)]\s*)?(?:(?P<yes>{_YES})|{_NO})\W*", re.IGNORECASE)
_FOLLOWS = r"(?=\W*$|\s*[,.:;!—–-]|\s*\n|\s+(?:the|it|this|that|there|he|she|they|because|since|as|i|all|these|7)\b)"
_OPENING_VERDICT = re.compile(
    rf"^\W*(?:(?P<yes>yes\b|yeah\b|yep\b|indeed\b|affirmative\b|(?:true|correct|right)\b(?=\W*$|\s*[.!,;:–—]))|"
    rf"(?P<no>(?:no|nope)\b{_FOLLOWS}|negative\b(?=\W*$|\s*[.!,;:–—])|(?:false|incorrect|wrong)\b(?=\W*$|\s*[.!,;:–—])))",
    re.IGNORECASE,
)
_ADVERBS = (
    r"(?:indeed|also|therefore|thus|actually|in fact|a|an|the|always|clearly|definitely|certainly|factually|completely|"
    r"entirely|mathematically|indeed|generally|necessarily|probably|really|quite|not)"
)
_CLAIM = re.compile(
    rf"(?P<verb>\b(?:is|are|was|were|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|cannot be|can['’]t be)|['’](?:s|re))[,:]?"
    rf"(?P<more>(?:,? {_ADVERBS},?){{0,4}})[ :]+(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b"
    r"(?! (?:that|only|if|when|unless|angles?|triangles?|hand|side|of|next|above|below|beside|to|such|"
    r"[a-z]+ (?:who|that))"
    r"\b)"
    r"(?!-)",
    re.IGNORECASE,
)
_HOLDING_VERB = re.compile(
    r"\b(?P<not>(?:does|do|did)(?:n['’]t| not) (?:\w+ly )?|cannot |can['’]t |fails? to |never )?"
    r"(?:holds?|solves?|satisf(?:y|ies)|matches|(?:(?<=they )|(?<=s )|(?<=not )|(?<=t ))match)\b"
    r"(?! (?:only|if|when|for (?:some|most|certain)))",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\b(?:it|this|that|they|statement|inequality|paragraph|answer) (?:does|do|is|are|has)(?P<not>n['’]t| not)?"
    r"(?: indeed)?\W*$",
    re.IGNORECASE,
)
_DOES_NOT = re.compile(
    r"(?<!\bi )\b(?:does|do|did)(?P<not>n['’]t| not) (?:name|mention|contain|have|include|show|list)\b", re.IGNORECASE
)
_ENDS = re.compile(
    r"(?:[,:]\s*(?:(?:and )?(?:so|thus|therefore|hence),? )?|^\W*(?:(?:so|thus|therefore|hence),? )?)"
    r"(?:yes|no(?P<not>))\W*$",
    re.IGNORECASE,
)
_SAYS_YES = re.compile(r"\byes\b", re.IGNORECASE)
_SAYS_NO = re.compile(r"\bno\b(?=\s*(?:$|[,.;:!)]))", re.IGNORECASE)
_SUPPOSITION = re.compile(
    r"\b(?:whether|not sure|unsure|unclear|uncertain|unknown|depends?|would be|could be|might|may be|if it|suppose|"
    r"assum\w+|verify|determine|to (?:check|see|prove|show|decide)|let['’]s|let us|cannot (?:say|tell|confirm)|"
    r"can['’]t (?:say|tell|confirm)|i (?:can(?:not|['’]t)|could(?: not|n['’]t)|am (?:unable|not able))|"
    r"either|true or false|yes or no|correct or)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-−]?\d{1,30}(?:,\d{3}){0,9}(?:\.\d{1,30}|/[1-9]\d{0,30})?")
_STATED_ANSWER = re.compile(
    rf"\banswer (?:is|was|would be|should be|must be)(?P<not> not)?[:\s]+(?P<number>{_NUMBER.pattern})"
    r"(?![\w%^*/]|[.,]\d|\s*[-+*/^×·=(√]\s*[\w(√])",
    re.IGNORECASE,
)
_CONCESSION = re.compile(
    r"\b(?:it|that|this) (?:is|was|may be) (?:indeed )?(?:true|correct|right) that\b[^,;]*", re.IGNORECASE
)
_AFFIRMATION = re.compile(
    r"^\W*(?:it|this|that) is (?:indeed )?(?:(?P<yes>true|correct|right)|false|incorrect|wrong) that\b"
    r"(?!.*\b(?:but|however|although|though|while|yet)\b)",
    re.IGNORECASE,
)
"""A sentence that is a concession if a contrast follows, and a verdict if it is alone."""


def read_verdict(text: str, asked_value: str | None = None) -> Outcome[str]:
    """Return the verdict of a text, ``yes`` or ``no``; null with a reason if it says neither or both.

    Args:
        text: The text to read.
        asked_value: The number in the question "Is … the answer?"; null for other questions. A text without a verdict
            that states the answer means yes if it is this number, else no.

    Example:
        >>> read_verdict("It is true that 7 solves the first equation, but 7 is not the correct answer.").value
        'no'
        >>> read_verdict("It is true for me and it is false for you.").reason
        'says both yes and no'
        >>> read_verdict("The correct answer is 3, not 0.", asked_value="0").value
        'no'
    """
    bare = plain(text)
    if alone := _ALONE.fullmatch(bare):
        return Outcome("yes" if alone["yes"] else "no")
    parts = sentences(bare)
    opening = _OPENING_VERDICT.match(parts[0]) if parts else None
    first = None if opening is None else ("yes" if opening["yes"] else "no")
    listed_verdicts = {bool(match["yes"]) for line in bare.splitlines() if (match := _VERDICT_LINE.fullmatch(line))}
    if len(listed_verdicts) > 1 or any(map(_says_both, parts)):
        return Outcome(None, "says both yes and no")
    claims = [(sentence, list(_claims(sentence))) for sentence in parts]
    claims = [(sentence, verdicts) for sentence, verdicts in claims if verdicts]
    if not claims and len(parts) == 1 and (affirmation := _AFFIRMATION.match(parts[0])):
        return Outcome("yes" if affirmation["yes"] else "no")
    if not claims and not first and (verdict := _verdict_of_stated_answer(bare, asked_value)):
        return Outcome(verdict)
    if not claims:
        return Outcome(first) if first else Outcome(None, "no yes or no")
    sentence, verdicts = claims[-1]
    all_verdicts = {verdict for _, verdicts_of_sentence in claims for verdict in verdicts_of_sentence}
    if first:
        all_verdicts.add(first)
    if len(all_verdicts) == 1 or concludes(sentence) or (len(claims) == 1 and not first and _has_contrast(sentence)):
        return Outcome(verdicts[-1])
    return Outcome(None, "says both yes and no")


def _verdict_of_stated_answer(text: str, asked_value: str | None) -> str | None:
    """Return yes or no by the only answer that a text states; None if it states none, or several."""
    if asked_value is None or not _NUMBER.fullmatch(asked_value):
        return None
    stated = {
        (as_fraction(match["number"]) == as_fraction(asked_value)) != bool(match["not"])
        for match in _STATED_ANSWER.finditer(text)
    }
    if len(stated) != 1:
        return None
    return "yes" if stated.pop() else "no"


def _says_both(sentence: str) -> bool:
    """Return true if a sentence itself says both yes and no: "if it is 2, yes; if it is 3, no"."""
    unquoted = without_quotations(sentence)
    return bool(_SAYS_YES.search(unquoted) and _SAYS_NO.search(unquoted)) or "yes and no" in unquoted.casefold()


def _has_contrast(sentence: str) -> bool:
    """Return true if a sentence has a contrast such as "but", which reverses a concession."""
    return bool(re.search(r"\b(?:but|however|although|though|while)\b", sentence, re.IGNORECASE))


def _claims(sentence: str) -> Iterator[str]:
    """Yield the verdicts of a sentence, in their order."""
    if sentence.rstrip('*_ )"”').endswith("?") or _SUPPOSITION.search(sentence):
        return
    statement = _CONCESSION.sub(" ", without_asides(without_quotations(sentence)))
    claims = []
    for match in _CLAIM.finditer(statement):
        negations = len(re.findall(r"n['’]t|cannot|\bnot\b", match["verb"] + match["more"], re.IGNORECASE))
        claims.append((match.start(), bool(match["yes"]) != bool(negations % 2)))
    for pattern in (_HOLDING_VERB, _DOES, _DOES_NOT, _ENDS):
        claims += [(match.start(), match["not"] is None) for match in pattern.finditer(statement)]
    for _, is_yes in sorted(claims):
        yield "yes" if is_yes else "no"
