"""A portrait as its user holds it: scores, quotes, membership, merging, folders."""

import math
import pickle
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import rbloom
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.portraits import OverfullPortraitWarning, Portrait, Quote, macro_mean
from selfknow.portraits.filter.hashing import ngram_hash
from selfknow.portraits.scores import summarise

CORPUS = ["The cat sat on the mat, and the dog sat by the door.", "Ein Kätzchen saß — naïf — auf der Matte im Flur."]
EXACT = {"false_positive_rate": 1e-9}  # so small that a false positive would be a bug


def brute_force_quip(text: str | None, corpus: list[str], width: int) -> float:
    if text is None or len(text) < width:
        return math.nan
    known = {line[i : i + width] for line in corpus for i in range(len(line) - width + 1)}
    grams = [text[i : i + width] for i in range(len(text) - width + 1)]
    return sum(gram in known for gram in grams) / len(grams)


def brute_force_quotes(text: str, corpus: list[str], width: int) -> list[Quote]:
    known = {line[i : i + width] for line in corpus for i in range(len(line) - width + 1)}
    spans: list[Quote] = []
    previous = False
    for i in range(len(text) - width + 1):
        hit = text[i : i + width] in known
        if hit and previous:
            spans[-1] = Quote(spans[-1].start, i + width)
        elif hit:
            spans.append(Quote(i, i + width))
        previous = hit
    return spans


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.text(alphabet="abé漢", max_size=30), min_size=1, max_size=5).filter(lambda c: max(map(len, c)) >= 4),
    st.lists(st.one_of(st.none(), st.text(alphabet="abé漢", max_size=30)), max_size=5),
)
def test_scores_and_quotes_are_those_of_brute_force(corpus: list[str], texts: list[str | None]) -> None:
    portrait = Portrait.build(corpus, width=4, **EXACT)
    np.testing.assert_array_equal(portrait.quip(texts), [brute_force_quip(text, corpus, 4) for text in texts])
    for text in texts:
        if text is not None:
            assert portrait.quotes(text) == brute_force_quotes(text, corpus, 4)


def test_a_text_without_an_ngram_has_no_score_and_one_of_the_width_has_one() -> None:
    portrait = Portrait.build(CORPUS, **EXACT)
    scores = portrait.quip([CORPUS[0][:24], CORPUS[0][:25], "", None, "x" * 25])
    np.testing.assert_array_equal(scores, [math.nan, 1.0, math.nan, math.nan, 0.0])
    assert scores.dtype == np.float64
    assert portrait.quip([]).tolist() == []


def test_lists_arrow_arrays_and_generators_score_alike() -> None:
    portrait = Portrait.build(CORPUS)
    texts = [CORPUS[0][3:40] + "!", None, CORPUS[1], "ß" * 30]
    expected = portrait.quip(texts)
    kinds = [
        pa.array(texts),
        pa.array(texts, pa.large_string()),
        pa.array(texts, pa.string_view()),
        pa.array(["dropped", *texts])[1:],
        pa.chunked_array([texts[:1], texts[1:]]),
        pa.array(texts).dictionary_encode(),
        (text for text in texts),
        [pa.array(texts[:3]), pa.array(texts[3:])],
    ]
    for given_texts in kinds:
        np.testing.assert_array_equal(portrait.quip(given_texts), expected)


def test_quotes_of_separate_runs_stay_apart_even_where_they_overlap() -> None:
    """The tool this replaces bridged the gap between two quotes."""
    portrait = Portrait.build(["abcdefgh", "efghijkl"], width=5, **EXACT)
    assert portrait.quotes("abcdefghijkl") == [Quote(0, 12)]
    portrait = Portrait.build(["abcdef", "efghij"], width=5, **EXACT)
    assert portrait.quotes("abcdefghij") == [Quote(0, 6), Quote(4, 10)]
    assert portrait.quotes("abcd") == []


def test_tiles_chain_at_the_stride_and_end_where_the_next_tile_is_no_hit() -> None:
    corpus = "0123456789abcdefghijABCDEFGHIJ-a tail that fills no tile"[:34]
    portrait = Portrait.build([corpus], width=10, stride=10, **EXACT)
    assert portrait.description.items == 3
    assert portrait.quotes("xx" + corpus) == [Quote(2, 32)]
    assert portrait.quotes("0123456789--ABCDEFGHIJ") == [Quote(0, 10), Quote(12, 22)]
    assert portrait.quotes(corpus[1:11]) == []
    assert portrait.contains(["abcdefghij", "bcdefghijA"]).tolist() == [True, False]
    with pytest.raises(UserError, match="stride 1"):
        portrait.quip([corpus])


def test_repetitive_tiles_are_one_quote() -> None:
    portrait = Portrait.build(["a" * 40], width=10, stride=10)
    assert portrait.quotes("a" * 25) == [
        Quote(0, 20),
        Quote(1, 21),
        Quote(2, 22),
        Quote(3, 23),
        Quote(4, 24),
        Quote(5, 25),
    ]
    assert portrait.quotes("a" * 20) == [Quote(0, 20)]


def test_contains_takes_exactly_the_width() -> None:
    portrait = Portrait.build(CORPUS, **EXACT)
    assert portrait.contains([CORPUS[1][:25], CORPUS[1][:24] + "?"]).tolist() == [True, False]
    assert portrait.contains([]).dtype == np.bool_
    for wrong in (CORPUS[1][:24], CORPUS[1][:26], "", None):
        with pytest.raises(UserError, match="exactly 25 characters; text 1 has"):
            portrait.contains([CORPUS[1][:25], wrong])


def test_normalised_quotes_are_spans_of_the_text_as_given() -> None:
    portrait = Portrait.build(["one two\n\n  three   four"], width=8, normalization="data-portraits", **EXACT)
    text = "say: one\t two\r\n three four!"
    (quote,) = portrait.quotes(text)
    assert text[quote.start : quote.end] == "one\t two\r\n three four"
    plain = Portrait.build(["one two\n\n  three   four"], width=8, **EXACT)
    assert plain.quotes(text) == []


def test_scores_are_corrected_with_the_actual_rate_and_not_clipped() -> None:
    portrait = Portrait.build(CORPUS, capacity=40, false_positive_rate=0.3)
    rate = (portrait.description.ones / portrait.description.size_in_bits) ** portrait.description.hashes
    assert portrait.info()["actual_false_positive_rate"] == pytest.approx(rate)
    corrected = portrait.corrected(np.array([1.0, rate, 0.0, math.nan]))
    np.testing.assert_allclose(corrected, [1.0, 0.0, -rate / (1 - rate), math.nan])


def test_both_conventions_for_short_texts() -> None:
    scores = np.array([0.5, 1.0, math.nan, math.nan])
    assert macro_mean(scores) == 0.75
    assert macro_mean(scores, short_texts="zero") == 0.375
    assert math.isnan(macro_mean(scores[2:]))
    with pytest.raises(UserError, match="null"):
        macro_mean(scores, short_texts="drop")
    rows = summarise(Portrait.build(CORPUS, **EXACT), {"mine": [CORPUS[0], "short"], "none": []})
    assert rows[0] == {
        "texts": "mine", "count": 2, "scored": 1, "quip": 1.0, "quip_corrected": 1.0, "quip_short_as_zero": 0.5,
    }  # fmt: skip
    assert rows[1]["quip"] is None


def test_a_saved_portrait_answers_the_same_and_loads_in_plain_rbloom(tmp_path: Path) -> None:
    portrait = Portrait.build(CORPUS)
    portrait.save(tmp_path / "cat")
    loaded = Portrait.load(tmp_path / "cat")
    loaded.verify()
    assert loaded.description == portrait.description
    texts = [CORPUS[0][5:], CORPUS[1][:30] + "?", "nothing of this stands anywhere in there"]
    np.testing.assert_array_equal(loaded.quip(texts), portrait.quip(texts))
    plain = rbloom.Bloom.load(str(tmp_path / "cat" / "bits.rbloom"), ngram_hash)
    for text in texts:
        hits = [text[i : i + 25] in plain for i in range(len(text) - 24)]
        assert portrait.quip([text])[0] == sum(hits) / len(hits)
    assert not loaded.array.flags.writeable
    assert "cat" not in (tmp_path / "cat" / "portrait.json").read_text()


def test_the_same_corpus_gives_the_same_folder(tmp_path: Path) -> None:
    Portrait.build(CORPUS, threads=1).save(tmp_path / "a")
    Portrait.build(iter(reversed(CORPUS)), threads=3).save(tmp_path / "b")
    for name in ("bits.rbloom", "portrait.json", "README.md"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_merged_portrait_is_the_portrait_of_both() -> None:
    alike = {"capacity": 500}
    first, second, both = (Portrait.build(texts, **alike) for texts in (CORPUS[:1], CORPUS[1:], CORPUS))
    merged, turned = first | second, second | first
    assert merged.array.tobytes() == both.array.tobytes()
    assert merged.description.items == both.description.items
    assert merged.description == turned.description
    assert (merged | first).description.corpus["union"] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ({"width": 24}, "width"),
        ({"stride": 2}, "stride"),
        ({"normalization": "data-portraits"}, "normalization"),
        ({"capacity": 1000}, "size_in_bits"),
        ({"false_positive_rate": 0.01}, "size_in_bits"),
    ],
)
def test_portraits_that_do_not_fit_are_not_merged(other: dict[str, object], difference: str) -> None:
    first = Portrait.build(CORPUS, capacity=500)
    with pytest.raises(UserError, match=f"different {difference}"):
        first | Portrait.build(CORPUS, **{"capacity": 500, **other})


def test_a_filter_that_is_too_full_says_so_when_built_saved_and_asked(tmp_path: Path) -> None:
    text = "".join(chr(0x4E00 + i) for i in range(2000))
    with pytest.warns(OverfullPortraitWarning, match="was made for 100"):
        portrait = Portrait.build([text], capacity=100)
    with pytest.warns(OverfullPortraitWarning):
        portrait.save(tmp_path / "full")
    loaded = Portrait.load(tmp_path / "full")
    with pytest.warns(OverfullPortraitWarning, match="false positive rate is"):
        loaded.quip([text])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Portrait.build([text], capacity=1976).save(tmp_path / "right")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one string", "put a single text into a list"),
        (b"bytes", "put a single text into a list"),
        (None, "iterable of texts"),
        (["a" * 30, 7], "text 1 is a int"),
        ([b"\xff" * 30], "text 0 is a bytes"),
        (["a" * 30, "\ud800" * 30], "surrogate"),
        (pa.array([1, 2]), "int64"),
        (pa.array([b"\xff" * 30]), "not valid UTF-8"),
        (pa.Array.from_buffers(pa.string(), 1, [*pa.array(["a" * 3]).buffers()[:2], pa.py_buffer(b"\xc3(!")]), "UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_in_building_and_asking(texts: object, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Portrait.build(texts)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=message):
        Portrait.build(CORPUS).quip(texts)  # type: ignore[arg-type]


@pytest.mark.parametrize("texts", [[], ["", None], ["x" * 24], pa.array([], pa.string()), pa.array([None, None])])
@pytest.mark.parametrize("capacity", [None, 10])
def test_a_corpus_without_an_ngram_is_refused(texts: object, capacity: int | None) -> None:
    with pytest.raises(UserError, match="nothing to portray"):
        Portrait.build(texts, capacity=capacity)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width": 0}, "width must be"),
        ({"width": 100_000}, "width must be"),
        ({"stride": 0}, "stride must be"),
        ({"capacity": 0}, "capacity must be"),
        ({"false_positive_rate": 1.5}, "rate must be"),
        ({"normalization": "lower"}, "unknown normalization"),
        ({"threads": 0}, "threads must be"),
    ],
)
def test_arguments_that_make_no_portrait_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Portrait.build(CORPUS, **arguments)  # type: ignore[arg-type]


def test_a_portrait_survives_pickling() -> None:
    portrait = Portrait.build(CORPUS)
    portrait.quip(CORPUS)
    again = pickle.loads(pickle.dumps(portrait))
    np.testing.assert_array_equal(again.quip(CORPUS), portrait.quip(CORPUS))
