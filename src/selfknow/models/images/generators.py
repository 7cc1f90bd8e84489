"""The interface of image generators: requests go in, pictures come out as they are ready."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol, Self

from selfknow.errors import UserError
from selfknow.models.images.pictures import BrokenPictureError, as_png, store
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.interrupts import close, stop


@dataclass(frozen=True)
class ImageSettings:
    """Settings for drawing pictures. If a setting is null, the generator's default applies (Tan et al., section 5.1).

    Attributes:
        width: The width in pixels; set with ``height``.
        height: The height in pixels; set with ``width``.
        steps: The number of denoising steps; local pipelines only.
        guidance: The guidance scale, which is the weight of the prompt; local pipelines only.
    """

    width: int | None = None
    height: int | None = None
    steps: int | None = None
    guidance: float | None = None

    @classmethod
    def from_size(cls, size: str | None, steps: int | None = None, guidance: float | None = None) -> Self:
        """Read a size as ``WIDTHxHEIGHT``.

        Raises:
            UserError: The text is not a size.

        >>> ImageSettings.from_size("768x512")
        ImageSettings(width=768, height=512, steps=None, guidance=None)
        """
        if size is None:
            return cls(None, None, steps, guidance)
        width, _, height = size.partition("x")
        if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
            raise UserError(
                f"{size!r} is not the size of a picture: write its width and height in pixels, such as 512x512"
            )
        return cls(int(width), int(height), steps, guidance)

    def as_json(self) -> dict[str, object]:
        """Return the fields as a dict that JSON can hold."""
        return asdict(self)


@dataclass(frozen=True)
class DrawResult:
    """A generator's result: a picture file exactly as received, or the reason why there is none.

    Attributes:
        picture: The bytes of its file; null if the request failed.
        error: The reason of a failure; null if there is a picture.
    """

    picture: bytes | None
    error: str | None = None


class ImageGenerator(Protocol):
    """An image generator: a local pipeline or an endpoint."""

    @property
    def name(self) -> str:
        """The name by which the user called it: a folder, a Hub id, or an endpoint's address and model."""

    @property
    def revision(self) -> str | None:
        """The commit of a Hub pipeline, or the hash of a local pipeline's files; null if unknown."""

    def draw(
        self, requests: Sequence[Request], settings: ImageSettings, seed: int
    ) -> Iterator[tuple[Request, DrawResult]]:
        """Yield one picture per request, in any order. A failed try is also yielded, and further tries may follow."""


class Drawing:
    """An image generator behind the interface of a model. Pictures are stored in the run; a reply is a file's name.

    A file that is not a complete picture is a failed try, with the reason as its error.
    """

    def __init__(self, generator: ImageGenerator, settings: ImageSettings, folder: Path) -> None:
        self._generator = generator
        self._settings = settings
        self._folder = folder
        self.name = generator.name
        self.revision = generator.revision

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Draw and store pictures; after Ctrl-C, also those that a server had already sent."""
        results = iter(self._generator.draw(requests, self._settings, decoding.seed))
        last: tuple[Request, DrawResult] | None = None
        try:
            for last in results:
                answer = last[0], self._reply(last[1])
                last = None
                yield answer
        except KeyboardInterrupt as interrupt:
            if last:
                yield last[0], self._reply(last[1])
            for request, result in stop(results, interrupt):
                yield request, self._reply(result)
            raise
        finally:
            close(results)

    def _reply(self, result: DrawResult) -> Reply:
        if result.picture is None:
            return Reply(None, error=result.error)
        try:
            return Reply(store(self._folder, as_png(result.picture)), "stop")
        except BrokenPictureError as error:
            return Reply(None, error=str(error))
