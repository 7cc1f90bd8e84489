"""The prebuilt portraits of the diary corpora."""

import json
import shutil
from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.portraits import Portrait
from selfknow.portraits.prebuilt import build_prebuilt


def test_every_config_gets_a_portrait_with_its_content_hash(small_corpora: Path, tmp_path: Path) -> None:
    build_prebuilt(small_corpora, tmp_path / "all")
    manifest = json.loads((small_corpora / "manifest.json").read_text())
    for config, entry in manifest["configs"].items():
        portrait = Portrait.from_pretrained(tmp_path / "all", config)
        portrait.verify()
        assert portrait.description.corpus["content_hash"] == entry["content_hash"]
        assert entry["content_hash"] in (tmp_path / "all" / config / "README.md").read_text()
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == sorted(manifest["configs"])


def test_a_second_run_gives_the_same_bytes_and_goes_on_where_it_was_killed(small_corpora: Path, tmp_path: Path) -> None:
    build_prebuilt(small_corpora, tmp_path / "a", ["1k"], threads=1)
    build_prebuilt(small_corpora, tmp_path / "b", ["1k"], threads=2)
    bits = (tmp_path / "a" / "1k" / "bits.rbloom").read_bytes()
    assert bits == (tmp_path / "b" / "1k" / "bits.rbloom").read_bytes()
    written = (tmp_path / "a" / "1k" / "bits.rbloom").stat().st_mtime_ns
    (tmp_path / "b" / "1k" / "portrait.json").unlink()
    for name in ("a", "b"):
        build_prebuilt(small_corpora, tmp_path / name, ["1k", "1k-simplified"])
        assert Portrait.from_pretrained(tmp_path / name, "1k").array.tobytes() == bits[8:]
    assert (tmp_path / "a" / "1k" / "bits.rbloom").stat().st_mtime_ns == written


def test_a_portrait_of_other_content_is_in_the_way(small_corpora: Path, tmp_path: Path) -> None:
    build_prebuilt(small_corpora, tmp_path / "all", ["1k"])
    shutil.copytree(tmp_path / "all" / "1k", tmp_path / "all" / "1k-simplified")
    with pytest.raises(UserError, match="overwrite=True"):
        build_prebuilt(small_corpora, tmp_path / "all")
    portraits = build_prebuilt(small_corpora, tmp_path / "all", overwrite=True)
    assert [portrait.description.corpus["config"] for portrait in portraits] == ["1k", "1k-simplified"]


def test_what_is_no_dataset_is_told(small_corpora: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no config '3k': choose from 1k, 1k-simplified"):
        build_prebuilt(small_corpora, tmp_path, ["3k"])
    with pytest.raises(UserError, match="not a dataset folder"):
        build_prebuilt(tmp_path, tmp_path / "out")
