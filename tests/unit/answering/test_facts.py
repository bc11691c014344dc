"""Which fact a question asks for, and whether a sentence offers it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.matching.facts import offers_fact
from ascertain.answering.matching.telling import read_telling
from ascertain.answering.matching.word_matching import meet_word
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import content_terms
from ascertain.questions.reading.facts import OPEN_FACTS, AskedFact, read_asked
from ascertain.questions.reading.question import read_question

TABLE = [
    # question, fact, heads, a sentence that offers it, one that does not
    ("Who founded Elmworks?", "person", ("founded",), "Elmworks was begun by Ada Stone.", "It was founded in a shed."),
    (
        "Who is the treasurer of the club?",
        "person",
        ("treasurer",),
        "That is Ben Hale.",
        "It meets on the first floor.",
    ),
    ("where is the archive", "place", (), "The archive stands in Bruges.", "It is open daily."),
    ("When was the mill built?", "date", (), "The mill dates from 1912.", "The mill was built of oak."),
    ("and until when do I hand it in?", "date", (), "Hand it in by 3 June.", "Hand it in soon."),
    ("How long is the notice period?", "duration", (), "Notice is six weeks.", "Notice is given in writing."),
    ("what does the pump cost", "money", (), "The pump is 48 euros.", "The pump weighs 48 kilograms."),
    ("rent of the warehouse?", "money", ("rent",), "It is €900 a month.", "It is due on day 3."),
    (
        "How many students passed?",
        "count",
        ("students",),
        "Of them 31 passed.",
        "Nobody said how the others did in 2024.",
    ),
    (
        "Within how many days is a refund paid?",
        "number",
        ("days",),
        "It takes 5 working ones.",
        "It goes to the card that was used.",
    ),
    (
        "How old was Sarah when they moved?",
        "number",
        (),
        "I was 15 when my parents moved.",
        "My parents moved in 1994.",
    ),
    (
        "how many customers did Brel have?",
        "count",
        ("customers",),
        "It had 30,000 of them.",
        "It took $812 million, 4 percent more.",
    ),
    ("how many euros were stolen?", "number", ("euros",), "They took 75 million euros.", "They took them all."),
    ("which version do I need", "number", ("version",), "You need 3.6 or later.", "You need the latest."),
    ("Why did the server stop?", "reason", (), "It stopped because a disk was full.", "It stopped on Friday."),
    (
        "what drives gas fees?",
        "reason",
        ("drives",),
        "Fees are high because many want to use it.",
        "The fee is paid on Friday.",
    ),
    (
        "What is a heron?",
        "definition",
        ("heron",),
        "A heron is a bird with long legs.",
        "Many herons nest here each year.",
    ),
    ("how do I install the driver", "steps", ("install",), "Run setup.exe as root.", "The driver was nice work."),
    ("command to start the backup", "steps", ("start",), "systemctl start backup.service", "Backups happen at night."),
]


@pytest.mark.parametrize(("question", "fact", "heads", "offering", "silent"), TABLE)
def test_a_question_asks_for_a_fact_that_a_sentence_offers_or_not(question, fact, heads, offering, silent):
    asked, known = read_asked(question, "en"), set(content_terms(question, ENGLISH))
    assert (asked.fact, asked.heads) == (fact, heads)
    assert offers_fact(asked.fact, offering, known, "en")
    assert not offers_fact(asked.fact, silent, known, "en")


@pytest.mark.parametrize(
    ("question", "fact", "heads"),
    [
        ("Is the bridge open?", "yes_or_no", ()),
        ("which licence does the package have?", "thing", ("licence",)),
        ("What is the largest number of seats in a hall?", "number", ("seats", "largest")),
        ("What are the drawbacks of caching?", "thing", ("drawbacks",)),
        ("Which version control system did she write?", "thing", ("system",)),
        ("With which code does it end when the user leaves?", "number", ("code",)),
        ("Who answered the phone when Ada called?", "person", ("answered",)),
        ("latest on the bridge", "any", ()),
        ("When many are arrested, which tactic is common?", "thing", ("tactic",)),
    ],
)
def test_other_facts_are_open_or_told_apart_by_what_comes_first(question, fact, heads):
    asked = read_asked(question, "en")
    assert asked.fact == fact
    assert asked.heads[: len(heads)] == heads


def test_a_figure_that_counts_is_no_year():
    assert offers_fact(AskedFact.NUMBER, "To the dinner came 2000 guests.", set(), "en")
    assert not offers_fact(AskedFact.NUMBER, "The dinner was given in 1835.", set(), "en")


def test_what_is_in_the_question_is_no_news():
    assert not offers_fact(AskedFact.DATE, "Yes, in 1912.", {"1912"}, "en")
    assert not offers_fact(AskedFact.NUMBER, "The 45 seats.", {"45", "seat"}, "en")


def test_what_a_conversation_was_about_is_not_asked_for():
    assert read_asked("and who pays? (about: rent of the warehouse)", "en") == read_asked("and who pays?", "en")


def test_every_sentence_may_offer_an_open_fact():
    assert all(offers_fact(fact, "Yes.", set(), "en") for fact in OPEN_FACTS)


VOCABULARY = (
    "go went gone going price prices priced cheap expensive happy unhappy possible impossible legal illegal act action actor "
    "react begin start end started rose rise fall fell bank banks banking banker 1969 1970 new news newer york buy bought "
    "purchase purchased sell in im un inactive nonstop stop it its a an ads ad dis like dislike good better best"
).split()


@given(st.sets(st.sampled_from(VOCABULARY), min_size=1), st.sampled_from(VOCABULARY))
def test_words_that_meet_one_are_found_as_by_comparing_each(a_document, a_passage, words, word):
    passage = a_passage(a_document(" ".join(sorted(words))))
    telling = read_telling(read_question(f"what about {word}?"), [passage])
    for each in telling.weights:
        met = {said: meet_word(each, [said], ENGLISH) for said in telling.read}
        assert dict(telling.meeting[each]) == {said: value for said, value in met.items() if value > 0}


@given(st.sets(st.sampled_from(VOCABULARY), min_size=1), st.sets(st.sampled_from(VOCABULARY)))
def test_a_sentence_meets_a_word_as_well_whether_its_words_stand_in_the_passages_or_not(
    a_document, a_passage, read, said
):
    passage = a_passage(a_document(" ".join(sorted(read))))
    telling = read_telling(read_question("did prices fall when banks stopped buying?"), [passage])
    assert telling.meet_words(said) == {word: meet_word(word, said, ENGLISH) for word in telling.weights}


@pytest.mark.parametrize(
    ("language", "question", "fact", "offering", "silent"),
    [
        ("de", "Wer leitete die Sitzung?", AskedFact.PERSON, "Die Sitzung leitete Tobias Rehm.", "Die Sitzung war kurz."),
        ("de", "Wie viel kostet die Lizenz?", AskedFact.MONEY, "Sie kostet 20 Euro.", "Sie verursacht weitere Kosten."),
        ("de", "Wie lang ist die Lindach?", AskedFact.NUMBER, "Sie misst 63 Kilometer.", "Bis 1863 fuhren dort Flößer."),
        ("es", "¿Quién es el director?", AskedFact.PERSON, "La dirige Rosario Medina.", "El museo abre los sábados."),
        ("es", "¿Cuándo abre el museo?", AskedFact.DATE, "Abre los sábados.", "El museo tiene tres salas."),
        ("fr", "Pourquoi la mine a-t-elle fermé ?", AskedFact.REASON, "Elle a fermé parce que le cuivre manquait.", "Elle a fermé."),
    ],
)  # fmt: skip
def test_what_is_asked_for_in_another_language_is_offered_or_not(language, question, fact, offering, silent):
    asked = read_asked(question, language)
    known = frozenset(content_terms(question, language))
    assert asked.fact is fact
    assert offers_fact(fact, offering, known, language)
    assert not offers_fact(fact, silent, known, language)
