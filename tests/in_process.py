"""The command line in this process, for tests that need no process of its own."""

import io
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from selfknow.cli import main


def run(
    *arguments: object,
    cwd: Path | str,
    env: Mapping[str, str] | None = None,
    input: str = "",  # noqa: A002
    text: bool = True,
) -> subprocess.CompletedProcess[Any]:
    """Run ``selfknow`` with arguments to its end; return its output and exit code, as of a process."""
    words = ["selfknow", *map(str, arguments)]
    streams = [io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="") for text in (input, "", "")]
    with pytest.MonkeyPatch.context() as patch, chdir(cwd):
        patch.setattr(sys, "argv", words)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            main()
    printed: list[Any] = []
    for stream in streams[1:]:
        stream.flush()
        content = stream.buffer.getvalue()  # type: ignore[attr-defined]
        printed.append(content.decode() if text else content)
    code = ended.value.code
    return subprocess.CompletedProcess(words, code if isinstance(code, int) else 0, *printed)
