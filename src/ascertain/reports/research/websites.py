"""The website analyser: what a page is about, what it claims, and the terms to look it up by.

By rules, over the exact sentences of the stored page. A chat model is not asked: what a stranger's page says is what
is to be checked, and a rewording cannot be checked this way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ascertain.answering.units.candidates import collapse_spaces
from ascertain.core.asking.answers import Citation
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Document
from ascertain.core.reports.research import ResearchMode, SiteAnalysis
from ascertain.language.instructions import find_instructions, instruction_warning
from ascertain.language.names import names_in
from ascertain.language.numbers import find_quantities
from ascertain.language.sentences import is_fragment, leans_on_previous, split_sentences
from ascertain.language.tokens import STOP_WORDS, content_terms, fold_words, stem_word, word_informativeness
from ascertain.language.word_lists import compile_pattern, load_word_set
from ascertain.reports.research.citations import RunCitations

MOST_CLAIMS = {ResearchMode.QUICK: 6, ResearchMode.DEEP: 12}
"""Claims of a page that are checked: a table of more is not read (by judgement)."""
MOST_TERMS = 6
LONGEST_CLAIM = 400
"""Characters; a longer sentence claims several things at once."""
FEWEST_TERMS = 4
_OPINION = compile_pattern("research", "opinions")
_STRONG = load_word_set("research", "strong_words")


def analyse_site(
    documents: Sequence[Document], mode: ResearchMode, citations: RunCitations, language: str
) -> SiteAnalysis:
    """What the page that became ``documents`` says; its claims are added to ``citations``."""
    if not documents:
        return SiteAnalysis("", (), None, (), (), problem="the page holds no text")
    sentences = [(document, span) for document in documents for span in _list_statements(document, language)]
    text = "\n".join(document.text for document in documents)
    terms = find_terms(text, documents[0].title, language)
    about = next(iter(sentences), None)
    ranked = sorted(sentences, key=lambda each: -_rate_claim(each[1].of(each[0].text), terms))
    chosen = ranked[: MOST_CLAIMS[mode]]
    claims = [each for each in sentences if each in chosen]
    warnings = tuple(filter(None, (instruction_warning(document.text) for document in documents)))
    return SiteAnalysis(
        title=documents[0].title,
        document_ids=tuple(document.id for document in documents),
        about=_cite(about, citations) if about else None,
        claims=tuple(_cite(claim, citations) for claim in claims),
        terms=terms,
        problem="" if claims else "it makes no statement that could be checked",
        warnings=warnings,
    )


def find_terms(text: str, title: str, language: str, most: int = MOST_TERMS) -> tuple[str, ...]:
    """What ``text`` speaks of, in its own spelling: names, phrases and words that stand out, most frequent first.

    A phrase is two or three telling words in a row that come twice; what the title says counts three times. A single
    word is one only where nothing longer holds it and its spelling says that it is a name: a capital inside a
    sentence, a figure, a hyphen.
    """
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}
    for weight, source in ((TITLE_WEIGHT, title), (1, text)):
        for sentence in split_sentences(source):
            for length, shown in _list_phrases(sentence.of(source), language):
                key = " ".join(stem_word(word, language) for word in fold_words(shown).split())
                counts[key] += weight * length
                written.setdefault(key, shown)
    terms: list[str] = []
    taken: list[set[str]] = []
    for key in sorted(counts, key=lambda key: (-counts[key], key)):
        words = set(key.split())
        if counts[key] < 2 * len(words) or any(words & other for other in taken):
            continue
        terms.append(written[key])
        taken.append(words)
        if len(terms) == most:
            break
    return tuple(terms)


TELLING = 0.75
"""Informativeness of a word that a page can be looked up by: above it lie words rarer than the commonest few hundred."""
TITLE_WEIGHT = 3
LONGEST_PHRASE = 3
_TERM = re.compile(r"\w+(?:[-'’.]\w+)*")


def _list_phrases(sentence: str, language: str) -> Iterator[tuple[int, str]]:
    """Runs of telling words with the number of their words, and single words that are written as names are."""
    run: list[re.Match[str]] = []
    for match in _TERM.finditer(sentence):
        gap = sentence[run[-1].end() : match.start()] if run else " "
        if not _is_telling(match[0], language) or gap.strip():
            run = []
        if _is_telling(match[0], language):
            run.append(match)
            for length in range(2, min(len(run), LONGEST_PHRASE) + 1):
                yield length, sentence[run[-length].start() : match.end()]
            if _NAMED.search(match[0]) or (match[0][0].isupper() and match.start() > 0):
                yield 1, match[0]


_NAMED = re.compile(r"\w[-\d]|[a-z][A-Z]|^[A-Z]{2,}$")
"""A hyphen or a figure inside, a capital behind a small letter, or capitals only."""


def _is_telling(word: str, language: str) -> bool:
    folded = fold_words(word)
    if folded in STOP_WORDS or len(word) < 2 or word.replace(".", "").isdigit():
        return False
    return bool(_NAMED.search(word)) or word_informativeness(stem_word(folded, language), language) >= TELLING


def _list_statements(document: Document, language: str) -> list[Span]:
    """Sentences that claim something by themselves."""
    orders = [finding.span for finding in find_instructions(document.text)]
    return [
        span
        for span in split_sentences(document.text)
        if _is_statement(collapse_spaces(span.of(document.text)), language)
        and not any(span.overlap(order) for order in orders)
    ]


def _is_statement(text: str, language: str) -> bool:
    if is_fragment(text) or leans_on_previous(text) or text.endswith("?") or len(text) > LONGEST_CLAIM:
        return False
    return len(set(content_terms(text, language))) >= FEWEST_TERMS and not _OPINION.search(text)


def _rate_claim(text: str, terms: Sequence[str]) -> float:
    """How much there is to check in a sentence: figures, names, strong words, and the terms of the page."""
    words = {fold_words(word) for word in re.findall(r"\w+", text)}
    spoken = sum(bool(set(fold_words(term).split()) & words) for term in terms)
    return 2.0 * bool(find_quantities(text)) + min(2, len(names_in(text))) + bool(words & _STRONG) + 0.5 * spoken


def _cite(where: tuple[Document, Span], citations: RunCitations) -> Citation:
    number = citations.add(*where)
    return citations.all[number - 1]
