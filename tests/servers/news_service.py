"""What the loopback stand-ins for news services share: articles, recorded requests, and failures on order."""

import json
import re
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Story:
    """An article as its publisher has it."""

    title: str
    url: str
    text: str
    published_at: datetime
    publisher: str = "The Ledger"
    summary: str = ""

    @property
    def teaser(self):
        return self.summary or self.text.split(". ")[0] + "."

    def holds(self, words):
        held = set(words_of(f"{self.title} {self.text}"))
        return sum(word in held for word in words)


@dataclass(frozen=True)
class Reply:
    """What a server sends back; ``body`` is bytes, or a value that becomes JSON."""

    status: int
    body: object = b""
    headers: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """What a server was sent, header names in lower case."""

    method: str
    path: str
    query: dict
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


def words_of(text):
    return re.findall(r"\w+", text.lower())


class NewsService:
    """A server on loopback. ``fails_with`` holds replies that are given before it answers again; ``delay`` is waited before each reply."""

    def __init__(self, stories=()):
        self.stories = list(stories)
        self.requests = []
        self.fails_with = []
        self.delay = 0.0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def host(self):
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self):
        return f"http://{self.host}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def reply(self, request):
        """What the service documents for ``request``."""
        raise NotImplementedError

    def told(self, request):
        self.requests.append(request)
        if self.delay:
            time.sleep(self.delay)
        if self.fails_with:
            return self.fails_with.pop(0)
        return self.reply(request)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """A client that leaves early is none of the test's business."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        reply = self.server.owner.told(Request(self.command, parts.path, query, headers, body))
        is_raw = isinstance(reply.body, bytes)
        data = reply.body if is_raw else json.dumps(reply.body).encode()
        with suppress(ConnectionError):
            self.send_response(reply.status)
            kind = {} if "Content-Type" in reply.headers else {"Content-Type": "application/json"}
            for name, value in {**kind, **reply.headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    do_POST = do_GET

    def log_message(self, format, *args):
        """Tests say what happened by their asserts."""
