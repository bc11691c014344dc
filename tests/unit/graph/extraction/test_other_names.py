import pytest

from ascertain.core.documents.blocks import Span
from ascertain.graph.extraction.aliases import find_abbreviations


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("The European Central Bank (ECB) met.", "ECB", "European Central Bank"),
        ("We use a convolutional neural network (CNN).", "CNN", "convolutional neural network"),
        ("Many convolutional neural networks (CNNs) exist.", "CNNs", "convolutional neural networks"),
        ("It has Hidden Markov Models (HMM, see above).", "HMM", "Hidden Markov Models"),
        ("The ECB (European Central Bank) met.", "ECB", "European Central Bank"),
        ("Consejo Mundial de Lucha Libre (CMLL) is it.", "CMLL", "Consejo Mundial de Lucha Libre"),
    ],
)
def test_an_abbreviation_is_found_with_what_it_shortens(text, short, long):
    assert [(a.of(text), b.of(text)) for a, b in find_abbreviations(text, Span(0, len(text)))] == [(short, long)]


@pytest.mark.parametrize(
    "text",
    [
        "He came home (see above).",
        "It grew (in 1999) again.",
        "A dog (NASA) barked.",
        "It is cold (C).",
        "() and (ABC",
        "The a (TA) is.",
    ],
)
def test_other_brackets_shorten_nothing(text):
    assert list(find_abbreviations(text, Span(0, len(text)))) == []


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("We like the European Central Bank (ECB).", ("ecb", "european central bank", "abbreviation")),
        ("We like Samuel Clemens, also known as Mark Twain, now.", ("mark twain", "samuel clemens", "also known as")),
        ("They saw Alecia Moore (a.k.a. Pink) there.", ("pink", "alecia moore", "also known as")),
        ("They own Meta, formerly known as Facebook, now.", ("facebook", "meta", "formerly")),
        ("We saw Mark Twain (born Samuel Clemens) there.", ("samuel clemens", "mark twain", "formerly")),
        ("They bought BTC today.", ("btc", "bitcoin", "alias table")),
    ],
)
def test_two_names_of_one_thing_are_claimed_with_the_reason(claims, text, claim):
    assert claims(text) == {claim}


@pytest.mark.parametrize(
    "text",
    [
        "We saw Mark Twain (born 30 November 1835) there.",
        "We know Maurice Wint, originally airing in May.",
        "They like Phil Hartman, who also guest stars in it.",
    ],
)
def test_a_date_or_a_clause_is_no_other_name(claims, text):
    assert claims(text) == set()


def test_the_other_name_of_a_term_may_be_written_small(claims):
    text = "Talking therapy, also known as rogerian psychotherapy, is old."
    assert claims(text, title="Talking therapy") == {("rogerian psychotherapy", "talking therapy", "also known as")}


def test_a_claim_knows_its_characters_and_mentions_both_names(read):
    text = "In it convolutional neural networks (CNNs) are used."
    graph = read(text, start=100)
    (claim,) = graph.aliases
    assert text[claim.span.start - 100 : claim.span.end - 100] == "convolutional neural networks (CNNs"
    assert {m.name.written for m in graph.mentions} == {"convolutional neural networks", "CNNs"}


def test_a_last_name_is_that_of_the_one_person_who_was_named_in_full(read):
    graph = read("We met the physicist Nuria Ferrer. Later Ferrer spoke.")
    assert [(m.name.written, m.name.key) for m in graph.mentions] == [
        ("Nuria Ferrer", "nuria ferrer"),
        ("Ferrer", "nuria ferrer"),
    ]
    assert [(a.alias, a.key, a.reason) for a in graph.aliases] == [("ferrer", "nuria ferrer", "last name")]


@pytest.mark.parametrize(
    "text",
    [
        "We met Bill Clinton and Hillary Clinton. Later Clinton spoke.",
        "They liked Freud. We met the painter Anna Freud.",
        "They liked the Royal Navy. They liked the Navy.",
    ],
)
def test_a_last_name_of_two_people_or_of_somebody_else_is_nobodys(claims, text):
    assert claims(text) == set()


@pytest.mark.parametrize(
    ("text", "title", "said"),
    [
        (
            "They wait. The Securities and Exchange Commission has time. But the SEC will decide.",
            "",
            {("sec", "securities and exchange commission", "initials")},
        ),
        (
            "They say the Securities and Exchange Commission dropped it.",
            "SEC puts off its decision on banks and funds",
            {("sec", "securities and exchange commission", "initials")},
        ),
        (
            "They know the Simple Exchange Company and the Securities and Exchange Commission. The SEC saw it.",
            "",
            set(),
        ),
        ("They say the Securities and Exchange Commission has time, says Sec.", "", set()),
        ("They met Gerald Di Pego there. The GDP of the country grew.", "", set()),
        ("They like the European Union. Now the EU grew.", "", set()),
    ],
)
def test_initials_stand_for_the_one_name_of_the_document_that_has_them(claims, text, title, said):
    assert {one for one in claims(text, title=title) if one[2] == "initials"} == said


def test_a_short_form_that_is_explained_is_not_guessed_at(claims):
    said = claims("They like the European Central Bank (ECB). Now the ECB met.")
    assert said == {("ecb", "european central bank", "abbreviation")}
