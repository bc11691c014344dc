"""A real service in a thread of this process, on a real socket, and clients of it."""

import json
import threading
import time
from contextlib import contextmanager

import httpx

from ascertain.app.access.api_keys import create_key
from ascertain.app.ascertain import Ascertain
from ascertain.core.settings import load_settings
from ascertain.interfaces.server.application import create_app, open_listener, server_of

PATIENCE = 150.0


def settings_of(home, **values):
    """Settings by dotted key (with ``__`` for the dot), from nothing but these."""
    arguments = {
        "server.drain_seconds": 20,
        "models.threads": 1,
        **{key.replace("__", "."): value for key, value in values.items()},
    }
    return load_settings(home=home, environ={}, arguments=arguments).settings


class RunningService:
    """Over one knowledge base; ``knowledge`` sees what belongs to the tenant ``default``."""

    def __init__(self, settings):
        self.knowledge = Ascertain(settings)
        self.app = create_app(self.knowledge, settings)
        self.service = self.app.state.service
        self._listening = open_listener("127.0.0.1", 0)
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        ready = threading.Event()
        self.server = server_of(self.app, ready.set)
        self._thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self._listening]})
        self._thread.start()
        assert ready.wait(PATIENCE)

    def close(self):
        self.server.end()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._listening.close()
        self.knowledge.close()


def new_key(knowledge, tenant, **fields):
    """The text of a key."""
    return create_key(knowledge.service, "test", tenant, **{"requests_per_minute": 0, **fields})[1]


def client_of(url, key=None, **options):
    """A client that opens a connection for each request, so that a balancer sends each to another replica."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(base_url=url, headers=headers, timeout=PATIENCE, limits=limits, trust_env=False, **options)


def upload(client, files, **fields):
    """Upload ``{name: content}`` and wait until the job has ended; the job."""
    parts = [("files", (name, content)) for name, content in files.items()]
    response = client.post("/v1/documents", files=parts, data=fields)
    assert response.status_code == 202, response.text
    return ended(client, response.json()["job"])


def ended(client, job):
    """The job once it has ended."""
    until = time.monotonic() + PATIENCE
    while job["state"] in {"queued", "running"} and time.monotonic() < until:
        time.sleep(0.05)
        job = client.get(f"/v1/jobs/{job['id']}").raise_for_status().json()
    return job


@contextmanager
def streamed(client, method, path, **options):
    """The events of a stream as they come: (id, name, data)."""
    with client.stream(method, path, **options) as response:
        if response.status_code != 200:
            response.read()
            raise AssertionError(f"{response.status_code}: {response.text}")
        assert response.headers["content-type"].startswith("text/event-stream")
        yield _events(response.iter_lines())


def _events(lines):
    event = {}
    for line in lines:
        if not line and "data" in event:
            yield event["id"], event["event"], json.loads(event["data"])
            event = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            event[name] = value
