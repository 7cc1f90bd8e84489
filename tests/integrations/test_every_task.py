"""Every task in unmodified Inspect and lm-evaluation-harness, against ours."""

from pathlib import Path

import pytest

from tests.benchmark_modules import import_benchmark

KNOWN_DIFFERENCES = {("Inspect", "self_knowledge"): (1, 0)}
"""The replies and values that differ; docs/integrations.md names the reply."""


@pytest.mark.full
def test_every_reply_and_every_value_is_the_same_in_all_tools(checkpoint: Path, tmp_path: Path) -> None:
    other_tools = import_benchmark("other_tools")
    rows = list(other_tools.compare(other_tools.Setting(checkpoint, tmp_path / "work", limit=2, max_new_tokens=16)))
    assert [(tool.split()[0], task, ways) for tool, task, ways, _ in rows] == [
        ("Inspect", "diary_recall", 2),
        ("Inspect", "self_aware", 3),
        ("Inspect", "according_to", 4),
        ("Inspect", "self_knowledge", 19),
        ("lm-eval", "diary_recall", 14),
        ("lm-eval", "self_aware", 3),
        ("lm-eval", "according_to", 12),
    ]
    for tool, task, _, agreement in rows:
        expected = KNOWN_DIFFERENCES.get((tool.split()[0], task), (0, 0))
        assert (agreement.replies[False], agreement.values[False]) == expected, (tool, task, agreement)
        assert agreement.values[True] >= agreement.replies[True] > 0
