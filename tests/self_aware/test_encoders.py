"""Encoders are read as their authors read them, and a missing one is a clear refusal."""

from pathlib import Path

import numpy as np
import pytest

from selfknow.builders.self_aware.encoders import PAPER, load_encoder
from selfknow.errors import UserError

torch = pytest.importorskip("torch", reason="the extra [models] is not installed")
transformers = pytest.importorskip("transformers", reason="the extra [models] is not installed")

WORDS = ["<s>", "<pad>", "</s>", "<unk>", "the", "answer", "is", "unknown"]
TEXTS = ["the answer is unknown", "the answer", "unknown is unknown is the answer"]


def test_weights_are_read_without_a_bar(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load_encoder(str(save_roberta(tmp_path)))
    assert "Loading weights" not in capfd.readouterr().err


def save_roberta(folder: Path) -> Path:
    """Return a RoBERTa of random weights, with its pooler, as SimCSE's checkpoints have it."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    words = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = Whitespace()
    words.post_processor = TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    named = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, **named).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.RobertaConfig(vocab_size=len(WORDS), max_position_embeddings=40, **sizes)
    transformers.RobertaModel(config).save_pretrained(folder)
    return folder


def pooled(folder: Path) -> np.ndarray:
    """Return what the checkpoint's own pooler gives, by transformers alone, one text at a time."""
    model = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        vectors = torch.cat([model(**tokenizer(text, return_tensors="pt")).pooler_output for text in TEXTS])
    return torch.nn.functional.normalize(vectors).numpy()


def test_a_supervised_simcse_checkpoint_is_read_through_its_own_pooler(tmp_path: Path) -> None:
    folder = save_roberta(tmp_path / "sup-simcse-tiny")
    np.testing.assert_allclose(load_encoder(str(folder))(TEXTS), pooled(folder), atol=1e-6)


def test_any_other_checkpoint_is_not(tmp_path: Path) -> None:
    folder = save_roberta(tmp_path / "tiny")
    assert np.abs(load_encoder(str(folder))(TEXTS) - pooled(folder)).max() > 0.01


def test_the_papers_encoder_without_a_network_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UserError, match="'packaged', which needs no network") as refusal:
        load_encoder(PAPER)
    assert "\n" not in str(refusal.value)
