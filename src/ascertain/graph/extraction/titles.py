"""The title of a document as the name of what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascertain.graph.extraction.lexicon import VERBS
from ascertain.graph.extraction.words import TOKEN, Run, Sentence
from ascertain.language.names import without_qualifier
from ascertain.language.tokens import STOP_WORDS, folded
from ascertain.language.word_lists import load_word_set

LONGEST_TITLE = 120
"""Characters; a longer title is a sentence and names nothing as a whole."""

_CLOSES = re.compile(r"[\"”)\n]")
"""What no title runs over."""
_MOST_WORDS = 7
"""Of a title with small words in it; headlines are longer. Chosen by reading the titles of Wikipedia and of
news."""
_SENTENCE = re.compile(r"[:?!]")
_BE = frozenset("is are was were has have".split())
_QUESTION = load_word_set("openers", "questions")
Forms = tuple[str, ...]


def title_name(title: str) -> str:
    """What a title names, without what tells it from others of its name; "" for a headline or a question,
    which names nothing as a whole.
    """
    bare = without_qualifier(title) or title.strip()
    bare = bare if " " in bare else bare.replace("_", " ").strip()
    return bare if len(bare) <= LONGEST_TITLE and _names_something(bare) else ""


def _names_something(title: str) -> bool:
    words = [match[0] for match in TOKEN.finditer(title)]
    content = [word for word in words if word.lower() not in STOP_WORDS]
    if all(not word[0].islower() for word in content):
        return True
    small = [word.lower() for word in words]
    if len(words) > _MOST_WORDS or _SENTENCE.search(title) or small[0] in _QUESTION:
        return False
    return not any(word in _BE or (word in VERBS and word.endswith("s")) for word in small)


def title_forms(title: str) -> Forms:
    """The folded words of what a title names."""
    return tuple(folded(match[0]) for match in TOKEN.finditer(title_name(title)))


def places_of_title(text: str, sentence: Sentence, title: Forms) -> Iterator[Run]:
    """Where a sentence says the title of its own document."""
    if not title or len(title) > len(sentence.words):
        return
    forms: list[str] | None = None
    for place, word in enumerate(sentence.words):
        if not word.small.startswith(title[0]):
            continue
        forms = forms or [
            folded(each.written).replace("’", "'").removesuffix("'s") for each in sentence.words
        ]
        end = place + len(title)
        if tuple(forms[place:end]) == title and not _CLOSES.search(
            text, word.start, sentence.words[end - 1].start
        ):
            yield place, end
