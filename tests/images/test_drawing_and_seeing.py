"""One local model that draws and sees is loaded once, and asked about its own pictures."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from selfknow.errors import UserError
from selfknow.evaluate.ask import ask_task
from selfknow.evaluate.score import score_run
from selfknow.evaluate.tasks.self_knowledge.cast import picture_models
from selfknow.evaluate.tasks.self_knowledge.options import PictureOptions
from selfknow.evaluate.tasks.self_knowledge.rows import choose_rows
from selfknow.evaluate.tasks.self_knowledge.task import SELF_KNOWLEDGE
from selfknow.models import checkpoints
from selfknow.models.images.both import LocalDrawingVisionModel
from selfknow.models.images.generators import ImageSettings
from selfknow.models.interface import Decoding, Request
from selfknow.models.opening import ModelOptions
from selfknow.runs.description import DatasetReference
from selfknow.runs.schema import last_attempts, read_generations
from tests.images.tiny_pictures import SIDE_IN_PIXELS, tiny_drawing_and_seeing_model, tiny_vision_model
from tests.self_knowledge.scripted import rows, table_of

ROW = rows("image-color")["image-color-000-plain"]
TEXTS = [ROW["generate_prompt"], ROW["verify_prompt"], "red green blue"]


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_drawing_and_seeing_model(tmp_path_factory.mktemp("janus"), TEXTS)


def test_it_is_loaded_once_draws_what_it_is_asked_for_and_is_asked_about_that(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []

    def load(*arguments: Any, **options: Any) -> Any:
        loaded.append(arguments[0])
        return load_vision_model(*arguments, **options)

    load_vision_model = checkpoints.load_vision_model
    monkeypatch.setattr(checkpoints, "load_vision_model", load)
    options = PictureOptions(image_model=name, limit=2)
    cast = picture_models(options, ModelOptions(model=name, precision="float32"), tmp_path / "run")
    chosen = choose_rows("image-color", table_of("image-color"), DatasetReference("self-knowledge"), options)
    decoding = Decoding(max_new_tokens=4)
    progress = ask_task(SELF_KNOWLEDGE, chosen, options, cast, tmp_path / "run", decoding, quiet=True)
    assert [(item.stage, item.model, item.answered, item.failed) for item in progress] == [
        ("generate", name, 2, 0),
        ("verify", name, 2, 0),
    ]
    assert loaded == [name]
    calls = last_attempts(read_generations(tmp_path / "run")).to_pylist()
    assert len({row["revision"] for row in calls}) == 1
    pictures = {row["generation_id"]: row["generation"] for row in calls if row["stage"] == "generate"}
    assert len(list((tmp_path / "run" / "images").iterdir())) == len(set(pictures.values()))
    for row in calls:
        if row["stage"] == "verify":
            assert f"![]({pictures[row['parent_generation_id']]})" in row["messages"][0]["content"]
    scored = {row["metric"]: row["reason"] for row in score_run(tmp_path / "run").to_pylist()}
    assert scored["verification_correct"] is not None, "no program knows what a picture shows"


def test_a_picture_hangs_on_its_own_seed_alone(name: str) -> None:
    model = LocalDrawingVisionModel.load(name, precision="float32")
    requests = [Request(str(number), ROW["generate_prompt"], "generate") for number in range(2)]
    drawn = [drawing.picture for _, drawing in model.draw(requests, ImageSettings(), seed=0)]
    [(_, alone)] = model.draw(requests[1:], ImageSettings(), seed=0)
    [(_, other)] = model.draw(requests[1:], ImageSettings(), seed=1)
    assert (drawn[1] == alone.picture, drawn[1] == other.picture, drawn[0] == drawn[1]) == (True, False, False)
    assert drawn[0] is not None
    with Image.open(io.BytesIO(drawn[0])) as picture:
        assert (picture.mode, picture.size[0] >= SIDE_IN_PIXELS) == ("RGB", True)
    with pytest.raises(UserError, match="takes no steps: it draws every picture in its own size"):
        next(model.draw(requests, ImageSettings(steps=20), seed=0))


def test_who_only_sees_is_refused_as_who_draws(tmp_path: Path) -> None:
    name = tiny_vision_model(tmp_path / "llava", TEXTS)
    with pytest.raises(UserError, match="sees but does not draw: name a model that draws with image_model="):
        picture_models(PictureOptions(image_model=name), ModelOptions(model=name), tmp_path / "run")
