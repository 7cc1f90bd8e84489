"""Folders that are damaged, foreign, newer, in the way, or on a disk that refuses."""

import hashlib
import json
import random
import shutil
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.portraits import Portrait
from selfknow.portraits.description import read_description
from selfknow.portraits.storage import UncheckedDescriptionWarning

TEXT = "The cat sat on the mat, and the dog sat by the door."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Portrait.build([TEXT]).save(tmp_path / "portrait")
    return tmp_path / "portrait"


def change(folder: Path, **values: object) -> None:
    """Another description, with the hash that is its own."""
    description = json.loads((folder / "portrait.json").read_text()) | values
    text = json.dumps(description | {"description_sha256": ""})
    digest = hashlib.sha256(text.encode()).hexdigest()
    (folder / "portrait.json").write_text(text.replace('"description_sha256": ""', f'"description_sha256": "{digest}"'))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"format_version": 3}, "upgrade selfknow"),
        ({"format_version": True}, "upgrade selfknow"),
        ({"format_version": [1]}, "upgrade selfknow"),
        ({"format": "other"}, "does not describe a portrait"),
        ({"hash": "sha1"}, "unknown hash"),
        ({"size_in_bits": 512}, "cut short"),
        ({"size_in_bits": 449}, "whole number of bytes"),
        ({"size_in_bits": True}, "size_in_bits"),
        ({"hashes": 8}, "number of hashes"),
        ({"hashes": 0}, "hashes"),
        ({"ones": 449}, "ones"),
        ({"ones": -1}, "ones"),
        ({"width": 0}, "width"),
        ({"width": "25"}, "width"),
        ({"stride": 1.5}, "stride"),
        ({"false_positive_rate": 0}, "false_positive_rate"),
        ({"normalization": "lower"}, "unknown normalization"),
        ({"corpus": "wiki"}, "corpus"),
        ({"sha256": None}, "sha256"),
        ({"capacity": 10**30}, "capacity"),
    ],
)
def test_a_description_that_cannot_be_is_refused(folder: Path, values: dict[str, object], message: str) -> None:
    change(folder, **values)
    with pytest.raises(UserError, match=message):
        Portrait.load(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "\x00", '{"format": "selfknow-portrait"}', "[" * 100_000])
def test_a_damaged_description_is_refused(folder: Path, content: str) -> None:
    (folder / "portrait.json").write_text(content)
    with pytest.raises(UserError, match="portrait"):
        Portrait.load(folder)


@pytest.mark.parametrize("size", [0, 7, 8, 63, 65])
def test_bits_that_were_cut_short_or_grew_are_refused(folder: Path, size: int) -> None:
    content = (folder / "bits.rbloom").read_bytes()
    assert len(content) == 64
    (folder / "bits.rbloom").write_bytes((content + b"x")[:size])
    with pytest.raises(UserError, match="cut short"):
        Portrait.load(folder)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.integers(0, 63), st.integers(1, 255))
def test_one_changed_bit_is_found(folder: Path, position: int, difference: int) -> None:
    path = folder / "bits.rbloom"
    content = bytearray(path.read_bytes())
    path.write_bytes(bytes(byte ^ difference * (i == position) for i, byte in enumerate(content)))
    try:
        with pytest.raises(UserError):
            Portrait.load(folder).verify()
    finally:
        path.write_bytes(content)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    st.sampled_from(
        ["width", "stride", "normalization", "hash", "capacity", "items", "size_in_bits", "hashes", "ones", "corpus"]
    ),
    st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans(), st.lists(st.integers())),
)
def test_a_wrong_description_is_refused_or_answers(folder: Path, key: str, value: object) -> None:
    """Never a crash of the interpreter: at worst another portrait of the same shape."""
    before = (folder / "portrait.json").read_bytes()
    change(folder, **{key: value})
    try:
        Portrait.load(folder).quotes(TEXT)
    except UserError:
        pass
    finally:
        (folder / "portrait.json").write_bytes(before)


def test_no_byte_of_a_description_can_change_unseen(folder: Path) -> None:
    path = folder / "portrait.json"
    sound = path.read_bytes()
    Portrait.load(folder).verify()
    chance = random.Random(29)
    for place in range(len(sound)):
        flips = {1 << bit for bit in range(8)} | {chance.randrange(1, 256) for _ in range(4)}
        for flip in flips:
            path.write_bytes(sound[:place] + bytes([sound[place] ^ flip]) + sound[place + 1 :])
            with pytest.raises(UserError, match="portrait"):
                read_description(path)
    for damaged in (sound[:-1], sound + b"\n", b"\xef\xbb\xbf" + sound, sound.replace(b"\n", b"\r\n"), sound + sound):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match="is damaged"):
            Portrait.load(folder)


@given(st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_changed_value_of_a_description_verifies_as_sound(folder: Path, data: st.DataObject) -> None:
    sound = (folder / "portrait.json").read_bytes()
    values = json.loads(sound)
    name = data.draw(st.sampled_from(sorted(values)))
    value = data.draw(st.one_of(st.integers(), st.text(), st.none(), st.just({}), st.floats(0, 1)))
    left_out = data.draw(st.booleans())
    others = {key: other for key, other in values.items() if key != name}
    changed = others if left_out else {**others, name: value}
    if changed == values:
        return
    (folder / "portrait.json").write_text(json.dumps(changed, indent=2, ensure_ascii=False) + "\n")
    try:
        with pytest.raises(UserError):
            Portrait.load(folder).verify()
    finally:
        (folder / "portrait.json").write_bytes(sound)


def test_a_portrait_of_an_earlier_version_loads_and_says_that_its_description_is_unchecked(folder: Path) -> None:
    values = json.loads((folder / "portrait.json").read_text()) | {"format_version": 1}
    del values["description_sha256"]
    (folder / "portrait.json").write_text(json.dumps(values))
    earlier = Portrait.load(folder)
    assert earlier.quip([TEXT]).tolist() == Portrait.build([TEXT]).quip([TEXT]).tolist()
    with pytest.warns(UncheckedDescriptionWarning, match=r"portrait\.json is unchecked"):
        earlier.verify()
    earlier.save(folder, overwrite=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Portrait.load(folder).verify()


def test_a_folder_without_a_portrait_is_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UserError, match="not a portrait folder"):
        Portrait.load(tmp_path / "missing")
    (folder / "bits.rbloom").unlink()
    with pytest.raises(UserError, match=r"has no bits\.rbloom"):
        Portrait.load(folder)


def test_a_portrait_is_replaced_only_when_told(folder: Path) -> None:
    other = Portrait.build([TEXT.upper()])
    with pytest.raises(UserError, match="overwrite=True"):
        other.save(folder)
    mapped = Portrait.load(folder)
    other.save(folder, overwrite=True)
    assert Portrait.load(folder).description == other.description
    mapped.verify()  # what was mapped before stays whole


def test_other_files_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    portrait = Portrait.build([TEXT])
    with pytest.raises(UserError, match="holds no portrait"):
        portrait.save(tmp_path, overwrite=True)
    with pytest.raises(UserError, match="is a file"):
        portrait.save(tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_write_that_was_killed_leaves_no_portrait_and_is_repeated(folder: Path) -> None:
    description = (folder / "portrait.json").read_bytes()
    (folder / "portrait.json").unlink()
    shutil.copy(folder / "bits.rbloom", folder / ".bits.rbloom.writing")
    with pytest.raises(UserError, match="not a portrait folder"):
        Portrait.load(folder)
    Portrait.build([TEXT]).save(folder)
    assert (folder / "portrait.json").read_bytes() == description
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "bits.rbloom", "portrait.json"]
