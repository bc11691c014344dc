"""Questions about the documents as a whole: their themes, what comes up most, an overview of all of them
(KG-4).

No passage answers these, so they are recognised strictly: what is asked for must be themes or an overview,
and what it is asked of must be the documents as a whole. A question about one document, chapter or thing goes
the ordinary way, and so does one about an unknown whole: "the main themes of Hamlet" names a subject, not the
collection.
"""

from __future__ import annotations

import re
from functools import cache

from ascertain.core.plans import Survey
from ascertain.language.word_lists import compile_pattern, load_pattern

READ = 400
"""Characters of a message that are read; a question about everything is short."""


_TOPIC = "collection_questions"
_SIGNS = re.compile(
    "|".join(load_pattern(_TOPIC, name) for name in ("theme", "one_theme", "summary", "many", "whole"))
    + "|about|summari[sz]e|sum\\s+up|outline|characteri[sz]e|survey|describe",
    re.IGNORECASE,
)
"""One of these is in each of the wordings."""
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_NUMBER = re.compile(
    rf"\b(\d{{1,2}}|{'|'.join(_NUMBERS)})\s+(?:\w+\s+){{0,3}}{load_pattern(_TOPIC, 'theme')}", re.IGNORECASE
)
_BARE = compile_pattern(_TOPIC, "bare")
"""Means what was shown a moment ago, not everything."""


@cache
def _compile_question() -> re.Pattern[str]:
    """All wordings as one pattern; most questions have no sign of any and spare its 40 ms."""
    return compile_pattern(_TOPIC, "question")


def global_question(question: str) -> Survey | None:
    """What a question about the documents as a whole asks; None for any other."""
    text = " ".join(question.split())
    if len(text) > READ or not _SIGNS.search(text) or _BARE.match(text):
        return None
    found = _compile_question().match(text)
    if found is None:
        return None
    number = _NUMBER.search(text[: found.start("focus")] if found["focus"] else text)
    most = (_NUMBERS.get(number[1].lower()) or int(number[1])) if number else 0
    return Survey((found["focus"] or "").strip(" ,\"'“”‘’"), most)
