"""Finds the documents that a question is about as wholes, by their names in it.

Content words of the name are looked for in a document's title, file name, author and date, and in what documents of its type and
format are called; a rarer word counts more (inverse document frequency over the names of all documents). If no document is
called so, a heading may be; where the question can only mean a whole document, the nearest one by what it says is taken.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ascertain.core.asking.passages import Filter, Level, Passage, Strategy
from ascertain.core.asking.plans import Aspect, DocumentQuestion
from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import Document, DocumentKind, DocumentRecord, DocumentState
from ascertain.core.reports.overviews import DocumentFit, FoundDocuments
from ascertain.language.dates import MONTHS
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import WORD, content_terms, stem_word
from ascertain.language.word_lists import list_names, load_word_set
from ascertain.questions.kinds.documents import names_anything, names_document
from ascertain.retrieval.search.searcher import Searcher
from ascertain.stores.ports.chunks import CompleteStore

CALLED_SO = 0.7
"""Share of a name's weight from which a document is called so: of a name of three telling words one may be the asker's own."""
PLAINLY_SO = 0.95
"""Share from which nothing of the name is left open."""
HALF_CALLED = 0.3
"""Share from which one document that fits better than any other is the nearest: a name of two words of which one is its own, even
where the other is rarer."""
SOFT = 0.8
"""Weight of a word that only the type of a document meets, not its title or file: "the contract"."""
OPENING = 600
"""Characters of a document in which it may say which version it is: by the first figure there, as others may be those that it replaces."""
_VERSION = re.compile(r"\b(?:versions?|editions?|releases?|revisions?|the|of)\b|\bv(?=\d)", re.IGNORECASE)
MOST = 5
"""Documents of one name that are presented together."""
OF_COLLECTION = 12
"""Documents of a whole collection that are presented one by one; a larger one has themes (``answering.global_answers``)."""
SEARCHED = 12
"""Passages that are searched for a heading, or for the nearest document."""
OF_HEADINGS = 4
"""Documents whose headings are looked at, the nearest."""
LEAST_WORDS = 2
"""Words of a title or a heading that are met by chance too rarely to matter; with fewer a name must be met in full."""
_TOPIC = "document_names"
_SEARCHABLE = frozenset({DocumentState.INDEXED, DocumentState.DUPLICATE})
_FIGURE = re.compile(r"\d+(?:\.\d+)*")
_VERSIONS = re.compile(r"(?<![\w.])v?(\d+(?:\.\w+)*)(?!\w)")
"""Versions as they are written whole: 8.1, and no 8.1.0."""


@dataclass(frozen=True, slots=True)
class _Names:
    """What a document is called: ``own`` words of its title, file, author and date, ``soft`` those of its type."""

    record: DocumentRecord
    own: frozenset[str]
    title: frozenset[str]
    soft: frozenset[str]


class DocumentFinder:
    """Finds documents in a store by their names. Safe to share between threads."""

    def __init__(self, searcher: Searcher, store: CompleteStore) -> None:
        self._searcher = searcher
        self._store = store

    def find_documents(
        self, question: str, language: str, asked: DocumentQuestion, filter: Filter
    ) -> FoundDocuments | None:
        """The documents that ``question`` means among what ``filter`` selects; None where none is meant. Raises StoreError,
        ModelError.
        """
        records = [each for each in self._store.documents(filter) if each.state in _SEARCHABLE]
        if not records:
            return None
        names = [_read_names(record, language) for record in records]
        if asked.aspect is Aspect.CHANGES:
            return self._find_pair(asked, names, filter, language)
        if asked.aspect is Aspect.RELEASE:
            return self._find_release(asked, names, filter, language)
        if asked.stretch is not None:
            return self._find_recordings(asked, asked.stretch.phrase, names, filter, language=language)
        if not asked.name:
            return self._find_unnamed(question, language, asked, names, filter=filter)
        if len(records) == 1 and names_document(asked.name):
            return FoundDocuments((records[0].id,), DocumentFit.NAMED, filter, 1)
        if names_anything(asked.name):
            return _take_collection(names, filter)
        return (
            self._find_numbered(asked, names, filter, language)
            or self._find_called(asked, names, filter, language)
            or self._find_by_content(asked, names, filter, language)
        )

    def _find_recordings(
        self, asked: DocumentQuestion, phrase: str, names: Sequence[_Names], filter: Filter, *, language: str
    ) -> FoundDocuments | None:
        """The recordings that are called as the question says, all where it names none; none of them where it names another, or too many
        to look into. None where other documents are called so, or write the time themselves, which is one of day then.
        """
        spoken = [each for each in names if each.record.kind is DocumentKind.TRANSCRIPT]
        originals = [each for each in spoken if each.record.state is DocumentState.INDEXED]
        if not spoken:
            return None
        if not asked.name:
            recordings = _take_collection(originals, filter)
            none = FoundDocuments((), DocumentFit.COLLECTION, filter, len(originals))
            return None if self._is_written(phrase, filter) else recordings or none
        whole = replace(asked, aspect=Aspect.OVERVIEW)
        recordings = self._find_called(whole, spoken, filter, language)
        if recordings is not None:
            return recordings
        others = [each for each in names if each not in spoken]
        is_other = bool(others) and self._find_called(whole, others, filter, language) is not None
        return None if is_other else FoundDocuments((), DocumentFit.NAMED, filter, len(originals))

    def _is_written(self, phrase: str, filter: Filter) -> bool:
        """Whether a document that is no recording has these words."""
        kinds = tuple(kind for kind in filter.kinds or DocumentKind if kind is not DocumentKind.TRANSCRIPT)
        return bool(kinds) and bool(self._store.lexical({f'"{phrase}"': 1.0}, 1, replace(filter, kinds=kinds)))

    def _find_pair(
        self, asked: DocumentQuestion, names: Sequence[_Names], filter: Filter, language: str
    ) -> FoundDocuments | None:
        """The two documents that are compared, the first named first; None unless both names have one of their own."""
        found = (self._find_version(name, names, filter, language) for name in (asked.name, asked.other))
        ids = tuple(each for each in found if each is not None)
        return FoundDocuments(ids, DocumentFit.NAMED, filter, 2) if len(set(ids)) == 2 else None

    def _find_release(
        self, asked: DocumentQuestion, names: Sequence[_Names], filter: Filter, language: str
    ) -> FoundDocuments | None:
        """The section that is headed by a version, in a document that speaks of what it is one of."""
        versions = _VERSIONS.findall(asked.name.casefold())
        told = content_terms(_VERSION.sub(" ", _VERSIONS.sub(" ", asked.name)), language)
        passages = self._searcher.search(
            asked.name, language, strategy=Strategy.HYBRID, k=SEARCHED, filter=filter
        ).passages
        found: list[tuple[int, int, str, tuple[str, ...]]] = []
        for rank, document_id in enumerate(dict.fromkeys(each.chunk.document_id for each in passages)):
            document = self._store.document(document_id)
            if document is None or not versions:
                continue
            named = _read_terms(f"{document.title} {re.sub('[-_./#]', ' ', document.source)}", language)
            left = [term for term in told if term not in named]
            if left and not set(left) <= set(content_terms(document.text[:OPENING], language)):
                continue
            headed = [path for path in _list_paths(document) if versions[-1] in _VERSIONS.findall(path[-1].casefold())]
            found += [(len(left), rank, document_id, path) for path in headed[:1]]
        if not found:
            return None
        *_, document_id, path = min(found)
        return FoundDocuments((document_id,), DocumentFit.SECTION, filter, len(names), path)

    def _find_version(self, name: str, names: Sequence[_Names], filter: Filter, language: str) -> str | None:
        """The document of a name with all its figures: in its title or file, else in how it begins ("Version 1.2 ratified ...")."""
        name = " ".join(_VERSION.sub(" ", name).split())
        wanted = _read_wanted(name, language)
        figures = frozenset(word for word in wanted if word[:1].isdigit())
        fitting = [each for each in names if figures <= each.own]
        found = (
            self._find_called(DocumentQuestion(Aspect.OVERVIEW, name), fitting, filter, language) if fitting else None
        )
        if found is not None:
            return found.ids[0]
        called = [each for each in names if wanted - figures and wanted - figures <= each.own]
        ids = [each.record.id for each in called if figures and self._opens_with(each.record.id, figures)]
        return ids[0] if len(ids) == 1 else None

    def _opens_with(self, document_id: str, figures: frozenset[str]) -> bool:
        document = self._store.document(document_id)
        first = _FIGURE.search(document.text, 0, OPENING) if document is not None else None
        return first is not None and first.group() in figures

    def _find_unnamed(
        self, question: str, language: str, asked: DocumentQuestion, names: Sequence[_Names], *, filter: Filter
    ) -> FoundDocuments | None:
        """The documents in which a question without a name is looked for: all where they are few, else the nearest."""
        if asked.aspect is Aspect.LIST:
            return None
        if not asked.focus and len(names) <= OF_COLLECTION:
            return _take_collection(names, filter)
        passages = self._searcher.search(
            question, language, strategy=Strategy.HYBRID, k=SEARCHED, filter=filter
        ).passages
        ids = tuple(dict.fromkeys(each.chunk.document_id for each in passages))[: 1 if asked.focus else MOST]
        return FoundDocuments(ids, DocumentFit.NEAREST, filter, len(names)) if ids else None

    def _find_called(
        self, asked: DocumentQuestion, names: Sequence[_Names], filter: Filter, language: str
    ) -> FoundDocuments | None:
        """Those that are called so; of several that are called so alike all, where the question means several, else the newest."""
        wanted = _read_wanted(asked.name, language)
        if all(word in _WORDS_OF_DATES or word[0].isdigit() for word in wanted):
            return None
        weights = _weigh_words(wanted, names)
        by_type = [each for each in names if wanted <= each.soft]
        if _is_plural(asked.name) and len(by_type) > 1 and len(wanted) == 1:
            return _take_collection(by_type, filter)
        scored = [(_share_met(wanted, each, weights), each) for each in names]
        best = max(score for score, _ in scored)
        least = CALLED_SO if len(wanted) > LEAST_WORDS else PLAINLY_SO * SOFT
        if best < least or (not any(wanted & each.own for score, each in scored if score == best) and best < SOFT):
            return None
        alike = [each for score, each in scored if score >= best - 0.02]
        alike.sort(key=lambda each: len(each.title - wanted))
        fits = [each for each in alike if len(each.title - wanted) == len(alike[0].title - wanted)]
        is_several = _is_plural(asked.name) and len(alike) > 1
        if asked.aspect is Aspect.OVERVIEW and asked.focus and not self._is_about(asked.focus, alike[0], language):
            return None
        if is_several:
            return FoundDocuments(tuple(each.record.id for each in alike[:MOST]), DocumentFit.NAMED, filter, len(alike))
        chosen = max(fits, key=lambda each: each.record.published_at.timestamp() if each.record.published_at else 0.0)
        ids = (chosen.record.id, *(each.record.id for each in alike if each is not chosen))
        return FoundDocuments(ids[:OF_COLLECTION], DocumentFit.NAMED, filter, 1, is_one=True)

    @staticmethod
    def _is_about(focus: str, names: _Names, language: str) -> bool:
        """Whether a document is on ``focus`` as a whole, by its name: then all of it is what it says of that."""
        return _read_terms(focus, language) <= names.own

    def _find_by_content(
        self, asked: DocumentQuestion, names: Sequence[_Names], filter: Filter, language: str
    ) -> FoundDocuments | None:
        """The part under a heading that is called so; else, where the question can only mean a whole document, the nearest."""
        found = self._searcher.search(asked.name, language, strategy=Strategy.HYBRID, k=SEARCHED, filter=filter)
        ids = tuple(dict.fromkeys(each.chunk.document_id for each in found.passages))
        section = self._find_heading(asked, found.passages, ids[:OF_HEADINGS], language)
        if section is not None and not (asked.aspect is Aspect.OVERVIEW and asked.focus):
            document_id, path = section
            return FoundDocuments((document_id,), DocumentFit.SECTION, filter, len(names), path)
        if not asked.is_explicit or not names_document(asked.name):
            return None
        nearest = _find_half_called(asked.name, names, language)
        if nearest is None and ids and found.confidence.level not in {Level.NONE, Level.LOW}:
            nearest = ids[0]
        return FoundDocuments((nearest,), DocumentFit.NEAREST, filter, len(names)) if nearest else None

    def _find_numbered(
        self, asked: DocumentQuestion, names: Sequence[_Names], filter: Filter, language: str
    ) -> FoundDocuments | None:
        """The part of a number: a section of the document that is named besides, else the document that bears the number."""
        match = _NUMBERED.fullmatch(asked.name.strip())
        if match is None:
            return None
        number = match["number"].rstrip(".").casefold()
        whole = replace(asked, name=match["name"]) if match["name"] else None
        found = self._find_called(whole, names, filter, language) if whole else None
        for document_id in found.ids if found else ():
            document = self._store.document(document_id)
            path = (
                next((path for path in _list_paths(document) if _bears(path[-1], number)), None) if document else None
            )
            if path is not None:
                return FoundDocuments((document_id,), DocumentFit.SECTION, filter, len(names), path)
        own = [each.record for each in names if _bears(each.record.title, number)]
        if not own:
            return None
        longest = max(own, key=lambda each: each.characters)
        return FoundDocuments((longest.id,), DocumentFit.NAMED, filter, 1, is_one=True)

    def _find_heading(
        self, asked: DocumentQuestion, passages: Sequence[Passage], ids: Sequence[str], language: str
    ) -> tuple[str, tuple[str, ...]] | None:
        """The document and the headings of the part that is called as the question says; of several the most upper one."""
        wanted = _read_terms(asked.name, language)
        if not wanted:
            return None
        found: list[tuple[int, int, int, str, tuple[str, ...]]] = []
        for rank, document_id in enumerate(ids):
            document = self._store.document(document_id)
            if document is None:
                continue
            # the folder names what a document is of too: "version 4.6 of the policy"
            title = _read_terms(f"{document.title} {re.sub('[-_./#]', ' ', document.source)}", language)
            for path in _list_paths(document):
                own = _read_terms(path[-1], language)
                words = {term for term in own if not term[:1].isdigit()}
                is_near = len(wanted & own) >= LEAST_WORDS or len(words - wanted) < LEAST_WORDS
                if wanted - title and (wanted - title) <= own and is_near:
                    found.append((len(own - wanted), len(path), rank, document_id, path))
        if not found:
            return None
        *_, document_id, path = min(found)
        return document_id, path


def select_kind(name: str, records: Sequence[DocumentRecord], language: str) -> list[DocumentRecord]:
    """Those of ``records`` that are what ``name`` calls them, by their type, their title, their author or their file: "research papers"."""
    wanted = _read_wanted(name, language)
    return [each for each in records if wanted <= _list_kinds(each, language)]


def _list_kinds(record: DocumentRecord, language: str) -> frozenset[str]:
    names = _read_names(record, language)
    return names.own | names.soft | {record.source.rpartition(".")[2].partition("#")[0].casefold()}


_NUMBERED = re.compile(
    r"(?:section|chapter|part|article|clause|paragraph|appendix|annex|unit|lesson|§)\s*(?P<number>[\dIVXivx]+(?:\.\d+)*\.?|[A-H])"
    r"(?:\s+(?:of|in|from)\s+(?:the\s+|our\s+|my\s+|this\s+)?(?P<name>.+))?",
    re.IGNORECASE,
)
"""A part by its number, and what it is a part of: "chapter 9 of the manual"."""


_WORDS_OF_DATES = frozenset(stem_word(word, ENGLISH) for word in MONTHS)
"""A name of these alone is a time, and no document."""
_PARTS = frozenset(stem_word(word, ENGLISH) for word in ("chapter", "section", "part", "page"))
"""Words for a part that say nothing of which: "the chapter on loans"."""


def _bears(title: str, number: str) -> bool:
    """Whether a heading or a title begins with a number, after a word such as "Chapter" or none."""
    return re.match(rf"\W*(?:[a-z]+\s+)?{re.escape(number)}(?![\w]|\.\d)", title.casefold()) is not None


def _find_half_called(name: str, names: Sequence[_Names], language: str) -> str | None:
    """The one document that half of a name fits, best of all; None where there is none, or several."""
    wanted = _read_wanted(name, language)
    weights = _weigh_words(wanted, names)
    shares = sorted(((_share_met(wanted, each, weights), each.record.id) for each in names), reverse=True)
    best, second = shares[0], shares[1] if len(shares) > 1 else (0.0, "")
    return best[1] if best[0] >= HALF_CALLED and best[0] > second[0] else None


def _list_paths(document: Document) -> list[tuple[str, ...]]:
    """Every path of headings, and those above them, as the document writes them."""
    title = " ".join(document.title.split()).casefold()
    paths: dict[tuple[str, ...], None] = {}
    for block in document.blocks_of(BlockKind.SECTION):
        path = tuple(" ".join(name.split()) for name in block.place.section)
        if len(path) > 1 and path[0].casefold() == title:
            path = path[1:]
        for depth in range(1, len(path) + 1):
            paths.setdefault(path[:depth])
    return list(paths)


def _take_collection(names: Sequence[_Names], filter: Filter) -> FoundDocuments | None:
    """All of them, the newest first, where they are few enough to be presented one by one."""
    if len(names) > OF_COLLECTION:
        return None
    dated = sorted(names, key=lambda each: each.record.source)
    ids = tuple(each.record.id for each in dated)
    return FoundDocuments(ids, DocumentFit.COLLECTION, filter, len(names))


def _read_wanted(name: str, language: str) -> frozenset[str]:
    """The content words and figures of a name, without a file ending."""
    bare = re.sub(r"\.\w{2,4}$", "", name.strip())
    terms = _read_terms(re.sub(r"['’]s\b", "", bare), language)
    generic = frozenset(stem_word(word, language) for word in load_word_set("document_questions", "anything"))
    left = (terms - generic) or terms
    return (left - _PARTS) or left


def _read_terms(text: str, language: str) -> frozenset[str]:
    """The content words of a name, and its figures as they are written: 4.6.2 is no 4, no 6 and no 2."""
    words = frozenset(term for term in content_terms(text, language) if not term.isdigit())
    return words | frozenset(figure.lstrip("0") or "0" for figure in _FIGURE.findall(text))


def _is_plural(name: str) -> bool:
    """Whether the noun of a name is in the plural: "the mails", "all contracts of 2024"; of "minutes" that says nothing."""
    head = re.split(r"\s(?:of|from|about|on|in|with|by)\s", name.casefold())[0].split()
    return (
        bool(head)
        and head[-1].endswith("s")
        and head[-1] not in {"minutes", "terms", "slides", "notes", "news", "results"}
    )


@cache
def _names_of_types(language: str) -> Mapping[str, frozenset[str]]:
    return {
        name: frozenset(stem_word(word, language) for word in load_word_set(_TOPIC, name))
        for name in list_names(_TOPIC)
        if not name.endswith("_endings")
    }


def _read_names(record: DocumentRecord, language: str) -> _Names:
    file = _stem_of_file(record.source)
    day = record.published_at
    dated = f"{day.day} {MONTHS[day.month - 1]} {day.year}" if day is not None else ""
    own = _read_terms(f"{record.title} {file} {record.author or ''} {dated}", language)
    soft: frozenset[str] = frozenset()
    by_type = _names_of_types(language)
    if record.document_profile is not None:
        soft |= by_type.get(record.document_profile.type.value, frozenset())
    ending = record.source.rpartition(".")[2].partition("#")[0].casefold()
    for kind, endings in (
        ("spreadsheets", "spreadsheet_endings"),
        ("slides", "slides_endings"),
        ("mails", "mails_endings"),
        ("recordings", "recordings_endings"),
    ):
        if ending in load_word_set(_TOPIC, endings):
            soft |= by_type[kind]
    return _Names(record, own, _read_terms(record.title, language), soft)


def _stem_of_file(source: str) -> str:
    name = source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].partition("#")[0]
    return " ".join(WORD.findall(re.sub(r"[-_.]", " ", name.rpartition(".")[0] or name)))


def _weigh_words(wanted: frozenset[str], names: Sequence[_Names]) -> dict[str, float]:
    """Each word of a name by how few documents are called so."""
    counts: Counter[str] = Counter(word for each in names for word in each.own & wanted)
    return {word: math.log((len(names) + 1) / (counts[word] + 0.5)) + 0.2 for word in wanted}


def _share_met(wanted: frozenset[str], names: _Names, weights: Mapping[str, float]) -> float:
    """How much of a name a document is called, 0..1."""
    met = sum(
        weights[word] if word in names.own else SOFT * weights[word] for word in wanted & (names.own | names.soft)
    )
    return met / sum(weights.values())
