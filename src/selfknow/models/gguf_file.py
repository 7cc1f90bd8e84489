"""Models in GGUF files, as llama.cpp has them: found, judged before anything is loaded, and read by ``transformers``.

The weights are unpacked into a dense model, which is asked, trained and shown like any other. One file holds all:
weights, tokenizer, chat template.
"""

import copy
import hashlib
import io
import re
from contextlib import redirect_stderr
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow import downloads
from selfknow.errors import MissingExtraError, UserError
from selfknow.files import user_path
from selfknow.models.gguf_header import GgufHeader, NotReadableError, read_header
from selfknow.models.memory import available_memory_in_bytes

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

SUFFIX = ".gguf"
_ON_THE_HUB = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+):(?P<path>[^:]+\.gguf)")
_BYTES_PER_GIBIBYTE = 1 << 30
_INSTEAD = "serve it with llama.cpp's llama-server and name it with --endpoint (docs/models.md)"


def find(name: str) -> Path | None:
    """The GGUF file that a name stands for: ``FILE.gguf``, a folder with one, or ``ORG/REPO:FILE.gguf`` on the Hub.

    Returns:
        The file, which need not be one that can be read; null where the name stands for something else.

    Raises:
        UserError: A folder holds several of them, or there is none by this name on the Hub.

    Example:
        >>> find("facebook/opt-125m") is None
        True
    """
    path = user_path(name)
    if path.is_file():
        return path if path.suffix == SUFFIX else None
    if path.is_dir():
        files = sorted(path.glob(f"*{SUFFIX}"))
        if len(files) > 1:
            listed = ", ".join(file.name for file in files)
            raise UserError(f"{name} holds {len(files)} GGUF files: name one of them ({listed})")
        return files[0] if files else None
    if path.exists() or not (there := _ON_THE_HUB.fullmatch(name)):
        return None
    try:
        return downloads.model_file(there["repo"], there["path"])
    except downloads.DownloadError as error:
        raise UserError(f"{there['path']} of {there['repo']} could not be fetched from the Hub: {error}") from error


def is_on_the_hub(name: str) -> bool:
    """Return whether a name is that of a file on the Hub, ``ORG/REPO:FILE.gguf``.

    Example:
        >>> is_on_the_hub("org/repo:parts/model.gguf"), is_on_the_hub("model.gguf")
        (True, False)
    """
    return _ON_THE_HUB.fullmatch(name) is not None


def header(name: str, path: Path) -> GgufHeader:
    """What a file says of itself, once it is known that its model can be loaded.

    Args:
        name: What the user called it.
        path: The file.

    Raises:
        MissingExtraError: The package ``gguf`` is not installed.
        UserError: It is no GGUF file, is cut off, or is one part of several.
    """
    from importlib.util import find_spec

    if find_spec("gguf") is None:
        raise MissingExtraError("reading a GGUF file", "models")
    try:
        found = read_header(path)
        end, size = found.end_in_bytes, path.stat().st_size
    except (NotReadableError, OSError) as error:
        raise UserError(f"{name} cannot be read: {error}") from error
    if int(found.metadata.get("split.count", 1)) > 1:
        raise UserError(f"{name} is one part of several: join them with llama.cpp's `llama-gguf-split --merge`")
    if size < end:
        raise UserError(f"{name} cannot be read: it is cut off, {size:,} of {end:,} bytes; get it again")
    if not found.architecture:
        raise UserError(f"{name} does not say of which architecture its model is")
    return found


def load_config(name: str, path: Path) -> Any:
    """The configuration of the model in a file, as ``transformers`` understands it.

    Raises:
        UserError: ``transformers`` does not read its architecture (see also :func:`header`).
    """
    found, status = header(name, path), path.stat()
    try:
        return copy.deepcopy(_config(path.resolve(), status.st_mtime_ns, status.st_size))
    except Exception as error:  # whatever its reader trips over is the file's fault
        raise _not_understood(name, found, error) from error


@lru_cache(maxsize=4)
def _config(path: Path, _changed_at: int, _size: int) -> Any:
    """Read once: with a large vocabulary that takes ``transformers`` many seconds."""
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(str(path.parent), gguf_file=path.name)


def load_tokenizer(name: str, path: Path) -> "PreTrainedTokenizerBase":
    """The tokenizer in a file, with its chat template if there is one.

    Raises:
        UserError: The file holds none, or one of a kind that ``transformers`` does not read.
    """
    from transformers import TOKENIZER_MAPPING, PreTrainedTokenizerFast

    found = header(name, path)
    if not found.metadata.get("tokenizer.ggml.tokens"):
        raise UserError(f"{name} holds weights but no tokenizer: its vocabulary is missing")
    # What `AutoTokenizer` takes too, but it reads the configuration once more to know.
    kind: Any = TOKENIZER_MAPPING.get(type(load_config(name, path)), PreTrainedTokenizerFast)
    if not (isinstance(kind, type) and issubclass(kind, PreTrainedTokenizerFast)):
        kind = PreTrainedTokenizerFast
    try:
        tokenizer: PreTrainedTokenizerBase = kind.from_pretrained(str(path.parent), gguf_file=path.name)
    except Exception as error:
        raise UserError(f"the tokenizer in {name} cannot be read by transformers: {_line(error)}") from error
    return tokenizer


def load_model(name: str, path: Path, dtype: "str | torch.dtype" = "auto", **settings: float) -> "PreTrainedModel":
    """The model in a file, its weights unpacked, onto the CPU.

    Args:
        name: What the user called it.
        path: The file.
        dtype: What the weights are unpacked into, ``float32`` or ``bfloat16``; ``auto`` is float32.
        settings: Settings of its configuration to change, such as ``dropout``.

    Raises:
        UserError: It does not fit into memory, is not understood by ``transformers``, or lacks weights.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, GgufConfig

    found = header(name, path)
    if not isinstance(dtype, torch.dtype):
        dtype = torch.bfloat16 if dtype == "bfloat16" else torch.float32
    _check_memory(name, found, dtype)
    config = load_config(name, path)
    config.update(settings)
    kind: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    try:
        with redirect_stderr(io.StringIO()):  # a bar that it always draws, and that lasts a second
            model, report = kind.from_pretrained(
                str(path.parent),
                gguf_file=path.name,
                config=config,
                dtype=dtype,
                quantization_config=GgufConfig(dequantize=True),
                output_loading_info=True,
            )
    except MemoryError:
        raise
    except Exception as error:
        raise _not_understood(name, found, error) from error
    if lacking := sorted(report["missing_keys"]):
        raise UserError(f"{name} lacks weights that its model needs, {len(lacking)} in all: {', '.join(lacking[:3])}")
    return _dense(model)


def revision(path: Path) -> str:
    """Which weights these are: the first 40 digits of the SHA-256 of the file, whatever it is called."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:40]


def _dense(model: "PreTrainedModel") -> "PreTrainedModel":
    """A model that says no more that it is quantized, which it is no more: it can be trained and saved."""
    model.hf_quantizer = None  # type: ignore[assignment]
    for settings in (model.config, model.config.get_text_config()):
        if hasattr(settings, "quantization_config"):
            del settings.quantization_config
    return model


def _check_memory(name: str, found: GgufHeader, dtype: "torch.dtype") -> None:
    needed, available = found.num_values * dtype.itemsize, available_memory_in_bytes()
    if needed > available:
        precision = str(dtype).removeprefix("torch.")
        raise UserError(
            f"{name} does not fit into memory: its {found.num_values:,} weights take "
            f"{needed / _BYTES_PER_GIBIBYTE:,.1f} GiB in {precision}, and {available / _BYTES_PER_GIBIBYTE:,.1f} GiB "
            f"are free; use a smaller model, or {_INSTEAD}"
        )


def _not_understood(name: str, found: GgufHeader, error: BaseException) -> UserError:
    if "not supported" in str(error):
        return UserError(
            f"{name} holds a model of the architecture {found.architecture!r}, which transformers does not read from "
            f"GGUF: {_INSTEAD}"
        )
    return UserError(f"{name} ({found.architecture}) cannot be read by transformers: {_line(error)}")


def _line(error: BaseException) -> str:
    """An error in one line."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__
