"""The progress bar of a run, and the precision of models."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import torch

from selfknow.errors import UserError
from selfknow.evaluate.run import ask
from selfknow.files import read_json, write_json
from selfknow.models.function import FunctionModel
from selfknow.models.interface import Decoding, Reply, Request, TokenReports
from selfknow.models.local import LocalModel
from selfknow.models.precision import choose_precision, native_precision
from selfknow.models.progress import ProgressBar
from tests.tiny_models import save, tiny_model, tiny_tokenizer


class Reporting:
    """Says how many tokens it has generated."""

    name, revision = "reporting", None

    def __init__(self) -> None:
        self.on_tokens: Callable[[int], None] = lambda _: None

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        raise NotImplementedError


def test_tokens_a_second_are_shown_before_the_first_reply(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    now, model = [100.0], Reporting()
    assert isinstance(model, TokenReports)
    with ProgressBar("answer", model, 40, 0, clock=lambda: now[0]):
        now[0] += 0.5
        model.on_tokens(32)
        assert "0/40" in (shown := capsys.readouterr().err)
        assert "32 tokens, 64 tokens/s" in shown
        now[0] += 0.1
        model.on_tokens(32)
        assert capsys.readouterr().err == "", "it is not drawn at every step"
        now[0] += 1.4
        model.on_tokens(36)
        assert "0/40" in (shown := capsys.readouterr().err)
        assert "100 tokens, 50 tokens/s" in shown
    model.on_tokens(1)
    assert "101" not in capsys.readouterr().err, "nobody listens afterwards"


def test_a_model_that_reports_no_tokens_has_a_bar_of_replies(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    model = FunctionModel(lambda prompt: prompt)
    assert not isinstance(model, TokenReports)
    with ProgressBar("answer", model, 3, 1) as bar:
        bar.count(Reply("yes"))
        bar.count(Reply(None, error="gone"))
    shown = capsys.readouterr().err
    assert "2/3" in shown
    assert "failed_tries=1" in shown
    assert "token" not in shown


@pytest.mark.parametrize(
    ("device", "capabilities", "card", "expected"),
    [
        ("cpu", {"avx512_bf16": True}, False, "bfloat16"),
        ("cpu", {"avx512_bf16": False, "amx_bf16": False, "avx512_f": True}, True, "float32"),
        ("cuda:0", {"avx512_bf16": True}, False, "float32"),
        ("cuda:0", {}, True, "bfloat16"),
        ("mps", {"avx512_bf16": True}, True, "float32"),
    ],
)
def test_bfloat16_is_taken_where_the_machine_computes_in_it_itself(
    monkeypatch: pytest.MonkeyPatch, device: str, capabilities: dict[str, bool], card: bool, expected: str
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities, raising=False)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: including_emulation or card)
    assert native_precision(device) == choose_precision(None, device) == expected
    assert choose_precision("float32", device) == "float32"


def test_an_unknown_precision_is_one_line() -> None:
    with pytest.raises(UserError, match="unknown precision 'float16': did you mean 'bfloat16'"):
        choose_precision("float16", "cpu")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    tokenizer = tiny_tokenizer(["Which one? A or B.\n"] * 20, 60)
    return save(tiny_model("opt", tokenizer), tokenizer, tmp_path_factory.mktemp("model"))


def test_a_checkpoint_is_loaded_in_the_precision_that_is_asked_for(checkpoint: str) -> None:
    precisions = {None: native_precision("cpu"), "float32": "float32", "bfloat16": "bfloat16", "saved": "float32"}
    for wanted, precision in precisions.items():
        assert LocalModel.load(checkpoint, device="cpu", precision=wanted).precision == precision


def asked(checkpoint: str, folder: Path, precision: str, limit: int = 2) -> None:
    options = {"limit": limit, "max_new_tokens": 2, "precision": precision, "examples": False}
    [progress] = ask("self-aware", checkpoint, out=folder, quiet=True, **options).progress
    assert progress.failed == 0, "the prompt leaves room for a reply"


def test_a_run_is_resumed_in_its_own_precision_alone(checkpoint: str, tmp_path: Path) -> None:
    asked(checkpoint, tmp_path, "bfloat16")
    line = r"was asked in bfloat16 in .*, not in float32: add precision='bfloat16', or name a new folder"
    with pytest.raises(UserError, match=line):
        asked(checkpoint, tmp_path, "float32")
    asked(checkpoint, tmp_path, "bfloat16")


def test_a_run_that_does_not_say_was_asked_in_what_the_checkpoint_was_saved_in(checkpoint: str, tmp_path: Path) -> None:
    asked(checkpoint, tmp_path, "float32")
    description = read_json(tmp_path / "run.json")
    assert "float32" in str(description["models"])
    write_json(tmp_path / "run.json", {**description, "models": {checkpoint: {"num_parameters": 7}}})
    with pytest.raises(UserError, match=r"was asked in float32 in .*, not in bfloat16: add precision='float32'"):
        asked(checkpoint, tmp_path, "bfloat16")
    asked(checkpoint, tmp_path, "float32")
    assert "float32" in str(read_json(tmp_path / "run.json")["models"])


def test_who_has_said_nothing_yet_may_be_asked_in_another_precision(checkpoint: str, tmp_path: Path) -> None:
    asked(checkpoint, tmp_path, "float32")
    for part in (tmp_path / "generations").iterdir():  # as a kill before the first reply leaves it
        part.unlink()
    asked(checkpoint, tmp_path, "bfloat16")
    [model] = read_json(tmp_path / "run.json")["models"]
    assert model["precision"] == "bfloat16"
