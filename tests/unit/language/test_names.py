from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.names import names_in, without_qualifier, words_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a single by Hank Snow, the singer", ["Hank Snow"]),
        ("earned doctorates at the University of Vienna in 1921", ["University of Vienna"]),
        ("it was Harris W. Fawell who", ["Harris W. Fawell"]),
        ("the 1920 Summer Olympics in Antwerp, Belgium", ["1920 Summer Olympics", "Antwerp", "Belgium"]),
        ("born on 6 March 1982 in the UK", ["UK"]),
        ("However, nothing is named here.", []),
        ("In Brooklyn it rained", ["Brooklyn"]),
        ("She met Snow. Snow sang.", ["Snow"]),
        ("lower case all over", []),
        ("东京是日本的首都", []),
        ("", []),
    ],
)
def test_names_are_runs_of_capitals(text, names):
    assert list(names_in(text).values()) == names


def test_names_are_compared_without_case_accents_and_possessives():
    assert words_of("Purkyně’s") == words_of("PURKYNE") == ("purkyne",)


@pytest.mark.parametrize(
    ("title", "bare"), [("Brother (Pearl Jam song)", "Brother"), ("Qst", "Qst"), ("f(x)", "f"), ("(untitled)", "")]
)
def test_a_qualifier_is_no_part_of_the_title(title, bare):
    assert without_qualifier(title) == bare


@given(st.text())
def test_any_text_can_be_read(text):
    assert all(words and written in text for words, written in names_in(text).items())
