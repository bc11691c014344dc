"""A real HTTP server on loopback that lists models as Ollama, LM Studio, llama.cpp and vLLM document it, or answers whatever a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = Callable[[BaseHTTPRequestHandler], None]

# docs.ollama.com/api/tags
OLLAMA_TAGS = {
    "models": [
        {
            "name": "gemma3:4b",
            "model": "gemma3:4b",
            "modified_at": "2025-10-03T23:34:03.409490317-07:00",
            "size": 3338801804,
            "digest": "a2af6cc3eb7fa8be8504abaf9b04e88f17a119ec3f04a3addf55f92841195f5a",
            "details": {
                "format": "gguf",
                "family": "gemma",
                "families": ["gemma"],
                "parameter_size": "4.3B",
                "quantization_level": "Q4_K_M",
            },
        },
        {"name": "nomic-embed-text:latest", "details": {"family": "nomic-bert", "parameter_size": "137M"}},
    ]
}
# lmstudio.ai/docs/developer/openai-compat
LM_STUDIO_MODELS = {
    "object": "list",
    "data": [
        {"id": "qwen2.5-7b-instruct", "object": "model", "owned_by": "organization_owner"},
        {"id": "text-embedding-nomic-embed-text-v1.5", "object": "model", "owned_by": "organization_owner"},
    ],
}
# docs.vllm.ai, OpenAI-compatible server
VLLM_MODELS = {
    "object": "list",
    "data": [
        {
            "id": "Qwen/Qwen3-8B",
            "object": "model",
            "created": 1760000000,
            "owned_by": "vllm",
            "root": "Qwen/Qwen3-8B",
            "parent": None,
            "max_model_len": 40960,
            "permission": [],
        }
    ],
}


def lists(body: object, status: int = 200) -> Reply:
    """``body`` as JSON, or bytes as they are."""
    return sends(body if isinstance(body, bytes) else json.dumps(body).encode(), status)


def sends(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


class ModelListServer:
    """Answers ``replies`` by path, 404 elsewhere; ``asked`` are the paths that were asked for."""

    def __init__(self, replies: Mapping[str, Reply]) -> None:
        self.asked: list[str] = []
        self.closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                replies.get(self.path, sends(b"<html>nothing here</html>", 404))(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serve_models(path: str, reply: Reply) -> Iterator[ModelListServer]:
    """A server with ``reply`` at ``path``."""
    server = ModelListServer({path: reply})
    try:
        yield server
    finally:
        server.close()
