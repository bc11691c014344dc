import json

from hypothesis import given
from hypothesis import strategies as st

from ascertain.stores.records.encoding import escape_text, unescape_text

TEXT = st.text(st.characters() | st.sampled_from("\ufdd0\ud800\udfff\x000"))


@given(TEXT)
def test_any_text_comes_back(text):
    assert unescape_text(escape_text(text)) == text


@given(TEXT)
def test_what_is_carried_is_text_for_utf8_and_json(text):
    assert json.loads(json.dumps(escape_text(text), ensure_ascii=False).encode().decode()) == escape_text(text)


@given(TEXT, TEXT)
def test_beginnings_stay_beginnings(start, rest):
    assert escape_text(start + rest) == escape_text(start) + escape_text(rest)
