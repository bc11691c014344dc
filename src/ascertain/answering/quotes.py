"""Finding in a source the words that a model says it quotes, to the exact character."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascertain.core.spans import Span
from ascertain.language.folding import FoldedText, fold
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import WORD, content_terms

FEWEST_WORDS = 4
"""A shorter quote says too little by itself; the sentence around it is cited instead."""
ENOUGH_SHARED = 0.6
"""Share of a claim's content words that a sentence must hold to stand in for a quote that was not found."""
FEWEST_SHARED = 2

_ELISION = re.compile(r"\s*[\[(]?(?:\.\.\.+|…)[\])]?\s*")
_LINE_MARK = re.compile(r"(?:^|(?<=\n))\|[ \t]?")
"""What ``models.untrusted`` puts before each line; models copy it into quotes although they are told not to."""
_AROUND = " \t\r\n\"'“”‘’«»`*_"


def locate(quote: str, text: str) -> tuple[Span, ...]:
    """Where ``quote`` stands in ``text``, one span for each part between elisions; empty when a part is not there.

    Character for character first; then whatever the case, white space, quotation marks, dashes, accents and invisible
    characters. Never inside a word. Parts of fewer than ``FEWEST_WORDS`` words are widened to their sentence.
    """
    parts = [part for piece in _ELISION.split(_LINE_MARK.sub("", quote)) if (part := piece.strip(_AROUND))]
    spans: list[Span] = []
    folded: FoldedText | None = None
    for part in parts:
        found = _first_whole(part, text)
        if found is None:
            folded = folded or _on_one_line(fold(text))
            needle = _on_one_line(fold(part)).text.strip()
            inside = _first_whole(needle, folded.text) if needle else None
            found = folded.original(inside) if inside else None
        if found is None:
            return ()
        spans.append(found)
    return tuple(_joined(text, (_telling(text, span) for span in spans)))


def nearest_sentence(claim: str, text: str) -> Span | None:
    """The sentence of ``text`` that shares most of the content words of ``claim``; None when none shares enough."""
    asked = set(content_terms(claim))
    best: tuple[float, Span] | None = None
    for span in split_sentences(text):
        shared = asked & set(content_terms(span.of(text)))
        share = len(shared) / len(asked) if asked else 0.0
        if len(shared) >= FEWEST_SHARED and share >= ENOUGH_SHARED and (best is None or share > best[0]):
            best = (share, span)
    return best[1] if best else None


def _first_whole(needle: str, text: str) -> Span | None:
    """The first occurrence that does not begin or end inside a word."""
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = text[start - 1 : start] + needle[:1], needle[-1:] + text[end : end + 1]
        if not any(len(edge) == 2 and edge.isalnum() for edge in (before, after)):
            return Span(start, end)
        start = text.find(needle, start + 1)
    return None


def _on_one_line(folded: FoldedText) -> FoldedText:
    return FoldedText(folded.text.replace("\n", " "), folded.origins)


def _telling(text: str, span: Span) -> Span:
    if len(WORD.findall(span.of(text))) >= FEWEST_WORDS:
        return span
    around = [sentence for sentence in split_sentences(text) if sentence.overlap(span)]
    return Span(min(span.start, around[0].start), max(span.end, around[-1].end)) if around else span


def _joined(text: str, spans: Iterator[Span]) -> Iterator[Span]:
    """In text order, those that touch or overlap made one."""
    ordered = sorted(set(spans))
    if not ordered:
        return
    start, end = ordered[0]
    for next_start, next_end in ordered[1:]:
        if next_start <= end:
            end = max(end, next_end)
        else:
            yield Span(start, end)
            start, end = next_start, next_end
    yield Span(start, end)
