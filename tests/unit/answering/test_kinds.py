import pytest

from ascertain.answering.matching.kinds import offers_kind
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import content_terms
from ascertain.questions.reading.kinds import AnswerKind, read_kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who wrote the Odyssey?", AnswerKind.NAME),
        ("Which company makes it?", AnswerKind.NAME),
        ("When was the bridge built?", AnswerKind.TIME),
        ("In what year did the war end?", AnswerKind.TIME),
        ("How long does a block take?", AnswerKind.TIME),
        ("Where is the library?", AnswerKind.PLACE),
        ("Which country won?", AnswerKind.PLACE),
        ("How many points were scored?", AnswerKind.NUMBER),
        ("What is the population of Warsaw?", AnswerKind.NUMBER),
        ("What percentage of people voted?", AnswerKind.SHARE),
        ("How much does the licence cost?", AnswerKind.MONEY),
        ("Why did the price fall?", AnswerKind.REASON),
        ("what drives gas fees?", AnswerKind.REASON),
        ("What is staking?", AnswerKind.DEFINITION),
        ("Describe the method.", AnswerKind.ANY),
        ("", AnswerKind.ANY),
    ],
)
def test_reads_the_expected_kind_from_the_question(question, kind):
    assert read_kind(question, "en") is kind


@pytest.mark.parametrize(
    ("kind", "sentence", "offered"),
    [
        (AnswerKind.NAME, "The poem was written by Homer.", True),
        (AnswerKind.NAME, "The poem was written by nobody we know.", False),
        (AnswerKind.TIME, "It opened in 1912.", True),
        (AnswerKind.TIME, "It takes about ten minutes.", True),
        (AnswerKind.TIME, "It opened in May.", True),
        (AnswerKind.TIME, "As you may know, they march on.", False),
        (AnswerKind.TIME, "It opened to great joy.", False),
        (AnswerKind.PLACE, "The stone lies in Cairo.", True),
        (AnswerKind.PLACE, "the stone lies somewhere.", False),
        (AnswerKind.NUMBER, "They gave up 308 points.", True),
        (AnswerKind.NUMBER, "They gave up twelve points.", True),
        (AnswerKind.NUMBER, "They gave up points.", False),
        (AnswerKind.SHARE, "About 62 % agreed.", True),
        (AnswerKind.SHARE, "About 62 agreed.", False),
        (AnswerKind.MONEY, "It costs $30 a month.", True),
        (AnswerKind.MONEY, "It costs nothing but time.", False),
        (AnswerKind.REASON, "It fell because supply grew.", True),
        (AnswerKind.DEFINITION, "Staking is locking up coins.", True),
        (AnswerKind.ANY, "Anything.", True),
    ],
)
def test_sees_whether_a_sentence_offers_the_kind(kind, sentence, offered):
    assert offers_kind(kind, sentence, frozenset(), "en") is offered


def test_what_the_question_already_says_is_no_offer():
    known = set(content_terms("Who beat Newton in 2016?", ENGLISH))
    assert not offers_kind(AnswerKind.NAME, "And then Newton fell.", known, "en")
    assert not offers_kind(AnswerKind.TIME, "This was in 2016.", known, "en")
    assert offers_kind(AnswerKind.TIME, "This was in March 2016.", known, "en")


@pytest.mark.parametrize(
    ("language", "sentence", "offered"),
    [
        ("de", "Flößer brachten bis 1863 Fichtenholz zu den Salinen.", False),
        ("de", "Am 14. Juli 1954 trat der Fluss über die Ufer.", False),
        ("de", "Der Fluss ist 63 Kilometer lang.", True),
        ("de", "Der Pass ist 1.370 Meter hoch.", True),
        ("de", "Die Installation braucht 1900 MB.", True),
        ("es", "El bibliobús recorre desde 1978 los pueblos que no tienen biblioteca.", False),
        ("es", "Abrió el 3 de mayo de 2020.", False),
        ("es", "Llegaron 1500 personas.", True),
        ("es", "Visita catorce pueblos.", True),
        ("fr", "Depuis 1978 il parcourt la région.", False),
        ("nl", "Er kwamen 1800 bezoekers en 1700 kinderen.", True),
    ],
)
def test_a_year_and_a_day_count_nothing_in_other_languages(language, sentence, offered):
    assert offers_kind(AnswerKind.NUMBER, sentence, frozenset(), language) is offered
