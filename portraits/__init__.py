"""Bloom portraits of corpora: build, save, load, query, quote, merge."""

from selfknow.portraits.corpus import Corpus
from selfknow.portraits.portrait import OverfullPortraitWarning, Portrait
from selfknow.portraits.quotes import Quote
from selfknow.portraits.scores import macro_mean

__all__ = ["Corpus", "OverfullPortraitWarning", "Portrait", "Quote", "macro_mean"]
