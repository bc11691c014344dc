import pytest

from ascertain.documents.formats.reader import count_words


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("The pier, 2nd floor.", 4), ("naïve café", 2), ("灯台守 2 人", 5), ("등대지기의 이름", 2), ("...", 0)],
)
def test_words_are_counted_in_every_script(text, words):
    assert count_words(text) == words
