"""Addresses of knowledge bases: read, written, and never with a password."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ascertain.app.container.store_addresses import Address, has_secret, parse_address, place_of, without_secrets
from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings, StoreSettings

BASE = Settings(home=Path("mine.kb"), store=StoreSettings(kind="postgres", url="postgresql://x/y", timeout_seconds=7))


def read(text: str, **environ: str) -> Address:
    return parse_address(text, BASE, environ)


@pytest.mark.parametrize(
    ("text", "kind", "url", "name", "home"),
    [
        ("postgresql://me@db:5433/docs", "postgres", "postgresql://me@db:5433/docs", "ascertain", "mine.kb"),
        ("postgres://db/docs#team", "postgres", "postgres://db/docs", "team", "mine.kb"),
        (
            "postgresql://a,b:2/d?sslmode=require#t_1",
            "postgres",
            "postgresql://a,b:2/d?sslmode=require",
            "t_1",
            "mine.kb",
        ),
        ("postgresql:///docs?host=/run/pg", "postgres", "postgresql:///docs?host=/run/pg", "ascertain", "mine.kb"),
        ("qdrant+http://q:6333", "qdrant", "http://q:6333", "ascertain", "mine.kb"),
        ("qdrant+http://q:6333/", "qdrant", "http://q:6333", "ascertain", "mine.kb"),
        ("qdrant+https://q/behind/team?home=t.kb", "qdrant", "https://q/behind", "team", "t.kb"),
        ("chroma+http://c:8000/team?home=t.kb", "chroma", "http://c:8000", "team", "t.kb"),
        ("chroma:/a/t.kb", "chroma", "", "ascertain", "/a/t.kb"),
        ("embedded:t.kb", "embedded", "", "ascertain", "t.kb"),
        ("t.kb", "embedded", "", "ascertain", "t.kb"),
        ("odd:t.kb", "embedded", "", "ascertain", "odd:t.kb"),
    ],
)
def test_every_form_names_a_store_and_a_home(text, kind, url, name, home):
    found = read(text)
    assert (found.store.kind, found.store.url, found.store.name) == (kind, url, name)
    assert found.home == Path(home)
    assert found.store.timeout_seconds == 7


@pytest.mark.parametrize("text", ["postgresql://me@db:5433/docs#team", "qdrant+http://q:6333/team", "chroma:t.kb"])
def test_what_is_shown_can_be_given_back(text):
    assert read(text).place == text
    assert read(read(text).place) == read(text)


def test_a_folder_says_itself_which_store_it_uses(tmp_path):
    config = tmp_path / "ascertain.toml"
    config.write_text('[store]\nkind = "qdrant"\nurl = "http://q:6333"\nname = "team"\n', encoding="utf-8")
    environ = {
        "ASCERTAIN_STORE__KIND": "postgres",
        "ASCERTAIN_STORE__URL": "postgresql://z/y",
        "ASCERTAIN_STORE__CONNECTIONS": "3",
    }
    found = read(str(tmp_path), **environ)
    assert (found.store.kind, found.store.url, found.store.name) == ("qdrant", "http://q:6333", "team")
    assert found.store.connections == 3
    assert read(f"embedded:{tmp_path}").place == str(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mysql://x/y", "mysql:// is an unknown kind of address; give a folder such as team.kb"),
        ("http://q:6333", "http:// is an unknown kind of address"),
        ("postgresql://", "does not name a server"),
        ("qdrant+http://", "does not name a server"),
        ("postgresql://db/docs?schema=team", "after a #"),
        ("postgresql://db/docs#Team", "'Team' cannot name a schema"),
        ("postgresql://db:port/docs", "cannot be read"),
        ("postgresql://[db/docs", "cannot be read"),
        ("chroma:", "chroma:team.kb"),
        (" ", "is empty"),
    ],
)
def test_a_wrong_address_is_told_with_examples(text, message):
    with pytest.raises(UsageError) as told:
        read(text)
    assert message in str(told.value)


def test_a_file_is_no_home(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is a file"):
        read(str(tmp_path / "file"))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@db/docs",
        "postgresql://:s3cret@db/docs",
        "postgresql://db/docs?user=me&password=s3cret",
        "http://any:s3cret@q:6333",
        "https://q?api_key=s3cret",
    ],
)
def test_passwords_are_used_and_never_shown(url):
    assert has_secret(url)
    assert not has_secret(without_secrets(url))
    for kind in ("postgres", "qdrant", "chroma"):
        assert "s3cret" not in place_of(StoreSettings(kind=kind, url=url), Path("home"))


def test_a_password_in_a_bad_address_is_not_told():
    for text in ("postgresql://me:s3cret@db:port/docs", "mysql://me:s3cret@db/x", "postgresql://me:s3cret@[db/docs"):
        with pytest.raises(UsageError) as told:
            read(text)
        assert "s3cret" not in str(told.value)


def test_one_place_is_recognised_however_it_is_written():
    assert read("postgresql://me:pw@db/docs").is_same(read("postgres://other@db/docs#ascertain"))
    assert not read("postgresql://db/docs").is_same(read("postgresql://db/docs#team"))
    assert not read("postgresql:///d?host=/a").is_same(read("postgresql:///d?host=/b"))
    assert read("t.kb").is_same(read("./x/../t.kb"))
    assert read("chroma:t.kb").is_same(read("t.kb"))


@given(st.text())
@example("a" * 300)
@example("~\0")
@example("a\0b")
def test_any_text_is_an_address_or_told_to_be_none(text):
    try:
        found = read(text)
    except UsageError:
        return
    assert found.place
