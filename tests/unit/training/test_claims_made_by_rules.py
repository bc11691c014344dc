import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import edits

PASSAGE = (
    "The Elm Bridge was built by Ada Stone in 1912. It is not open to cars. Mayor Tom Reed praised Ada Stone in Oakford "
    "in 1913. Traffic increased after the war."
)


@pytest.mark.parametrize(
    ("edit", "sentence", "changed"),
    [
        (edits.negate, "It is not open to cars.", "It is open to cars."),
        (edits.negate, "The bridge was built in stone.", "The bridge was not built in stone."),
        (edits.turn_round, "Traffic increased last year.", None),
        (edits.swap_names, "It was Tom Reed who praised Ada Stone.", "It was Ada Stone who praised Tom Reed."),
        (edits.change_number, "It was built of stone.", None),
        (edits.change_name, "it was built of stone.", None),
        (edits.swap_names, "Ada Stone came.", None),
    ],
)
def test_one_fact_is_changed_or_none_where_there_is_nothing_to_change(edit, sentence, changed):
    made = edit(sentence, PASSAGE, random.Random(1))
    if edit is edits.turn_round:
        assert made in {"Traffic decreased last year.", "Traffic increased first year."}
    else:
        assert made == changed


def test_a_number_gives_way_to_another():
    made = edits.change_number("It was built in 1912.", PASSAGE, random.Random(3))
    assert made != "It was built in 1912."
    assert made.startswith("It was built in ")
    assert len(made) == len("It was built in 1912.")


def test_a_name_gives_way_to_one_of_the_passage():
    made = edits.change_name("It was praised by Tom Reed.", PASSAGE, random.Random(3))
    assert made == "It was praised by Ada Stone."


@given(text=st.text(max_size=300), seed=st.integers(0, 99))
def test_no_edit_fails_or_leaves_a_sentence_as_it_was(text, seed):
    for edit in edits.EDITS:
        made = edit(text, f"{text} {PASSAGE}", random.Random(seed))
        assert made is None or made != text


def test_a_shortened_sentence_keeps_what_it_says():
    said = "In the end, the bridge (of stone) was opened."
    shown = {edits.shorten(said, random.Random(seed)) for seed in range(20)}
    assert shown == {"In the end, the bridge was opened.", "The bridge was opened."}
