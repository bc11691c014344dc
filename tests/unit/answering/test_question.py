from ascertain.answering.question import analyse_question
from ascertain.language.tokens import word_informativeness


def test_rare_words_tell_more_than_common_ones():
    assert word_informativeness("quokka") == 1.0
    assert word_informativeness("time") < word_informativeness("bridg") < 1.0


def test_names_and_numbers_are_specific_but_the_first_word_is_not():
    question = analyse_question("Which team beat the Broncos in 2016?")
    assert question.specifics == {"bronco", "2016"}


def test_coverage_is_the_share_of_weight_found():
    question = analyse_question("Who founded Zorblax Industries?")
    assert question.coverage(set()) == 0
    assert question.coverage(question.weights.keys()) == 1
    assert 0 < question.coverage({"found"}) < question.coverage({"zorblax"}) < 1


def test_a_question_of_stop_words_has_no_coverage():
    assert analyse_question("What is it?").coverage({"it", "what"}) == 0
