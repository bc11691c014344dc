"""Compounds of German and Dutch are taken apart by the words of texts."""

import pytest

from ascertain.language.compounds import choose_parts, list_parts, read_compounds
from ascertain.language.languages import ENGLISH

RULES = "Angeln darf man nur mit einem Schein. Der Vorratsbehälter fasst 22 Kilogramm. Die Bestellung ist da."


@pytest.mark.parametrize(
    ("language", "question", "text", "read"),
    [
        ("de", "Wer stellt den Angelschein aus?", RULES, "Wer stellt den Angeln Schein aus?"),
        ("de", "Was fasst der Behälter?", RULES, "Was fasst der Vorratsbehälter?"),
        ("de", "Ist Hühnerhaltung erlaubt?", "Die Haltung von Hühnern.", "Ist Hühnern Haltung erlaubt?"),
        ("de", "Wie hoch ist die Stadtmauer?", "Die Mauer der Stadt ist hoch.", "Wie hoch ist die Stadt Mauer?"),
        ("nl", "Hoe hoog is de stadsmuur?", "De muur om de stad is hoog.", "Hoe hoog is de stad muur?"),
    ],
)
def test_a_compound_is_read_as_the_words_of_a_text(language, question, text, read):
    assert read_compounds(question, ["Etwas anderes.", text], language) == read


@pytest.mark.parametrize(
    ("language", "question", "texts"),
    [
        ("de", "Was kostet die Stellung?", [RULES]),  # a Bestellung is no Stellung
        ("de", "Wer hat den Angelschein?", ["Ein Angelschein.", RULES]),
        ("de", "Wer hat den Angelschein?", ["Angeln ist schön.", "Ein Schein."]),  # not in one text
        ("de", "Wo ist der Behälter?", ["Der Vorratsbehälter.", "Der Wasserbehälter."]),  # which one?
        ("fr", "Où est le porteclef?", ["Il porte la clef."]),
        ("en", "Where is the bookcase?", ["A book in a case."]),
    ],
)
def test_what_cannot_be_told_stays_as_it_is(language, question, texts):
    assert read_compounds(question, texts, language) == question


def test_parts_are_those_that_something_has_and_the_most_even_cut_is_taken():
    assert {"garten", "verein", "gart"} & list_parts("gartenverein", "de")
    assert choose_parts("gartenverein", {"verein": 3, "gart": 2}, "de") == ("gart", "verein")
    assert choose_parts("gartenverein", {"verein": 3}, "de") == ()
    assert list_parts("bookcase", ENGLISH) == frozenset()
