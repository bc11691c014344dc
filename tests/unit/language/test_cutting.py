import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.sentences import cut_at_sentence
from ascertain.questions.model_inputs import share_out

TEXT = "The bridge is old. It spans the river in one arch. Nobody knows who built it."


@pytest.mark.parametrize(
    ("most", "shown"),
    [
        (1000, TEXT),
        (len(TEXT), TEXT),
        (60, "The bridge is old. It spans the river in one arch."),
        (20, "The bridge is old."),
        (12, "The bridge"),
        (2, "Th"),
    ],
)
def test_a_text_is_cut_at_the_end_of_a_sentence_or_else_of_a_word(most, shown):
    assert cut_at_sentence(TEXT, most) == shown


@given(st.text(max_size=300), st.integers(1, 300))
def test_what_is_left_is_the_beginning_and_no_longer(text, most):
    shown = cut_at_sentence(text, most)
    assert text.startswith(shown)
    assert len(shown) <= most


@pytest.mark.parametrize(
    ("lengths", "most", "longest"), [([10, 20], 100, 20), ([10, 500], 100, 90), ([300, 300, 300], 300, 100), ([], 5, 0)]
)
def test_what_short_texts_leave_goes_to_the_long_ones(lengths, most, longest):
    assert share_out(lengths, most) == longest
