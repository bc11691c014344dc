"""Every sentence that names something, by its words and by what the graph knows it to be called.

The search by words finds it in any store, with a graph or without; the graph adds the other names of the same thing
("Wasm"). A sentence counts when it holds one of the names, word by word in their stems; where no sentence does, those
that hold all words of a longer one.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ascertain.core.asking.passages import Filter, NamedEntity, Passage, Way
from ascertain.core.documents.blocks import BlockKind, Place, Span
from ascertain.core.documents.documents import Chunk, Document
from ascertain.core.graph.nouns import Role
from ascertain.graph.snapshot import ROLES, Entity, Mask, Snapshot
from ascertain.language.instructions import instruction_spans
from ascertain.language.scripts import UNSPACED, UNSPACED_RUN
from ascertain.language.sentences import sentences_touching
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, may_name, stem_word, word_informativeness
from ascertain.stores.ports.chunks import CompleteStore

MOST_FORMS = 8
"""Names looked for in the texts; a thing with more is a heap of misreadings."""
MOST_CHUNKS = 1000
"""Chunks taken from the graph for one name."""
_IN_TEXT = ROLES.index(Role.NAMED)


@dataclass(frozen=True, slots=True)
class KnownName:
    """``forms`` are the ways it is written in visible texts, most frequent first; ``chunk_ids`` where."""

    entity: Entity
    forms: tuple[str, ...]
    chunk_ids: tuple[str, ...]


def known_name(snapshot: Snapshot, name: str, filter: Filter) -> KnownName | None:
    """The thing called ``name`` as far as ``filter`` lets it be seen; None if nothing visible has the name."""
    entity = snapshot.entity(name)
    return None if entity is None else known_entity(snapshot, entity, filter)


def known_entity(snapshot: Snapshot, entity: Entity, filter: Filter) -> KnownName | None:
    """The same for a given entity."""
    rows = snapshot.by_entity[entity.index]
    rows = rows[visible_chunks(snapshot, filter)[snapshot.mention_chunk[rows]]]
    rows = rows[snapshot.mention_role[rows] == _IN_TEXT]
    ways: dict[str, int] = {}
    for row in snapshot.mention_name[rows]:
        written = snapshot.written[int(row)]
        ways[written] = ways.get(written, 0) + 1
    if not ways:
        return None
    forms = sorted(ways, key=lambda way: (-ways[way], way))[:MOST_FORMS]
    chunks = dict.fromkeys(snapshot.chunk_ids[int(row)] for row in snapshot.mention_chunk[rows])
    return KnownName(entity, tuple(forms), tuple(chunks)[:MOST_CHUNKS])


def visible_chunks(snapshot: Snapshot, filter: Filter) -> Mask:
    """The chunks of conversations and documents that ``filter`` allows; its other conditions are for the store."""
    among = (filter.conversation_id,) if filter.conversation_id is not None else filter.within
    return snapshot.visible(among, filter.document_ids or None)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that names what was looked for. ``unit`` is the turn, or the sentence itself, that counts as one
    place.
    """

    document: Document
    chunk: Chunk
    span: Span
    place: Place
    unit: Span
    form: str
    """How it is named there."""
    is_from_graph: bool

    @property
    def text(self) -> str:
        """The sentence."""
        return self.span.of(self.document.text)


def sentences_in(
    store: CompleteStore,
    chunks: Sequence[Chunk],
    known: KnownName | None,
    is_wanted: Callable[[str], bool] = lambda _: True,
) -> Iterator[Statement]:
    """Sentences that ``chunks`` (by document) touch, each once; not those that read like instructions to a model.

    ``is_wanted`` looks at the text of one before anything else is done with it.
    """
    in_graph = frozenset(known.chunk_ids) if known else frozenset[str]()
    turns: _Turns | None = None
    seen: set[Span] = set()
    for chunk in chunks:
        if turns is None or turns.document.id != chunk.document_id:
            stored = store.document(chunk.document_id)
            turns, seen = (_Turns(stored) if stored else None), set[Span]()
        if turns is None or chunk.span.of(turns.document.text) != chunk.text:
            continue
        orders = [span.shift(chunk.span.start) for span in instruction_spans(chunk.text)]
        for span in sentences_touching(turns.document, chunk.span):
            text = span.of(turns.document.text)
            if span in seen or not is_wanted(text) or any(span.overlap(order) for order in orders):
                continue
            seen.add(span)
            place, unit = turns.around(span)
            if place.speaker is None or text.strip() != f"{place.speaker}:":
                yield Statement(turns.document, chunk, span, place, unit, "", chunk.id in in_graph)


class _Turns:
    """The turns of a document, to be looked up by place: long recordings have thousands."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._turns = document.blocks_of(BlockKind.TURN)
        self._starts = [turn.span.start for turn in self._turns]
        self._has_others = any(block.kind is not BlockKind.TURN for block in document.blocks)

    def around(self, span: Span) -> tuple[Place, Span]:
        """The place of a sentence, and the turn that it belongs to, or the sentence itself outside of turns."""
        at = bisect_right(self._starts, span.start) - 1
        turn = self._turns[at] if at >= 0 and span.start < self._turns[at].span.end else None
        place = self.document.place_of(span) if self._has_others or turn is None else turn.place
        return place, span if turn is None else turn.span


EVERYDAY_NAMED = 0.05
"""How often, by its use in small letters, an everyday word must be written as a name to be one; fewer are slips of a
transcript.
"""
MOST_DOCUMENTS = 300
"""Documents read for one name."""

Stems = tuple[str, ...]
_IRREGULAR = frozenset({"die", "lie", "tie", "ski", "sky"})
"""Stems that their words do not begin with: "dying", "skies"."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """In order of document and text. ``is_exact``: the name itself stands there, not only its words; ``is_complete``:
    nothing was left unread.
    """

    statements: tuple[Statement, ...]
    is_exact: bool
    is_complete: bool


@dataclass(frozen=True, slots=True)
class _Found:
    sentence: Statement
    is_capital: bool
    opens: bool


def find_mentions(
    store: CompleteStore, subject: str, known: KnownName | None, filter: Filter, *, language: str
) -> Mentions:
    """Where ``subject`` is named under ``filter``."""
    forms = _name_forms(subject, known, language)
    if not forms:
        return Mentions((), False, True)
    phrases = {f'"{" ".join(WORD.findall(form))}"': 1.0 for form in forms}
    chunks, is_complete = _fetch_chunks(store, phrases, known, filter)
    may_name = _may_name(forms.values())
    sentences = sentences_in(store, chunks, known, may_name)
    named = [found for sentence in sentences if (found := _find_name(sentence, forms, language))]
    if named:
        return Mentions(tuple(_of_this_name(subject, named, language)), True, is_complete)
    first = next(iter(forms.values()))
    if len(first) < 2:
        return Mentions((), False, is_complete)
    chunks, is_complete = _fetch_chunks(
        store, {word: 1.0 for _, word in _stem_words(next(iter(forms)), language)}, None, filter
    )
    sentences = sentences_in(store, chunks, None, _may_name([first]))
    loose = (s for s in sentences if set(first) <= {word for word, _ in _stem_words(s.text, language)})
    return Mentions(tuple(replace(s, form=subject) for s in loose), False, is_complete)


def find_spoken(store: CompleteStore, speaker: str, filter: Filter) -> Mentions:
    """Everything said by a speaker called ``speaker``; a turn begins with its speaker's name, so a search for the name
    finds it.
    """
    name = " ".join(WORD.findall(speaker))
    chunks, is_complete = _fetch_chunks(store, {f'"{name}"': 1.0}, None, filter) if name else ([], True)
    said = (
        replace(each, form=each.place.speaker or "")
        for each in sentences_in(store, chunks, None)
        if may_name(each.place.speaker or "", speaker)
    )
    return Mentions(tuple(said), True, is_complete)


def sentence_of_both(
    store: CompleteStore, chunk: Chunk, start: int, one: Sequence[str], *, other: Sequence[str], language: str
) -> Statement | None:
    """The sentence of ``chunk``, from the one that the graph says begins at ``start`` on, that holds a name of each of
    two things.

    Where one of them is the title or the speaker, the sentence that names the other. None where there is none.
    """
    alone: Statement | None = None
    for each in sentences_in(store, [chunk], None):
        if each.span.end <= start:
            continue
        named = [name for names in (one, other) if (name := _first_name_in(each.text, names, language))]
        if len(named) == 2:
            return replace(each, form=named[0], is_from_graph=True)
        above = f"{each.place.speaker or ''} . {chunk.title}"
        is_other = bool(named) and bool(_first_name_in(above, other if named[0] in one else one, language))
        if is_other and alone is None:
            alone = replace(each, form=named[0], is_from_graph=True)
    return alone


def names_one(text: str, names: Sequence[str], language: str) -> bool:
    """Whether one of ``names`` stands in ``text``."""
    return bool(_first_name_in(text, names, language))


def _first_name_in(text: str, names: Sequence[str], language: str) -> str:
    said = [word for word, _ in _stem_words(text, language)]
    for name in names:
        stems = tuple(word for word, _ in _stem_words(name, language))
        if stems and _stands_in(stems, said):
            return name
    return ""


def narrow_passage(statement: Statement, subject: str, explanation: str = "") -> Passage:
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
    way = Way((NamedEntity(subject, subject),)) if statement.is_from_graph else None
    return Passage(chunk, 1.0, origin=origin, explanation=explanation or _explain_mention(statement, subject), way=way)


def _explain_mention(statement: Statement, subject: str) -> str:
    if statement.form == subject or not statement.is_from_graph:
        return f"names “{statement.form}”"
    return f"names “{subject}” as “{statement.form}”"


def _name_forms(subject: str, known: KnownName | None, language: str) -> dict[str, Stems]:
    """Every name with its stems, the subject's own first; names of stop words only are left out."""
    names = dict.fromkeys((subject, *(known.forms if known else ())))
    forms: dict[str, Stems] = {}
    for name in names:
        stems = tuple(stem for stem, _ in _stem_words(name, language))
        if stems and stems not in forms.values():
            forms[name] = stems
    return forms


def _fetch_chunks(
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
    heads = [[re.compile(_mark_beginning(word) + re.escape(_cut_stem(word))) for word in stems] for stems in forms]

    def may(text: str) -> bool:
        plain = fold_words(text)
        return any(all(head.search(plain) for head in each) for each in heads)

    return may


def _mark_beginning(stem: str) -> str:
    """What stands before a word: no letter or digit, but one of a script without spaces."""
    return "" if UNSPACED_RUN.match(stem) else rf"(?<![^\W_{UNSPACED}])"


def _cut_stem(stem: str) -> str:
    if stem in _IRREGULAR:
        return stem[:1]
    return stem[:-1] if len(stem) > 2 else stem


def _find_name(sentence: Statement, forms: dict[str, Stems], language: str) -> _Found | None:
    words = _stem_words(sentence.text, language)
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


def _of_this_name(subject: str, found: Sequence[_Found], language: str) -> Iterator[Statement]:
    """Without the ordinary words that a name looks like ("rust" for "Rust"), where the texts themselves tell them
    apart.

    They do when they write it as a name inside a sentence at least as often as not; what is mostly written small
    ("bitcoin") is one thing either way. A word of everyday English ("Go") is a name as soon as it is one here and
    there, for in small letters it stands everywhere.
    """
    named = sum(each.is_capital and not each.opens for each in found)
    small = sum(not each.is_capital for each in found)
    is_everyday = all(word_informativeness(word, language) < 1 for word, _ in _stem_words(subject, language))
    wanted = EVERYDAY_NAMED * small if is_everyday else small
    is_name = _has_capital(subject) and named >= max(wanted, 1)
    return (each.sentence for each in found if each.is_capital or not is_name)


def _has_capital(text: str) -> bool:
    return any(character.isupper() for character in text)


def _stem_words(text: str, language: str) -> list[tuple[str, str]]:
    """The words of ``text`` that are no stop words, each with its stem."""
    read: list[tuple[str, str]] = []
    for match in WORD.finditer(text):
        plain = fold_words(match.group()).replace("’", "'")
        if plain not in STOP_WORDS:
            read.append((stem_word(plain, language), match.group()))
    return read
