"""A real HTTP server on loopback that speaks the OpenAI chat completions API and answers from a script."""

from __future__ import annotations

import base64
import json
import os
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TITLE = re.compile(r'"title": "(\w+)", "type": "object"|"type": "object", "title": "(\w+)"')


DATA_ADDRESS = re.compile(r"data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})")
"""The pictures in a request that OpenAI takes (platform.openai.com/docs/guides/images-vision): PNG, JPEG, GIF and WebP."""
BEGINNINGS = {"png": b"\x89PNG", "jpeg": b"\xff\xd8", "gif": b"GIF8", "webp": b"RIFF"}


def list_parts(content: Any) -> list[dict[str, Any]]:
    """The parts of a message, which is a text or a list of parts."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def read_image(url: str) -> bytes:
    """The picture in a data URL. Raises ValueError for what is none that OpenAI takes."""
    found = DATA_ADDRESS.fullmatch(url)
    data = base64.b64decode(found[2]) if found else b""
    if found is None or not data.startswith(BEGINNINGS[found[1]]):
        raise ValueError("You uploaded an unsupported image. Please make sure your image is valid.")
    return data


@dataclass
class ChatRequest:
    """One request as it came in, names of headers in lower case; ``schema`` is the name of the reply's pydantic class."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    arrived: float = field(default_factory=time.monotonic)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """None in a request for something else than a chat."""
        return self.body.get("messages", [])

    @property
    def text(self) -> str:
        """Everything that was said, for a look at what a prompt holds."""
        return "\n".join(
            part["text"]
            for message in self.messages
            for part in list_parts(message["content"])
            if part["type"] == "text"
        )

    @property
    def images(self) -> list[bytes]:
        """The pictures that were shown."""
        return [
            read_image(part["image_url"]["url"])
            for message in self.messages
            for part in list_parts(message["content"])
            if part["type"] == "image_url"
        ]

    @property
    def is_streamed(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def structured(self) -> str:
        """How a structured reply was asked for: json_schema, json_object or prompt."""
        return self.body.get("response_format", {}).get("type", "prompt")

    @property
    def schema(self) -> str:
        if self.structured == "json_schema":
            return self.body["response_format"]["json_schema"]["name"]
        titles = TITLE.findall(self.text)
        return next((name for name in titles[-1] if name), "") if titles else ""


class Exchange:
    """What a behaviour has to work with: the request, the socket, and whether the server is closing."""

    def __init__(self, handler: BaseHTTPRequestHandler, request: ChatRequest, closing: threading.Event) -> None:
        self.request = request
        self.closing = closing
        self._handler = handler

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        """Status, headers and ``body``; ``length`` promises another length than is sent."""
        self._handler.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self._handler.send_header(name, value)
        self._handler.send_header("Content-Length", str(len(body) if length is None else length))
        self._handler.end_headers()
        self.write(body)

    def write(self, body: bytes) -> None:
        self._handler.wfile.write(body)
        self._handler.wfile.flush()

    def close(self) -> None:
        """Close the connection once what was written has gone."""
        self._handler.close_connection = True

    def reset(self) -> None:
        """Close the connection with a reset, as a server that dies does."""
        connection = self._handler.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(connection.detach())  # close() waits for the handler's files on it

    def break_off(self) -> None:
        """Close the connection in the middle of a reply: unlike a reset, all that was written arrives first, however late it is
        read."""
        self._handler.wfile.flush()
        self._handler.connection.shutdown(socket.SHUT_WR)
        self._handler.close_connection = True

    def begin_stream(self) -> None:
        """The head of a stream of events, which ends when the connection is closed."""
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", "text/event-stream")
        self._handler.send_header("Transfer-Encoding", "chunked")
        self._handler.end_headers()

    def send_event(self, data: str) -> None:
        body = f"data: {data}\n\n".encode()
        self.write(f"{len(body):x}\r\n".encode() + body + b"\r\n")

    def end_stream(self) -> None:
        self.write(b"0\r\n\r\n")


Behaviour = Callable[[Exchange], None]

PIECE = 12
"""Characters of a reply in one event of a stream."""


def chunk(
    content: str | None, *, role: str = "", finish: str | None = None, usage: tuple[int, int] | None = None
) -> str:
    """A piece of a chat completion as OpenAI streams it: the first names the ``role``, the last tells the ``usage``."""
    delta = {key: value for key, value in {"role": role, "content": content}.items() if value or role}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    if usage is not None:
        given, got = usage
        body |= {
            "choices": [],
            "usage": {"prompt_tokens": given, "completion_tokens": got, "total_tokens": given + got},
        }
    return json.dumps(body)


def cut_pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def streams(
    content: object,
    *,
    seconds_a_piece: float = 0.0,
    stops_after: int | None = None,
    ends: str = "well",
    finish: str = "stop",
    usage: tuple[int, int] | None = (20, 10),
) -> Behaviour:
    """The reply in pieces. After ``stops_after`` of them it ``ends`` in the middle ("dies"), in silence ("hangs") or in good
    order ("well").
    """
    text = content if isinstance(content, str) else json.dumps(content)

    def stream(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.send_event(chunk("", role="assistant"))
        for piece in cut_pieces(text)[:stops_after]:
            if exchange.closing.wait(seconds_a_piece):
                return
            exchange.send_event(chunk(piece))
        if ends == "dies":
            exchange.break_off()
            return
        if ends == "hangs":
            exchange.closing.wait()
            return
        exchange.send_event(chunk(None, finish=finish))
        if usage is not None and exchange.request.body.get("stream_options", {}).get("include_usage"):
            exchange.send_event(chunk(None, usage=usage))
        exchange.send_event("[DONE]")
        exchange.end_stream()

    return stream


def completion(
    text: str | None, *, refusal: str = "", finish: str = "stop", usage: tuple[int, int] | None = (20, 10)
) -> bytes:
    """A chat completion as OpenAI sends it; with a ``refusal`` there is no text."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if refusal:
        message |= {"content": None, "refusal": refusal}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage is not None:
        given, got = usage
        body["usage"] = {"prompt_tokens": given, "completion_tokens": got, "total_tokens": given + got}
    return json.dumps(body).encode()


def says(content: object, *, finish: str = "stop", usage: tuple[int, int] | None = (20, 10)) -> Behaviour:
    """A text, or an object as JSON; in pieces where a stream is asked for."""
    text = content if isinstance(content, str) else json.dumps(content)

    def say(exchange: Exchange) -> None:
        if exchange.request.is_streamed:
            streams(text, finish=finish, usage=usage)(exchange)
        else:
            exchange.send(200, completion(text, finish=finish, usage=usage))

    return say


def says_whole(content: object) -> Behaviour:
    """The same whole whatever is asked for, as a server that knows no streams."""
    text = content if isinstance(content, str) else json.dumps(content)
    return lambda exchange: exchange.send(200, completion(text))


def fails(status: int, message: str = "no", **headers: str) -> Behaviour:
    """An error as OpenAI words it; ``retry_after="1"`` becomes a header."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.send(status, body, named)


def sends(body: bytes, status: int = 200, content_type: str = "application/json") -> Behaviour:
    """Bytes as they are."""
    return lambda exchange: exchange.send(status, body, {"Content-Type": content_type})


def refuses(text: str) -> Behaviour:
    """OpenAI's way to decline a structured reply: a field of its own beside an empty text."""
    return lambda exchange: exchange.send(200, completion(None, refusal=text))


def sees(describe: Callable[[bytes], object]) -> Behaviour:
    """Says what ``describe`` makes of the one picture that is shown; 400 for a request that OpenAI would refuse."""

    def look(exchange: Exchange) -> None:
        try:
            (image,) = exchange.request.images
        except ValueError as error:
            fails(400, str(error))(exchange)
            return
        found = describe(image)
        (found if callable(found) else says(found))(exchange)

    return look


def silent(exchange: Exchange) -> None:
    """Never answers."""
    exchange.closing.wait()


def pauses(seconds: float, behaviour: Behaviour) -> Behaviour:
    """Does what ``behaviour`` does, ``seconds`` later."""

    def pause(exchange: Exchange) -> None:
        if not exchange.closing.wait(seconds):
            behaviour(exchange)

    return pause


def drips(content: object, seconds_a_byte: float = 0.2) -> Behaviour:
    """A good reply that takes for ever: no gap between bytes is long, the whole is."""

    def drip(exchange: Exchange) -> None:
        body = completion(json.dumps(content))
        exchange.send(200, b"", length=len(body))
        for byte in body:
            if exchange.closing.wait(seconds_a_byte):
                return
            exchange.write(bytes([byte]))

    return drip


def stops_after_headers(exchange: Exchange) -> None:
    """Promises a reply and sends none of it."""
    exchange.send(200, b"", length=100)
    exchange.closing.wait()


def closes(content: object) -> Behaviour:
    """Half a reply, then the connection is closed in good order, as a server does that was told to end."""

    def close(exchange: Exchange) -> None:
        body = completion(json.dumps(content))
        exchange.send(200, body[: len(body) // 2], length=len(body))
        exchange.close()

    return close


def cuts(content: object) -> Behaviour:
    """Half a reply, then the connection is gone."""

    def cut(exchange: Exchange) -> None:
        body = completion(json.dumps(content))
        exchange.send(200, body[: len(body) // 2], length=len(body))
        exchange.reset()

    return cut


def hangs_up(exchange: Exchange) -> None:
    """Not a byte, and the connection is gone."""
    exchange.reset()


class ScriptedChatServer:
    """Answers each request by the next of its behaviours; the last one stays in force.

    ``script(says({...}), fails(429, retry_after="1"), ...)`` sets them; ``reply_by(function)`` instead calls ``function`` with
    each ``ChatRequest``: it returns an object or a text to say, or a behaviour.
    """

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []
        self.hung_up = threading.Event()
        """Set when a client left before its reply was complete."""
        self.characters = 0
        """Of all that was read and said: prompts, schemas that came beside them, and replies of a function."""
        self._behaviours: list[Behaviour] = [says("{}")]
        self._function: Callable[[ChatRequest], object] | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        self._behaviours, self._function = list(behaviours), None

    def reply_by(self, function: Callable[[ChatRequest], object]) -> None:
        self._function = function

    def behaviour(self, request: ChatRequest) -> Behaviour:
        """What to do about ``request``, which is put on record."""
        with self._lock:
            self.requests.append(request)
            self.characters += len(request.text) + len(json.dumps(request.body.get("response_format", "")))
            if self._function is not None:
                reply = self._function(request)
                self.characters += 0 if callable(reply) else len(reply if isinstance(reply, str) else json.dumps(reply))
                return reply if callable(reply) else says(reply)
            return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def exchange(self, handler: BaseHTTPRequestHandler, request: ChatRequest) -> None:
        try:
            self.behaviour(request)(Exchange(handler, request, self._closing))
        except OSError:
            handler.close_connection = True
            self.hung_up.set()


def _server(owner: ScriptedChatServer) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        timeout = 60

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            is_form = headers.get("content-type", "").startswith("multipart/form-data")
            body = {"form": content} if is_form else json.loads(content)
            owner.exchange(self, ChatRequest(self.path, headers, body))

        def finish(self) -> None:
            try:
                super().finish()
            except (OSError, ValueError):  # the connection was reset on purpose
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Tests look at ``requests`` instead."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hangs up is part of the tests."""

    return Server(("127.0.0.1", 0), Handler)
