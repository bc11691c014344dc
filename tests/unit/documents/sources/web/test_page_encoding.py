import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascertain.core.errors import SourceError
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.web.fetching import Fetched
from ascertain.documents.sources.web.pages import documents_of

WORDS = "smörgås, русский, 日本語"
JAPANESE = "港の船は金曜日に出ます。"


def read_page(body, charset=None):
    (document,) = documents_of(Fetched("https://herald.example/a", 200, body, "text/html", charset), ReadOptions())
    return document


@pytest.mark.parametrize(
    ("text", "body", "charset"),
    [
        (WORDS, f"<p>{WORDS}</p>".encode(), "no-such-encoding"),
        (WORDS, codecs.BOM_UTF8 + f"<p>{WORDS}</p>".encode(), "iso-8859-1"),
        (JAPANESE, b"<meta charset=Shift_JIS><p>" + JAPANESE.encode("shift_jis"), None),
        ("русский", b'<meta charset="utf-8"><p>' + "русский".encode("koi8-r"), "koi8-r"),
    ],
)
def test_a_page_in_its_own_encoding_has_no_note(text, body, charset):
    page = read_page(body, charset)
    assert page.text == text
    assert page.completeness.notes == ()


@pytest.mark.parametrize("bad", [b"\xff", b"\x85\x20"])
def test_one_bad_byte_costs_one_character_and_is_noted(bad):
    page = read_page(b"<p>" + (JAPANESE * 4).encode("shift_jis") + bad + b" caf</p>", "shift_jis")
    assert page.text.removesuffix(" caf").rstrip() == JAPANESE * 4 + "\ufffd"
    assert page.completeness.notes == ("some characters could not be read as Shift_JIS",)


def test_a_bad_byte_that_is_all_there_is_of_the_encoding_makes_it_unsure():
    page = read_page(b"<p>caf\xff</p>", "shift_jis")
    assert page.text.startswith("caf")
    (note,) = page.completeness.notes
    assert "may be wrong" in note


def test_an_encoding_that_had_to_be_guessed_is_noted():
    page = read_page(b"<p>caf\xe9</p>", "utf-8")
    assert page.text == "café"
    assert page.completeness.notes == ("encoding not declared: read as windows-1252, which may be wrong",)


@settings(max_examples=20)
@given(st.binary(max_size=300), st.one_of(st.none(), st.text(max_size=12)))
def test_any_bytes_are_text_or_a_reason(body, charset):
    try:
        page = read_page(body, charset)
    except SourceError as error:
        assert str(error)
    else:
        assert page.text
