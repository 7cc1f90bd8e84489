"""Finding portraits by name, in folders here."""

from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.portraits import Portrait
from selfknow.portraits.pretrained import find, find_address

TEXT = "The cat sat on the mat, and the dog sat by the door."


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for name in ("1k", "2k"):
        Portrait.build([TEXT + name]).save(tmp_path / "many" / name)
    return tmp_path / "many"


def test_a_portrait_is_loaded_by_its_name_or_by_its_own_folder(many: Path) -> None:
    assert Portrait.from_pretrained(many, "2k").contains([(TEXT + "2k")[-25:]]).all()
    assert Portrait.from_pretrained(str(many / "1k")).contains([(TEXT + "1k")[-25:]]).all()
    assert find_address(str(many / "1k")) == many / "1k"


def test_a_folder_with_a_single_portrait_needs_no_name(tmp_path: Path) -> None:
    Portrait.build([TEXT]).save(tmp_path / "one" / "cats")
    assert find(tmp_path / "one") == tmp_path / "one" / "cats"


def test_what_is_there_is_named(many: Path, tmp_path: Path) -> None:
    for name in (None, "4k", ".."):
        with pytest.raises(
            UserError,
            match=r"name one of them: 1k, 2k|not the name of a portrait|has no portrait '(4k|..)': choose from 1k, 2k",
        ):
            find(many, name)
    with pytest.raises(UserError, match="holds no portrait, since it has no portrait"):
        find(tmp_path)
    with pytest.raises(UserError, match="neither a folder here nor"):
        find("not a folder/nor/a/repo")
