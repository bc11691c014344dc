"""What the sources say of one thing and the claim of another: subjects, labels, rows, roles, figures, bounds, code."""

import pytest

from ascertain.answering.checking.evidence import Evidence, Statement
from ascertain.answering.checking.objections.rules import find_objection
from ascertain.core.asking.answers import Form, VerdictLabel

PASSES = (
    "A day pass is valid for 24 hours. A group card is valid for 90 days by default, and for 365 days at most. "
    "The deck officer checks both cards."
)
CODES = (
    "Error TK-17 means that the pump is locked by another crew.\n\n"
    "Error TK-40 means that a valve in the hull does not match its plan."
)
FARES = "Route | Adult | Child\nNorland, Suland | 44 € | 22 €\nOstland | 68 € | 34 €"
CREW = (
    "Present: Ida, Bo, Sigrid.\n\nBo: I would paint the hull before summer.\n\n"
    "Sigrid: The budget has only 3,000 left for paint until June."
)
RECORD = (
    "The ferry Alma left at noon. It then reached a record speed of 41 knots within the hour. The ferry Bera stayed."
)
FLEET = "In May the Alma had about 156 thousand passengers on board, and the Bera had about 92 million passengers."
PAINT = "The officer Thorvald said he would nominate Sigrid Falk, a former diver, to lead the Harbour Board."
DESIGN = (
    "The plans were kept by the group of Ida Brun. In the end they were lost. Bo Lund designed the ferry Alma in 1983."
)
LOCKS = "The parameter k1 controls the pressure. With k1 = 0 there is none. The parameter b controls the correction for wind."
SHARED = "At most 200 boats can share one harbour, and up to 50 of them can land at the same time."


@pytest.mark.parametrize(
    ("claim", "source", "reason"),
    [
        ("The deck officer is valid for 365 days at most.", PASSES, "“group card”, not of “deck officer”"),
        ("TK-17 means that a valve in the hull does not match its plan.", CODES, "not of “TK-17”"),
        ("Bo objected because the budget has only 3,000 left.", CREW, "“Sigrid”, not of “Bo”"),
        ("Bera reached a record speed of 41 knots.", RECORD, "not of “Bera”"),
        ("Ida Brun designed the ferry Alma in 1983.", DESIGN, "“Bo Lund”, not of “Ida Brun”"),
        ("The parameter b controls the pressure, and k1 controls the correction for wind.", LOCKS, "says that of"),
        ("The adult fare to Ostland is 44 €.", FARES, "44 € for “Norland, Suland”"),
        ("Sigrid Falk said she would nominate Thorvald to lead the Harbour Board.", PAINT, "before “nominate”"),
        ("The Alma had about 92 million passengers on board.", FLEET, "156 thousand"),
        ("All of them can land at the same time.", SHARED, "50"),
        ("A day pass is valid for at least 24 hours.", PASSES, "at least 24 hours"),
    ],
)
def test_what_is_said_of_another_thing_is_no_support(claim, source, reason):
    objection = find_objection(Statement(claim, 0, (Evidence(source, source),)))
    assert objection is not None and reason in objection.reason


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A group card is valid for 365 days at most.", PASSES),
        ("TK-40 means that a valve in the hull does not match its plan.", CODES),
        ("Sigrid objected, as the budget has only 3,000 left for paint.", CREW),
        ("The Alma reached a record speed of 41 knots.", RECORD),
        ("Bo Lund designed the Alma in 1983.", DESIGN),
        ("The parameter k1 controls the pressure, and b controls the correction for wind.", LOCKS),
        ("The adult fare to Norland is 44 €.", FARES),
        ("Thorvald said he would nominate Sigrid Falk to lead the Harbour Board.", PAINT),
        ("Sigrid Falk was nominated by Thorvald to lead the Harbour Board.", PAINT),
        ("The Bera had about 92 million passengers.", FLEET),
        ("Up to 50 of them can land at the same time.", SHARED),
        ("The boat pass is valid for 24 hours.", PASSES),
    ],
)
def test_what_is_said_of_the_thing_itself_is(claim, source):
    assert find_objection(Statement(claim, 0, (Evidence(source, source),))) is None


def test_a_heading_a_speaker_or_the_sentence_before_may_name_what_is_spoken_of():
    rule = "It may be sold after three years."
    for evidence in (
        Evidence(rule, rule, title="The ferry Alma"),
        Evidence(rule, rule, section=("Ships", "Alma")),
        Evidence(rule, f"The Alma is old. {rule} The Bera is new."),
    ):
        assert find_objection(Statement("The Alma may be sold after three years.", 0, (evidence,))) is None


LAND = "A ferry needs a pier with a depth of 4 metres."


@pytest.mark.parametrize(
    ("claim", "question", "reason"),
    [
        (
            "A Bera Deluxe needs a pier with a depth of 4 metres.",
            "What does the Bera Deluxe need?",
            "no source names Bera",
        ),
        (
            "A pier means that the wooden shutters are there.",
            "Which code means that the wooden shutters are there?",
            "the question says wooden, shutters",
        ),
    ],
)
def test_what_only_the_question_names_stands_in_no_source(claim, question, reason):
    objection = find_objection(Statement(claim, 0, (Evidence(LAND, LAND),), question))
    assert objection is not None and objection.reason.startswith(reason)
    assert objection.label is VerdictLabel.NOT_IN_SOURCES


def test_what_only_the_question_names_may_be_denied():
    claim, question = "The Bera Deluxe is not named.", "What does the Bera Deluxe need?"
    assert find_objection(Statement(claim, 0, (Evidence(LAND, LAND),), question)) is None


def test_the_opposite_in_a_source_that_is_not_cited_counts_too():
    cited, other = "Deck and pier are excluded.", "Welding is forbidden, except on the pier."
    statement = Statement("Welding is allowed on deck.", 0, (Evidence(cited, cited),), "Can we weld?")
    assert find_objection(statement) is None
    shown = Statement(statement.text, 0, statement.evidence, statement.question, shown=(cited, other))
    objection = find_objection(shown)
    assert objection is not None and "“forbidden”, not “allowed”" in objection.reason


@pytest.mark.parametrize("source", ["It sails from 4 a.m. The season begins on 1 April.", "4 boats sail from 1 April."])
def test_a_figure_elsewhere_makes_no_day_of_a_month(source):
    objection = find_objection(Statement("It sails on 4 April.", 0, (Evidence(source, source),)))
    assert objection is not None and "4" in objection.reason


def test_a_sum_is_no_count_of_things():
    source = "Lost tickets: about 37. The harbour offered 600 euros."
    objection = find_objection(Statement("About 600 tickets were lost.", 0, (Evidence(source, source),)))
    assert objection is not None and "600" in objection.reason
    assert find_objection(Statement("It offered 600 euros.", 0, (Evidence(source, source),))) is None


CALL = (
    '@ferry.option("--crew", count=True)\n@ferry.option("--name", multiple=True)\nferry run --scope deck:read --days 30'
)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("ferry run --scope count --days 30", "--scope with count"),
        ('@ferry.option("--crew", count=30)', "count with 30"),
    ],
)
def test_code_gives_an_option_no_value_that_no_source_gives_it(code, reason):
    evidence = (Evidence(CALL, CALL),)
    objection = find_objection(Statement(code, 0, evidence, form=Form.CODE))
    assert objection is not None and objection.reason == f"no source has {reason}"
    inline = find_objection(Statement("Set `count=30` on the option.", 0, evidence, "How do I set the option?"))
    assert inline is not None and inline.reason == "no source has count with 30"


def test_code_of_the_sources_stands():
    evidence = (Evidence(CALL, CALL),)
    for code in ("ferry run --scope deck:read", '@ferry.option("--crew", count=True)'):
        assert find_objection(Statement(code, 0, evidence, form=Form.CODE)) is None
    assert find_objection(Statement("Set `count=True`.", 0, evidence, "How do I count?")) is None
