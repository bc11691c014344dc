import pytest

from ascertain.core.errors import ConfigurationError, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.postgres import faults
from ascertain.stores.postgres.connections import Connections

SECRET = "s3cret-word"


def connections(url, **settings):
    return Connections(StoreSettings(kind="postgres", url=url, **{"name": "notes", **settings}))


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (f"postgresql://ann:{SECRET}@db.example:5433/kb", "postgresql://ann@db.example:5433/kb (schema notes)"),
        (f"postgres://db.example/kb?password={SECRET}", "postgresql://db.example/kb (schema notes)"),
        ("postgresql:///kb?host=/run/pg", "postgresql:///kb?host=/run/pg (schema notes)"),
        ("postgresql://a,b/kb", "postgresql://a,b/kb (schema notes)"),
    ],
)
def test_the_place_is_the_address_without_the_password(url, place):
    assert connections(url).place == place


@pytest.mark.parametrize("url", ["", "http://db.example/kb", "db.example", f"postgresql://a:{SECRET}@[x/kb"])
def test_an_address_that_is_none_is_refused_with_an_example_and_without_the_password(url):
    with pytest.raises(ConfigurationError, match="postgresql://user@host") as caught:
        connections(url)
    assert SECRET not in str(caught.value)


def test_a_server_that_cannot_be_reached_is_named_without_the_password():
    unreachable = connections(f"postgresql://ann:{SECRET}@127.0.0.1:1/kb", timeout_seconds=1)
    with (
        pytest.raises(StoreError, match=r"no connection to postgresql://ann@127\.0\.0\.1:1/kb") as caught,
        faults.translate_errors(unreachable.place),
        unreachable.read(),
    ):
        pass
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "variable", "used"),
    [
        ("postgresql://db.example/kb", SECRET, SECRET),
        ("postgresql://ann:other@db.example/kb", SECRET, "other"),
        ("postgresql://db.example/kb", None, None),
    ],
)
def test_the_password_is_that_of_the_address_or_of_the_environment(monkeypatch, url, variable, used):
    given = {}

    def connect(**parameters):
        given.update(parameters)
        raise StoreError("enough")

    monkeypatch.delenv("PG_KEY", raising=False)
    if variable:
        monkeypatch.setenv("PG_KEY", variable)
    monkeypatch.setattr("psycopg.Connection.connect", connect)
    with pytest.raises(StoreError, match="enough"), connections(url, key_variable="PG_KEY").read():
        pass
    assert given.get("password") == used


def test_after_closing_nothing_is_lent():
    closed = connections("postgresql://db.example/kb")
    closed.close()
    with pytest.raises(StoreError, match="closed"), closed.read():
        pass
