"""The title of a document as the name of what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascertain.graph.extraction.words import TOKEN, Run, Sentence
from ascertain.graph.names import without_qualifier
from ascertain.models.terms import folded

LONGEST_TITLE = 120
"""Characters; a longer title is a sentence and names nothing as a whole."""

_CLOSES = re.compile(r"[\"”)\n]")
"""What no title runs over."""
Forms = tuple[str, ...]


def title_name(title: str) -> str:
    """What a title names, or "": without what tells it from others of its name."""
    bare = without_qualifier(title) or title.strip()
    bare = bare if " " in bare else bare.replace("_", " ").strip()
    return bare if len(bare) <= LONGEST_TITLE else ""


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
