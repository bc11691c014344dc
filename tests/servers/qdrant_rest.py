"""Qdrant's REST interface on loopback, for tests: the engine is Qdrant's own, the HTTP layer is ours.

No server binary can be had from a package registry, so this stands in for one: requests are parsed by the models that
qdrant-client ships (generated from Qdrant's OpenAPI description) and handed to a real edge shard, one for each collection. Filters,
scores, the IDF and the order of hits are the engine's. Not covered: several nodes, authentication beyond one key, strict mode, limits of
a real server, and its optimizer, which works by itself there, and here when a collection is given thresholds for it.
"""

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from qdrant_rest_collection import Collection, Conflict, Missing

VERSION = "1.20.0"


class QdrantRestServer:
    """One server with its data in ``folder``; ``stop`` and ``start`` keep the port and the data."""

    def __init__(self, folder, key=None):
        self._folder = Path(folder)
        self._key = key
        self._port = 0
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port}"

    def start(self):
        self._collections = {}
        self._folder.mkdir(parents=True, exist_ok=True)
        for folder in sorted(path for path in self._folder.iterdir() if path.is_dir()):
            self._collections[folder.name] = Collection.opened(folder)
        self._mutex = threading.Lock()
        self._server = _Server(("127.0.0.1", self._port), _Handler)
        self._server.owner = self
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.close_connections()
        self._server.server_close()
        with self._mutex:
            for collection in self._collections.values():
                collection.close()
            self._collections = {}

    def answer(self, method, path, body, key):
        """Status and JSON for a request."""
        if self._key is not None and key != self._key:
            return 401, {"status": {"error": "Must provide an API key or an Authorization bearer token"}}
        try:
            result = self._result(method, [unquote(part) for part in path.split("/") if part], body)
        except Missing as error:
            return 404, {"status": {"error": str(error)}, "time": 0.0}
        except Conflict as error:
            return 409, {"status": {"error": str(error)}, "time": 0.0}
        except ValueError as error:
            return 400, {"status": {"error": str(error)}, "time": 0.0}
        return 200, result

    def _result(self, method, parts, body):
        match method, parts:
            case "GET", []:
                return {"title": "qdrant - vector search engine", "version": VERSION}
            case "GET", ["telemetry"]:
                return _told({"id": "test", "collections": self._telemetry()})
            case "GET", ["collections", name, "exists"]:
                return _told({"exists": name in self._collections})
            case "PUT", ["collections", name]:
                with self._mutex:
                    if name in self._collections:
                        raise Conflict(f"Wrong input: Collection `{name}` already exists!")
                    self._collections[name] = Collection.created(self._folder / name, body)
                return _told(True)
            case "DELETE", ["collections", name]:
                with self._mutex:
                    collection = self._collections.pop(name, None)
                if collection is not None:
                    collection.delete()
                return _told(collection is not None)
            case _, ["collections", name, *rest]:
                collection = self._collections.get(name)
                if collection is None:
                    raise Missing(f"Not found: Collection `{name}` doesn't exist!")
                return _told(collection.do(method, rest, body))
        raise Missing("no such path")

    def _telemetry(self):
        shards = {name: collection.telemetry() for name, collection in list(self._collections.items())}
        collections = [{"id": name, "shards": [shard]} for name, shard in shards.items()]
        return {"number_of_collections": len(collections), "collections": collections}


def _told(result):
    return {"result": result, "status": "ok", "time": 0.0}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, *arguments):
        self._open = set()
        super().__init__(*arguments)

    def process_request(self, request, client_address):
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self):
        for request in list(self._open):
            with suppress(OSError):
                self.shutdown_request(request)

    def handle_error(self, request, client_address):
        """Connections that break are what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _respond(self):
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        body = json.loads(raw) if raw else None
        path = urlsplit(self.path).path
        status, answer = self.server.owner.answer(self.command, path, body, self.headers.get("api-key"))
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = _respond

    def log_message(self, format, *args):
        """Say nothing."""
