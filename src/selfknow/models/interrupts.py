"""Ctrl-C while a model answers: the replies that have already arrived are still yielded."""

from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import TypeVar

Item = TypeVar("Item")


def stop(items: Iterator[Item], interrupt: KeyboardInterrupt) -> Iterator[Item]:
    """Stop an iterator at Ctrl-C, and yield the items that had already arrived.

    A generator gets the interrupt where it last yielded. Only one that catches it, as that of a served model does, has
    further items; an error of its own is not raised, because the user has stopped it.
    """
    if isinstance(items, Generator):
        with suppress(KeyboardInterrupt, Exception):
            yield items.throw(interrupt)
            yield from items


def close(items: Iterator[Item]) -> None:
    """Close a generator, so that its model stops asking even where a traceback keeps the generator alive."""
    if isinstance(items, Generator):
        items.close()
