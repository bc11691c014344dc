"""What a process that goes on for weeks remembers of texts and of single words has a bound."""

import tracemalloc
from random import Random

import pytest

from ascertain.answering.matching.word_matching import _compare_words, _read_words
from ascertain.graph.keys import key_of
from ascertain.language.equivalents import equivalent_words, held_terms
from ascertain.language.instructions import find_instructions
from ascertain.language.names import words_of
from ascertain.language.sentences import _split_text, is_fragment
from ascertain.language.tokens import content_terms, stem_word
from ascertain.models.entail.alignment import find_bases, look_up_word
from ascertain.questions.reading.respelling import _list_written

WORDS_MEGABYTES = 32
TEXTS_MEGABYTES = 30
TRIED = 1_000
TEXTS = 1_100
"""More than most functions remember; one remembers 2,000."""
OF_WORDS = {
    stem_word: lambda word: stem_word(word, "en"),
    find_bases: lambda word: find_bases(word, "en"),
    look_up_word: lambda word: look_up_word(word, "en"),
    _compare_words: lambda word: _compare_words("warm", word, "en"),
    key_of: lambda word: key_of(f"{word} Flores"),
}
"""Each takes a word; in the order in which one asks those before it, so that what it asks of them is there already."""
OF_TEXTS = (
    lambda text: content_terms(text, "en"),
    _read_words,
    _list_written,
    equivalent_words,
    lambda text: held_terms(text, "en"),
    find_instructions,
    words_of,
    lambda text: _split_text(text, "en"),
    is_fragment,
)


@pytest.fixture
def measured():
    """Bytes that each function keeps of one more word."""
    words = [f"word{number}s" for number in range(TRIED)]
    for function, ask in OF_WORDS.items():
        function.cache_clear()
        ask("warm")
    sizes = {}
    for function, ask in OF_WORDS.items():
        tracemalloc.start()
        for word in words:
            ask(word)
        sizes[function] = tracemalloc.get_traced_memory()[0] / TRIED
        tracemalloc.stop()
    return sizes


def test_words_take_so_much_memory_at_most(measured):
    full = {f.__name__: size * f.cache_info().maxsize / 1e6 for f, size in measured.items()}
    assert sum(full.values()) < WORDS_MEGABYTES, full


def write_passage(number: int) -> str:
    """About as long as a passage; most of its words are in no other one."""
    choose = Random(number)
    words = (f"{choose.choice('bcdfgklmnprst')}{choose.choice('aeiou')}rel{number % 97}" for _ in range(120))
    return f"Passage {number}. " + " ".join(words) + f" In {1900 + number % 120} it cost ${number}."


def test_texts_take_so_much_memory_at_most():
    passages = [write_passage(number) for number in range(TEXTS)]
    tracemalloc.start()
    try:
        for passage in passages:
            for remember in OF_TEXTS:
                remember(passage)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept / 1e6 < TEXTS_MEGABYTES
