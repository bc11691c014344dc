"""An OpenTelemetry collector on loopback, for tests: takes OTLP over HTTP (POST /v1/traces, protobuf, gzip or plain) and keeps what came."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class OtlpCollector:
    """``status`` is what it answers; ``bodies`` are the decompressed requests, ``headers`` those of each."""

    def __init__(self):
        self.bodies = []
        self.headers = []
        self.status = 200
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.owner = self
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def resources(self):
        return [each for body in self.bodies for each in ExportTraceServiceRequest.FromString(body).resource_spans]

    @property
    def spans(self):
        """Every span that came, the earliest begun first."""
        found = [span for each in self.resources for scope in each.scope_spans for span in scope.spans]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def attributes(described):
    """Attributes of a span, an event or a resource as a dict of plain values."""
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in described.attributes}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        owner = self.server.owner
        if owner.status == 200 and self.path == "/v1/traces":
            owner.bodies.append(body)
            owner.headers.append(dict(self.headers))
        reply = ExportTraceServiceResponse().SerializeToString()
        self.send_response(owner.status if self.path == "/v1/traces" else 404)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        """Says nothing."""
