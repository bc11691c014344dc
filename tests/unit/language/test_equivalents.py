import pytest

from ascertain.language.equivalents import equivalent_words, find_absent, is_telling
from ascertain.language.languages import ENGLISH


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("140k", "Bitcoin will reach 140,000 dollars."),
        ("140,000", "Bitcoin will hit 140k."),
        ("140000", "140 thousand people came."),
        ("1.5 million", "They paid $1.5m."),
        ("7", "It has seven rooms."),
        ("seven", "It has 7 rooms."),
        ("UK", "We do not ship to the United Kingdom."),
        ("United Kingdom", "We do not ship to the UK."),
        ("Britain", "We do not ship to the United Kingdom."),
        ("biggest", "The largest theft ever."),
        ("licence", "It has an MIT license."),
        ("licence", "It is licensed under the MIT."),
        ("organise", "They organized it."),
        ("IPO", "Its initial public offering was priced."),
        ("RFCs", "It is described in RFC 1034."),
        ("GPU", "They trained it on two GPUs."),
        ("gpus", "It needs a GPU."),
        ("PCs", "It runs on a PC."),
    ],
)
def test_what_means_the_same_is_held(asked, said):
    assert find_absent(asked.replace(",", " ").replace(".", " ").split(), [said], ENGLISH) == ()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("140k", "It costs 140."),
        ("UK", "The kingdom is united."),
        ("cheapest", "It is cheap to own."),
        ("Japan", "In China."),
        ("17", "In 1917."),
        ("bus", "The BU reports every month."),
    ],
)
def test_what_does_not_mean_the_same_is_absent(asked, said):
    assert find_absent([asked], [said], ENGLISH) == ((asked,) if is_telling(asked, ENGLISH) else ())


@pytest.mark.parametrize("word", ["news", "many", "whats", "go", "much", "often", "newest", "What's", "think"])
def test_a_word_of_asking_is_absent_nowhere(word):
    assert find_absent([word], ["Nothing."], ENGLISH) == ()


def test_a_text_without_other_spellings_has_none():
    assert equivalent_words("The bridge carries lanes.") == frozenset()
