"""All the names of one sentence, from what marks them: the title, quotation and code marks, a recogniser, capitals, recurrence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascertain.core.spans import Span
from ascertain.graph.extraction.capitals import names_of
from ascertain.graph.extraction.found import Found, found
from ascertain.graph.extraction.kinds import PRODUCT
from ascertain.graph.extraction.marked import code, quoted_titles, words_in
from ascertain.graph.extraction.recalled import KnownNames
from ascertain.graph.extraction.terms import Terms
from ascertain.graph.extraction.titles import Forms, places_of_title
from ascertain.graph.extraction.trimming import DocumentWords, is_name, without_small_ends
from ascertain.graph.extraction.words import Reading, Run, Sentence


@dataclass(frozen=True, slots=True)
class Marks:
    """What a whole document says of the names in its sentences."""

    words: DocumentWords
    terms: Terms
    title: Forms
    listed: KnownNames
    """The names that its profile knows."""


def found_in(
    reading: Reading,
    sentence: Sentence,
    marks: Marks,
    recognised: Sequence[tuple[Span, str]] = (),
    known: KnownNames | None = None,
) -> list[Found]:
    """The names in ``sentence`` from left to right: the surer mark wins, then the longer name.

    ``recognised`` are names in the text of the chunk, with their kinds; ``known`` are names to be known again
    where capitals say nothing. Only a term may hold another name.
    """
    text = reading.chunk.text
    taken = [False] * len(sentence.words)
    names: list[Found] = []
    for (first, end), origin, marked, kind in _candidates(text, sentence, marks, recognised, known):
        if not any(taken[first:end]):
            taken[first:end] = [True] * (end - first)
            names.append(found(reading, sentence, (first, end), origin, marked=marked, kind=kind))
    for first, end in marks.terms.within(sentence, text):
        # A term may hold a name ("Riemann integral"), as long as it is not all of it.
        overlapping = [one for one in names if one.first < end and first < one.end]
        if all(
            first <= one.first and one.end <= end and one.end - one.first < end - first for one in overlapping
        ):
            names.append(found(reading, sentence, (first, end), "term"))
    return sorted((name for name in names if name.key), key=lambda one: (one.span.start, -one.span.end))


def _candidates(
    text: str,
    sentence: Sentence,
    marks: Marks,
    recognised: Sequence[tuple[Span, str]],
    known: KnownNames | None,
) -> Iterator[tuple[Run, str, Span | None, str]]:
    for run in places_of_title(text, sentence, marks.title):
        yield run, "title", None, ""
    for run, span in quoted_titles(text, sentence):
        yield run, "quoted", span, ""
    for run, span in code(text, sentence):
        yield run, "code", span, ""
    for span, kind in recognised:
        if sentence.span.contains(span):
            first, end = without_small_ends(sentence.words, words_in(sentence, span))
            if first < end and is_name(sentence.words[first:end]):
                yield (first, end), "capitals", None, kind
    for run in known.within(sentence) if known else ():
        yield run, "recalled", None, ""
    for run in names_of(text, sentence, marks.words):
        yield run, "capitals", None, ""
    for run in marks.listed.within(sentence):
        yield run, "listed", None, PRODUCT
