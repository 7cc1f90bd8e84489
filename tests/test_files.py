from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import find_task
from selfknow.evaluate.dataset import open_dataset
from selfknow.files import user_path

NOT_PATHS = {
    "9" * 5_000: "^999+… is too long for the name of a file or folder$",
    "~nobody-at-all/x": "~nobody-at-all/x is in the home folder of an unknown user",
}


@pytest.mark.parametrize("name", NOT_PATHS)
def test_a_text_that_can_be_no_path_is_refused_in_one_line(name: str) -> None:
    for read in (user_path, find_task, lambda text: open_dataset(f"{text}:1k")):
        with pytest.raises(UserError, match=NOT_PATHS[name]):
            read(name)


def test_any_other_text_is_a_path_whether_something_is_there_or_not(tmp_path: Path) -> None:
    assert user_path("~/x") == Path.home() / "x"
    (tmp_path / "file").touch()
    for name in (tmp_path, tmp_path / "file" / "below", tmp_path / "nothing", tmp_path / ("9" * 255), "a\0b"):
        assert user_path(name) == Path(name)
