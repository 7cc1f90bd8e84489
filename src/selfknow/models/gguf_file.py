"""Models in GGUF files, llama.cpp's format. A file is checked before ``transformers`` loads it.

One file holds weights, tokenizer and chat template. The weights are unpacked into a dense model, which works like any
other.
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
from selfknow.errors import MissingExtraError, UserError, argument
from selfknow.files import user_path
from selfknow.models.gguf_header import GgufHeader, NotReadableError, read_header
from selfknow.models.memory import available_memory_in_bytes

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

SUFFIX = ".gguf"
_HUB_NAME = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+):(?P<path>[^:]+\.gguf)")
_BYTES_PER_GIBIBYTE = 1 << 30


def _server_advice() -> str:
    return f"serve it with llama.cpp's llama-server and name it with {argument('endpoint')} (docs/models.md)"


def find(name: str) -> Path | None:
    """Find the GGUF file that a name stands for: ``FILE.gguf``, a folder with one, or ``ORG/REPO:FILE.gguf`` (Hub).

    Returns:
        The file, which may be unreadable; null if the name stands for something else.

    Raises:
        UserError: A folder holds several GGUF files, or the Hub has no file of this name.

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
    if path.exists() or not (match := _HUB_NAME.fullmatch(name)):
        return None
    try:
        return downloads.model_file(match["repo"], match["path"])
    except downloads.DownloadError as error:
        raise UserError(f"{match['path']} of {match['repo']} could not be fetched from the Hub: {error}") from error


def is_on_the_hub(name: str) -> bool:
    """Return true for the name of a file on the Hub, ``ORG/REPO:FILE.gguf``.

    Example:
        >>> is_on_the_hub("org/repo:parts/model.gguf"), is_on_the_hub("model.gguf")
        (True, False)
    """
    return _HUB_NAME.fullmatch(name) is not None


def header(name: str, path: Path) -> GgufHeader:
    """Read the header of a file, and check that the file is whole.

    Args:
        name: The user's name for the file, for messages.
        path: The file.

    Raises:
        MissingExtraError: The package ``gguf`` is not installed.
        UserError: It is not a GGUF file, is cut off, or is one part of several.
    """
    from importlib.util import find_spec

    if find_spec("gguf") is None:
        raise MissingExtraError("reading a GGUF file", "models")
    try:
        content = read_header(path)
        end, size = content.end_in_bytes, path.stat().st_size
    except (NotReadableError, OSError) as error:
        raise UserError(f"{name} cannot be read: {error}") from error
    if int(content.metadata.get("split.count", 1)) > 1:
        raise UserError(f"{name} is one part of several: join them with llama.cpp's `llama-gguf-split --merge`")
    if size < end:
        raise UserError(f"{name} cannot be read: it is cut off, {size:,} of {end:,} bytes; download it again")
    if not content.architecture:
        raise UserError(f"{name} does not name the architecture of its model")
    return content


def load_config(name: str, path: Path) -> Any:
    """Load the configuration of the model in a file.

    Raises:
        UserError: ``transformers`` does not know its architecture (see also :func:`header`).
    """
    content, status = header(name, path), path.stat()
    try:
        return copy.deepcopy(_config(path.resolve(), status.st_mtime_ns, status.st_size))
    except Exception as error:  # on a damaged file the reader may raise anything
        raise _unsupported(name, content, error) from error


@lru_cache(maxsize=4)
def _config(path: Path, _changed_at: int, _size: int) -> Any:
    """Read a configuration, and cache it: with a large vocabulary ``transformers`` takes many seconds."""
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(str(path.parent), gguf_file=path.name)


def load_tokenizer(name: str, path: Path) -> "PreTrainedTokenizerBase":
    """Load the tokenizer in a file, with its chat template if there is one.

    Raises:
        UserError: The file has no tokenizer, or ``transformers`` cannot read it.
    """
    from transformers import TOKENIZER_MAPPING, PreTrainedTokenizerFast

    if not header(name, path).metadata.get("tokenizer.ggml.tokens"):
        raise UserError(f"{name} holds weights but no tokenizer: its vocabulary is missing")
    # `AutoTokenizer` would choose the same class, but read the configuration again.
    tokenizer_class: Any = TOKENIZER_MAPPING.get(type(load_config(name, path)), PreTrainedTokenizerFast)
    if not (isinstance(tokenizer_class, type) and issubclass(tokenizer_class, PreTrainedTokenizerFast)):
        tokenizer_class = PreTrainedTokenizerFast
    try:
        tokenizer: PreTrainedTokenizerBase = tokenizer_class.from_pretrained(str(path.parent), gguf_file=path.name)
    except Exception as error:
        raise UserError(f"the tokenizer in {name} cannot be read by transformers: {_first_line(error)}") from error
    return tokenizer


def load_model(name: str, path: Path, dtype: "str | torch.dtype" = "auto", **settings: float) -> "PreTrainedModel":
    """Load the model in a file onto the CPU, with its weights unpacked.

    Args:
        name: The user's name for the file, for messages.
        path: The file.
        dtype: The type of the unpacked weights, ``float32`` or ``bfloat16``; ``auto`` is float32.
        settings: Settings that replace those of its configuration, such as ``dropout``.

    Raises:
        UserError: It does not fit into memory, ``transformers`` cannot read it, or it lacks weights.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, GgufConfig

    content = header(name, path)
    if not isinstance(dtype, torch.dtype):
        dtype = torch.bfloat16 if dtype == "bfloat16" else torch.float32
    _check_memory(name, content, dtype)
    config = load_config(name, path)
    config.update(settings)
    model_class: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    try:
        with redirect_stderr(io.StringIO()):  # transformers always draws a progress bar here
            model, report = model_class.from_pretrained(
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
        raise _unsupported(name, content, error) from error
    if missing := sorted(report["missing_keys"]):
        raise UserError(f"{name} lacks weights that its model needs, {len(missing)} in all: {', '.join(missing[:3])}")
    return _remove_quantization(model)


def revision(path: Path) -> str:
    """Return the revision of a file's weights: the first 40 digits of its SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:40]


def _remove_quantization(model: "PreTrainedModel") -> "PreTrainedModel":
    """Remove a model's quantization settings, as its weights are unpacked; it can then be trained and saved."""
    model.hf_quantizer = None  # type: ignore[assignment]
    for settings in (model.config, model.config.get_text_config()):
        if hasattr(settings, "quantization_config"):
            del settings.quantization_config
    return model


def _check_memory(name: str, content: GgufHeader, dtype: "torch.dtype") -> None:
    needed, available = content.num_values * dtype.itemsize, available_memory_in_bytes()
    if needed > available:
        precision = str(dtype).removeprefix("torch.")
        raise UserError(
            f"{name} does not fit into memory: its {content.num_values:,} weights take "
            f"{needed / _BYTES_PER_GIBIBYTE:,.1f} GiB in {precision}, and {available / _BYTES_PER_GIBIBYTE:,.1f} GiB "
            f"are free; use a smaller model, or {_server_advice()}"
        )


def _unsupported(name: str, content: GgufHeader, error: BaseException) -> UserError:
    if "not supported" in str(error):
        return UserError(
            f"{name} holds a model of the architecture {content.architecture!r}, which transformers does not read from "
            f"GGUF: {_server_advice()}"
        )
    return UserError(f"{name} ({content.architecture}) cannot be read by transformers: {_first_line(error)}")


def _first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type if it has none."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__
