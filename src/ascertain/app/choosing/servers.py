"""Servers of chat and embedding models on this machine: Ollama, LM Studio, llama.cpp and vLLM at their default ports.

Searched only on request, on loopback alone, past any proxy, following no redirect. Anything may answer: it gets little time,
little is read, and anything but a list of models is reported as something else.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import tomlkit
from pydantic import BaseModel, ValidationError

from ascertain.core.service.model_choice import FoundServer, ServedModel


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """Where one kind of server usually is; ``api`` is the path of its OpenAI API."""

    kind: str
    address: str
    path: str
    api: str = "/v1"

    @property
    def base_url(self) -> str:
        """The address for OpenAI's API."""
        return self.address + self.api


OLLAMA = "Ollama"
USUAL_PLACES = (
    ServerPlace(OLLAMA, "http://127.0.0.1:11434", "/api/tags"),
    ServerPlace("LM Studio", "http://127.0.0.1:1234", "/v1/models"),
    ServerPlace("llama.cpp", "http://127.0.0.1:8080", "/v1/models"),
    ServerPlace("vLLM", "http://127.0.0.1:8000", "/v1/models"),
)
"""The defaults of each, by their documentation of 2026."""
_OWNERS = {"vllm": "vLLM", "llamacpp": "llama.cpp", "organization_owner": "LM Studio", "library": OLLAMA}
"""The ``owned_by`` of the models of each: another server may use a default port."""
_OURSELVES = "ascertain"

CONNECT_SECONDS = 0.5
REPLY_SECONDS = 2.0
"""For the whole reply: a server of this machine lists its models from memory (by judgement)."""
_MOST_BYTES = 1_000_000
_MOST_MODELS = 200
_LONGEST_NAME = 200


class _OllamaDetails(BaseModel):
    family: str | None = None
    parameter_size: str | None = None
    quantization_level: str | None = None


class _OllamaModel(BaseModel):
    name: str
    details: _OllamaDetails | None = None


class _OllamaTags(BaseModel):
    """The reply to ``GET /api/tags`` (docs.ollama.com/api/tags)."""

    models: list[_OllamaModel]


class _ListedModel(BaseModel):
    id: str
    owned_by: str | None = None
    max_model_len: int | None = None


class _ModelList(BaseModel):
    """The reply to OpenAI's ``GET /v1/models``."""

    data: list[_ListedModel]


def find_servers(places: Sequence[ServerPlace] = USUAL_PLACES) -> list[FoundServer]:
    """The servers that answer at ``places``, in this order. Never raises for what a server does."""
    with ThreadPoolExecutor(max_workers=len(places) or 1) as pool:
        found = pool.map(_ask_server, places)
    return [server for server in found if server is not None]


def _ask_server(place: ServerPlace) -> FoundServer | None:
    try:
        status, body = _fetch(place.address + place.path)
    except (httpx.ConnectError, httpx.ConnectTimeout):
        return None
    except httpx.HTTPError as error:
        return FoundServer(
            "unknown", place.address, problem=f"no reply to {place.path}: {error or type(error).__name__}"
        )
    if status in {401, 403}:
        return FoundServer(
            place.kind, place.address, problem="it requires a key: set its variable in models.chat.api_key_variable"
        )
    try:
        return _read_ollama(place, body) if place.kind == OLLAMA else _read_list(place, body)
    except ValidationError:
        return FoundServer(
            "unknown", place.address, problem=f"something else: {place.path} (status {status}) is not a list of models"
        )


def _fetch(url: str) -> tuple[int, bytes]:
    """Status and body; httpx.HTTPError for a reply that is late or too long."""
    limit = httpx.Timeout(REPLY_SECONDS, connect=CONNECT_SECONDS)
    until = time.monotonic() + REPLY_SECONDS
    with (
        httpx.Client(timeout=limit, trust_env=False, follow_redirects=False) as client,
        client.stream("GET", url) as response,
    ):
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > _MOST_BYTES:
                raise httpx.ReadError(f"more than {_MOST_BYTES:,} bytes")
            if time.monotonic() > until:
                raise httpx.ReadTimeout(f"not complete within {REPLY_SECONDS:g} s")
        return response.status_code, bytes(body)


def _read_ollama(place: ServerPlace, body: bytes) -> FoundServer:
    models: list[ServedModel] = []
    for model in _OllamaTags.model_validate_json(body).models[:_MOST_MODELS]:
        if not _is_sane(model.name):
            continue
        details = model.details or _OllamaDetails()
        about = ", ".join(part for part in (details.parameter_size, details.quantization_level) if part)
        is_embedder = "embed" in model.name.lower() or "bert" in (details.family or "")
        lines = _embedder_lines(place, model.name) if is_embedder else _ollama_lines(place, model.name)
        models.append(ServedModel(model.name, is_embedder, about, lines))
    problem = "" if models else "it has no model yet; fetch one, such as: ollama pull qwen3:4b"
    return FoundServer(place.kind, place.address, models, problem)


def _read_list(place: ServerPlace, body: bytes) -> FoundServer:
    listed = [model for model in _ModelList.model_validate_json(body).data[:_MOST_MODELS] if _is_sane(model.id)]
    if any(model.owned_by == _OURSELVES for model in listed):
        return FoundServer("Ascertain", place.address, problem="this is a service of Ascertain, not a model")
    owners = (_OWNERS.get(model.owned_by or "") for model in listed)
    kind = next((owner for owner in owners if owner), place.kind)
    models = [_describe_listed(place, model) for model in listed]
    return FoundServer(kind, place.address, models, "" if models else "it has no model loaded")


def _describe_listed(place: ServerPlace, model: _ListedModel) -> ServedModel:
    is_embedder = "embed" in model.id.lower()
    about = f"{model.max_model_len:,} tokens" if model.max_model_len else ""
    lines = _embedder_lines(place, model.id) if is_embedder else _chat_lines(model.id, place.base_url)
    return ServedModel(model.id, is_embedder, about, lines)


def _ollama_lines(place: ServerPlace, name: str) -> str:
    usual = next(each.address for each in USUAL_PLACES if each.kind == OLLAMA)
    return _chat_lines(f"ollama:{name}", "" if place.address == usual else place.address)


def _chat_lines(model: str, base_url: str) -> str:
    at = f"base_url = {quote_toml(base_url)}\n" if base_url else ""
    return f"[models.chat]\nmodel = {quote_toml(model)}\n{at}"


def _embedder_lines(place: ServerPlace, name: str) -> str:
    return f"[models]\nembedder = {quote_toml(f'openai:{name}?base_url={place.base_url}')}\n"


def quote_toml(text: str) -> str:
    """``text`` as a string of TOML."""
    return tomlkit.string(text).as_string()


def _is_sane(name: str) -> bool:
    """Whether this is the name of a model that can be shown and written into a file."""
    return bool(name.strip()) and len(name) <= _LONGEST_NAME and name.isprintable()
