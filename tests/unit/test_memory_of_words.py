"""What a process that goes on for weeks remembers of single words has a bound."""

import tracemalloc

import pytest

from ascertain.answering.asked import _compare_words
from ascertain.graph.keys import key_of
from ascertain.language.tokens import stem_in
from ascertain.models.entail.alignment import find_bases, look_up_word, relate_words

ALL_MEGABYTES = 80
TRIED = 1_000
FUNCTIONS = {
    stem_in: lambda word: stem_in(word, "en"),
    find_bases: find_bases,
    look_up_word: look_up_word,
    relate_words: lambda word: relate_words("warm", word),
    _compare_words: lambda word: _compare_words("warm", word, "en"),
    key_of: lambda word: key_of(f"{word} Flores"),
}
"""Each takes a word; in the order in which one asks those before it, so that what it asks of them is there already."""


@pytest.fixture
def measured():
    """Bytes that each function keeps of one more word."""
    words = [f"word{number}s" for number in range(TRIED)]
    for function, ask in FUNCTIONS.items():
        function.cache_clear()
        ask("warm")
    sizes = {}
    for function, ask in FUNCTIONS.items():
        tracemalloc.start()
        for word in words:
            ask(word)
        sizes[function] = tracemalloc.get_traced_memory()[0] / TRIED
        tracemalloc.stop()
    return sizes


def test_words_take_so_much_memory_at_most(measured):
    full = {f.__name__: size * f.cache_info().maxsize / 1e6 for f, size in measured.items()}
    assert sum(full.values()) < ALL_MEGABYTES, full
