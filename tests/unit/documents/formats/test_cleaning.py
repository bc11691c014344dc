from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.formats.drafts.draft import clean_line, clean_text, short_line


def test_unifies_line_ends_and_drops_what_cannot_be_seen():
    assert clean_text("a\r\nb\rc\u2028d\x00\u00ad\ufeff\ud800e \nf") == "a\nb\nc\nde\nf"


def test_keeps_indentation_and_one_blank_line():
    assert clean_text("\n\n  x\n\n\n\n    y  \n") == "  x\n\n    y"


def test_makes_one_line():
    assert clean_line("  a\n b\u00a0 c ") == "a b c"
    assert short_line(" \n") is None
    assert short_line(None) is None
    assert short_line("abcdef", 3) == "abc"


@given(st.text(st.characters(codec=None)))
def test_cleaning_is_idempotent_and_safe_to_store(text):
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    cleaned.encode("utf-8")
