"""The sentences of chunks, each with its place and the turn that it belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, Place, RegionKind
from ascertain.core.spans import Span
from ascertain.language.instructions import instruction_spans
from ascertain.language.sentences import sentences_touching
from ascertain.retrieval.entity_names import KnownName
from ascertain.stores.ports import CompleteStore


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that names what was looked for. ``unit`` is the turn, or the sentence itself, that counts as one place."""

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
        self._turns = document.regions_of(RegionKind.TURN)
        self._starts = [turn.span.start for turn in self._turns]
        self._has_others = len(self._turns) < len(document.regions)

    def around(self, span: Span) -> tuple[Place, Span]:
        """The place of a sentence, and the turn that it belongs to, or the sentence itself outside of turns."""
        at = bisect_right(self._starts, span.start) - 1
        turn = self._turns[at] if at >= 0 and span.start < self._turns[at].span.end else None
        place = self.document.place_of(span) if self._has_others or turn is None else turn.place
        return place, span if turn is None else turn.span
