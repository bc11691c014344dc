import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.sources.web.pages import page_text

WORDS = "<p>smörgås, русский, 日本語</p>"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (WORDS.encode(), None),
        (WORDS.encode(), "utf-8"),
        (WORDS.encode(), "UTF8"),
        (codecs.BOM_UTF8 + WORDS.encode(), "iso-8859-1"),
        (codecs.BOM_UTF16_LE + WORDS.encode("utf-16-le"), "utf-8"),
        (WORDS.encode("utf-16-be"), "utf-16-be"),
        (b'<meta charset="gb18030">' + WORDS.encode("gb18030"), None),
        (WORDS.encode(), "no-such-encoding"),
        (WORDS.encode(), "hex"),
        (WORDS.encode(), "idna"),
        (WORDS.encode(), "utf-7"),
    ],
)
def test_reads_pages_in_their_encoding(body, charset):
    assert WORDS in page_text(body, charset)


@pytest.mark.parametrize(
    ("text", "encoding", "head"),
    [
        ("ÅÄÖ “quoted” – dash", "cp1252", b'<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">'),
        ("日本語のページ", "shift_jis", b"<meta charset=Shift_JIS>"),
        ("日本語のページ", "euc_jp", b"<?xml version='1.0' encoding='EUC-JP'?>"),
        ("한국어", "euc_kr", b"<META CHARSET='euc-kr'>"),
        ("русский", "koi8_r", b'<meta charset="koi8-r" />'),
        ("русский", "cp1251", b'<meta content="text/html; charset=windows-1251" http-equiv=content-type>'),
        ("中文", "gbk", b'<meta charset="gb2312">'),
    ],
)
def test_the_page_itself_may_name_it(text, encoding, head):
    assert text in page_text(head + text.encode(encoding), None)


def test_the_server_is_believed_before_the_page():
    assert "русский" in page_text(b'<meta charset="utf-8">' + "русский".encode("koi8-r"), "koi8-r")


def test_what_is_not_in_its_encoding_is_read_as_far_as_it_can_be():
    assert "caf\ufffd" in page_text(b"<p>caf\xff</p>", "shift_jis") or "caf" in page_text(
        b"<p>caf\xff</p>", "shift_jis"
    )
    assert "café" in page_text(b"<p>caf\xe9</p>", "utf-8")


@given(st.binary(max_size=300), st.one_of(st.none(), st.text(max_size=12)))
def test_any_bytes_are_text_or_a_reason(body, charset):
    try:
        page_text(body, charset)
    except ValueError as error:
        assert str(error)
