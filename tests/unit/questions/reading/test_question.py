import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.matching.kinds import tells_subject
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import word_informativeness
from ascertain.questions.reading.question import read_question
from ascertain.questions.reading.respelling import respell_question


def test_rare_words_tell_more_than_common_ones():
    assert word_informativeness("quokka", ENGLISH) == 1.0
    assert word_informativeness("time", ENGLISH) < word_informativeness("bridg", ENGLISH) < 1.0


def test_names_and_numbers_are_specific_but_the_first_word_is_not():
    question = read_question("Which team beat the Broncos in 2016?")
    assert question.specifics == {"bronco", "2016"}


def test_coverage_is_the_share_of_weight_found():
    question = read_question("Who founded Zorblax Industries?")
    assert question.coverage(set()) == 0
    assert question.coverage(question.weights.keys()) == 1
    assert 0 < question.coverage({"found"}) < question.coverage({"zorblax"}) < 1


def test_a_question_of_stop_words_has_no_coverage():
    assert read_question("What is it?").coverage({"it", "what"}) == 0


@pytest.mark.parametrize(
    ("sentence", "is_told"),
    [
        ("A processor is a callable that gets every entry.", True),
        ("Processors are callables that get every entry.", True),
        ("The processor (see above) returns a dictionary.", True),
        ("Processor A callable that is called on every log entry.", True),
        ("Processors: callables for entries.", True),
        ("A log processor is a callable that gets every entry.", True),
        ("The processor's processor is a callable of its own.", False),
        ("With a processor is one callable less to write.", False),
        ("The true power lies in its processors.", False),
        ("Processor speed is a matter of money.", False),
        ("A processor is fast.", False),
    ],
)
def test_a_sentence_tells_what_its_subject_is(sentence, is_told):
    assert tells_subject("processor", sentence, ENGLISH) is is_told


@pytest.mark.parametrize(
    ("question", "respelt"),
    [
        ("how much did krelion hire for complience?", "how much did Krellion hire for compliance?"),
        ("clik promt", "click prompt"),
        ("What does Krellion hire?", "What does Krellion hire?"),
        ("who leaks prompts", "who leaks prompts"),
        ("is K8x-1 a code", "is K8x-1 a code"),
        ("a crocodile", "a crocodile"),
    ],
)
def test_a_word_that_nobody_writes_is_read_as_the_one_that_the_passages_write(question, respelt):
    texts = ["Krellion hired 120 people for compliance.", "The click prompt leads to a K8x-2."]
    assert respell_question(question, texts, ENGLISH) == respelt


def test_a_word_that_could_be_two_is_left():
    assert respell_question("Who is Krelon?", ["Krellon and Krelion came."], ENGLISH) == "Who is Krelon?"


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_any_question_can_be_respelt(question, texts):
    assert respell_question(question, [*texts, question], ENGLISH) == question
    respell_question(question, texts, ENGLISH)
