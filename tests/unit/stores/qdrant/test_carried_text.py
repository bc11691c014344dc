import json

from hypothesis import given
from hypothesis import strategies as st

from ascertain.stores.qdrant.carried_text import carried, original

TEXT = st.text(st.characters() | st.sampled_from("\ufdd0\ud800\udfff\x000"))


@given(TEXT)
def test_any_text_comes_back(text):
    assert original(carried(text)) == text


@given(TEXT)
def test_what_is_carried_is_text_for_utf8_and_json(text):
    assert json.loads(json.dumps(carried(text), ensure_ascii=False).encode().decode()) == carried(text)


@given(TEXT, TEXT)
def test_beginnings_stay_beginnings(start, rest):
    assert carried(start + rest) == carried(start) + carried(rest)
