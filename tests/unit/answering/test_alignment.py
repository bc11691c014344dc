import numpy as np
import pytest

from ascertain.answering.evidence import UNREAD, align_tokens
from ascertain.answering.question import analyse_question
from ascertain.language.tokens import WORD
from ascertain.models.ports import TokenVectors

PLACES = {}


def tokens(text):
    """One token a word; words of the same spelling have the same vector, all others are at right angles."""
    words = [match.span() for match in WORD.finditer(text)]
    vectors = np.zeros((len(words), 64), dtype=np.float32)
    for row, (start, end) in enumerate(words):
        vectors[row, PLACES.setdefault(text[start:end].lower(), len(PLACES))] = 1
    return TokenVectors(tuple(words), vectors, np.zeros(64, dtype=np.float32))


def aligned(question, sentence, title=""):
    return align_tokens(analyse_question(question), tokens(question), tokens(sentence), title)


@pytest.mark.parametrize(
    ("sentence", "words"), [("Ada built a bridge", 1.0), ("a bridge", None), ("nothing alike", 0.0)]
)
def test_counts_the_words_that_the_sentence_speaks_of(sentence, words):
    found = aligned("built bridge", sentence).words
    assert found == pytest.approx(words) if words is not None else 0 < found < 1


def test_words_of_the_title_need_not_be_said_again():
    assert aligned("Oakford bridge", "the bridge stands", title="Oakford").words == pytest.approx(1)
    assert aligned("Oakford bridge", "the bridge stands").words < 1


def test_nothing_is_known_where_the_title_holds_every_word_or_there_is_no_text():
    assert aligned("Oakford?", "It stands.", title="Oakford").words == UNREAD
    assert aligned("Oakford?", "").words == UNREAD
    assert aligned("?", "It stands.").tokens == 0
