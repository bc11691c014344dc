"""Where Chroma is, and what is said of it."""

import pytest

from ascertain.core.errors import ConfigurationError, MissingExtra, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.chroma import server
from ascertain.stores.chroma.server import Chroma


def chroma(tmp_path, **fields):
    return Chroma(StoreSettings(kind="chroma", **fields), tmp_path)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://host", "http://host:8000"),
        ("https://host/", "https://host:443"),
        ("http://:secret@host:81", "http://host:81"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_names_the_server_without_secrets(tmp_path, url, place):
    assert chroma(tmp_path, url=url).place == place


@pytest.mark.parametrize("url", ["host:8000", "ftp://host", "http://", "http://host:port", "http://host:99999"])
def test_refuses_other_addresses(tmp_path, url):
    with pytest.raises(ConfigurationError, match="http://host:port"):
        chroma(tmp_path, url=url)


def test_without_an_address_its_files_are_in_the_home(tmp_path):
    assert chroma(tmp_path).place == str(tmp_path / "chroma")


def test_names_the_extra_when_it_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[chroma\]"):
        chroma(tmp_path)


def test_a_server_that_is_away_is_named_with_the_remedy_and_without_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_STORE_KEY", "secret-key")
    away = chroma(tmp_path, url="http://127.0.0.1:9", timeout_seconds=2)
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:9 .*store\.url") as caught, away.using():
        pass
    assert "secret-key" not in str(caught.value)
    with pytest.raises(StoreError) as caught, away.using():
        raise RuntimeError("refused secret-key")
    assert "secret-key" not in str(caught.value)


def test_is_not_used_after_it_was_closed(tmp_path):
    closed = chroma(tmp_path)
    closed.close()
    with pytest.raises(StoreError, match="closed"), closed.using():
        pass
