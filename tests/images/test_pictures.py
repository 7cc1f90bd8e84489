"""Pictures as files: what comes in any form is kept as one, and what is broken is refused with its reason."""

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from selfknow.errors import UserError
from selfknow.models.images.pictures import (
    LARGEST_PICTURE_IN_BYTES,
    BrokenPictureError,
    as_png,
    find,
    mirrored_name,
    store,
)
from selfknow.models.images.showing import picture_name, reference, request_parts, split_at_picture
from selfknow.models.interface import Request


def encoded(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def halves(mode: str = "RGB") -> Image.Image:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", (8, 4), "red")
    image.paste("blue", (4, 0, 8, 4))
    return image.convert(mode)


def pixels(png: bytes) -> Image.Image:
    with Image.open(io.BytesIO(png)) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")
        return image.copy()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb(side: int) -> bytes:
    """Return a PNG of few bytes and very many pixels, all of one colour."""
    rows = zlib.compressobj(9)
    data = b"".join(rows.compress(bytes(1 + side // 8)) for _ in range(side)) + rows.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "content",
    [
        encoded(halves()),
        encoded(halves("P")),
        encoded(halves("RGBA")),
        encoded(halves(), "WEBP", lossless=True),
        encoded(halves(), "JPEG", quality=100, subsampling=0),
    ],
    ids=["png", "palette", "with alpha", "webp", "jpeg"],
)
def test_every_form_becomes_the_same_plain_picture(content: bytes) -> None:
    remaining = pixels(as_png(content))
    for x, wanted in ((1, (255, 0, 0)), (6, (0, 0, 255))):
        assert all(abs(is_ - want) <= 2 for is_, want in zip(remaining.getpixel((x, 1)), wanted, strict=True))


def test_the_same_pixels_are_the_same_file_without_metadata() -> None:
    from PIL.PngImagePlugin import PngInfo

    expected = PngInfo()
    expected.add_text("parameters", "A picture of exactly 3 cats.")
    with_prompt = encoded(halves(), pnginfo=expected, icc_profile=b"x" * 200)
    assert b"3 cats" in with_prompt
    assert as_png(with_prompt) == as_png(encoded(halves())) == as_png(encoded(halves(), "WEBP", lossless=True))
    assert b"cats" not in as_png(with_prompt)


def test_what_is_transparent_lies_on_white_and_turned_photographs_stand_upright() -> None:
    assert pixels(as_png(encoded(Image.new("RGBA", (2, 2), (0, 0, 0, 0))))).getpixel((0, 0)) == (255, 255, 255)
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    turned = pixels(as_png(encoded(halves(), "JPEG", exif=exif, quality=100, subsampling=0)))
    assert turned.getpixel((1, 1))[2] > 250


def test_of_a_moving_picture_the_first_frame_is_kept() -> None:
    frames = [Image.new("RGB", (2, 2), color) for color in ("red", "blue")]
    moving = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    assert pixels(as_png(moving)).getpixel((0, 0)) == (255, 0, 0)


WHOLE = encoded(Image.effect_noise((64, 64), 50).convert("RGB"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the picture is empty"),
        (WHOLE[: len(WHOLE) // 2], "the picture is broken: "),
        (WHOLE[:30], "PNG, JPEG or WebP|is broken"),
        (WHOLE.replace(b"IDAT", b"IDAR"), "the reply is not a PNG"),
        (encoded(halves(), "JPEG")[:-200], "the picture is broken: |not a PNG"),
        (encoded(halves(), "GIF"), "the reply is not a PNG, JPEG or WebP picture"),
        (encoded(halves(), "TIFF"), "the reply is not a PNG, JPEG or WebP picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "the reply is not a PNG, JPEG or WebP picture"),
        (b'{"error": "sold out"}', "the reply is not a PNG, JPEG or WebP picture"),
        (bomb(8200), r"8200 x 8200 pixels, more than 67,108,864"),
        (bomb(40_000), "pixels"),
        (b"\x89PNG\r\n\x1a\n" + bytes(LARGEST_PICTURE_IN_BYTES), "67,108,872 bytes, more than 67,108,864"),
    ],
    ids=["empty", "half", "header", "no data", "jpeg", "gif", "tiff", "svg", "json", "large", "bomb", "huge"],
)
def test_what_is_no_whole_picture_is_refused_with_its_reason(content: bytes, reason: str) -> None:
    with pytest.raises(BrokenPictureError, match=reason) as refused:
        as_png(content)
    assert "\n" not in str(refused.value)
    assert "0x" not in str(refused.value), "no address of this process's memory"


def test_a_picture_is_kept_once_under_the_hash_of_its_file(tmp_path: Path) -> None:
    png = as_png(encoded(halves()))
    name = store(tmp_path, png)
    first = (tmp_path / name).stat()
    assert store(tmp_path, png) == name
    assert (tmp_path / name).stat().st_mtime_ns == first.st_mtime_ns
    assert find(tmp_path, name).read_bytes() == png
    assert [path.name for path in (tmp_path / "images").iterdir()] == [name.partition("/")[2]]


def test_a_mirror_image_is_made_when_it_is_asked_for(tmp_path: Path) -> None:
    name = store(tmp_path, as_png(encoded(halves())))
    path = find(tmp_path, mirrored_name(name))
    assert path == tmp_path / mirrored_name(name)
    assert pixels(path.read_bytes()).getpixel((1, 1)) == (0, 0, 255)
    assert pixels(find(tmp_path, name).read_bytes()).getpixel((1, 1)) == (255, 0, 0)


@pytest.mark.parametrize(
    "name", ["../secret.png", "images/../../secret.png", "/etc/passwd", "images/abc.png", "a cat", ""]
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="is not a picture of a run"):
        find(tmp_path, name)


def test_a_picture_that_is_missing_or_was_changed_is_told_of(tmp_path: Path) -> None:
    name = store(tmp_path, as_png(encoded(halves())))
    (tmp_path / name).write_bytes(as_png(encoded(halves("L"))))
    with pytest.raises(UserError, match="was changed: its name is no longer its sha256"):
        find(tmp_path, mirrored_name(name))
    (tmp_path / name).unlink()
    with pytest.raises(UserError, match="cannot be read: No such file"):
        find(tmp_path, name)


def test_a_prompt_names_its_picture_and_a_chat_gets_the_parts_in_their_order(tmp_path: Path) -> None:
    png = as_png(encoded(halves()))
    name = store(tmp_path, png)
    prompt = f"Draw two halves.\n\n{reference(name)}\n\nWhich is left?"
    assert (picture_name(prompt), split_at_picture(prompt)) == (name, ("Draw two halves.", "Which is left?"))
    before, picture, after = request_parts(Request("x", prompt, image=tmp_path / name))
    assert (before, after) == ({"type": "text", "text": "Draw two halves."}, {"type": "text", "text": "Which is left?"})
    assert picture["image_url"]["url"].startswith("data:image/png;base64,iVBORw0KGgo")
    last = Request("x", f"What?\n\n{reference(name)}", image=tmp_path / name)
    assert [part["type"] for part in request_parts(last)] == ["text", "image_url"]
    assert picture_name("No picture.") is None
