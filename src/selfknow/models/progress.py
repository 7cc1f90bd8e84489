"""The progress bar of a run, which shows replies, tokens and tokens per second."""

import sys
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self

from selfknow.models.interface import LanguageModel, Reply, TokenReports

_SECONDS_BETWEEN_DRAWINGS = 0.2


class ProgressBar:
    """A progress bar on stderr for one stage of a run; use it as a context manager.

    A batch of long replies takes minutes, so the bar shows the speed of a model that reports its tokens.

    Args:
        stage: The bar's title.
        model: The model.
        requested: The number of all requests.
        answered_before: The number of requests that already had a reply.
        quiet: If true, show nothing.
        clock: A monotonic clock, in seconds.
    """

    def __init__(
        self,
        stage: str,
        model: LanguageModel,
        requested: int,
        answered_before: int,
        *,
        quiet: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        from selfknow.bars import Bar

        if answered_before and not quiet:
            line = f"{stage}: {answered_before:,} of {requested:,} replies of {model.name} are already in the run"
            Bar.write(line, file=sys.stderr)
        self._bar = Bar(total=requested, initial=answered_before, disable=quiet, unit="reply", desc=stage)
        self._model = model
        self._clock = clock
        self._start_time = self._last_drawing_time = clock()
        self._tokens = self._failed_tries = 0

    def count(self, reply: Reply) -> None:
        """Count one try of a request."""
        if reply.error is None:
            self._bar.update()
        else:
            self._failed_tries += 1
            self._describe()

    def count_tokens(self, tokens: int) -> None:
        """Count tokens of replies that are still being generated."""
        is_first, now = self._tokens == 0, self._clock()
        self._tokens += tokens
        if is_first or now - self._last_drawing_time >= _SECONDS_BETWEEN_DRAWINGS:
            self._last_drawing_time = now
            self._describe()

    def _describe(self) -> None:
        seconds = max(self._clock() - self._start_time, 1e-9)
        parts = [f"{self._tokens:,} tokens, {self._tokens / seconds:,.0f} tokens/s"] if self._tokens else []
        if self._failed_tries:
            parts.append(f"failed_tries={self._failed_tries}")
        self._bar.set_postfix_str(", ".join(parts))

    def __enter__(self) -> Self:
        if isinstance(self._model, TokenReports):
            self._model.on_tokens = self.count_tokens
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(self._model, TokenReports):
            self._model.on_tokens = lambda _: None
        if self._tokens:
            self._describe()
        self._bar.close()
