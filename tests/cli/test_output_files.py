"""The files that commands write: a new name or a regular file, of a kind that the command can make."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from selfknow.cli.annotate import import_ as annotate_import
from selfknow.cli.data_count import count
from selfknow.cli.data_pair import pair
from selfknow.cli.portrait_ask import quote
from selfknow.cli.portrait_overlap import overlap
from selfknow.cli.query import sql
from selfknow.cli.report import report
from selfknow.errors import UserError
from selfknow.files import check_output
from tests.sql.given import ModelAnswers, diary, question, text, write_run


def _report(path: Path) -> None:
    report([str(path.parent / "run")], out=path, output_format=None, quiet=True)


def _figure(path: Path) -> None:
    report([str(path.parent / "run")], out=path, only="figure-5", quiet=True)


COMMANDS: dict[str, tuple[tuple[str, ...], Callable[[Path], object]]] = {
    "report": ((".html", ".htm", ".md", ".markdown"), _report),
    "report --only": ((".svg", ".png", ".html"), _figure),
    "data count": ((".csv",), lambda path: count("nq", [path], path, overwrite=True)),
    "data pair": ((".parquet",), lambda path: pair("a.jsonl", "b.jsonl", path, overwrite=True)),
    "advanced annotate import": ((".parquet",), lambda path: annotate_import("self-aware", [], path)),
    "portrait overlap": ((".csv", ".parquet", ".html"), lambda path: overlap("a.jsonl", "b", out=[path])),
    "portrait quote": ((".html", ".htm"), lambda path: quote("a", "b", html=path)),
    "sql --save": ((".duckdb",), lambda path: sql(str(path.parent / "run"), [], save=path)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_run(folder / "run", [question("Ann", 1)], ModelAnswers(answers={"Ann": text(*diary("Ann", 1))}))
    (folder / "target").write_text("kept")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_writes_over_no_link_pipe_device_or_folder(folder: Path, command: str) -> None:
    endings, run = COMMANDS[command]
    for ending in endings:
        link, pipe, place = (folder / f"{kind}{ending}" for kind in ("link", "pipe", "folder"))
        dangling = folder / f"dangling{ending}"
        link.symlink_to("target")
        dangling.symlink_to("nowhere")
        os.mkfifo(pipe)
        place.mkdir()
        for path, kind in ((link, "link"), (dangling, "link"), (pipe, "device or pipe"), (place, "folder")):
            with pytest.raises(UserError, match=rf"{path.name} is a {kind}: name a file$"):
                run(path)
        assert link.is_symlink() and dangling.is_symlink() and pipe.is_fifo() and place.is_dir()
        for path in (link, dangling, pipe):
            path.unlink()
        place.rmdir()
    assert (folder / "target").read_text() == "kept"
    assert not (folder / "nowhere").exists()


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "sql --save"])
def test_a_command_refuses_a_kind_of_file_that_it_cannot_make(folder: Path, command: str) -> None:
    endings, run = COMMANDS[command]
    for name in ("report.pdf", "report", ".html", "report.html.gz"):
        with pytest.raises(UserError) as refusal:
            run(folder / name)
        assert str(refusal.value).endswith(f"name a file that ends in {' or '.join(endings)}")
        assert not (folder / name).exists()


def test_a_device_is_refused_and_a_regular_file_is_not(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="/dev/null is a device or pipe: name a file"):
        check_output(Path("/dev/null"))
    (tmp_path / "there.HTML").write_text("earlier")
    check_output(tmp_path / "there.HTML", [".html"])
    check_output(tmp_path / "new.html", [".html"])


def test_a_format_that_contradicts_the_name_is_refused(folder: Path) -> None:
    from selfknow.cli.report import ReportFormat

    with pytest.raises(UserError, match=r"report.html cannot be written: name a file that ends in .md or .markdown"):
        report([str(folder / "run")], out=folder / "report.html", output_format=ReportFormat.md)
