"""Pictures drawn and looked at in this process, by a real pipeline and a real vision-language model, both tiny."""

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from selfknow.errors import MissingExtraError, UserError
from selfknow.models.endpoint import EndpointModel
from selfknow.models.endpoint_calls import Endpoint
from selfknow.models.images import local, pictures
from selfknow.models.images.generators import ImageSettings
from selfknow.models.images.local import LocalImageGenerator
from selfknow.models.images.pictures import as_png, find, require_images_extra, store
from selfknow.models.images.seeing import LocalVisionModel
from selfknow.models.images.showing import reference
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.local import LocalModel
from tests.evaluate import transformers_server
from tests.images.tiny_pictures import SIDE_IN_PIXELS, tiny_pipeline, tiny_vision_model
from tests.tiny_models import save, tiny_model, tiny_tokenizer

REQUESTS = [Request(f"cats-{count}", f"A picture of exactly {count} cats.", "generate") for count in range(1, 4)]
FEW = ImageSettings(steps=2)
SHORT = Decoding(max_new_tokens=6)
QUESTION = "How many cats does this picture show?"


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_pipeline(tmp_path_factory.mktemp("pipelines") / "tiny")


@pytest.fixture(scope="module")
def vision(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_vision_model(tmp_path_factory.mktemp("models") / "vision", [QUESTION, "1 2 3 4 5 red blue yes no"])


@pytest.fixture
def copied(pipeline: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pipeline, tmp_path / "copied"))


def draw(name: str, requests: list[Request] = REQUESTS, settings: ImageSettings = FEW, seed: int = 0) -> list[bytes]:
    generator = LocalImageGenerator.find(name, device="cpu")
    rows = dict(generator.draw(requests, settings, seed))
    return [rows[request].picture or b"" for request in requests]


def test_a_picture_hangs_on_its_request_and_the_seed_alone(pipeline: str) -> None:
    together = draw(pipeline)
    assert len(set(together)) == 3
    assert draw(pipeline, REQUESTS[::-1])[::-1] == together
    assert draw(pipeline, REQUESTS[1:2]) == together[1:2]
    assert not set(draw(pipeline, seed=1)) & set(together)
    again = Request(REQUESTS[0].example_id, REQUESTS[0].prompt, "generate", sample=1)
    assert draw(pipeline, [again]) != together[:1]


def test_size_steps_and_guidance_reach_the_pipeline_and_are_its_own_where_left_out(pipeline: str) -> None:
    [as_it_likes] = draw(pipeline, REQUESTS[:1], ImageSettings(steps=2))
    assert Image.open(io.BytesIO(as_it_likes)).size == (SIDE_IN_PIXELS, SIDE_IN_PIXELS)
    [wide] = draw(pipeline, REQUESTS[:1], ImageSettings.from_size("48x16", 2))
    assert Image.open(io.BytesIO(wide)).size == (48, 16)
    [more] = draw(pipeline, REQUESTS[:1], ImageSettings(steps=3))
    [free] = draw(pipeline, REQUESTS[:1], ImageSettings(steps=2, guidance=1.0))
    assert len({as_it_likes, more, free}) == 3


def test_the_revision_is_that_of_every_file(pipeline: str, copied: Path) -> None:
    revision = LocalImageGenerator.find(pipeline).revision
    assert LocalImageGenerator.find(str(copied)).revision == revision
    weights = copied / "unet" / "diffusion_pytorch_model.safetensors"
    save_file({name: -value for name, value in load_file(weights).items()}, weights)
    assert LocalImageGenerator.find(str(copied)).revision != revision


def test_nothing_is_loaded_where_nothing_is_drawn(copied: Path) -> None:
    shutil.rmtree(copied / "unet")
    assert draw(str(copied), []) == []


def broken(folder: Path, how: str) -> None:
    index = json.loads((folder / "model_index.json").read_text())
    match how:
        case "a part is missing":
            shutil.rmtree(folder / "unet")
        case "weights are cut off":
            weights = folder / "vae" / "diffusion_pytorch_model.safetensors"
            weights.write_bytes(weights.read_bytes()[:100])
        case "weights are pickled":
            weights = folder / "unet" / "diffusion_pytorch_model.safetensors"
            torch.save(load_file(weights), folder / "unet" / "diffusion_pytorch_model.bin")
            weights.unlink()
        case "code lies beside them":
            (folder / "pipeline.py").write_text(f"open({str(folder / 'was_run')!r}, 'w')\nclass Ours: pass\n")
            index["_class_name"] = ["pipeline", "Ours"]
        case "it draws without a prompt":
            from diffusers import DDIMScheduler, DDPMPipeline, UNet2DModel

            shutil.rmtree(folder)
            network = UNet2DModel(
                8, block_out_channels=(8, 8), norm_num_groups=8, layers_per_block=1,
                down_block_types=("DownBlock2D",) * 2, up_block_types=("UpBlock2D",) * 2,
            )  # fmt: skip
            DDPMPipeline(network, DDIMScheduler()).save_pretrained(folder)
            return
    (folder / "model_index.json").write_text(json.dumps(index))


@pytest.mark.parametrize(
    "how",
    [
        "a part is missing",
        "weights are cut off",
        "weights are pickled",
        "code lies beside them",
        "it draws without a prompt",
    ],
)
def test_a_pipeline_that_cannot_be_used_is_one_clear_line(copied: Path, how: str) -> None:
    broken(copied, how)
    with pytest.raises(UserError, match=f"the checkpoint in {copied} cannot be loaded: ") as refused:
        draw(str(copied))
    assert "\n" not in str(refused.value)
    assert not (copied / "was_run").exists()


def test_what_the_pipeline_does_not_take_is_one_clear_line(pipeline: str) -> None:
    with pytest.raises(UserError, match=r"cannot draw: .*divisible by 8"):
        draw(pipeline, settings=ImageSettings.from_size("33x33", 2))


@pytest.mark.parametrize(
    ("name", "message"),
    [("./gone", "./gone does not exist"), (".", "holds no checkpoint: expected a folder with model_index.json")],
)
def test_a_folder_without_a_pipeline_is_one_clear_line(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        LocalImageGenerator.find(name)


def test_what_a_safety_checker_holds_back_is_a_failed_try_and_no_black_picture(tmp_path: Path) -> None:
    name = tiny_pipeline(tmp_path / "careful", safety_checker_threshold=-2.0)
    [(_, held)] = LocalImageGenerator.find(name, device="cpu").draw(REQUESTS[:1], FEW, 0)
    assert (held.picture, held.error) == (None, "the pipeline's safety checker held the picture back")


@pytest.mark.parametrize(
    ("module", "require", "message"),
    [
        (pictures, require_images_extra, r"drawing pictures and looking at them needs the extra \[images\]"),
        (local, local.require_diffusers, r"drawing pictures on this machine needs the extra \[images\]"),
    ],
)
def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, module: object, require: object, message: str
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=message):
        require()  # type: ignore[operator]


# Who sees


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> list[Request]:
    """Return the same question about pictures of several sizes."""
    folder, noise = tmp_path_factory.mktemp("run"), np.random.default_rng(0)
    rows = []
    for number, shape in enumerate([(32, 32, 3), (48, 64, 3), (90, 20, 3), (8, 8, 3)]):
        buffer = io.BytesIO()
        Image.fromarray(noise.integers(0, 255, shape, dtype=np.uint8)).save(buffer, "PNG")
        name = store(folder, as_png(buffer.getvalue()))
        rows.append(Request(str(number), f"{QUESTION}\n\n{reference(name)}", "verify", image=find(folder, name)))
    return rows


@pytest.fixture(scope="module")
def seeing(vision: str) -> LocalVisionModel:
    return LocalVisionModel.load(vision, device="cpu", precision="float32")


def ask(
    seeing: LocalVisionModel, requests: list[Request], decoding: Decoding = SHORT, batch_size: int = 8
) -> list[Reply]:
    seeing.batch_size = batch_size
    replies = dict(seeing.generate(requests, decoding))
    return [replies[request] for request in requests]


def test_a_batch_of_pictures_is_answered_as_one_at_a_time(seeing: LocalVisionModel, requests: list[Request]) -> None:
    together, alone = ask(seeing, requests), ask(seeing, requests, batch_size=1)
    assert [reply.generation for reply in together] == [reply.generation for reply in alone]
    for item, other in zip(together, alone, strict=True):
        assert item.logprob == pytest.approx(other.logprob, abs=1e-3)
    assert len({reply.logprob for reply in together}) == len(requests), "what it says hangs on the picture"
    assert together[0].messages == ({"role": "user", "content": requests[0].prompt},)
    assert together[0].rendered_prompt == f"{QUESTION} <image> ASSISTANT:"


def test_greedy_answers_about_pictures_are_those_of_plain_generate(
    seeing: LocalVisionModel, requests: list[Request]
) -> None:
    with Image.open(str(requests[1].image)) as image:
        inputs = seeing.processor(images=image, text=f"{QUESTION} <image> ASSISTANT:", return_tensors="pt")
    output = seeing.model.generate(**inputs, max_new_tokens=6, do_sample=False)[0, inputs["input_ids"].shape[1] :]
    assert ask(seeing, requests[1:2])[0].generation == seeing.tokenizer.decode(output, skip_special_tokens=True)


@pytest.mark.full
def test_greedy_answers_about_pictures_are_the_same_locally_and_through_a_server(
    seeing: LocalVisionModel, vision: str, requests: list[Request]
) -> None:
    pytest.importorskip("fastapi", reason="transformers serve needs transformers[serving]")
    with transformers_server.serve(vision) as url:
        served = dict(EndpointModel(Endpoint(url, vision)).generate(requests, SHORT))
    for request, reply in zip(requests, ask(seeing, requests), strict=True):
        assert (served[request].generation, served[request].prompt_tokens) == (reply.generation, reply.prompt_tokens)
        assert served[request].messages == reply.messages


def test_samples_about_a_picture_have_seeds_of_their_own(seeing: LocalVisionModel, requests: list[Request]) -> None:
    hot = Decoding(max_new_tokens=6, temperature=3.0)
    samples = [
        Request(requests[0].example_id, requests[0].prompt, "verify", sample=n, image=requests[0].image)
        for n in range(6)
    ]
    replies = ask(seeing, samples, hot)
    assert len({reply.generation for reply in replies}) > 1
    assert [reply.generation for reply in replies] == [
        reply.generation for reply in ask(seeing, samples, hot, batch_size=2)
    ]


def test_a_question_without_room_for_an_answer_is_a_row_with_its_error(
    seeing: LocalVisionModel, requests: list[Request]
) -> None:
    long = Request("long", " ".join(["How"] * 300) + f"\n\n{reference('images/x.png')}", image=requests[0].image)
    [reply, other] = ask(seeing, [long, requests[0]])
    assert "leaves the model no room for an answer" in str(reply.error)
    assert other.error is None


def test_a_model_that_reads_text_alone_is_refused_with_one_clear_line(tmp_path: Path, requests: list[Request]) -> None:
    tokenizer = tiny_tokenizer([QUESTION] * 20, 60)
    model = tiny_model("opt", tokenizer)
    name = save(model, tokenizer, tmp_path / "text")
    with pytest.raises(UserError, match="text reads text only: name a vision-language model"):
        LocalVisionModel.load(name)
    with pytest.raises(UserError, match="text reads text only: name a vision-language model"):
        list(LocalModel(model, tokenizer, "text").generate(requests, SHORT))


def test_a_vision_model_without_a_chat_template_and_a_request_without_a_picture_are_refused(
    vision: str, tmp_path: Path, seeing: LocalVisionModel
) -> None:
    folder = Path(shutil.copytree(vision, tmp_path / "bare"))
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(UserError, match="bare has no chat template for pictures"):
        LocalVisionModel.load(str(folder))
    with pytest.raises(UserError, match="leave out chat=False"):
        LocalVisionModel.load(vision, chat=False)
    with pytest.raises(UserError, match="was opened to see pictures, but this request has no picture"):
        ask(seeing, [Request("x", QUESTION)])
