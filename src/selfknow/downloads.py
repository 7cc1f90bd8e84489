"""Downloads from the Hub or from a pinned address; no other module reads from them."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError

if TYPE_CHECKING:
    from datasets import DatasetBuilder
    from huggingface_hub import HfFileSystem

_TRANSIENT_STATUS_CODES = {408, 429, 500, 502, 503, 504}
_TIMEOUT_IN_SECONDS = 60.0
_WAITS_IN_SECONDS = (1, 2, 4)


class DownloadError(UserError):
    """A failed download. The message is only the reason; the caller adds the purpose of the download and the remedy."""


def dataset_file(repo: str, path: str, revision: str | None = None) -> Path:
    """Download one file of a dataset on the Hub and return its path in the client's cache.

    If ``revision`` is a full commit hash and the file is in the cache, no network is needed.

    Args:
        repo: ``org/name``.
        path: The file's path in the repo.
        revision: Branch, tag or commit.

    Raises:
        DownloadError: The download failed.

    Example:
        >>> dataset_file("openai/gsm8k", "main/test-00000-of-00001.parquet")  # doctest: +SKIP
        PosixPath('…/snapshots/COMMIT/main/test-00000-of-00001.parquet')
    """
    with _download_errors():
        return hub_file(repo, path, revision)


def model_file(repo: str, path: str, revision: str | None = None) -> Path:
    """Download one file of a model on the Hub and return its path in the client's cache; see :func:`dataset_file`.

    Raises:
        DownloadError: The download failed.
    """
    with _download_errors():
        return hub_file(repo, path, revision, kind="model")


def dataset_folder(repo: str, patterns: list[str] | None = None, revision: str | None = None) -> tuple[Path, str]:
    """Download the files of a dataset that match a pattern (all by default); return their folder and commit.

    Raises:
        DownloadError: The download failed.
    """
    from huggingface_hub import snapshot_download

    with _download_errors():
        folder = Path(snapshot_download(repo, repo_type="dataset", revision=revision, allow_patterns=patterns))
    return folder, folder.name


def dataset_builder(repo: str, config: str | None, revision: str | None = None) -> "DatasetBuilder":
    """Return the builder of a dataset on the Hub or in a folder, before any row is read.

    Raises:
        DownloadError: There is no such dataset or config, or the Hub cannot be reached.
    """
    from datasets import load_dataset_builder

    with _download_errors():
        return load_dataset_builder(repo, config, revision=revision)


def dataset_rows(repo: str, *config: str, split: str) -> Iterator[Mapping[str, object]]:
    """Stream the rows of a split of a dataset on the Hub.

    Raises:
        DownloadError: There is no such dataset, config or split, or the Hub cannot be reached.
    """
    from datasets import load_dataset

    with _download_errors():
        rows = load_dataset(repo, *config, split=split, streaming=True)
    yield from rows


def hub_filesystem() -> "HfFileSystem":
    """Return the Hub as a file system, for readers of ``hf://`` addresses."""
    from huggingface_hub import HfFileSystem

    return HfFileSystem()


def fetch(url: str) -> bytes:
    """Download the bytes at a URL; a caller that pins a source compares their SHA-256.

    Raises:
        DownloadError: The download failed.
    """
    import httpx2

    try:
        response = httpx2.get(url, follow_redirects=True, timeout=_TIMEOUT_IN_SECONDS)
        response.raise_for_status()
    except httpx2.HTTPError as error:
        raise DownloadError(f"{type(error).__name__}: {error}") from error
    return response.content


def hub_file(repo: str, path: str, revision: str | None, folder: Path | None = None, *, kind: str = "dataset") -> Path:
    """Download a file like :func:`dataset_file`, but raise the client's own errors, which :mod:`selfknow.hub` reads.

    Args:
        repo: ``org/name``.
        path: The file's path in the repo.
        revision: Branch, tag or commit.
        folder: Folder to download into, bypassing the client's cache; by default the file goes into that cache.
        kind: Kind of the repo: ``dataset`` or ``model``.
    """
    from huggingface_hub import hf_hub_download

    destination: dict[str, Any] = {"local_dir": folder, "cache_dir": folder / ".cache"} if folder else {}

    def download() -> str:
        return str(hf_hub_download(repo, path, repo_type=kind, revision=revision, **destination))

    return Path(repeat_request(download, repeat_on=_is_unrepeated_error))


def is_transient(error: BaseException) -> bool:
    """Return True if the same request may succeed a moment later."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    if isinstance(error, HfHubHTTPError):
        return error.response.status_code in _TRANSIENT_STATUS_CODES
    return isinstance(error, httpx2.TransportError)


def repeat_request(
    request: Callable[..., Any],
    *arguments: object,
    repeat_on: Callable[[BaseException], bool] = is_transient,
    **options: object,
) -> Any:
    """Make a request, and repeat it up to three times after transient errors.

    Use it for requests that the client library does not repeat itself.
    """
    for wait in _WAITS_IN_SECONDS:
        try:
            return request(*arguments, **options)
        except Exception as error:
            if not repeat_on(error):
                raise
            time.sleep(wait)
    return request(*arguments, **options)


def _is_unrepeated_error(error: BaseException) -> bool:
    """Return True for a transient error after which the client library does not repeat a download."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    if isinstance(error, HfHubHTTPError):
        return error.response.status_code >= 500
    return isinstance(error, httpx2.ReadError)


@contextmanager
def _download_errors() -> Iterator[None]:
    """Turn the client's errors inside the block into a ``DownloadError`` of one line."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    try:
        yield
    except LocalEntryNotFoundError as error:
        raise DownloadError("it was not downloaded before, and the Hub cannot be reached") from error
    except (HfHubHTTPError, OfflineModeIsEnabled, httpx2.HTTPError, OSError, ValueError) as error:
        message = (getattr(error, "server_message", None) or str(error)).strip() or type(error).__name__
        raise DownloadError(message.splitlines()[0]) from error
