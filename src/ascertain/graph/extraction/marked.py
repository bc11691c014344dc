"""Names that a text marks as such: titles in quotation marks, and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ascertain.core.spans import Span
from ascertain.graph.extraction.lexicon import OPENERS
from ascertain.graph.extraction.words import Run, Sentence
from ascertain.language.tokens import STOP_WORDS

_QUOTED = re.compile(r"[\"“]([^\"“”\n]{2,80})[\"”]|``([^`'\n]{2,80})''|«([^»\n]{2,80})»")
_CODE = re.compile(
    r"(?<!`)`([^`\n]{2,40})`(?!`)|(?<![\w-])(--[a-z][\w-]+)|(?<![\w./:@`])([a-z]\w*(?:\.\w+)*\(\))"
)
_MAYBE_QUOTED = re.compile(r"[\"“`«]")
_MAYBE_CODE = re.compile(r"`|--|_|\(\)")
"""What is nowhere in most sentences, and quickly looked for."""
_IDENTIFIER = re.compile(r"[^\W_]+(?:_[^\W_]+)+")
_SENTENCE_END = (".", "!", "?", ",", ";", "…")
_MOST_WORDS = 8


def quoted_titles(text: str, sentence: Sentence) -> Iterator[tuple[Run, Span]]:
    """Titles of works: what stands in quotation marks with capitals on all words but small ones."""
    if not sentence.is_cased or _MAYBE_QUOTED.search(text, *sentence.span) is None:
        return
    for match in _QUOTED.finditer(text, *sentence.span):
        span = Span(*match.span(match.lastindex or 0))
        inside = span.of(text)
        if inside != inside.strip() or inside.endswith(_SENTENCE_END):
            if not (inside.endswith(",") and len(inside) > 2):  # American typesetting: "Night Moves," he
                continue
            span = Span(span.start, span.end - 1)
        run = words_in(sentence, span)
        words = [word.written for word in sentence.words[slice(*run)]]
        if words and len(words) <= _MOST_WORDS and _is_title(words):
            yield run, span


def _is_title(words: list[str]) -> bool:
    content = [word for word in words if word.lower() not in STOP_WORDS]
    if (
        not content
        or not all(word[0].isupper() or word[0].isdigit() for word in content)
        or not words[0][0].isupper()
    ):
        return False
    return len(words) > 1 or (len(words[0]) > 2 and words[0].lower() not in OPENERS)


def code(text: str, sentence: Sentence) -> Iterator[tuple[Run, Span]]:
    """Identifiers: in code marks, options of commands, calls, words with underscores."""
    if _MAYBE_CODE.search(text, *sentence.span) is None:
        return
    marked = (match.span(match.lastindex or 0) for match in _CODE.finditer(text, *sentence.span))
    bare = (
        (word.start, word.end)
        for word in sentence.words
        if "_" in word.written and _IDENTIFIER.fullmatch(word.written)
    )
    last = -1
    for start, end in sorted(chain(marked, bare)):
        span = Span(start, end)
        run = words_in(sentence, span)
        if (
            start > last
            and run[0] < run[1]
            and any(map(str.isalpha, span.of(text)))
            and span.of(text) == span.of(text).strip()
        ):
            yield run, span
            last = end


def words_in(sentence: Sentence, span: Span) -> Run:
    """The words of ``sentence`` that lie inside ``span``; an empty run when none does."""
    inside = [
        place
        for place, word in enumerate(sentence.words)
        if span.start <= word.start and word.end <= span.end
    ]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)
