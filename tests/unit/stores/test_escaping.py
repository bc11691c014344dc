import json

from hypothesis import given
from hypothesis import strategies as st

from ascertain.stores.escaping import escaped, unescaped

TEXT = st.text(st.characters() | st.sampled_from("\ufdd0\ud800\udfff\x000"))


@given(TEXT)
def test_any_text_comes_back(text):
    assert unescaped(escaped(text)) == text


@given(TEXT)
def test_what_is_carried_is_text_for_utf8_and_json(text):
    assert json.loads(json.dumps(escaped(text), ensure_ascii=False).encode().decode()) == escaped(text)


@given(TEXT, TEXT)
def test_beginnings_stay_beginnings(start, rest):
    assert escaped(start + rest) == escaped(start) + escaped(rest)
