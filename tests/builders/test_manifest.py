import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.builders.folder.manifest import Manifest, parse_manifest, read_manifest
from selfknow.errors import UserError


def changed(folder: Path, **values: object) -> bytes:
    return json.dumps(json.loads((folder / "manifest.json").read_bytes()) | values).encode()


def test_a_manifest_survives_writing_and_reading(small_corpora: Path) -> None:
    manifest = read_manifest(small_corpora)
    assert isinstance(manifest, Manifest)
    assert parse_manifest(manifest.to_json().encode()) == manifest


def test_a_newer_format_is_refused_with_the_way_out(small_corpora: Path) -> None:
    with pytest.raises(UserError, match="format version 2; this selfknow reads up to 1: upgrade it"):
        parse_manifest(changed(small_corpora, format_version=2))


@pytest.mark.parametrize("path", ["/etc/passwd", "../elsewhere.parquet", "1k/../../x", "..\\x"])
def test_a_file_outside_the_folder_is_refused(small_corpora: Path, path: str) -> None:
    files = [{"path": path, "num_bytes": 1, "sha256": "", "num_rows": None}]
    with pytest.raises(UserError, match="outside its folder"):
        parse_manifest(changed(small_corpora, files=files))


def test_a_file_with_a_name_that_is_too_long_is_refused(small_corpora: Path) -> None:
    files = [{"path": f"1k/{'é' * 127}", "num_bytes": 1, "sha256": "", "num_rows": None}]
    with pytest.raises(UserError, match="names a file whose path is too long: '1k/ééé"):
        parse_manifest(changed(small_corpora, files=files))
    files[0]["path"] = f"1k/{'é' * 126}"
    assert parse_manifest(changed(small_corpora, files=files)).files[0].path == files[0]["path"]


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no manifest\.json"):
        read_manifest(tmp_path)


def test_a_field_that_is_missing_or_unknown_is_refused(small_corpora: Path) -> None:
    with pytest.raises(UserError, match="damaged"):
        parse_manifest(changed(small_corpora, colour="blue"))
    value = json.loads((small_corpora / "manifest.json").read_bytes())
    del value["configs"]["1k"]["content_hash"]
    with pytest.raises(UserError, match="content_hash"):
        parse_manifest(json.dumps(value).encode())


@pytest.mark.parametrize("name", ["dataset", "version", "selfknow_version", "source_hash", "content_hash"])
def test_a_field_that_is_no_text_is_refused_where_it_is_read(small_corpora: Path, name: str) -> None:
    value = json.loads((small_corpora / "manifest.json").read_bytes())
    place = value["configs"]["1k"] if name == "content_hash" else value
    for other in (["diary-recall"], {"diary-recall": 1}, None, 7):
        place[name] = other
        with pytest.raises(UserError, match=f"manifest.json is damaged: TypeError: {name} is .*, not a string"):
            parse_manifest(json.dumps(value).encode())


@pytest.mark.parametrize("name", ["library_versions", "parameters"])
def test_a_field_that_is_no_object_is_refused_where_it_is_read(small_corpora: Path, name: str) -> None:
    value = json.loads((small_corpora / "manifest.json").read_bytes())
    for other in (["seed"], "seed", None, 7):
        (value["configs"]["1k"] if name == "parameters" else value)[name] = other
        with pytest.raises(UserError, match=f"{name} is .*, not an object"):
            parse_manifest(json.dumps(value).encode())


@given(
    st.binary(max_size=50)
    | st.recursive(st.none() | st.integers() | st.text(max_size=3), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_any_other_bytes_are_refused_and_never_crash(content: bytes) -> None:
    with pytest.raises(UserError, match="damaged"):
        parse_manifest(content)
