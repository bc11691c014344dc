"""Profiles of documents: technical density, type, subjects. Offline, one pass over a sample."""

import re

from ascertain.core.documents.documents import Document
from ascertain.core.documents.profiling import DocumentProfile
from ascertain.documents.ingest.profiling.signs import Traits, builtin_rules, choose_type, find_traits, list_signs

SAMPLE_CHARACTERS = 6_000
"""Of a document, from its beginning, middle and end; the accuracies in docs/document-profiles.md are with it."""


def profile_document(document: Document, sample_characters: int = SAMPLE_CHARACTERS) -> DocumentProfile:
    """The profile of ``document`` from its text (of a long one, a sample), title, headings and kind."""
    sample = "\n".join(stratified_sample(document.text, sample_characters))
    found = find_traits(document, sample)
    kind, confidence = choose_type(list_signs(found, document))
    return DocumentProfile(technical_density(found), kind, confidence, find_subjects(found))


# The beginning and the end of a document say most of what it is (title page, abstract, signatures, references); the
# middle says what the bulk of it reads like. So a sample has all three.

BEGINNING = 0.4
END = 0.15
MIDDLE_PARTS = 3
"""Shares of the sample; the rest is spread over so many parts of the middle, at equal distances."""
LONGEST_WORD = 60
"""Where no white space is found within so many characters, as in Chinese, a part is cut anywhere."""

_SPACE = re.compile(r"\s")


def stratified_sample(text: str, size: int) -> tuple[str, ...]:
    """Parts of ``text`` in their order, without overlap, at most ``size`` characters together; all of it when it is short.

    Parts begin and stop between words where there is white space nearby.
    """
    if len(text) <= size:
        return (text,)
    beginning, end = int(size * BEGINNING), int(size * END)
    length = (size - beginning - end) // MIDDLE_PARTS
    # The middle is what is left between beginning and end; each part is centred in an equal stretch of it.
    stretch = (len(text) - beginning - end) / MIDDLE_PARTS
    bounds = [(0, beginning)]
    for number in range(MIDDLE_PARTS):
        start = int(beginning + stretch * number + (stretch - length) / 2)
        bounds.append((start, start + length))
    bounds.append((len(text) - end, len(text)))
    parts = (text[_word_start(text, start) : _word_end(text, stop)] for start, stop in bounds)
    return tuple(part for part in parts if part)


def _word_start(text: str, position: int) -> int:
    """The first beginning of a word from ``position`` on."""
    if position == 0 or text[position - 1].isspace():
        return position
    space = _SPACE.search(text, position, position + LONGEST_WORD)
    return space.end() if space else position


def _word_end(text: str, position: int) -> int:
    """The last end of a word up to ``position``."""
    if position >= len(text) or text[position].isspace():
        return position
    earliest = max(0, position - LONGEST_WORD)
    spaces = [match.start() for match in _SPACE.finditer(text, earliest, position)]
    return spaces[-1] if spaces else position


LONG_WORD = 12
"""Letters from which a word counts as long: terms of art mostly are."""
HALF_DENSE = 0.06
"""Weighted share of technical words at which the density is a half: the average of papers and documentation in the dev sets, where spoken
language has 0.01, encyclopedias 0.02 and news 0.04."""


def find_subjects(found: Traits) -> tuple[str, ...]:
    """The subjects of the text, the strongest first."""
    rules = builtin_rules()
    if not found.words:
        return ()
    per_thousand = 1000 / max(100, found.words)
    rates: dict[str, float] = {}
    for name, words in rules.domains.items():
        present = found.counts.keys() & words
        rate = sum(found.counts[word] for word in present) * per_thousand
        if len(present) >= rules.subjects.distinct and rate >= rules.subjects.rate:
            rates[name] = rate
    strongest = sorted(rates, key=lambda name: (-rates[name], name))
    return tuple(strongest[: rules.subjects.most])


def technical_density(found: Traits) -> float:
    """0 for plain talk, towards 1 the more of the words are technical: ``x / (x + HALF_DENSE)`` of their weighted share.

    Technical tokens count once, words of technical subjects a half, and long words a quarter, as many of those are ordinary.
    """
    if not found.words:
        return 0.0
    subject = sum(found.counts[word] for word in found.counts.keys() & builtin_rules().technical_words)
    long = sum(number for word, number in found.counts.items() if len(word) >= LONG_WORD)
    share = (found.terms + subject / 2 + long / 4) / max(found.words, found.terms)
    return round(min(1.0, share / (share + HALF_DENSE)), 3)
