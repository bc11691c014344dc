"""The pages that people write stay easy to read, by the measure of ``bench/project/reading_level.py``."""

import pytest

from bench.project import reading_level

PAGES = {name: text for name, text in reading_level.pages_here().items() if name not in reading_level.GENERATED}
MEAN = 20
"""Words of a sentence, in the mean of a page."""


@pytest.mark.parametrize("name", PAGES)
def test_sentences_say_one_thing(name):
    page = reading_level.read_page(name, PAGES[name])
    assert page.long == []
    assert sum(page.lengths) <= MEAN * len(page.lengths)


def test_sentences_are_counted_without_tables_code_and_links():
    text = """# A title

Words come first. The second [sentence](with/a/link.md#that-is-long) has e.g. seven words.

| a table | has none |
|---|---|

```bash
nor has code
```

- An item is one sentence
  over two lines.
- Another item follows.
"""
    assert reading_level.read_page("page.md", text).lengths == [3, 7, 8, 3]


def test_a_sentence_over_forty_words_is_found():
    long = "The " + " ".join(["word"] * 40) + "."
    assert reading_level.read_page("page.md", f"Short ones pass here. {long}\n").long == [long]
