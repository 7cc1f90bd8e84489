import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.folders import replaced_whole
from tests.conftest import REPOSITORY
from tests.folder_replacement import LAST, NEW, OLD, fill, replace

# In the folders 1, 2, … of the working directory, replaces `out`; the Nth change of the file system fails or kills.
INTERRUPTED = """
import os, signal, sys
from itertools import count
from pathlib import Path
from tests.folder_replacement import NEW, OLD, replace

CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "shutil.rmtree"}
steps = 0

def replace_interrupted(folder, how, at):
    def watch(event, arguments):
        global steps
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if event in CHANGES or writes:
            steps += 1
            if steps == at and how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if steps == at:
                raise OSError(5, f"no luck with {event}")

    sys.addaudithook(watch)
    try:
        replace(folder, NEW)
    except OSError:
        assert steps >= at
    os._exit(0 if steps >= at else 42)

for at in count(1):
    Path(str(at)).mkdir()
    if sys.argv[2] == "overwriting":
        replace(Path(f"{at}/out"), OLD)
    child = os.fork()
    if not child:
        try:
            replace_interrupted(Path(f"{at}/out"), sys.argv[1], at)
        finally:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 42:
        break
    assert status == (signal.SIGKILL if sys.argv[1] == "killed" else 0), status
"""


def files_of(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def interrupted(tmp_path: Path, how: str, when: str) -> list[Path]:
    """Yield folders in which the same replacement was interrupted at each step in turn; in the last it was not."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)])}
    subprocess.run([sys.executable, "-c", INTERRUPTED, how, when], cwd=tmp_path, env=environment, check=True)
    return sorted(tmp_path.iterdir(), key=lambda path: int(path.name))


def look(folder: Path) -> None:
    """Do what every later call does first, then fail."""
    with pytest.raises(ZeroDivisionError), replaced_whole(folder, LAST):
        raise ZeroDivisionError


def test_a_folder_is_made_and_replaced_with_nothing_left_beside_it(tmp_path: Path) -> None:
    for files in (OLD, NEW):
        replace(tmp_path / "deep" / "out", files)
        assert files_of(tmp_path / "deep") == {f"out/{name}": text for name, text in files.items()}


@pytest.mark.parametrize("how", ["failing", "killed"])
def test_an_interruption_at_any_step_leaves_the_old_or_the_new_folder_whole(tmp_path: Path, how: str) -> None:
    bases = interrupted(tmp_path, how, "overwriting")
    left = []
    for base in bases:
        left.append(files_of(base / "out") or files_of(base / ".out.building" / "old"))
        assert left[-1] in (OLD, NEW), base
        look(base / "out")
        assert files_of(base / "out") == left[-1], base
        assert [path.name for path in base.iterdir()] == ["out"], base
    assert left.count(OLD) > 8
    assert left.count(NEW) > 5
    assert left[-1] == NEW


@pytest.mark.parametrize("how", ["failing", "killed"])
def test_an_interruption_of_the_first_build_leaves_the_folder_whole_or_missing(tmp_path: Path, how: str) -> None:
    bases = interrupted(tmp_path, how, "building")
    assert len(bases) > 10
    for base in bases:
        left = files_of(base / "out")
        assert left in ({}, NEW), base
        look(base / "out")
        assert files_of(base) == {f"out/{name}": text for name, text in left.items()}, base
    assert files_of(bases[-1] / "out") == NEW


def test_the_working_directory_is_filled_when_it_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    replace(Path(), NEW)
    assert files_of(tmp_path) == NEW
    assert Path.cwd() == tmp_path


def test_the_working_directory_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace(tmp_path / "out", OLD)
    monkeypatch.chdir(tmp_path / "out" / "a")
    with pytest.raises(UserError, match="the folder you are in"):
        replace(Path(".."), NEW)
    assert files_of(tmp_path) == {f"out/{name}": text for name, text in OLD.items()}


def test_a_kill_while_files_move_in_is_made_good(tmp_path: Path) -> None:
    moving = tmp_path / "out" / ".building" / "new"
    fill(moving, NEW)
    (moving / "a").rename(tmp_path / "out" / "a")
    look(tmp_path / "out")
    assert files_of(tmp_path / "out") == NEW


def test_a_symbolic_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    replace(tmp_path / "target", OLD)
    (tmp_path / "out").symlink_to("target")
    replace(tmp_path / "out", NEW)
    assert (tmp_path / "out").is_symlink()
    assert files_of(tmp_path / "target") == NEW


def test_permissions_of_the_folder_stay(tmp_path: Path) -> None:
    replace(tmp_path / "out", OLD)
    (tmp_path / "out").chmod(0o750)
    replace(tmp_path / "out", NEW)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o750


def test_what_was_put_into_the_gap_is_not_deleted_and_the_old_folder_neither(tmp_path: Path) -> None:
    fill(tmp_path / ".out.building" / "old", OLD)
    fill(tmp_path / "out", {"thesis.tex": "years of work"})
    with pytest.raises(UserError, match="move one of them away"):
        replace(tmp_path / "out", NEW)
    assert files_of(tmp_path / "out") == {"thesis.tex": "years of work"}
    assert files_of(tmp_path / ".out.building" / "old") == OLD


def test_a_second_writer_waits_for_the_first(tmp_path: Path) -> None:
    second = threading.Thread(target=replace, args=(tmp_path / "out", NEW))
    with replaced_whole(tmp_path / "out", LAST) as new:
        second.start()
        second.join(timeout=0.3)
        assert second.is_alive()
        fill(new, OLD)
        assert files_of(new) == OLD
    second.join(timeout=120)
    assert files_of(tmp_path) == {f"out/{name}": text for name, text in NEW.items()}
