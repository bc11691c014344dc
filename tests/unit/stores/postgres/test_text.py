from hypothesis import given
from hypothesis import strategies as st

from ascertain.stores.postgres.dialect import after_prefix
from ascertain.stores.records.encoding import escape_text, unescape_text

ANY_TEXT = st.text(st.characters() | st.sampled_from("\0\ud800\udfff\ufdd0\ue000\U0010ffff0f"))


@given(ANY_TEXT)
def test_any_string_can_be_stored_and_comes_back(text):
    stored = escape_text(text)
    assert "\0" not in stored
    stored.encode()
    assert unescape_text(stored) == text


@given(ANY_TEXT, ANY_TEXT)
def test_a_prefix_stays_one_and_nothing_else_becomes_one(text, prefix):
    assert escape_text(prefix + text).startswith(escape_text(prefix))
    assert escape_text(text).startswith(escape_text(prefix)) == text.startswith(prefix)


@given(ANY_TEXT, ANY_TEXT)
def test_what_begins_with_a_prefix_is_what_lies_between_it_and_its_end(text, prefix):
    # Order by code points is order by bytes of UTF-8, which is how the database compares.
    stored, start = escape_text(text), escape_text(prefix)
    end = after_prefix(start)
    assert (start <= stored and (end is None or stored < end)) == stored.startswith(start)


def test_nothing_lies_after_the_last_character():
    assert after_prefix("") is None
    assert after_prefix("\U0010ffff\U0010ffff") is None
    assert after_prefix("a\U0010ffff") == "b"
    assert after_prefix("\ud7ff") == "\ue000"
