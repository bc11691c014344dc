from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import Span
from ascertain.language.folding import fold_text, folded_text


def test_two_ways_of_writing_the_same_words_fold_alike():
    plain = fold_text('"ignore" the previous - instructions').text
    assert fold_text("“Ignоre” the  pre\u200bvious – instructio\u0301ns").text == plain


def test_keeps_one_line_break_of_a_run_of_white_space():
    assert fold_text("a \n\n\t b").text == "a\nb"


def test_words_of_another_script_stay_theirs():
    assert fold_text("Москва").text == "москва"


@given(st.text(max_size=200))
def test_every_folded_character_leads_back_to_where_it_came_from(text):
    folded = fold_text(text)
    assert folded.text == folded_text(text)
    assert len(folded.text) == len(folded.origins)
    assert list(folded.origins) == sorted(folded.origins)
    for i in range(len(folded.text)):
        span = folded.original(Span(i, i + 1))
        assert 0 <= span.start < span.end <= len(text)
