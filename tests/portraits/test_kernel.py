"""The kernel against its NumPy reference, plain Python, plain rbloom and the truth of a set."""

import random
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
import rbloom
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from selfknow.portraits.filter import adding, asking, kernel, reference, rolling, segments, workers
from selfknow.portraits.filter.adding import Adder
from selfknow.portraits.filter.asking import Asker
from selfknow.portraits.filter.hashing import mix, ngram_hash
from selfknow.portraits.filter.layout import FilterShape, pack_header, probe_constants, probe_positions
from selfknow.portraits.filter.ngrams import Batch, hash_batch, sum_by_text
from selfknow.portraits.filter.texts import arrow_batches

assert rolling  # loaded, so that even small batches take the compiled path

LETTERS = st.text(alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("ab \n")), max_size=60)
TEXTS = st.lists(LETTERS, max_size=12)


def slices(text: str, width: int, stride: int = 1) -> list[str]:
    return [text[i : i + width] for i in range(0, len(text) - width + 1, stride)]


def batch_of(texts: list[str], width: int, stride: int = 1) -> Batch:
    return Batch.from_texts(pa.array(texts, pa.large_string()), width, stride)


def bits_of(texts: list[str], shape: FilterShape, width: int, stride: int = 1, threads: int = 1) -> Adder:
    adder = Adder(shape, threads)
    for batch in arrow_batches(texts):
        adder.add(Batch.from_texts(batch, width, stride))
    adder.finish()
    return adder


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(1, 12), st.integers(1, 15), st.integers(1, 3))
def test_the_kernel_the_reference_and_plain_python_hash_alike(
    texts: list[str], width: int, stride: int, threads: int
) -> None:
    batch = batch_of(texts, width, stride)
    expected = [ngram_hash(ngram) >> 32 for text in texts for ngram in slices(text, width, stride)]
    compiled, offsets = hash_batch(batch, threads)
    starts, ends, counts = reference.ngram_bounds(batch.data, batch.offsets, width, stride)
    assert compiled.tolist() == expected
    assert reference.hash_ngrams(batch.data, starts, ends).tolist() == expected
    assert np.diff(offsets).tolist() == counts.tolist() == [len(slices(text, width, stride)) for text in texts]


@settings(max_examples=60, deadline=None)
@given(
    TEXTS, st.integers(1, 12), st.integers(1, 3), st.integers(1, 2000), st.sampled_from([0.3, 0.01, 0.001]),
    st.sampled_from([0, 1 << 25]),
)  # fmt: skip
def test_no_ngram_of_the_corpus_is_ever_missed(
    texts: list[str], width: int, threads: int, capacity: int, rate: float, sorted_above: int
) -> None:
    shape = FilterShape.for_capacity(capacity, rate)
    with mock.patch.object(adding, "_SORTING_PAYS_BITS", sorted_above):
        adder = bits_of(texts, shape, width, threads=threads)
    hits, _ = Asker(shape, adder.array, threads).hits(batch_of(texts, width))
    truth = [ngram for text in texts for ngram in slices(text, width)]
    assert len(hits) == len(truth) == adder.items
    assert hits.all()
    expected = {position for ngram in truth for position in probe_positions(ngram_hash(ngram), shape)}
    assert set(np.flatnonzero(np.unpackbits(adder.array, bitorder="little")).tolist()) == expected


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, st.integers(1, 8))
def test_compiled_answers_are_the_references_answers(corpus: list[str], texts: list[str], width: int) -> None:
    shape = FilterShape.for_capacity(64, 0.1)  # small enough for many false positives: they must agree too
    array = bits_of(corpus, shape, width).array
    batch = batch_of(texts, width)
    hashes, offsets = hash_batch(batch, 1)
    compiled, _ = Asker(shape, array, 1).hits(batch)
    assert compiled.tolist() == reference.answer(hashes, shape, array).tolist()
    by_text = [sum(part.tolist()) for part in np.split(compiled, offsets[1:-1])] if len(texts) else []
    assert sum_by_text(compiled, offsets).tolist() == by_text


def test_the_bits_are_those_that_rbloom_itself_would_set(tmp_path: Path) -> None:
    texts = [
        "Die Größe der Übung — “naïve” façade, žluťoučký kůň",
        "漢字かな交じり文を書く" * 3,
        "🙂🙃" * 20,
        "plain ASCII",
    ]
    shape = FilterShape.for_capacity(200, 0.001)
    empty, filled = tmp_path / "empty", tmp_path / "filled"
    empty.write_bytes(pack_header(shape.hashes) + bytes(shape.size_in_bytes))
    theirs = rbloom.Bloom.load(str(empty), ngram_hash)
    for text in texts:
        theirs.update(slices(text, 7))
    theirs.save(str(filled))
    assert filled.read_bytes()[8:] == bits_of(texts, shape, 7).array.tobytes()


def test_false_positives_keep_within_the_promised_rate() -> None:
    """At capacity, at a confidence of 1 in a million."""
    random_source = random.Random(1)
    capacity, width, rate = 40_000, 25, 0.001

    def noise(characters: int) -> str:
        return "".join(random_source.choices("abcdefghij", k=characters))

    shape = FilterShape.for_capacity(capacity, rate)
    adder = bits_of([noise(capacity + width - 1)], shape, width)
    num_ngrams = 1_000_000
    hits, _ = Asker(shape, adder.array, 2).hits(batch_of([noise(num_ngrams + width - 1)], width))
    assert 0 < int(hits.sum()) <= binom.isf(1e-6, num_ngrams, rate)


@pytest.mark.parametrize("stride", [1, 7, 25, 50])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_long_text_that_is_cut_for_threads_has_the_same_ngrams(stride: int, threads: int) -> None:
    source = random.Random(2)
    text = "".join(source.choices("aé漢🙂 \n", k=90_000))
    assert len(text.encode()) > 2 * segments.MAX_SEGMENT_BYTES
    texts = ["short", text, "", text[:45_000] + "x"]
    batch = batch_of(texts, 25, stride)
    assert len(batch.segments().starts) > len(texts)
    starts, ends, counts = reference.ngram_bounds(batch.data, batch.offsets, 25, stride)
    hashes, offsets = hash_batch(batch, threads)
    assert hashes.tolist() == reference.hash_ngrams(batch.data, starts, ends).tolist()
    assert np.diff(offsets).tolist() == counts.tolist() == [len(range(0, len(t) - 24, stride)) for t in texts]
    assert int(hashes[offsets[1] + 1]) == mix_of(text[stride : stride + 25])


def mix_of(ngram: str) -> int:
    return ngram_hash(ngram) >> 32


@pytest.mark.parametrize("size_in_bits", [64, 1000, (1 << 25) + 64, (1 << 32) - 8, (1 << 44) + 8, (1 << 62) - 64])
def test_positions_of_filters_of_any_size_are_the_remainders(size_in_bits: int) -> None:
    """The kernel divides by multiplying, in 32-bit halves that may fall short by two."""
    shape = FilterShape(size_in_bits, 3)
    corners = np.array([0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 2, 2**64 - 1], np.uint64)
    hashes = np.concatenate([corners, np.random.default_rng(5).integers(0, 2**64, (48 << 10) - 7, dtype=np.uint64)])
    constants, reciprocal = probe_constants(shape.hashes), np.uint64((1 << 64) // size_in_bits)
    overflow, none = np.empty(len(hashes) * shape.hashes, np.uint64), np.zeros(1, np.uint64)
    count = kernel.scatter_hashes(
        hashes, constants, np.uint64(size_in_bits), reciprocal, 63, none.copy(), none, np.zeros(1, np.uint32), overflow
    )  # fmt: skip
    assert count == len(overflow)  # no region has room, so that every position overflows
    expected = [reference.positions(hashes, probe, shape).reshape(-1, 1024) for probe in range(shape.hashes)]
    assert np.array_equal(overflow.reshape(-1, shape.hashes, 1024), np.stack(expected, axis=1))


@pytest.mark.parametrize("sorted_above", [0, 1 << 25])
def test_bits_do_not_depend_on_threads_order_or_batches(monkeypatch: pytest.MonkeyPatch, sorted_above: int) -> None:
    monkeypatch.setattr(adding, "_SORTING_PAYS_BITS", sorted_above)
    source = random.Random(3)
    texts = ["".join(source.choices("abcdé ", k=source.randrange(0, 400))) for _ in range(3000)]
    shape = FilterShape.for_capacity(500_000, 0.001)
    first = bits_of(texts, shape, 25)
    source.shuffle(texts)
    second = bits_of(texts, shape, 25, threads=4)
    third = Adder(shape, 2)
    for text in texts:
        third.add(batch_of([text], 25))
    third.finish()
    assert first.array.tobytes() == second.array.tobytes() == third.array.tobytes()
    assert first.items == second.items == third.items


def test_full_streams_overflow_without_losing_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same n-gram over and over fills the streams of a few regions at once."""
    texts = ["a" * 100_000, "abcdefgh" * 20_000]
    shape = FilterShape.for_capacity(3_000_000, 0.001)
    expected = bits_of(texts, shape, 25).array.tobytes()
    make = workers.Streams.make
    monkeypatch.setattr(workers.Streams, "make", lambda bits, probes, count, dtype: make(bits, 1000, count, dtype))
    tiny = bits_of(texts, shape, 25, threads=2)
    assert tiny.array.tobytes() == expected
    assert set(np.flatnonzero(np.unpackbits(tiny.array, bitorder="little")).tolist()) == {
        position
        for text in ("a" * 25, *(("abcdefgh" * 5)[i : i + 25] for i in range(8)))
        for position in probe_positions(ngram_hash(text), shape)
    }


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1500), st.sampled_from([0.0, 0.4, 0.74, 0.76, 0.99, 1.0])), max_size=4),
    st.sampled_from([0.3, 0.001]), st.integers(0, 9),
)  # fmt: skip
def test_stretches_of_hits_and_of_misses_are_answered_like_the_reference(
    stretches: list[tuple[int, float]], rate: float, seed: int
) -> None:
    random_source = np.random.default_rng(seed)
    shape = FilterShape.for_capacity(2_000, rate)
    array = np.zeros(shape.size_in_bytes, np.uint8)
    known = random_source.integers(0, 2**64, 2_000, dtype=np.uint64)
    reference.set_bits(known, shape, array)
    parts = [
        np.where(
            random_source.random(length) < share,
            random_source.choice(known, length),
            random_source.integers(0, 2**64, length, dtype=np.uint64),
        )
        for length, share in stretches
    ]
    hashes = np.concatenate([np.zeros(0, np.uint64), *parts])
    expected = reference.answer(hashes, shape, array)
    assert Asker(shape, array, 1)._answer(hashes).tolist() == expected.tolist()


@pytest.mark.parametrize("bits_of_numbers", [10, 33])
@pytest.mark.parametrize("stream_probes", [None, 100])
def test_answers_sorted_by_region_are_the_answers_in_place(
    monkeypatch: pytest.MonkeyPatch, stream_probes: int | None, bits_of_numbers: int
) -> None:
    """Entries have 32 bits, or 64 where a region leaves fewer than so many for the n-grams' numbers."""
    source = random.Random(4)
    known = "".join(source.choices("abcdefgh", k=150_000))
    other = "".join(source.choices("abcdefgh", k=50_000))
    shape = FilterShape.for_capacity(150_000, 0.001)
    array = bits_of([known], shape, 25).array
    batch = batch_of([known, other, known[:5000]], 25)
    expected, _ = Asker(shape, array, 1).hits(batch)
    for name, value in {"_SORTING_PAYS_BITS": 0, "_SORTING_PAYS_LOAD": 1 << 40, "_MIN_ROUND": 1 << 15}.items():
        monkeypatch.setattr(asking, name, value)
    monkeypatch.setattr(asking, "_MIN_INDEX_BITS", bits_of_numbers)
    if stream_probes:
        make = workers.Streams.make
        monkeypatch.setattr(
            workers.Streams, "make", lambda bits, _probes, count, dtype: make(bits, stream_probes, count, dtype)
        )
    chosen: list[int] = []
    answer_sorted = Asker._answer_sorted
    monkeypatch.setattr(Asker, "_answer_sorted", lambda self, *rest: (chosen.append(1), answer_sorted(self, *rest))[1])
    for threads in (1, 3):
        hits, _ = Asker(shape, array, threads).hits(batch)
        assert hits.tolist() == expected.tolist()
    assert len(chosen) > 2
    assert expected[: len(known) - 24].all()


def test_mixing_is_a_bijection_on_a_sample_and_spreads_small_numbers() -> None:
    values = [mix(i) for i in range(10_000)]
    assert len(set(values)) == 10_000
    assert abs(sum(value.bit_count() for value in values) / 10_000 - 32) < 0.3


def test_the_hash_stays_what_it_is() -> None:
    """Published portraits depend on it."""
    assert ngram_hash("What I cannot create, I d") == 0x4E3A00E355F8E32E4E3A00E3
    assert [*probe_positions(ngram_hash("漢字"), FilterShape(1_000_000, 3))] == [343136, 825926, 489309]
