"""All the names of one sentence, from what marks them: the title, quotation and code marks, capitals, recurrence."""

from __future__ import annotations

from ascertain.core.spans import Span
from ascertain.graph.extraction.capitals import names_of
from ascertain.graph.extraction.found import Found, found
from ascertain.graph.extraction.marked import code, quoted_titles
from ascertain.graph.extraction.terms import Terms
from ascertain.graph.extraction.titles import Forms, places_of_title
from ascertain.graph.extraction.trimming import DocumentWords
from ascertain.graph.extraction.words import Reading, Run, Sentence


def found_in(
    reading: Reading, sentence: Sentence, known: DocumentWords, terms: Terms, title: Forms
) -> list[Found]:
    """The names in ``sentence`` from left to right, none inside another: the surer mark wins, then the longer name."""
    text = reading.chunk.text
    candidates: list[tuple[Run, str, Span | None]] = [
        *((run, "title", None) for run in places_of_title(text, sentence, title)),
        *((run, "quoted", span) for run, span in quoted_titles(text, sentence)),
        *((run, "code", span) for run, span in code(text, sentence)),
        *((run, "capitals", None) for run in names_of(text, sentence, known)),
    ]
    taken = [False] * len(sentence.words)
    names: list[Found] = []
    for (first, end), origin, marked in candidates:
        if not any(taken[first:end]):
            taken[first:end] = [True] * (end - first)
            names.append(found(reading, sentence, (first, end), origin, marked))
    for first, end in terms.within(sentence, text):
        # A term may hold a name ("Riemann integral"), as long as it is not all of it.
        overlapping = [one for one in names if one.first < end and first < one.end]
        if all(
            first <= one.first and one.end <= end and one.end - one.first < end - first for one in overlapping
        ):
            names.append(found(reading, sentence, (first, end), "term"))
    return sorted(names, key=lambda one: (one.span.start, -one.span.end))
