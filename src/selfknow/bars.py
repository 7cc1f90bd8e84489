"""Progress bars that are drawn on a terminal, and written to a log as a line every half minute."""

import sys
import time
from typing import Any, ClassVar

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 30.0


class Bar(tqdm):  # type: ignore[type-arg]  # tqdm is generic only in its stubs
    """tqdm's bar, on stderr.

    A redrawn bar would fill a log. So if stderr is not a terminal, the bar writes a line every half minute and a last
    one at its end, and nothing if it ends within the first half minute.

    Attributes:
        hidden: Set it to true to hide all bars of this process.

    Args:
        args: tqdm's arguments.
        kwargs: tqdm's keyword arguments.

    Example:
        >>> with Bar(total=3, desc="answer", unit="reply") as bar:  # doctest: +SKIP
        ...     bar.update()
        answer:  33%|███▎      | 1/3 [00:31<01:02, 31.00s/reply]
    """

    hidden: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._is_drawn = sys.stderr.isatty()
        self._num_lines = 0
        self._last_line_time = time.monotonic()
        if not self._is_drawn:
            kwargs |= {"mininterval": SECONDS_BETWEEN_LINES, "delay": SECONDS_BETWEEN_LINES, "leave": False}
        if self.hidden:
            kwargs["disable"] = True
        super().__init__(*args, **kwargs)

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        """Draw the bar, or write a line if the last one is half a minute old."""
        if self._is_drawn:
            return super().display(msg, pos)  # close() needs the result
        if msg is None and time.monotonic() - self._last_line_time >= SECONDS_BETWEEN_LINES:
            self._write_line()
        return None

    def clear(self, nolock: bool = False) -> None:
        """Remove a drawn bar; a written line stays."""
        if self._is_drawn:
            super().clear(nolock)

    def close(self) -> None:
        """End the bar, with a last line if it wrote one before."""
        if self._num_lines and not self.disable:
            self._write_line()
        super().close()

    def _write_line(self) -> None:
        self._last_line_time = time.monotonic()
        self._num_lines += 1
        self.fp.write(f"{self}\n")
        self.fp.flush()
