"""The demo's portrait: what it shows is true."""

from pathlib import Path

import pytest

from selfknow.cli.demo_portrait import diary_entries, score_entries, show_portrait
from selfknow.portraits import Portrait


def test_the_scores_tell_a_foreign_word_and_the_join_tells_the_rest(
    small_corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_portrait(small_corpora, tmp_path)
    shown = capsys.readouterr().out
    assert "does not say" in shown
    assert "⟧Lighthous⟦" in shown
    entries = diary_entries(small_corpora)
    rows = {row["entry"]: row for row in score_entries(Portrait.load(tmp_path / "1k"), small_corpora, entries)}
    joined = {name: row["a document (exact join)"] for name, row in rows.items()}
    assert joined == {name: "yes" if name == "a true diary entry" else "no" for name in entries}
    assert rows["a true diary entry"]["QUIP"] == 1.0
    assert 0.5 < rows["a foreign word"]["QUIP"] < 0.9
    assert rows["an unknown diarist"]["QUIP"] < 1.0
    assert rows["a random body"]["QUIP"] > 0.9
