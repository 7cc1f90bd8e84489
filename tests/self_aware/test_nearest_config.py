"""Self-aware-nearest: from a pool to both halves, each chosen question once, every flaw flagged."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from selfknow.builders.folder.manifest import read_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_aware import nearest_config as nearest_config_module
from selfknow.builders.self_aware.encoders import Encoder, Vectors
from selfknow.builders.self_aware.nearest import Partner
from selfknow.builders.self_aware.nearest_config import CONFIGS, DATASET, nearest_config, partner_limits, pools, select
from selfknow.builders.self_aware.questions import questions
from selfknow.errors import UserError
from selfknow.validation.check import check_folder
from tests.conftest import Run

POOL = [
    {"question": "who was the first man on the moon", "answer": ["Neil Armstrong"]},
    {"question": "Who was the first man on the moon?", "answer": ["Armstrong"]},
    {"question": "is rome in italy", "answer": ["yes", "Rome"]},
    {"question": "a question that nobody answered", "answer": []},
]


@pytest.fixture
def encoder(tmp_path: Path) -> str:
    """Return a real sentence encoder in a folder: a random vector for each word, and their mean."""
    pytest.importorskip("torch", reason="the extra [models] is not installed")
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    texts = [*(question.question for question in questions("unanswerable")), *(str(row["question"]) for row in POOL)]
    words = dict.fromkeys(word for text in texts for word in text.split())
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(["<unk>", *words])}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    torch.manual_seed(0)
    module = StaticEmbedding(tokenizer, embedding_dim=16)
    SentenceTransformer(modules=[module], device="cpu").save(str(tmp_path / "encoder"))
    return str(tmp_path / "encoder")


def test_every_first_partner_is_kept_before_anybodys_second() -> None:
    partners = [Partner(0, 1, 0.9), Partner(0, 2, 0.8), Partner(1, 3, 0.3), Partner(2, 4, 0.5), Partner(2, 5, 0.4)]
    assert [(item.question, item.pool_row) for item in select(partners, 4)] == [(0, 1), (0, 2), (1, 3), (2, 4)]
    assert [(item.question, item.pool_row) for item in select(partners, 2)] == [(0, 1), (2, 4)]
    assert select(partners, 9) == partners


@pytest.mark.models
def test_a_pool_becomes_both_halves_and_the_check_tells_it_from_the_pinned_one(encoder: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in POOL))
    config = nearest_config("nq-open", path=path, encoder=encoder)
    tables = {split: shards[0]().to_pylist() for split, shards in config.shards.items()}
    assert [row["id"] for row in tables["unanswerable"]] == [row.id for row in questions("unanswerable")]
    rows = {row["id"]: row for row in tables["answerable"]}
    assert set(rows) == {"nq-open/mine-0", "nq-open/mine-2"}, "asked twice, or without an answer"
    assert rows["nq-open/mine-2"]["flags"] == ["answer_in_question", "alias_too_short"]
    assert rows["nq-open/mine-0"]["flags"] == []
    assert rows["nq-open/mine-0"]["source"] == "nq-open/mine"
    assert {row["pair_id"] for row in rows.values()} <= {row["id"] for row in tables["unanswerable"]}
    build_folder(DATASET, [config], tmp_path / "folder", jobs=2)
    assert read_manifest(tmp_path / "folder").configs["nq-open"].parameters["encoder"] == encoder
    assert {finding.expectation for finding in check_folder(tmp_path / "folder")} == {"pinned_files"}
    card = (tmp_path / "folder" / "README.md").read_text()
    assert "license: cc-by-sa-3.0" in card
    assert "$" not in card
    assert "| `answer_in_question` | 1 | 0 |" in card


def test_together_the_papers_sets_give_the_papers_number_of_questions() -> None:
    assert sum(partner_limits(config).total for config in CONFIGS if config != "nq-open") == 2_337
    assert all(len(sha256 or "") == 64 for source in pools().values() for sha256 in source.files.values())
    with pytest.raises(UserError, match="has no config 'trivia': did you mean 'triviaqa'"):
        nearest_config("trivia")


def test_pools_under_two_licences_never_go_into_one_folder(selfknow: Run, tmp_path: Path) -> None:
    result = selfknow("data", "build", "self-aware-nearest", "squad", "nq-open", "--out", "out")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "squad under cc-by-sa-4.0, nq-open under cc-by-sa-3.0" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.models
@pytest.mark.full
def test_a_search_that_was_killed_goes_on_and_leaves_nothing_behind(
    encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = tmp_path / "many.jsonl", tmp_path / "cache" / "selfknow" / "nearest"
    rows = [{"question": f"how far is it to town {number}", "answer": ["far"]} for number in range(40)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(nearest_config_module, "_ROWS_AT_A_TIME", 2)
    load, encoded = nearest_config_module.load_encoder, list[int]()

    def cut_off(name: str) -> Encoder:
        encode = load(name)

        def encode_until_a_power_cut(texts: Sequence[str]) -> Vectors:
            encoded.append(len(texts))
            if len(encoded) == 19:  # the questions, 17 batches of the pool, and the one that is lost
                raise PowerCutError
            return encode(texts)

        return encode_until_a_power_cut

    monkeypatch.setattr(nearest_config_module, "load_encoder", cut_off)
    made = nearest_config("nq-open", path=path, encoder=encoder).shards["answerable"][0]
    with pytest.raises(PowerCutError):
        made()
    assert len(list(cache.glob("*.npz"))) == 1
    encoded[:] = [0] * 20
    assert made().num_rows == 40
    assert encoded[20:] == [1_032, 2, 2, 2, 2], "the 16 batches that were saved are not encoded again"
    assert list(cache.iterdir()) == []


class PowerCutError(Exception):
    """An error that ends a search in the middle."""
