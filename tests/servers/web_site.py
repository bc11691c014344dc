"""A web site on loopback that answers as a test tells it to, well or badly, and remembers what it was asked."""

import gzip
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Asked:
    """One request: ``path`` with its query, ``headers`` by lower-case name, ``at`` on the monotonic clock."""

    method: str
    path: str
    headers: dict
    body: bytes
    at: float


@dataclass(frozen=True)
class Reply:
    """What is answered. A ``body`` of parts is sent as it comes, without a length, to the end of the connection."""

    body: object = b""
    status: int = 200
    media_type: str | None = "text/html; charset=utf-8"
    headers: dict = field(default_factory=dict)


def redirect(target, status=302):
    return Reply(status=status, media_type=None, headers={"Location": target})


def gzipped(body, **given):
    return Reply(gzip.compress(body), headers={"Content-Encoding": "gzip"}, **given)


def with_etag(body, etag, media_type="text/html; charset=utf-8"):
    """A reply that is only the status 304 to who has it already."""

    def answer(asked):
        if asked.headers.get("if-none-match") == etag:
            return Reply(status=304, media_type=None, headers={"ETag": etag})
        return Reply(body, media_type=media_type, headers={"ETag": etag})

    return answer


def in_turn(*replies):
    """One reply after another, the last one for ever."""
    left = list(replies)
    return lambda asked: _made(left.pop(0) if len(left) > 1 else left[0], asked)


def article(title, *paragraphs, head="", language="en"):
    """A page with navigation and advertisement around one article."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<!doctype html><html lang={language}><head><title>{title}</title>{head}</head><body>"
        "<nav><a href=/>Home</a> <a href=/about>About us</a></nav>"
        f"<main><article><h1>{title}</h1>{text}</article></main>"
        "<aside>Buy the best mattress of the year</aside><footer>All rights reserved</footer></body></html>"
    ).encode()


class WebSite:
    """Serves ``pages``: from path to a ``Reply``, bytes of a page, or a function of the request; else 404."""

    def __init__(self, tls=None):
        self.pages = {}
        self.asked = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.site = self
        self._scheme = "http"
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
            self._scheme = "https"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def port(self):
        return self._server.server_address[1]

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def url(self):
        return f"{self._scheme}://{self.host}"

    @property
    def paths(self):
        return [asked.path for asked in self.asked]

    def close(self):
        self._server.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def wait(self, seconds):
        """Be slow, but not longer than the site is up."""
        self._server.closing.wait(seconds)

    def reply_to(self, asked):
        page = self.pages.get(asked.path, self.pages.get(asked.path.partition("?")[0]))
        return Reply(b"<h1>Not found</h1>", 404) if page is None else _made(page, asked)


def _made(page, asked):
    made = page(asked) if callable(page) else page
    return Reply(made) if isinstance(made, bytes) else made


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *given):
        self.closing = threading.Event()
        super().__init__(*given)

    def handle_error(self, request, client_address):
        """A client that goes away, or refuses a certificate, is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        length = int(self.headers.get("Content-Length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, self.rfile.read(length), time.monotonic())
        self.server.site.asked.append(asked)
        reply = self.server.site.reply_to(asked)
        with suppress(ConnectionError, ssl.SSLError, socket.timeout):
            self._send(reply)

    do_POST = do_GET

    def _send(self, reply):
        self.send_response(reply.status)
        if reply.media_type is not None:
            self.send_header("Content-Type", reply.media_type)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if isinstance(reply.body, bytes):
            if reply.status != 304:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
            return
        self.close_connection = True
        self.send_header("Connection", "close")
        self.end_headers()
        for part in reply.body:
            self.wfile.write(part)
            self.wfile.flush()

    def log_message(self, *given):
        """Say nothing."""
