"""Pictures as files of a run: checked, named after their SHA-256, and written whole or not at all.

``RUN/images/<sha256>.png`` is a drawn picture, named after the hash of the file. It is always a PNG of plain RGB on
white. It has no metadata, as some servers write the prompt there. ``RUN/images/<sha256>-mirrored.png`` is its mirror
image, with left and right exchanged.
"""

import hashlib
import io
import re
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import MissingExtraError, UserError
from selfknow.files import write_whole

if TYPE_CHECKING:
    from PIL import Image

FOLDER = "images"
LARGEST_PICTURE_IN_BYTES = 1 << 26
LARGEST_IN_PIXELS = 1 << 26
_FORMATS = ("PNG", "JPEG", "WEBP")
_MIRRORED = "-mirrored"
_NAME = re.compile(rf"{FOLDER}/([0-9a-f]{{64}})({_MIRRORED})?\.png")


class BrokenPictureError(ValueError):
    """An error for a file that cannot be stored as a picture; the message says why."""


def require_images_extra() -> None:
    """Check that Pillow is installed.

    Raises:
        MissingExtraError: Pillow is not installed.
    """
    if find_spec("PIL") is None:
        raise MissingExtraError("drawing pictures and looking at them", "images")


def as_png(content: bytes) -> bytes:
    """Convert a picture from any source into the PNG that is stored.

    Args:
        content: A PNG, JPEG or WebP file. Of a moving picture, the first frame is used.

    Raises:
        BrokenPictureError: The file is empty, cut off, of another kind, or has too many bytes or pixels.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    if not content:
        raise BrokenPictureError("the picture is empty")
    if len(content) > LARGEST_PICTURE_IN_BYTES:
        raise BrokenPictureError(f"the picture has {len(content):,} bytes, more than {LARGEST_PICTURE_IN_BYTES:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
                _check_size(image)
                return _encode_png(_paste_on_white(ImageOps.exif_transpose(image)))
    except UnidentifiedImageError as error:
        raise BrokenPictureError("the reply is not a PNG, JPEG or WebP picture") from error
    except BrokenPictureError:
        raise
    except Exception as error:  # a decoder may raise anything over a broken file
        first_line = (str(error).strip() or type(error).__name__).split("\n")[0]
        raise BrokenPictureError(f"the picture is broken: {first_line}") from error


def _check_size(image: "Image.Image") -> None:
    """Refuse a huge picture before its pixels are unpacked, as its file may be small."""
    width, height = image.size
    if width * height > LARGEST_IN_PIXELS:
        raise BrokenPictureError(f"the picture has {width} x {height} pixels, more than {LARGEST_IN_PIXELS:,}")


def _paste_on_white(image: "Image.Image") -> "Image.Image":
    from PIL import Image

    plain = Image.new("RGB", image.size, "white")
    transparent = image.convert("RGBA")
    plain.paste(transparent, mask=transparent.getchannel("A"))
    return plain


def _encode_png(image: "Image.Image") -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def store(folder: Path, png: bytes) -> str:
    """Write a picture into a run folder, unless it is already there, and return its path in the folder."""
    name = f"{FOLDER}/{hashlib.sha256(png).hexdigest()}.png"
    if not (folder / name).is_file():
        write_whole(folder / name, png)
    return name


def mirrored_name(name: str) -> str:
    """Return the name of a picture's mirror image.

    >>> mirrored_name("images/ab12.png")
    'images/ab12-mirrored.png'
    """
    return f"{name.removesuffix('.png')}{_MIRRORED}.png"


def find(folder: Path, name: str) -> Path:
    """Return the path of a run's picture; a mirror image is created at its first use.

    Raises:
        UserError: The name is not that of a picture, or the picture is missing, or its hash differs from its name.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise UserError(f"{name!r} is not a picture of a run: expected a name such as {FOLDER}/<sha256>.png")
    path = folder / FOLDER / f"{match[1]}.png"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"the picture {path} cannot be read: {error.strerror or error}") from error
    if hashlib.sha256(content).hexdigest() != match[1]:
        raise UserError(f"the picture {path} was changed: its name is no longer its sha256")
    if match[2] and not (folder / name).is_file():
        write_whole(folder / name, _mirror(content))
    return folder / name


def _mirror(png: bytes) -> bytes:
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(png), formats=_FORMATS) as image:
        return _encode_png(ImageOps.mirror(image))
