"""What speaks against a sentence, and what does not. Each kind of rule with a true sentence beside the false one."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.checking.evidence import Evidence, Statement
from ascertain.answering.checking.objections.rules import find_objection
from ascertain.core.asking.answers import Form

DAY = datetime(2031, 3, 14, tzinfo=UTC)  # a Friday


def object_to(claim, *quotes, question="", speaker="", title="", around=""):
    evidence = tuple(
        Evidence(quote, around or quote, title=title, speaker=speaker, published_at=DAY) for quote in quotes
    )
    return find_objection(Statement(claim, 0, evidence, question))


FERRY = "The ferry Alma carried 2,400 cars in 2030, up from 1,600 the year before."
TRUE = [
    ("The Alma carried 2,400 cars in 2030.", FERRY),
    ("The Alma carried 800 more cars in 2030 than the year before.", FERRY),
    ("The ferry carried half as many more cars, 50 percent.", FERRY),
    ("Tickets cost €12.", "A ticket costs 12 euros."),
    ("A ticket costs a third more.", "A ticket costs 12 euros, 9 euros before."),
    ("The crossing takes an hour and a half, 90 minutes.", "It takes 1 hour 30 minutes to cross."),
    ("It sank on 13 March 2031.", "It sank on Thursday."),
    ("Two years earlier, in March 2029, it had been built.", "It was built 24 months ago."),
    ("The EIB paid for it.", "The European Investment Bank paid for it."),
    ("Police in Portugal stopped the ferry.", "Portuguese police stopped the ferry."),
    ("No, the ferry does not run in winter.", "The ferry does not run in winter."),
    ("Yes, it runs in winter.", "It runs in winter too."),
    ("Only a third of the 30 cabins, ten, are sold.", "Of the 30 cabins 10 are sold."),
    ("Bo sold the tickets, and Ida took the ropes.", "Ida took the ropes. Bo sold the tickets."),
    ("The fare rose by 11 percent, from 1 October.", "The fare rose: eleven percent more from the first of October."),
    ("The ferry sails until 24 September.", "It sails until the twenty-fourth of September; the ferry then rests."),
    ("There are three ways to pay:", "You pay in cash, by card or by post."),
    (
        "The tank is filled, so that there is no spill when it is moved.",
        "The tank is filled. When it is moved, nothing is spilt.",
    ),
]


@pytest.mark.parametrize(("claim", "quote"), TRUE)
def test_nothing_speaks_against_what_the_sources_say_otherwise(claim, quote):
    assert object_to(claim, quote) is None


FALSE = [
    ("The Alma carried 2,900 cars in 2030.", FERRY, "not 2,900"),
    ("Tickets cost 12 dollars.", "A ticket costs 12 euros.", "12 dollars"),
    ("The ferry costs 300 euros a year.", "The ferry costs 300 euros a month.", "300 euros a month"),
    ("The crossing takes nine hours.", "The crossing takes nine minutes.", "nine minutes"),
    ("Only one cabin was sold.", "Two cabins, not one, were sold.", "Two"),
    ("It was the harbour master Thorvald who sank it.", "The harbour master Sigrid sank it.", "Thorvald"),
    ("The ferry runs in winter.", "The ferry does not run in winter.", "denies"),
    ("The ferry does not run in winter.", "The ferry runs in winter.", "does not deny"),
    ("The town lowered the price of a ferry ticket.", "The town raised the price of a ferry ticket.", "raised"),
    ("The town has sold the ferry.", "The town plans to sell the ferry.", "as a plan"),
    ("All of the cabins are sold.", "80 percent of the cabins are sold.", "80 percent"),
    ("It carries at least 40 cars.", "It carries no more than 40 cars.", "at most"),
    ("The ferry sank because sailors had drunk rum.", "The ferry sank in the night.", "cause"),
    ("The ferry has a swimming pool, a cinema and a sauna.", "The ferry has two decks.", "no source says"),
    (
        "Ida sold the tickets, and Bo took the ropes.",
        "Ida took the ropes. Bo sold the tickets.",
        "does not say “Ida” of “sold”",
    ),
]


@pytest.mark.parametrize(("claim", "quote", "reason"), FALSE)
def test_what_speaks_against_a_sentence_is_named(claim, quote, reason):
    objection = object_to(claim, quote)
    assert objection is not None
    assert reason in objection.reason
    assert not objection.label.is_sound


def test_what_title_speaker_date_and_question_say_is_no_news():
    quote = "New in 2.4."
    assert object_to("Since version 2.4 Alma has it, Ida Berg says.", quote, title="Alma", speaker="Ida Berg") is None
    assert object_to("It has been there since 2031.", "It has been there since this year.") is None
    assert object_to("For 40 cars it is enough.", "It is enough.", question="Is it enough for 40 cars?") is None


def test_what_rests_on_two_sources_needs_both():
    claim, first, second = "The Alma lost 6 of its 30 cabins.", "The Alma has 30 cabins.", "The Alma lost 6 cabins."
    assert object_to(claim, first, second) is None
    assert object_to(claim, first) is not None
    assert object_to(claim, second) is not None


def test_words_in_the_first_person_are_those_of_the_speaker():
    quote = "I steered the ferry myself."
    assert object_to("Ida Berg steered the ferry.", quote, speaker="Ida Berg") is None
    objection = object_to("Bo Holm steered the ferry.", quote, speaker="Ida Berg", around=f"Bo Holm asked. {quote}")
    assert objection is not None
    assert "Ida Berg, not Bo Holm" in objection.reason


def test_another_language_is_left_to_the_model():
    assert object_to("Die Fähre brachte im Jahr 2030 insgesamt 9.999 Autos über den Fluss.", FERRY) is None


_PIECES = st.sampled_from(
    [
        *(
            "not",
            "No,",
            "Yes,",
            "will",
            "has already sold",
            "because",
            "all of the",
            "at least",
            "above",
            "and",
            ";",
            ": ",
            "than",
        ),
        *(
            "1’2",
            "9" * 400,
            "1.2.3",
            "31 February 9999",
            "12:30",
            "a third of",
            "9999 years",
            "0 percent",
            "1,2,3",
            "Q2",
            "last year",
        ),
        *("٣", "½", "1e400", "May", "Thursday", "0000-00-00", "end of December", "40 months", "I", "$", "€0", "-", "|"),
    ]
)
_HOSTILE = st.lists(st.one_of(_PIECES, st.text(max_size=8)), max_size=14).map(" ".join)


@given(claim=_HOSTILE, quote=_HOSTILE)
def test_no_text_breaks_the_rules(claim, quote):
    objection = object_to(claim, quote, speaker="Ida Berg")
    assert objection is None or objection.reason


def test_a_scale_named_over_a_table_is_that_of_its_cells():
    table = "Sales | 1,400 | 1,600"
    assert object_to("Sales are 1,600 thousand euros.", table, title="Budget (thousand euros, signed)") is None
    assert object_to("Sales are 1.6 million euros.", table, title="Budget (thousand euros, signed)") is None
    assert object_to("Sales are 1.6 million euros.", table, title="Budget (euros)") is not None


@pytest.mark.parametrize(
    ("code", "foreign"),
    [
        ("click.confirm('Go?')", ""),
        ("click.confirm('Go?')  # asks first", ""),
        ("click.confirm('Go?', default=True)", "default"),
        ("click.confirm('Go?', abort=False)", "False"),
    ],
)
def test_code_holds_nothing_that_no_source_has(code, foreign):
    evidence = Evidence("click.confirm('Go?', abort=True)", "click.confirm('Go?', abort=True)")
    objection = find_objection(Statement(code, 0, (evidence,), "How do I confirm?", form=Form.CODE))
    assert (objection.reason if objection else "") == (f"no source has {foreign} in its code" if foreign else "")
