"""Chunking: how documents of each kind are cut."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from ascertain.core.blocks import LAYOUT, Block, BlockKind, Place, Span
from ascertain.core.documents import Chunk, Document, DocumentKind, chunk_id
from ascertain.core.settings import ChunkerSettings
from ascertain.language.sentences import split_sentences
from ascertain.language.tables import TableFinder
from ascertain.language.word_lists import load_pattern

_WORD = re.compile(r"\S+")


class Boundary(IntEnum):
    """What begins with an atom; the higher, the better a place to cut before it."""

    WORD = 0
    SENTENCE = 1
    LINE = 2
    PARAGRAPH = 3
    SECTION = 4


@dataclass(frozen=True, slots=True)
class Atom:
    """A span without white space at its ends, and the boundary it begins with."""

    span: Span
    boundary: Boundary


def sentence_atoms(text: str, size: int, breaks: Iterable[int] = (), language: str | None = None) -> list[Atom]:
    """The sentences of ``text`` as atoms, none longer than ``size``; ``breaks`` are where sections begin.

    Together they cover every character that is not white space. Longer sentences are divided between words.
    """
    atoms: list[Atom] = []
    edges = iter(sorted({0, *breaks}))
    edge = next(edges, None)
    end = 0
    for sentence in _split_at(text, split_sentences(text, language), sorted({0, *breaks})):
        boundary = _boundary_between(text, end, sentence.start)
        while edge is not None and edge <= sentence.start:
            boundary = Boundary.SECTION
            edge = next(edges, None)
        end = sentence.end
        if sentence.length <= size:
            atoms.append(Atom(sentence, boundary))
            continue
        for piece in divide_text(text, sentence, size):
            atoms.append(Atom(piece, boundary))
            boundary = Boundary.WORD
    return atoms


def divide_text(text: str, span: Span, size: int) -> Iterator[Span]:
    """``span`` in pieces of at most ``size``, cut between words, inside a word only when it is longer than that."""
    start = end = span.start
    for word in _WORD.finditer(text, span.start, span.end):
        if word.end() - start > size and end > start:
            yield Span(start, end)
            start = word.start()
        while word.end() - start > size:
            yield Span(start, start + size)
            start += size
        end = word.end()
    if end > start:
        yield Span(start, end)


def _split_at(text: str, sentences: Iterable[Span], edges: Iterable[int]) -> Iterator[Span]:
    """``sentences``, cut in two where an edge falls inside one."""
    waiting = iter(edges)
    edge = next(waiting, None)
    for sentence in sentences:
        rest = sentence
        while edge is not None and edge < sentence.end:
            if rest.start < edge:
                before = text[rest.start : edge].rstrip()
                after = text[edge : rest.end]
                yield Span(rest.start, rest.start + len(before))
                rest = Span(rest.end - len(after.lstrip()), rest.end)
            edge = next(waiting, None)
        yield rest


def _boundary_between(text: str, start: int, end: int) -> Boundary:
    breaks = text.count("\n", start, end)
    if breaks > 1:
        return Boundary.PARAGRAPH
    return Boundary.LINE if breaks else Boundary.SENTENCE


_LONGEST_HEADING = 300
"""Text between two sections that is no longer than this is taken for the heading of the second."""

_NAMES = load_pattern("paper_sections", "outline")
_HEADING_LINE = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*)?(?:(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5})[.):]?[ \t]+)?"
    rf"(?P<name>{_NAMES})[ \t]*[.:]?[ \t]*$"
    r"|^[ \t]*(?P<abstract>abstract)[ \t]*[—–:.-]",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section from ``start`` to the next one, its heading included; ``path`` is its heading path."""

    start: int
    path: tuple[str, ...]


def outline_document(document: Document) -> list[Section]:
    """The sections of a document in order, from its blocks; for a paper that has none, from lines that name one."""
    blocks = document.blocks_of(BlockKind.SECTION)
    sections: list[Section] = []
    end = 0
    for block in blocks:
        start = end if block.span.start - end <= _LONGEST_HEADING else block.span.start
        sections.append(Section(start, block.place.section))
        end = block.span.end
    if not blocks and document.kind is DocumentKind.PAPER:
        return [
            Section(match.start(), ((match["name"] or match["abstract"]).strip().capitalize(),))
            for match in _HEADING_LINE.finditer(document.text)
        ]
    return sections


def section_at(sections: Sequence[Section], position: int) -> tuple[str, ...]:
    """The heading path of the section that holds ``position``; empty before the first."""
    number = bisect_right(sections, position, key=lambda section: section.start)
    return sections[number - 1].path if number else ()


def main_starts(sections: Sequence[Section]) -> list[int]:
    """Where the main sections begin: those told apart by the outermost heading that is not common to all."""
    depth = 0
    while len({section.path[: depth + 1] for section in sections if len(section.path) > depth}) == 1:
        depth += 1
    starts: list[int] = []
    current: tuple[str, ...] | None = None
    for section in sections:
        main = section.path[: depth + 1]
        if main != current:
            starts.append(section.start)
        current = main
    return starts


# Atoms are packed into chunks: each is filled as far as its size allows and cut at the strongest boundary that still
# leaves it well filled; the next one starts a little earlier, at the start of a sentence, so that a thought cut in two
# is whole in one of them.

MINIMUM = 100
"""Characters of the shortest chunk (IN-3), half of the size where that is less; a shorter rest joins a neighbour."""
_FILL = ((Boundary.SECTION, 0.5), (Boundary.PARAGRAPH, 0.7), (Boundary.LINE, 0.8), (Boundary.SENTENCE, 0.3))
"""How full a chunk must be to be cut at a boundary of this strength, tried in this order."""
_WORD_START = re.compile(r"(?<=\s)\S")


@dataclass(frozen=True, slots=True)
class Limits:
    """``size`` is never exceeded and ``overlap`` is at most that; rests under ``minimum`` are avoided by cutting earlier."""

    size: int
    overlap: int = 0
    minimum: int = 0


def pack_atoms(text: str, atoms: Sequence[Atom], limits: Limits, *, whole_atoms_only: bool = False) -> list[Span]:
    """Spans of chunks over ``atoms`` (none longer than ``limits.size``), in order, covering all of them.

    Every chunk ends with an atom and adds at least one to those before. An overlap never reaches into another section. With
    ``whole_atoms_only`` it is made of whole atoms; otherwise it may begin at a word where no atom begins near enough.
    """
    return _Packing(text, atoms, limits, whole_atoms_only).chunks()


class _Packing:
    def __init__(self, text: str, atoms: Sequence[Atom], limits: Limits, whole_atoms_only: bool) -> None:
        self._text = text
        self._limits = limits
        self._whole_atoms_only = whole_atoms_only
        self._starts = [atom.span.start for atom in atoms]
        self._ends = [atom.span.end for atom in atoms]
        self._boundaries = [atom.boundary for atom in atoms]

    def chunks(self) -> list[Span]:
        spans: list[Span] = []
        done = 0
        start = self._starts[0] if self._starts else 0
        while done < len(self._starts):
            cut = self._choose_cut(start, done)
            plain = self._choose_cut(self._starts[done], done)
            if plain > cut and self._added_length(done, cut) < 0.5 * self._added_length(done, plain):
                # the overlap would leave hardly any room for what is new
                start, cut = self._starts[done], plain
            spans.append(Span(start, self._ends[cut - 1]))
            done = cut
            start = self._next_start(start, cut) if done < len(self._starts) else start
        return spans

    def _added_length(self, done: int, cut: int) -> int:
        return self._ends[cut - 1] - self._starts[done]

    def _choose_cut(self, start: int, done: int) -> int:
        """The number of the first atom after the chunk that begins at ``start`` and holds at least atom ``done``."""
        size, minimum = self._limits.size, self._limits.minimum
        count = len(self._starts)
        furthest = bisect_right(self._ends, start + size)
        if furthest == count:
            return count
        while furthest > done + 1 and self._ends[-1] - self._starts[furthest] < minimum:
            furthest -= 1
        for boundary, fill in _FILL:
            for cut in range(furthest, done, -1):
                if self._ends[cut - 1] - start < fill * size:
                    break
                if self._boundaries[cut] >= boundary:
                    return cut
        return furthest

    def _next_start(self, previous_start: int, cut: int) -> int:
        """Where the chunk after ``cut`` begins: at ``cut``, or before it by at most the overlap."""
        if self._boundaries[cut] is Boundary.SECTION:
            return self._starts[cut]
        end = self._ends[cut - 1]
        room = min(self._limits.overlap, self._limits.size - (self._ends[cut] - end))
        earliest = max(end - room, previous_start + 1, self._section_start(cut, end - room))
        first = bisect_left(self._starts, earliest)
        if first < cut:
            return self._starts[first]
        if not self._whole_atoms_only and earliest < end:
            word = _WORD_START.search(self._text, earliest, end)
            if word is not None:
                return word.start()
        return self._starts[cut]

    def _section_start(self, cut: int, earliest: int) -> int:
        """The start of the section that holds the atom before ``cut``, as far back as ``earliest``."""
        atom = cut - 1
        while atom > 0 and self._starts[atom] > earliest and self._boundaries[atom] is not Boundary.SECTION:
            atom -= 1
        return self._starts[atom] if self._boundaries[atom] is Boundary.SECTION else 0


OVERLAP = 0.2
"""Share of a chunk that is repeated in the next (IN-3)."""


def paper_spans(text: str, atoms: Sequence[Atom], sections: Sequence[Section], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size`` that share up to ``OVERLAP`` of it, each within a main section.

    A rest under ``MINIMUM`` joins its neighbour by cutting that one earlier; a main section under it
    joins the next.
    """
    limits = Limits(settings.size, int(settings.size * OVERLAP), min(MINIMUM, settings.size // 2))
    return [
        span
        for group in _group_sections(atoms, main_starts(sections), limits.minimum)
        for span in pack_atoms(text, group, limits)
    ]


def _group_sections(atoms: Sequence[Atom], starts: Sequence[int], minimum: int) -> list[list[Atom]]:
    """The atoms of each main section; one of fewer than ``minimum`` characters goes with the next, the last with the one before."""
    groups: list[list[Atom]] = []
    edges = iter([*starts, float("inf")])
    edge = next(edges)
    for atom in atoms:
        passed = atom.span.start >= edge
        while atom.span.start >= edge:
            edge = next(edges)
        if not groups or (passed and _length_of(groups[-1]) >= minimum):
            groups.append([])
        groups[-1].append(atom)
    if len(groups) > 1 and _length_of(groups[-1]) < minimum:
        groups[-2].extend(groups.pop())
    return groups


def _length_of(group: Sequence[Atom]) -> int:
    return group[-1].span.end - group[0].span.start


class Places:
    """The blocks of one document, ready for look-up."""

    def __init__(self, document: Document) -> None:
        self._blocks = {kind: document.blocks_of(kind) for kind in LAYOUT}
        self._ends = {kind: [block.span.end for block in blocks] for kind, blocks in self._blocks.items()}
        self._starts = {kind: [block.span.start for block in blocks] for kind, blocks in self._blocks.items()}

    def of(self, span: Span, section: tuple[str, ...]) -> Place:
        """The page, part and turn where ``span`` begins, and the time at which the last turn in it ends.

        Equal to ``Document.place_of`` where its first character lies in blocks; a label before a turn counts as that turn.
        """
        page = self._first_block(BlockKind.PAGE, span)
        part = self._first_block(BlockKind.PART, span)
        turn = self._first_block(BlockKind.TURN, span)
        place = Place(page.place.page if page else None, section, part=part.place.part if part else None)
        if turn is None:
            return place
        speaker, start_time = turn.place.speaker, turn.place.start_time
        return replace(place, speaker=speaker, start_time=start_time, end_time=self._end_time(span))

    def _first_block(self, kind: BlockKind, span: Span) -> Block | None:
        number = bisect_right(self._ends[kind], span.start)
        blocks = self._blocks[kind]
        return blocks[number] if number < len(blocks) and blocks[number].span.start < span.end else None

    def _end_time(self, span: Span) -> float | None:
        number = bisect_left(self._starts[BlockKind.TURN], span.end)
        return self._blocks[BlockKind.TURN][number - 1].place.end_time if number else None


def recursive_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size`` with up to ``settings.overlap`` in common; small sections share a chunk."""
    minimum = min(MINIMUM, settings.size // 2)
    return pack_atoms(text, atoms, Limits(settings.size, settings.overlap, minimum))


def parent_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.parent_size`` without overlap, for context around a chunk."""
    return pack_atoms(text, atoms, Limits(settings.parent_size, minimum=settings.parent_size // 4))


_LONGEST_LABEL = 200
"""Text between two turns that is no longer than this (a name, a time) belongs to the second."""


def turn_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size``; neighbours share whole turns, or sentences of a long turn, up to the overlap."""
    limits = Limits(settings.size, settings.overlap, min(MINIMUM, settings.size // 2))
    return pack_atoms(text, atoms, limits, whole_atoms_only=True)


def turn_atoms(text: str, turns: Sequence[Block], size: int, language: str | None = None) -> list[Atom]:
    """The turns of ``text``: one no longer than ``size`` is one atom, so that nothing can cut it; a longer one is its sentences.

    What stands between turns goes with the second when it is a label and there is room for both.
    """
    edges: list[int] = []
    end = 0
    for turn in turns:
        labelled = len(text[end : turn.span.end].strip())
        edges.append(end)
        if turn.span.start - end > _LONGEST_LABEL or turn.span.length <= size < labelled:
            edges.append(turn.span.start)
        end = turn.span.end
    groups: list[list[Atom]] = []
    for atom in sentence_atoms(text, size, (*edges, end), language):
        if atom.boundary is Boundary.SECTION:
            groups.append([])
        groups[-1].append(atom)
    return [atom for group in groups for atom in _turn_atoms(group, size)]


def _turn_atoms(sentences: Sequence[Atom], size: int) -> list[Atom]:
    whole = Span(sentences[0].span.start, sentences[-1].span.end)
    if whole.length <= size:
        return [Atom(whole, Boundary.PARAGRAPH)]
    first, *others = sentences
    return [
        Atom(first.span, Boundary.PARAGRAPH),
        *(Atom(atom.span, min(atom.boundary, Boundary.LINE)) for atom in others),
    ]


LONGEST_HEADING = 200
"""Of a chunk's heading; a longer one would crowd the text out of the embedding model's window."""


def chunk_document(document: Document, settings: ChunkerSettings) -> list[Chunk]:
    """The chunks of ``document`` in text order, then its parents.

    ``document.text[c.span.start:c.span.end] == c.text`` for every chunk; the chunks cover every character that is not white
    space, and so do the parents, which do not overlap. There are no parents when one chunk holds everything.
    """
    sections = outline_document(document)
    spans, parents = _chunk_spans(document, sections, settings)
    builder = _ChunkBuilder(document, sections)
    parent_starts = [parent.start for parent in parents]
    chunks: list[Chunk] = []
    for index, span in enumerate(spans):
        parent = parents[bisect_right(parent_starts, span.start) - 1] if parents else None
        before = max(0, spans[index - 1].end - span.start) if index else 0
        after = max(0, span.end - spans[index + 1].start) if index + 1 < len(spans) else 0
        chunks.append(builder.build(index, span, parent, (before, after)))
    chunks.extend(builder.build(-1, parent, None, (0, 0)) for parent in parents)
    return chunks


def _chunk_spans(
    document: Document, sections: Sequence[Section], settings: ChunkerSettings
) -> tuple[list[Span], list[Span]]:
    """The spans of the chunks and those of their parents."""
    text = document.text
    size = min(settings.size, settings.parent_size)
    turns = document.blocks_of(BlockKind.TURN)
    if document.kind is DocumentKind.TRANSCRIPT and turns:
        atoms = turn_atoms(text, turns, size, document.language)
        spans = turn_spans(text, atoms, settings)
    else:
        atoms = sentence_atoms(text, size, [section.start for section in sections], document.language)
        is_paper = document.kind is DocumentKind.PAPER
        spans = paper_spans(text, atoms, sections, settings) if is_paper else recursive_spans(text, atoms, settings)
    return spans, parent_spans(text, atoms, settings) if len(spans) > 1 else []


class _ChunkBuilder:
    def __init__(self, document: Document, sections: Sequence[Section]) -> None:
        self._document = document
        self._sections = sections
        self._places = Places(document)
        self._tables = TableFinder(document.text)

    def build(self, index: int, span: Span, parent: Span | None, overlaps: tuple[int, int]) -> Chunk:
        """A chunk, or with index -1 a parent."""
        document = self._document
        section = section_at(self._sections, span.start)
        return Chunk(
            id=chunk_id(document.id, span, is_parent=index < 0),
            document_id=document.id,
            index=index,
            span=span,
            text=span.of(document.text),
            heading=self._head_rows(heading_of(document.title, section), span),
            title=document.title,
            kind=document.kind,
            source=document.source,
            place=self._places.of(span, section),
            url=document.url,
            author=document.author,
            published_at=document.published_at,
            language=document.language,
            tags=document.tags,
            profile=document.profile,
            conversation_id=document.conversation_id,
            tenant=document.tenant,
            parent_id=chunk_id(document.id, parent, is_parent=True) if parent else None,
            is_parent=index < 0,
            overlap_previous=overlaps[0],
            overlap_next=overlaps[1],
            document_profile=document.document_profile,
        )

    def _head_rows(self, heading: str, span: Span) -> str:
        """``heading`` and, over a chunk that begins among the rows of a table, the header of the table."""
        table = self._tables.find_at(span.start)
        if table is None or span.start < table.rows[0].start:
            return heading
        return f"{heading}\n{table.header.of(self._document.text)[:LONGEST_HEADING]}".lstrip()


def heading_of(title: str, section: Sequence[str]) -> str:
    """Title and heading path joined by ``›``, without saying the title twice, cut at ``LONGEST_HEADING``."""
    path = [name for name in section if name]
    if title and (not path or path[0] != title):
        path.insert(0, title)
    joined = " › ".join(" ".join(name.split()) for name in path)
    return joined if len(joined) <= LONGEST_HEADING else joined[: LONGEST_HEADING - 1].rstrip() + "…"


__all__ = ["chunk_document"]
