"""A token is sent to the server that it is for, and stands nowhere else: no file of a run, no line that is printed."""

import json
import os
from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.models import endpoint
from selfknow.models.address import REMOVED, Address
from selfknow.models.endpoint import Endpoint, EndpointModel
from selfknow.models.images.endpoint import EndpointImageGenerator
from selfknow.models.images.generators import ImageSettings
from selfknow.models.interface import Decoding, Request
from selfknow.runs.schema import read_generations
from tests.conftest import Run
from tests.evaluate.faulty_server import Behaviour, serve
from tests.images import picture_server

OURS = {"SELFKNOW_TOKEN": "planted-for-text-8f3a1c", "SELFKNOW_IMAGE_TOKEN": "planted-for-pictures-8f3a1c"}
OTHERS = {"HF_TOKEN": "hf_planted-in-environment", "OPENAI_API_KEY": "sk-planted-for-another"}
SAVED, OF_NETRC = "hf_planted-by-login", "planted-in-netrc"
PLANTED = [*OURS.values(), *OTHERS.values(), SAVED, OF_NETRC]
ROW = {"id": "1", "question": "What is 3 + 4?", "answer": "3 + 4 = 7\n#### 7"}
REQUEST = Request("1", "What is 3 + 4?")


@pytest.fixture
def surroundings(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> dict[str, str]:
    """Return an environment that holds a token of every kind but ours."""
    home = tmp_path_factory.mktemp("home")
    (home / "token").write_text(SAVED)
    (home / "netrc").write_text(f"machine 127.0.0.1 login somebody password {OF_NETRC}\n")
    (tmp_path / "questions.jsonl").write_text(json.dumps(ROW))
    own = {name: value for name, value in os.environ.items() if name not in (*OURS, *OTHERS)}
    return own | OTHERS | {"HF_HOME": str(home), "NETRC": str(home / "netrc")}


def holding(folder: Path, texts: list[str]) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if any(text.encode() in path.read_bytes() for text in texts)]


def command(url: str) -> tuple[str, ...]:
    command_line = ("evaluate", "gsm8k:questions.jsonl", "--model", "m", "--endpoint", url)
    return (*command_line, "--tries", "1", "--out", "run")


@pytest.mark.parametrize(("faults", "returncode"), [([], 0), ([500], 1), (["garbage"], 1), ([401], 2)])
def test_a_planted_token_is_sent_and_kept_nowhere(
    faults: list[int | str], returncode: int, selfknow_process: Run, tmp_path: Path, surroundings: dict[str, str]
) -> None:
    echo = f"the key {OURS['SELFKNOW_TOKEN']} is mine"
    behaviour = Behaviour(faults=faults, complaint=echo, says=lambda _: echo)
    with serve(behaviour) as url:
        result = selfknow_process(*command(url), env=surroundings | OURS)
    assert [body["authorization"] for body in behaviour.bodies] == [f"Bearer {OURS['SELFKNOW_TOKEN']}"]
    assert result.returncode == returncode, result.stderr
    assert not [token for token in PLANTED if token in result.stdout + result.stderr]
    assert (tmp_path / "run" / "run.json").is_file()
    assert holding(tmp_path, PLANTED) == []


def test_no_token_is_sent_but_ours_nor_anything_to_a_proxy_and_the_hub_may_be_offline(
    selfknow_process: Run, tmp_path: Path, surroundings: dict[str, str]
) -> None:
    behaviour, proxy = Behaviour(), Behaviour()
    with serve(behaviour) as url, serve(proxy) as other:
        around = surroundings | {"HF_HUB_OFFLINE": "1", "http_proxy": other, "all_proxy": other, "no_proxy": ""}
        result = selfknow_process(*command(url), env=around)
    assert (result.returncode, [body["authorization"] for body in behaviour.bodies]) == (0, [None]), result.stderr
    assert proxy.bodies == []
    assert [row["generation"][:8] for row in read_generations(tmp_path / "run").to_pylist()] == ["I heard:"]
    assert holding(tmp_path, PLANTED) == []


def test_pictures_are_drawn_without_a_token_that_nobody_gave(
    monkeypatch: pytest.MonkeyPatch, surroundings: dict[str, str]
) -> None:
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    behaviour = picture_server.Behaviour()
    with picture_server.serve(behaviour) as url:
        generator = EndpointImageGenerator(Endpoint(url, "right"))
        list(generator.draw([Request("1", "A picture of exactly 2 cats.")], ImageSettings(), 0))
    assert [body["token"] for body in behaviour.drawings] == [None]


def test_a_proxy_opens_a_tunnel_and_is_told_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Behaviour()
    with serve(proxy) as other:
        monkeypatch.setenv("https_proxy", other)
        model = EndpointModel(Endpoint("https://far.example", token="secret-token", tries=1))
        [(_, reply)] = model.generate([REQUEST], Decoding())
    assert [body["path"] for body in proxy.bodies] == ["far.example:443"]
    assert "secret-token" not in str(proxy.bodies)
    assert "502" in str(reply.error)


def test_a_redirect_to_another_server_is_followed_without_the_token() -> None:
    there = Behaviour()
    with serve(there) as other:
        here = Behaviour([307], {"Location": f"{other}/v1/chat/completions"})
        with serve(here) as url:
            address = url.replace("//", "//user:secret-key@") + "?api_key=other-secret"
            [(_, reply)] = EndpointModel(Endpoint(address)).generate([REQUEST], Decoding())
    assert reply.error is None
    assert [body["authorization"] for body in here.bodies] == ["Basic dXNlcjpzZWNyZXQta2V5"]
    assert [(body["authorization"], body["path"]) for body in there.bodies] == [(None, "/v1/chat/completions")]


def test_a_named_model_goes_to_the_hubs_router_with_the_hubs_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", OTHERS["HF_TOKEN"])
    behaviour = Behaviour()
    with serve(behaviour) as url:
        monkeypatch.setattr(endpoint, "HUB_ROUTER", f"{url}/v1")
        models = [EndpointModel(Endpoint(None, "org/name")), EndpointModel(Endpoint(None, "org/name", token="mine"))]
        for model in models:
            list(model.generate([REQUEST], Decoding()))
    assert [model.name for model in models] == ["org/name"] * 2
    assert [(body["model"], body["path"]) for body in behaviour.bodies] == [("org/name", "/v1/chat/completions")] * 2
    assert [body["authorization"] for body in behaviour.bodies] == [f"Bearer {OTHERS['HF_TOKEN']}", "Bearer mine"]


@pytest.mark.parametrize("faults", [[], [500], [401]], ids=str)
@pytest.mark.parametrize(
    ("user", "query", "secrets", "authorization"),
    [
        ("ann:s%2Fcret-key-77@", "", ["s/cret-key-77", "s%2Fcret-key-77"], "Basic YW5uOnMvY3JldC1rZXktNzc="),
        ("", "?api_key=s3cret-key-77&v=2", ["s3cret-key-77"], "Bearer planted-for-text-8f3a1c"),
    ],
    ids=["user", "query"],
)
def test_credentials_in_an_address_are_sent_and_kept_nowhere(
    user: str,
    query: str,
    secrets: list[str],
    authorization: str,
    faults: list[int | str],
    selfknow_process: Run,
    tmp_path: Path,
    surroundings: dict[str, str],
) -> None:
    texts = [*secrets, authorization.split()[1]]
    echo = f"you sent {' and '.join(texts)} to {user}host{query}"
    behaviour = Behaviour(faults=faults, complaint=echo, says=lambda _: echo)
    with serve(behaviour) as url:
        result = selfknow_process(*command(f"{url.replace('//', '//' + user)}/v1{query}"), env=surroundings | OURS)
    assert [(body["authorization"], body["path"]) for body in behaviour.bodies] == [
        (authorization, f"/v1/chat/completions{query}")
    ]
    assert not [text for text in texts if text in result.stdout + result.stderr]
    assert holding(tmp_path, texts) == []
    [row] = read_generations(tmp_path / "run").to_pylist()
    assert row["model"] == f"{url}/v1 m"
    assert REMOVED in (row["error"] if faults else row["generation"])


@pytest.mark.parametrize(
    "text",
    ["host:80", "ftp://ann:key@host", "https//ann:key@host?k=key", "http://ann:key@host:x", "http://", "http://a b"],
)
def test_what_is_no_address_is_refused_without_repeating_a_key(text: str) -> None:
    with pytest.raises(UserError, match="is not the address of an endpoint") as caught:
        Address.read(text)
    assert "key" not in str(caught.value)


def test_a_word_that_is_also_a_token_stays_in_replies() -> None:
    behaviour = Behaviour(says=lambda _: "The set is EMPTY.")
    with serve(behaviour) as url:
        [(_, reply)] = EndpointModel(Endpoint(url, token="EMPTY")).generate([REQUEST], Decoding())
    assert reply.generation == "The set is EMPTY."


def test_an_endpoint_shows_none_of_its_credentials() -> None:
    model = EndpointModel(Endpoint("http://ann:key@host?api_key=key", "m", token="key"))
    assert "key" not in f"{model.endpoint!r} {model.address!r} {model.name}"


def test_a_server_that_is_not_there_tells_nobody_the_token(
    selfknow_process: Run, tmp_path: Path, surroundings: dict[str, str]
) -> None:
    result = selfknow_process(*command("http://127.0.0.1:9"), env=surroundings | OURS)
    assert result.returncode == 1
    assert not [token for token in PLANTED if token in result.stdout + result.stderr]
    assert "Traceback" not in result.stderr
    assert holding(tmp_path, PLANTED) == []
