"""The card of a portrait: its size, its corpus, how to query it and the limits of its scores."""

import json

from selfknow.portraits.description import REDISBLOOM_HASH, Description

_CARD = """\
---
tags: [selfknow, data-portrait, bloom-filter]
---

# A portrait of {title}

This is a Bloom filter of a corpus's runs of {width} characters (stride {stride}, Unicode code points, normalization
`{normalization}`). It tells you whether the words of a text stand in the corpus, without the corpus itself.

| | |
| --- | --- |
| n-grams added | {items:,} |
| distinct, estimated from the fill | {distinct:,} |
| capacity | {capacity:,} |
| size | {size_in_bytes:,} bytes, {hashes} hashes |
| false positive rate, promised | {promised:.3g} |
| false positive rate, actual | {actual:.3g} |

```python
from selfknow.portraits import Portrait

portrait = Portrait.from_pretrained("FOLDER-OR-REPO")
{example}
```

{plain}

## The corpus

```json
{corpus}
```

## What a score does not say

- A hit says that the same characters stand somewhere in the corpus. It does not say that they are true, or who wrote
  them first.
- A miss is certain. A hit is wrong at the rate p above: if a share q of the n-grams stands in the corpus, you see
  q + (1 - q)p.
- Text of the same kind shares n-grams with the corpus by chance. Compare a score with those of held-out text of the
  same kind, of shuffled text, and of the corpus itself.
"""
_SCORES = """\
portrait.quip(texts)   # the share of each text's n-grams that stand in the corpus
portrait.quotes(text)  # the quoted spans"""
_TILES = """\
portrait.contains(tiles)  # one bool for each text of exactly the width
portrait.quotes(text)     # the quoted spans"""
_RBLOOM = (
    "The bits also load in plain `rbloom`, with the hash that the package documents:\n\n```python\nimport rbloom\n"
    "from selfknow.portraits.filter.hashing import ngram_hash\n\n"
    'n_gram in rbloom.Bloom.load("bits.rbloom", ngram_hash)\n```'
)


def card_text(description: Description) -> str:
    """Return the text of a portrait's ``README.md``."""
    corpus = description.corpus
    title = " ".join(str(corpus[key]) for key in ("repo", "path", "config", "split") if corpus.get(key)) or "a corpus"
    return _CARD.format(
        title=title,
        width=description.width,
        stride=description.stride,
        normalization=description.normalization,
        items=description.items,
        distinct=description.shape.estimate_distinct(description.ones),
        capacity=description.capacity,
        size_in_bytes=description.shape.size_in_bytes,
        hashes=description.hashes,
        promised=description.false_positive_rate,
        actual=description.actual_false_positive_rate,
        example=_SCORES if description.stride == 1 else _TILES,
        plain="Imported from a RedisBloom dump." if description.hash == REDISBLOOM_HASH else _RBLOOM,
        corpus=json.dumps(corpus, indent=2, ensure_ascii=False),
    )
