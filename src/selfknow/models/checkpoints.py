"""The loading of checkpoints from local folders, GGUF files and the Hub; each error is one clear line."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import MissingExtraError, UserError
from selfknow.files import user_path
from selfknow.models import gguf_file
from selfknow.models.facts import FACTS_FILE
from selfknow.verbosity import hide_weights_bar, is_verbose

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, ProcessorMixin

HASHED_SUFFIXES = {".safetensors", ".bin", ".json", ".jinja", ".model", ".txt"}
_BYTES_PER_READ = 1 << 24


def require_models_extra() -> None:
    """Check that torch, transformers and accelerate are installed.

    Raises:
        MissingExtraError: They are not installed.
    """
    from importlib.util import find_spec

    if not all(find_spec(name) for name in ("torch", "transformers", "accelerate")):
        raise MissingExtraError("running a model", "models")


def quieten() -> None:
    """Hide transformers' messages on stderr, unless ``selfknow -v`` is on."""
    if is_verbose():
        return
    import warnings

    from transformers.utils import logging

    hide_weights_bar()  # our own bar shows the progress
    logging.set_verbosity_error()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")


def best_device() -> str:
    """Return the fastest device of this machine: ``cuda``, ``mps`` or ``cpu``."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def locate(name: str, file: str = "config.json") -> tuple[str, bool]:
    """Find the checkpoint that a name stands for.

    A training folder of this package stands for the folder ``model`` in it, and a folder with one GGUF file for that
    file.

    Args:
        name: A folder, a GGUF file (``FILE.gguf``, or ``ORG/REPO:FILE.gguf`` on the Hub), or a Hub id.
        file: The file that a folder must hold: ``config.json`` for ``transformers``, ``model_index.json`` for
            ``diffusers``.

    Returns:
        The path or Hub id to load, and true if it is on this machine.

    Raises:
        UserError: The name is a local path that holds no checkpoint.
    """
    folder = user_path(name)
    for candidate in (folder, folder / "model"):
        if (candidate / file).is_file():
            return str(candidate), True
    if file == "config.json" and (gguf := gguf_file.find(name)) is not None:
        return str(gguf), True
    if folder.exists():
        contents = "weights and tokenizer, or a GGUF file" if file == "config.json" else "the parts that it names"
        raise UserError(f"{name} holds no checkpoint: expected a folder with {file}, {contents}")
    refuse_missing(name)
    return name, False


def refuse_missing(name: str) -> None:
    """Refuse a name that can only be a local path but does not exist; the Hub is not asked.

    Raises:
        UserError: The path does not exist.

    Example:
        >>> refuse_missing("facebook/opt-125m")
    """
    if user_path(name).exists() or gguf_file.is_on_the_hub(name):
        return
    if name.startswith(("/", "./", "../", "~")) or name.endswith("/") or name.count("/") > 1:
        raise UserError(f"{name} does not exist")
    if name.endswith(gguf_file.SUFFIX):
        raise UserError(f"{name} does not exist (a GGUF file on the Hub is named ORG/REPO:FILE.gguf)")


def gguf_path(location: str) -> Path | None:
    """Return a location from :func:`locate` as a path if it is a GGUF file, else null."""
    return Path(location) if location.endswith(gguf_file.SUFFIX) and Path(location).is_file() else None


def load_tokenizer(name: str) -> "PreTrainedTokenizerBase":
    """Load a tokenizer.

    Raises:
        UserError: There is no tokenizer of this name, or it cannot be fetched.
    """
    from transformers import AutoTokenizer

    location, local = locate(name)
    if (gguf := gguf_path(location)) is not None:
        return gguf_file.load_tokenizer(name, gguf)
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(location)
    except (OSError, ValueError, ImportError, KeyError) as error:
        raise loading_error(name, error, local=local) from error
    return tokenizer


def load_tokenizer_folder(folder: Path) -> "PreTrainedTokenizerBase":
    """Load a tokenizer that was saved without a model."""
    from transformers import AutoTokenizer

    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(str(folder))
    return tokenizer


def load_config(name: str) -> Any:
    """Load a checkpoint's configuration (see :func:`load_tokenizer`)."""
    from transformers import AutoConfig

    location, local = locate(name)
    if (gguf := gguf_path(location)) is not None:
        return gguf_file.load_config(name, gguf)
    try:
        return AutoConfig.from_pretrained(location)
    except (OSError, ValueError, KeyError) as error:
        raise loading_error(name, error, local=local) from error


def load_model(name: str, dtype: "str | torch.dtype" = "auto", **settings: float) -> "PreTrainedModel":
    """Load a causal or sequence-to-sequence language model onto the CPU.

    Args:
        name: A folder, a GGUF file or a Hub id.
        dtype: The type of the weights; ``auto`` is the saved type, or float32 for a GGUF file.
        settings: Settings that replace those of its configuration, such as ``dropout``.

    Raises:
        UserError: There is no such model, it is not a language model, or it does not fit into memory.
    """
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    location, local = locate(name)
    gguf = gguf_path(location)
    with _one_line_errors(name, local=local):
        if gguf is not None:
            return gguf_file.load_model(name, gguf, dtype, **settings)
        model_class = AutoModelForSeq2SeqLM if load_config(name).is_encoder_decoder else AutoModelForCausalLM
        model: PreTrainedModel = model_class.from_pretrained(location, dtype=dtype, **settings)
    return model


@contextmanager
def _one_line_errors(name: str, *, local: bool) -> Iterator[None]:
    """Turn errors of loading a model in the block into one clear line.

    Raises:
        UserError: The model cannot be fetched or read, does not fit into memory, or its weights are a pickled program,
            which is not run.
    """
    from safetensors import SafetensorError

    try:
        yield
    except UserError:
        raise
    except (OSError, ValueError, ImportError, SafetensorError, MemoryError, RuntimeError) as error:
        if is_out_of_memory(error):
            raise UserError(f"{name} does not fit into memory: use a smaller model or a larger machine") from error
        raise loading_error(name, error, local=local) from error
    except Exception as error:
        # PyTorch's older format may hold more than tensors. The name is compared so that pickle need not be imported.
        if type(error).__name__ == "UnpicklingError":
            raise UserError(
                f"{name} holds weights that are a program, not tensors: use a checkpoint in safetensors"
            ) from error
        raise


def load_vision_model(name: str, dtype: "str | torch.dtype" = "auto") -> "PreTrainedModel":
    """Load a model that reads text and pictures onto the CPU (see :func:`load_model`).

    Raises:
        UserError: There is no such model, it reads only text, or it does not fit into memory.
    """
    from transformers import AutoModelForImageTextToText
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

    if type(load_config(name)) not in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
        raise UserError(f"{name} reads text only: name a vision-language model, which also sees pictures")
    location, local = locate(name)
    with _one_line_errors(name, local=local):
        model: PreTrainedModel = AutoModelForImageTextToText.from_pretrained(location, dtype=dtype)
    return model


def load_processor(name: str) -> "ProcessorMixin":
    """Load the processor that turns text and pictures into a model's inputs (see :func:`load_tokenizer`)."""
    from transformers import AutoProcessor

    location, local = locate(name)
    try:
        processor: ProcessorMixin = AutoProcessor.from_pretrained(location)
    except (OSError, ValueError, ImportError, KeyError) as error:
        raise loading_error(name, error, local=local) from error
    return processor


def move(name: str, model: "PreTrainedModel", device: str | None = None) -> None:
    """Move a model to a device, by default the best one, and switch it to inference.

    Raises:
        UserError: The model does not fit into the device's memory.
    """
    try:
        model.to(device or best_device())  # type: ignore[arg-type]
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        raise UserError(f"{name} does not fit into the memory of the device") from error
    model.train(False)


def is_out_of_memory(error: BaseException) -> bool:
    """Return true for an error that means that a GPU or the machine ran out of memory."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)


def revision(name: str, config: object | None = None) -> str | None:
    """Return the revision of a checkpoint's weights.

    Args:
        name: A folder, a GGUF file or a Hub id.
        config: The checkpoint's configuration, if it is already loaded.

    Returns:
        For a Hub model, the commit in its configuration, or null; for a local checkpoint, a hash over its files; for a
        GGUF file, local or on the Hub, the first 40 digits of its SHA-256.
    """
    location, local = locate(name)
    if not local:
        return getattr(config or load_config(name), "_commit_hash", None)
    if (gguf := gguf_path(location)) is not None:
        return gguf_file.revision(gguf)
    folder = Path(location)
    files = [path for path in sorted(folder.iterdir()) if path.suffix in HASHED_SUFFIXES and path.name != FACTS_FILE]
    return hash_of_files(folder, files)


def quantization(name: str) -> str | None:
    """Return the quantization of a GGUF file, such as ``Q4_1``; null for other checkpoints."""
    location, _ = locate(name)
    return None if (gguf := gguf_path(location)) is None else gguf_file.header(name, gguf).quantization


def hash_of_files(folder: Path, paths: Iterable[Path]) -> str:
    """Return a hash over files of a folder: their relative names, sizes and bytes, as 40 hex digits."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while block := file.read(_BYTES_PER_READ):
                digest.update(block)
    return digest.hexdigest()[:40]


def loading_error(name: str, error: BaseException, *, local: bool) -> UserError:
    """Return the error for a checkpoint that cannot be loaded, in one clear line."""
    first_line = str(error).strip().split("\n")[0]
    if local:
        return UserError(f"the checkpoint in {name} cannot be loaded: {first_line}")
    return UserError(
        f"model {name!r} is not a folder here and could not be fetched from the Hub (no such id, no "
        "access, or no network): "
        f"{first_line}"
    )
