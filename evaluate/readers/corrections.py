"""Replies that correct themselves: what stands behind the last correction is what they say."""

import re
from collections import deque

from selfknow.evaluate.replies import Kept

_CORRECTION = re.compile(
    r"(?:^|[.!?…,;:(—–-]\s{0,3}|\n\s{0,3})(?:wait|hold on)\b(?=\s*(?:[,.…!:—–-]|no\b|let me\b|actually\b|i\b))|"
    r"\b(?:scratch that\b|on second thoughts?\b|"
    r"(?:no|oh),? (?:sorry|wait)\b|sorry,? (?:i mean\w*|it['’]s|it is|that['’]s)\b|i (?:mean|meant)\b,? (?=\W*\w+\W*$)|"
    r"correction\b(?=\s*:)|actually,? (?:no|wait|sorry|scratch that|let me)\b|"
    r"let me (?:re-?(?:check|count|calculate|compute|consider|think|verify|do)|correct (?:that|myself|it)))|"
    r"(?:…|\.{3}|\s[-–—]|—)\s*no\b(?=\s*[,:])",
    re.IGNORECASE,
)
CORRECTS_ITSELF = "corrects itself, and gives nothing behind it"


def behind_correction(spoken: Kept) -> Kept | None:
    """Return what stands behind the last correction of a reply; null where it has none.

    Example:
        >>> text = "The word is “softly” – no, sorry, it is “gently”."
        >>> behind_correction(Kept(text, 0, len(text))).text
        'it is “gently”.'
    """
    corrections = deque(_CORRECTION.finditer(spoken.text), maxlen=1)
    return spoken.part(corrections[0].end()).stripped().stripped(" ,:;!…–—") if corrections else None
