"""Models in GGUF files: loaded as they were written, known by their bytes, else refused in one line."""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

import selfknow
from selfknow.errors import UserError
from selfknow.models import checkpoints
from selfknow.models.deferred import DeferredModel
from selfknow.models.interface import Decoding, Request
from selfknow.models.local import LocalModel
from tests.tiny_gguf import TEMPLATE, Original, write_gguf, write_huge_gguf

REQUESTS = [Request(str(number), text) for number, text in enumerate(["Who was the first?", "It is", "Zoë\n\n 12"])]
REAL_MODELS = os.environ.get("SELFKNOW_TEST_MODELS")  # a folder with the files named below


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def chatting(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return write_gguf(tmp_path_factory.mktemp("chatting") / "tiny.gguf", template=TEMPLATE, storage="Q8_0")


def replies(model: LocalModel) -> dict[str, tuple[str | None, str | None, int | None]]:
    pairs = model.generate(REQUESTS, Decoding(max_new_tokens=12))
    return {
        request.example_id: (reply.rendered_prompt, reply.generation, reply.prompt_tokens) for request, reply in pairs
    }


def test_a_model_says_what_it_said_before_it_was_written(tiny: Original) -> None:
    loaded = LocalModel.load(str(tiny.path), device="cpu", precision="float32")
    assert replies(loaded) == replies(LocalModel(tiny.model, tiny.tokenizer, "original"))
    assert loaded.num_parameters == sum(weight.numel() for weight in tiny.model.parameters())
    assert (loaded.quantization, loaded.chat) == ("F32", False)
    assert loaded.revision == hashlib.sha256(tiny.path.read_bytes()).hexdigest()[:40]


def test_quantized_weights_and_the_chat_template_come_with_the_file(chatting: Original) -> None:
    loaded = LocalModel.load(str(chatting.path), device="cpu", precision="float32")
    assert (loaded.quantization, loaded.chat) == ("Q8_0", True)
    assert replies(loaded)["1"][0] == "user: It is\nassistant:"
    assert {weight.dtype for weight in loaded.model.parameters()} == {torch.float32}
    for name, weight in loaded.model.state_dict().items():
        original = chatting.model.state_dict()[name]
        assert torch.allclose(weight, original, atol=float(original.abs().max()) / 200), name


def test_a_folder_with_one_file_stands_for_it(chatting: Original, tmp_path: Path) -> None:
    copy = shutil.copy(chatting.path, tmp_path / "renamed.gguf")
    assert checkpoints.locate(str(tmp_path)) == (str(copy), True)
    assert checkpoints.revision(str(tmp_path)) == checkpoints.revision(str(chatting.path)), "its name means nothing"
    shutil.copy(chatting.path, tmp_path / "another.gguf")
    with pytest.raises(UserError, match=r"holds 2 GGUF files: name one of them \(another.gguf, renamed.gguf\)"):
        checkpoints.locate(str(tmp_path))


def test_a_folder_with_a_checkpoint_stands_for_that(tiny: Original, tmp_path: Path) -> None:
    shutil.copy(tiny.path, tmp_path / "tiny.gguf")
    tiny.model.save_pretrained(tmp_path)
    assert checkpoints.locate(str(tmp_path)) == (str(tmp_path), True)
    assert checkpoints.quantization(str(tmp_path)) is None


def test_a_loaded_model_can_be_saved_and_trained(chatting: Original, tmp_path: Path) -> None:
    model = checkpoints.load_model(str(chatting.path))
    model.save_pretrained(tmp_path)
    saved = checkpoints.load_model(str(tmp_path))
    assert all(torch.equal(weight, saved.state_dict()[name]) for name, weight in model.state_dict().items())
    assert not hasattr(saved.config, "quantization_config")


def test_a_model_that_nothing_is_asked_is_not_loaded(tiny: Original) -> None:
    model = DeferredModel(str(tiny.path))
    assert model.revision == checkpoints.revision(str(tiny.path))
    assert list(model.generate([], Decoding())) == []


def test_settings_of_the_configuration_can_be_changed(tiny: Original) -> None:
    assert checkpoints.load_model(str(tiny.path), attention_dropout=0.25).config.attention_dropout == 0.25
    assert checkpoints.load_config(str(tiny.path)).attention_dropout == 0


def cut(path: Path, source: Path, size: int) -> str:
    path.write_bytes(source.read_bytes()[:size])
    return str(path)


def refused(name: str, **options: Any) -> str:
    with pytest.raises(UserError) as refusal:
        LocalModel.load(name, **options)
    message = str(refusal.value)
    assert "\n" not in message
    return message


def test_a_damaged_file_is_refused_in_one_line(tiny: Original, tmp_path: Path) -> None:
    size = tiny.path.stat().st_size
    assert f"it is cut off, {size - 100:,} of {size:,} bytes" in refused(
        cut(tmp_path / "a.gguf", tiny.path, size - 100)
    )
    assert "it ends after 900 bytes, in its header" in refused(cut(tmp_path / "b.gguf", tiny.path, 900))
    assert "it is not a GGUF file" in refused(cut(tmp_path / "c.gguf", tiny.path, 0))
    (tmp_path / "d.gguf").write_text("<html>404 Not Found</html>")
    assert "it is not a GGUF file" in refused(str(tmp_path / "d.gguf"))
    (tmp_path / "e.gguf").write_bytes(b"GGUF" + (1).to_bytes(4, "little") + tiny.path.read_bytes()[8:])
    assert "it has version 1, but only versions 2 and 3 can be read" in refused(str(tmp_path / "e.gguf"))


def test_a_file_of_another_kind_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"weights")
    assert "weights and tokenizer, or a GGUF file" in refused(str(tmp_path / "model.bin"))
    assert refused(str(tmp_path / "gone.gguf")).endswith("gone.gguf does not exist")


def test_an_architecture_that_cannot_be_read_is_refused_with_what_to_do(tmp_path: Path) -> None:
    write_gguf(tmp_path / "strange.gguf", architecture="plamo2")
    message = refused(str(tmp_path / "strange.gguf"))
    assert "a model of the architecture 'plamo2', which transformers does not read from GGUF" in message
    assert "llama-server" in message


def test_a_file_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    write_gguf(tmp_path / "mute.gguf", tokenizer=False)
    assert "holds weights but no tokenizer" in refused(str(tmp_path / "mute.gguf"))


def test_a_file_that_lacks_weights_is_refused(tmp_path: Path) -> None:
    write_gguf(tmp_path / "holes.gguf", without=["blk.1.attn_q.weight", "blk.1.ffn_up.weight"])
    message = refused(str(tmp_path / "holes.gguf"))
    assert "lacks weights that its model needs, 2 in all: model.layers.1.mlp.up_proj.weight, model.layers.1." in message


def test_a_base_model_has_no_chat_template(tiny: Original) -> None:
    assert "has no chat template, like most base models: leave out chat=True" in refused(str(tiny.path), chat=True)


def test_a_model_larger_than_the_memory_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    write_huge_gguf(tmp_path / "huge.gguf", 10**12)
    name = str(tmp_path / "huge.gguf")
    message = refused(name, precision="float32")
    assert message.startswith(
        f"{name} does not fit into memory: its 1,000,000,000,000 weights take 3,725.3 GiB in float32, and "
    )
    assert "take 1,862.6 GiB in bfloat16, and" in refused(name, precision="bfloat16")


def test_without_the_package_the_command_that_installs_it_is_named(
    tiny: Original, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import util

    find_spec = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "gguf" else find_spec(name))
    assert refused(str(tiny.path)) == "reading a GGUF file needs the extra [models]: pip install 'selfknow[models]'"


def test_a_run_goes_on_where_it_was_after_its_model_was_refused(tiny: Original, tmp_path: Path) -> None:
    questions, file, run = tmp_path / "two.jsonl", tmp_path / "model.gguf", tmp_path / "run"
    questions.write_text('{"question": "1 + 1?", "answer": "#### 2"}\n{"question": "2 + 2?", "answer": "#### 4"}\n')

    def ask(**options: object) -> int:
        result = selfknow.ask(f"gsm8k:{questions}", str(file), out=run, max_new_tokens=4, quiet=True, **options)
        return result.progress[0].answered_before

    def held() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in run.rglob("*") if path.is_file()}

    shutil.copy(tiny.path, file)
    assert ask() == 0
    before = held()
    cut(file, tiny.path, tiny.path.stat().st_size // 2)
    with pytest.raises(UserError, match="it is cut off"):
        ask()
    shutil.copy(tiny.path, file)
    with pytest.raises(UserError, match="leave out chat=True"):
        ask(chat=True)
    assert held() == before
    assert ask() == 2


@pytest.mark.skipif(REAL_MODELS is None, reason="SELFKNOW_TEST_MODELS names no folder of real models")
@pytest.mark.parametrize(
    ("file", "quantization", "num_parameters", "reply"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "Q4_1", 134_515_008, "The capital of France is Paris."),
        ("gemma-3-270m-q4_k_m.gguf", "Q4_K_M", 268_098_176, "\n\nThe capital of France is Paris.\n\n"),
    ],
)
def test_real_models_answer(file: str, quantization: str, num_parameters: int, reply: str) -> None:
    model = LocalModel.load(str(Path(REAL_MODELS or "") / file), device="cpu", precision="float32")
    assert (model.quantization, model.num_parameters) == (quantization, num_parameters)
    request = Request("France", "What is the capital of France?")
    [(_, answer)] = model.generate([request], Decoding(max_new_tokens=9))
    assert answer.generation == reply
