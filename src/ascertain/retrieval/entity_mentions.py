"""Every sentence that names something, by its words and by what the graph knows it to be called.

The search by words finds it in any store, with a graph or without; the graph adds the other names of the same thing ("Wasm").
A sentence counts when it holds one of the names, word by word in their stems; where no sentence does, those that hold all words of a longer one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ascertain.core.chunks import Chunk
from ascertain.core.filters import Filter
from ascertain.core.passages import Passage, Way
from ascertain.language.tokens import STOP_WORDS, WORD, folded, informativeness, is_called, stem
from ascertain.retrieval.entity_names import KnownName
from ascertain.retrieval.entity_sentences import Statement, sentences_in
from ascertain.stores.ports import CompleteStore

MOST_CHUNKS = 1000
"""Chunks looked at for one name, the best by BM25; a name in more of them is told with "at least"."""
EVERYDAY_NAMED = 0.05
"""How often, by its use in small letters, an everyday word must be written as a name to be one; fewer are slips of a transcript."""
MOST_DOCUMENTS = 300
"""Documents read for one name."""

Stems = tuple[str, ...]
_IRREGULAR = frozenset({"die", "lie", "tie", "ski", "sky"})
"""Stems that their words do not begin with: "dying", "skies"."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """In order of document and text. ``is_exact``: the name itself stands there, not only its words; ``is_complete``: nothing was left unread."""

    statements: tuple[Statement, ...]
    is_exact: bool
    is_complete: bool


@dataclass(frozen=True, slots=True)
class _Found:
    sentence: Statement
    is_capital: bool
    opens: bool


def find_mentions(store: CompleteStore, subject: str, known: KnownName | None, filter: Filter) -> Mentions:
    """Where ``subject`` is named under ``filter``."""
    forms = _forms(subject, known)
    if not forms:
        return Mentions((), False, True)
    phrases = {f'"{" ".join(WORD.findall(form))}"': 1.0 for form in forms}
    chunks, is_complete = _chunks(store, phrases, known, filter)
    may_name = _may_name(forms.values())
    sentences = sentences_in(store, chunks, known, may_name)
    named = [found for sentence in sentences if (found := _named(sentence, forms))]
    if named:
        return Mentions(tuple(_of_this_name(subject, named)), True, is_complete)
    first = next(iter(forms.values()))
    if len(first) < 2:
        return Mentions((), False, is_complete)
    chunks, is_complete = _chunks(store, {word: 1.0 for _, word in _read(next(iter(forms)))}, None, filter)
    sentences = sentences_in(store, chunks, None, _may_name([first]))
    loose = (s for s in sentences if set(first) <= {word for word, _ in _read(s.text)})
    return Mentions(tuple(replace(s, form=subject) for s in loose), False, is_complete)


def find_spoken(store: CompleteStore, speaker: str, filter: Filter) -> Mentions:
    """All that somebody says who is called ``speaker``; a turn begins with its speaker's name, so a search for the name finds it."""
    name = " ".join(WORD.findall(speaker))
    chunks, is_complete = _chunks(store, {f'"{name}"': 1.0}, None, filter) if name else ([], True)
    said = (
        replace(each, form=each.place.speaker or "")
        for each in sentences_in(store, chunks, None)
        if is_called(each.place.speaker or "", speaker)
    )
    return Mentions(tuple(said), True, is_complete)


def sentence_of_both(
    store: CompleteStore, chunk: Chunk, start: int, one: Sequence[str], other: Sequence[str]
) -> Statement | None:
    """The sentence of ``chunk``, from the one that the graph says begins at ``start`` on, that holds a name of each of two things.

    Where one of them is the title or the speaker, the sentence that names the other. None where there is none.
    """
    alone: Statement | None = None
    for each in sentences_in(store, [chunk], None):
        if each.span.end <= start:
            continue
        named = [name for names in (one, other) if (name := _first_named(each.text, names))]
        if len(named) == 2:
            return replace(each, form=named[0], is_from_graph=True)
        above = f"{each.place.speaker or ''} . {chunk.title}"
        is_other = bool(named) and bool(_first_named(above, other if named[0] in one else one))
        if is_other and alone is None:
            alone = replace(each, form=named[0], is_from_graph=True)
    return alone


def names_one(text: str, names: Sequence[str]) -> bool:
    """Whether one of ``names`` stands in ``text``."""
    return bool(_first_named(text, names))


def _first_named(text: str, names: Sequence[str]) -> str:
    said = [word for word, _ in _read(text)]
    for name in names:
        stems = tuple(word for word, _ in _read(name))
        if stems and _stands_in(stems, said):
            return name
    return ""


def narrowed(statement: Statement, subject: str, explanation: str = "") -> Passage:
    """The statement as a passage that holds nothing else; its chunk keeps its id.

    Who says it and what it was found for stand in its heading, where the words of a question are looked for.
    """
    document, span = statement.document, statement.span
    heading = " · ".join(filter(None, (statement.chunk.title, statement.place.speaker, subject)))
    chunk = replace(
        statement.chunk,
        span=span,
        text=span.of(document.text),
        heading=heading,
        place=statement.place,
        parent_id=None,
        overlap_previous=0,
        overlap_next=0,
    )
    origin = "graph" if statement.is_from_graph else "passages"
    way = Way(((subject, subject),)) if statement.is_from_graph else None
    return Passage(
        chunk, 1.0, origin=origin, explanation=explanation or _explained(statement, subject), way=way
    )


def _explained(statement: Statement, subject: str) -> str:
    if statement.form == subject or not statement.is_from_graph:
        return f"names “{statement.form}”"
    return f"names “{subject}” as “{statement.form}”"


def _forms(subject: str, known: KnownName | None) -> dict[str, Stems]:
    """Every name with its stems, the subject's own first; names of stop words only are left out."""
    names = dict.fromkeys((subject, *(known.forms if known else ())))
    forms: dict[str, Stems] = {}
    for name in names:
        stems = tuple(stem for stem, _ in _read(name))
        if stems and stems not in forms.values():
            forms[name] = stems
    return forms


def _chunks(
    store: CompleteStore, terms: Mapping[str, float], known: KnownName | None, filter: Filter
) -> tuple[list[Chunk], bool]:
    """Chunks that hold one of ``terms`` or are known to hold the name, by document, and whether these are all."""
    hits = store.lexical(terms, MOST_CHUNKS, filter)
    ids = list(dict.fromkeys([*(hit.chunk_id for hit in hits), *(known.chunk_ids if known else ())]))
    if filter.chunk_ids:
        allowed = frozenset(filter.chunk_ids)
        ids = [chunk_id for chunk_id in ids if chunk_id in allowed]
    if not ids:
        return [], True
    found = list(store.iterate_chunks(replace(filter, chunk_ids=tuple(ids))))
    rank = {chunk_id: place for place, chunk_id in enumerate(ids)}
    documents = dict.fromkeys(chunk.document_id for chunk in sorted(found, key=lambda c: rank[c.id]))
    read = frozenset(list(documents)[:MOST_DOCUMENTS])
    is_complete = len(hits) < MOST_CHUNKS and len(documents) <= MOST_DOCUMENTS
    return [chunk for chunk in found if chunk.document_id in read], is_complete


def _may_name(forms: Iterable[Stems]) -> Callable[[str], bool]:
    """Whether a text could hold one of the names, by the beginnings of its words: quick, and never wrongly no.

    By all but the last letter of their stems, which may be another in the word: "happi" of "happy", "use" of "using".
    """
    heads = [[re.compile(rf"(?<![^\W_]){re.escape(_head(word))}") for word in stems] for stems in forms]

    def may(text: str) -> bool:
        plain = folded(text)
        return any(all(head.search(plain) for head in each) for each in heads)

    return may


def _head(stem: str) -> str:
    if stem in _IRREGULAR:
        return stem[:1]
    return stem[:-1] if len(stem) > 2 else stem


def _named(sentence: Statement, forms: dict[str, Stems]) -> _Found | None:
    words = _read(sentence.text)
    stems = [stem for stem, _ in words]
    for form, wanted in forms.items():
        places = _stands_in(wanted, stems)
        capital = [i for i in places if any(_has_capital(word) for _, word in words[i : i + len(wanted)])]
        if places:
            opens = bool(capital) and capital == [0]
            return _Found(replace(sentence, form=form), bool(capital), opens)
    return None


def _stands_in(wanted: Stems, stems: Sequence[str]) -> list[int]:
    """Where ``wanted`` begins among ``stems``."""
    width = len(wanted)
    return [i for i in range(len(stems) - width + 1) if tuple(stems[i : i + width]) == wanted]


def _of_this_name(subject: str, found: Sequence[_Found]) -> Iterator[Statement]:
    """Without the ordinary words that a name looks like ("rust" for "Rust"), where the texts themselves tell them apart.

    They do when they write it as a name inside a sentence at least as often as not; what is mostly written small ("bitcoin") is one thing either way.
    A word of everyday English ("Go") is a name as soon as it is one here and there, for in small letters it stands everywhere.
    """
    named = sum(each.is_capital and not each.opens for each in found)
    small = sum(not each.is_capital for each in found)
    is_everyday = all(informativeness(word) < 1 for word, _ in _read(subject))
    wanted = EVERYDAY_NAMED * small if is_everyday else small
    is_name = _has_capital(subject) and named >= max(wanted, 1)
    return (each.sentence for each in found if each.is_capital or not is_name)


def _has_capital(text: str) -> bool:
    return any(character.isupper() for character in text)


def _read(text: str) -> list[tuple[str, str]]:
    """The words of ``text`` that are no stop words, each with its stem."""
    read: list[tuple[str, str]] = []
    for match in WORD.finditer(text):
        plain = folded(match.group()).replace("’", "'")
        if plain not in STOP_WORDS:
            read.append((stem(plain), match.group()))
    return read
