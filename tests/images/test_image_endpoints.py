"""Image generators behind a server: pictures in every form, failures as rows, tokens told to nobody else."""

import io
import time
from pathlib import Path

import pytest
from PIL import Image

from selfknow.errors import UserError
from selfknow.models.endpoint import EndpointModel
from selfknow.models.endpoint_calls import Endpoint
from selfknow.models.images.endpoint import EndpointImageGenerator
from selfknow.models.images.generators import Drawing, DrawResult, ImageSettings
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.interrupts import stop
from tests.images.picture_server import Behaviour, drawn, serve

REQUESTS = [Request(f"cats-{count}", f"A picture of exactly {count} cats.", "generate") for count in range(1, 5)]
AS_IT_LIKES = ImageSettings()
QUICK = {"first_back_off_seconds": 0.01, "model": "right"}


def draw(
    behaviour: Behaviour, requests: list[Request] = REQUESTS, settings: ImageSettings = AS_IT_LIKES, **more: object
) -> list[tuple[Request, DrawResult]]:
    with serve(behaviour) as url:
        generator = EndpointImageGenerator(Endpoint(url, **{**QUICK, **more}))  # type: ignore[arg-type]
        return list(generator.draw(requests, settings, 5))


def pixels(content: bytes | None) -> bytes:
    assert content is not None
    with Image.open(io.BytesIO(content)) as image:
        return image.convert("RGB").tobytes()


@pytest.mark.parametrize("by_address", [False, True], ids=["base64", "address"])
@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_pictures_come_in_every_form(form: str, by_address: bool) -> None:
    behaviour = Behaviour(form, by_address)
    rows = draw(behaviour, token="secret", settings=ImageSettings.from_size("64x32"))
    assert {request: pixels(item.picture) for request, item in rows} == {
        request: drawn(request.prompt)[0].tobytes() for request in REQUESTS
    }
    body = behaviour.drawings[0]
    assert (body["model"], body["n"], body["size"], body["token"]) == ("right", 1, "64x32", "Bearer secret")
    assert body["response_format"] == "b64_json"
    assert len({body["seed"] for body in behaviour.drawings}) == 4, "every picture has a seed of its own"
    fetched = [body for body in behaviour.bodies if body["path"].startswith("/files")]
    assert [body["token"] for body in fetched] == [None] * (4 if by_address else 0), "an address is told no token"


def test_the_seed_decides_and_the_address_may_end_in_v1() -> None:
    bodies = []
    for end in ("", "/", "/v1", "/v1/"):
        behaviour = Behaviour()
        with serve(behaviour) as url:
            list(EndpointImageGenerator(Endpoint(url + end)).draw(REQUESTS[:1], AS_IT_LIKES, 5))
        bodies.append(behaviour.bodies[0])
    assert {body["path"] for body in bodies} == {"/v1/images/generations"}
    assert len({body["seed"] for body in bodies}) == 1


@pytest.mark.parametrize("unknown", ["seed", "response_format"])
def test_a_server_that_does_not_know_a_field_is_asked_without_it(unknown: str) -> None:
    behaviour = Behaviour(unknown=unknown)
    rows = draw(behaviour, concurrency=1)
    assert [item.error for _, item in rows] == [None] * 4
    assert [unknown in body for body in behaviour.drawings] == [True, False, False, False, False]


def test_a_field_that_must_be_there_is_not_left_out() -> None:
    behaviour = Behaviour(unknown="size")
    [(_, item)] = draw(behaviour, REQUESTS[:1], ImageSettings.from_size("64x64"))
    assert item.error == "HTTP 400: Unknown parameter: 'size'."


def test_what_may_pass_is_tried_again_and_what_may_not_is_told() -> None:
    rows = draw(Behaviour(fails=3), concurrency=1)
    assert [item.error for _, item in rows] == [None, None, "HTTP 503: overloaded", None, None]
    [(_, refused)] = draw(Behaviour(), REQUESTS[:1], model="refuses")
    assert refused.error == "HTTP 400: Your request was rejected by the safety system."
    with serve() as url, pytest.raises(UserError, match=r"answered no request: HTTP 404"):
        list(EndpointImageGenerator(Endpoint(f"{url}/elsewhere", "right")).draw(REQUESTS, AS_IT_LIKES, 0))


def test_a_picture_that_is_gone_from_its_address_is_a_failed_try_without_the_servers_signature() -> None:
    class Forgetful(dict):
        def __setitem__(self, name: str, content: bytes) -> None:
            """Keep nothing."""

    [(_, item)] = draw(Behaviour(by_address=True, handed_out=Forgetful()), REQUESTS[:1], tries=1)
    assert "HTTP 404 instead of the picture at http://127.0.0.1" in str(item.error)
    assert "secret" not in str(item.error)


@pytest.mark.parametrize(
    ("instead", "reason"), [(b"", "the picture is empty"), (b"GIF89a", "not a PNG, JPEG or WebP picture")]
)
def test_what_is_no_picture_is_a_failed_try(tmp_path: Path, instead: bytes, reason: str) -> None:
    with serve(Behaviour(by_address=True, instead=instead)) as url:
        generator = EndpointImageGenerator(Endpoint(url, **QUICK))  # type: ignore[arg-type]
        drawing = Drawing(generator, AS_IT_LIKES, tmp_path)
        [(_, reply)] = drawing.generate(REQUESTS[:1], Decoding())
    assert reply.generation is None
    assert reason in str(reply.error)
    assert not (tmp_path / "images").exists()


@pytest.mark.parametrize(
    ("settings", "message"), [(ImageSettings(steps=5), "steps or guidance"), (ImageSettings(guidance=2.0), "steps or")]
)
def test_what_no_server_can_be_told_is_refused(settings: ImageSettings, message: str) -> None:
    with pytest.raises(UserError, match=message):
        draw(Behaviour(), settings=settings)


@pytest.mark.parametrize("size", ["512", "0x512", "axb", "512x512x3", "-1x5", ""])
def test_a_size_that_is_none_is_refused(size: str) -> None:
    with pytest.raises(UserError, match="write its width and height in pixels, such as 512x512"):
        ImageSettings.from_size(size)


@pytest.mark.parametrize("url", [None, "localhost:8000", "ftp://host"])
def test_an_address_that_is_none_is_refused(url: str | None) -> None:
    with pytest.raises(UserError, match="address"):
        EndpointImageGenerator(Endpoint(url, "m"))


def test_a_model_that_sees_is_sent_the_picture_and_only_its_name_is_recorded(tmp_path: Path) -> None:
    behaviour = Behaviour()
    with serve(behaviour) as url:
        drawing = Drawing(
            EndpointImageGenerator(Endpoint(url, **QUICK)),  # type: ignore[arg-type]
            AS_IT_LIKES,
            tmp_path,
        )
        [(_, picture)] = drawing.generate(REQUESTS[2:3], Decoding())
        prompt = f"How many cats does this picture show?\n\n![]({picture.generation})"
        request = Request("cats-3", prompt, "verify", image=tmp_path / str(picture.generation))
        [(_, reply)] = EndpointModel(Endpoint(url, "truth")).generate([request], Decoding())
        blind = list(EndpointModel(Endpoint(url, "blind")).generate([request], Decoding()))
        with pytest.raises(UserError, match="takes plain text and cannot see pictures"):
            list(EndpointModel(Endpoint(url, "truth", text=True)).generate([request], Decoding()))
    assert reply == Reply("3", "stop", None, ({"role": "user", "content": prompt},), 7, 3)
    assert str(blind[0][1].error) == "HTTP 400: this model sees no pictures"
    assert behaviour.questions[0]["messages"][0]["content"][1]["type"] == "image_url"


def test_ctrl_c_keeps_the_pictures_that_have_arrived(tmp_path: Path) -> None:
    behaviour = Behaviour()
    with serve(behaviour) as url:
        drawing = Drawing(EndpointImageGenerator(Endpoint(url, model="right", concurrency=1)), AS_IT_LIKES, tmp_path)
        replies = iter(drawing.generate(REQUESTS, Decoding()))
        answered = [next(replies)]
        while len(behaviour.drawings) < 4:
            time.sleep(0.01)
        answered += stop(replies, KeyboardInterrupt())
    assert [request for request, _ in answered][:3] == REQUESTS[:3], "the fourth may have come, too"
    assert all((tmp_path / str(reply.generation)).is_file() for _, reply in answered)
