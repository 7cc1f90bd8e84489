"""Errors of requests to the Hub, each as one line that says what to do."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
from huggingface_hub import constants, errors

from selfknow.downloads import is_transient
from selfknow.errors import UserError

TOKEN_PAGE = "https://huggingface.co/settings/tokens"  # noqa: S105
HOW_TO_LOG_IN = f"log in with `hf auth login` or set HF_TOKEN (a token with write access from {TOKEN_PAGE})"


@contextmanager
def hub_errors_in_one_line(repo: str) -> Iterator[None]:
    """Turn errors of the Hub's client inside the block into a `UserError` about `repo`; others pass unchanged."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        message = next(filter(None, (_describe(cause, repo) for cause in _causes(error))), None)
        if message is None:
            raise
        raise UserError(message) from error


def _causes(error: BaseException) -> list[BaseException]:
    """List the error and its causes, the Hub's own response first, since the client wraps it in its own errors."""
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    responses = [cause for cause in chain if isinstance(cause, errors.HfHubHTTPError | httpx2.TransportError)]
    return responses[:1] + chain


def _describe(error: BaseException, repo: str) -> str | None:
    if isinstance(error, errors.OfflineModeIsEnabled):
        return f"the Hub cannot be reached for {repo}: HF_HUB_OFFLINE is set; unset it"
    if isinstance(error, errors.HFValidationError):
        return f"{repo!r} is not the name of a repo on the Hub: write org/name"
    if isinstance(error, errors.HfHubHTTPError):
        return _describe_response(error, repo)
    if isinstance(error, httpx2.TransportError | ConnectionError):  # Xet raises the latter
        reason = str(error) or type(error).__name__
        return (
            f"the connection to {constants.ENDPOINT} failed ({reason}): no release of {repo} is left half-made, "
            "there or here; run the command again"
        )
    if isinstance(error, errors.FileMetadataError | errors.XetDownloadError) or "Consistency check failed" in str(
        error
    ):
        return f"a file of {repo} did not arrive whole from {constants.ENDPOINT}: run the command again"
    if isinstance(error, json.JSONDecodeError):
        return f"{constants.ENDPOINT} does not answer like a Hub: check HF_ENDPOINT and any proxy"
    if type(error).__module__.split(".")[0] == "hf_xet" or "Invalid metadata in README.md" in str(error):
        return f"the transfer of {repo} failed: {error}"
    return None


def _describe_response(error: errors.HfHubHTTPError, repo: str) -> str:
    message = (error.server_message or "").replace("\n", " ").rstrip(".")
    status = error.response.status_code
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{repo} has no such revision ({message}): name a tag, a branch or a full commit hash of it"
    if isinstance(error, errors.EntryNotFoundError):
        return f"{repo} lacks a file ({message}): its release is incomplete"
    if status == 401 and "Authorization" not in error.response.request.headers:
        return f"{repo} does not exist, or is private and no token was sent: check the name, or {HOW_TO_LOG_IN}"
    if status == 401:
        return f"the Hub does not accept the token that was sent: {HOW_TO_LOG_IN}"
    if isinstance(error, errors.GatedRepoError):
        return f"{repo} is gated: ask for access on its page, {constants.ENDPOINT}/datasets/{repo}"
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"{repo} does not exist, or is private and this token may not see it: check the name and the token"
    if status == 403:
        return (
            f"this token may not write to {repo} ({message}): ask its organisation for the write role, "
            f"or use a token that has it ({TOKEN_PAGE})"
        )
    if status == 412:
        return (
            f"{repo} changed while this was being published: somebody else committed first. Nothing was published; "
            "run the command again to see the new plan"
        )
    if is_transient(error):
        return f"the Hub is in trouble (status {status}, {message}) after several attempts: run the command again later"
    return f"the Hub refused the request for {repo} (status {status}): {message or error}"
