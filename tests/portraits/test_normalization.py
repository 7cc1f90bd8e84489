"""The Data Portraits tool's normalisation, for arrays and for one text with its positions."""

import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.portraits.normalization import check_normalization, normalize, normalize_with_positions

SPACES = "".join(chr(i) for i in range(0x3100) if chr(i).isspace())


def in_words(text: str) -> str:
    """Return the four steps, as the format's description tells them."""
    text = re.sub(r"[\r\n]+", "\n", text)
    text = re.sub(r"[^\S\n]+", " ", text)
    return re.sub(r"\n\s", "\n", text).strip()


def in_bulk(text: str) -> str:
    return normalize(pa.array([text], pa.large_string()), "data-portraits")[0].as_py()


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet=st.sampled_from(SPACES + "abÉ漢"), max_size=25))
def test_arrays_and_single_texts_are_normalised_by_the_same_rules(text: str) -> None:
    single, positions = normalize_with_positions(text, "data-portraits")
    assert single == in_bulk(text) == in_words(text)
    assert len(positions) == len(single)
    for character, position in zip(single, positions, strict=True):
        assert text[position] == character or (character.isspace() and text[position].isspace())
    assert positions == sorted(set(positions))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\n\r\n  b", "a\nb"),
        ("a \t b", "a b"),
        ("  a\n", "a"),
        ("a\n \nb", "a\n\nb"),
        ("a\u2003\xa0b", "a b"),
        ("ÀB", "ÀB"),
        ("\n \n", ""),
    ],
)
def test_white_space_is_squashed_and_letters_are_kept(text: str, expected: str) -> None:
    assert in_bulk(text) == normalize_with_positions(text, "data-portraits")[0] == expected


def test_none_changes_nothing_and_null_stays_null() -> None:
    texts = pa.array([" a\r\n", None], pa.large_string())
    assert normalize(texts, "none").to_pylist() == [" a\r\n", None]
    assert normalize(texts, "data-portraits").to_pylist() == ["a", None]
    assert normalize_with_positions(" a\r\n", "none") == (" a\r\n", [0, 1, 2, 3])
    with pytest.raises(UserError, match="unknown normalization"):
        check_normalization("nfc")
