"""TLS by a certificate of one's own, and a word where keys come without it."""

import logging
import logging.handlers
import subprocess
import sys

import httpx
import pytest
from running_service import RunningService, new_key, settings_of
from starlette.datastructures import Headers
from tls_certificates import contexts

from ascertain.app.access import connections
from ascertain.app.access.connections import warn_unencrypted


def test_with_a_certificate_it_speaks_tls_alone(tmp_path):
    _, trusting = contexts("localhost", tmp_path)
    certificate = str(tmp_path / "certificate.pem")
    settings = {"server__certificate": certificate, "server__key_file": certificate}
    service = RunningService(settings_of(tmp_path / "kb", **settings))
    try:
        text = new_key(service.knowledge, "default")
        with httpx.Client(base_url=f"https://localhost:{service.port}", verify=trusting, trust_env=False) as client:
            assert client.get("/healthz").status_code == 200
            begun = client.post("/v1/session", json={"key": text})
            assert begun.status_code == 200
            # the browser sends it over TLS alone
            assert "secure" in begun.headers["set-cookie"].lower()
            assert client.get("/v1/session").json()["name"] == "test"
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"http://127.0.0.1:{service.port}/healthz", trust_env=False)
    finally:
        service.close()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--certificate", "nowhere.pem"], "nowhere.pem: cannot be used as a certificate (no such file)"),
        (["--key-file", "key.pem"], "server.key_file needs a certificate"),
        (
            ["--certificate", "{folder}/certificate.pem", "--key-file", "{folder}/notes"],
            "cannot be used as a certificate",
        ),
    ],
)
def test_a_certificate_that_cannot_be_used_is_told_before_anything_is_served(tmp_path, options, told):
    contexts("localhost", tmp_path)
    (tmp_path / "notes").write_text("no key\n")
    given = [each.format(folder=tmp_path) for each in options]
    command = [sys.executable, "-m", "ascertain", "serve", "--home", str(tmp_path / "kb"), "--port", "0", *given]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 2
    assert told in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("sent", "headers", "warns"),
    [
        (("http", "192.0.2.7"), {}, True),
        (("http", "127.0.0.1"), {}, False),
        (("http", "::1"), {}, False),
        (("https", "192.0.2.7"), {}, False),
        # a proxy that speaks TLS with the machine beyond it
        (("http", "192.0.2.7"), {"x-forwarded-proto": "https"}, False),
    ],
)
def test_a_key_that_comes_unencrypted_from_another_machine_is_told_once(monkeypatch, sent, headers, warns):
    monkeypatch.setattr(connections, "_warned", set())
    told = logging.handlers.BufferingHandler(10)
    logger = logging.getLogger("ascertain.interfaces.server")
    logger.addHandler(told)
    for _ in range(2):
        warn_unencrypted({"type": "http", "scheme": sent[0], "client": (sent[1], 1)}, Headers(headers))
    logger.removeHandler(told)
    assert len([each for each in told.buffer if "unencrypted" in each.getMessage()]) == warns
