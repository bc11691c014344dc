"""The step between reading documents and cutting them: their pictures are described, and the descriptions put into them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ascertain.core.documents.blocks import BlockKind, Figure
from ascertain.core.documents.documents import Completeness, Document, LeftOut
from ascertain.core.documents.ingest import FigureGain
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.documents.formats.reader import Picture
from ascertain.documents.ingest.figures.describing import FigureDescriber
from ascertain.documents.ingest.figures.placing import Description, insert_descriptions
from ascertain.documents.ingest.preparing import Found, Read, Unchanged, Unreadable

_FAILURES = 3
"""In a row, after which the model is not called for the rest of a run: each may take minutes."""

_USED_UP = "the budget is used up (graph.model_calls, graph.model_budget_usd); add the same again"


class FigureMemory(Protocol):
    """Earlier descriptions of pictures, by tenant, picture and model."""

    def find(self, figure: Figure, tenant: str) -> str | None:
        """The description, empty where the picture shows nothing; None if unknown."""
        ...

    def keep(self, figure: Figure, description: str, document_id: str, tenant: str) -> None:
        """Store the description of a picture in a document. Durable when this returns."""
        ...


@dataclass(frozen=True, slots=True)
class _Described:
    """The results for the pictures of one document."""

    descriptions: tuple[Description, ...]
    waiting: tuple[Picture, ...]
    """Those that were not described, or failed."""
    reason: str
    """Why they wait."""


class FigureStep:
    """Describes the pictures of documents as these are read, and counts; used by one thread at a time.

    ``stored`` gives a document as the store has it, whose descriptions cost nothing either. With ``defers`` the model is not
    called: new pictures wait, and their cost is estimated.
    """

    def __init__(
        self,
        describer: FigureDescriber,
        memory: FigureMemory,
        stored: Callable[[str], Document | None],
        *,
        defers: bool = False,
    ) -> None:
        self._describer = describer
        self._memory = memory
        self._stored = stored
        self._defers = defers
        self._failed_in_row = 0
        self._failure = ""
        self.gain = FigureGain(model=describer.model)
        """The work so far."""

    def describe_found(
        self, read: Iterable[Read | Unchanged], goes_on: Callable[[], bool]
    ) -> Iterator[Read | Unchanged]:
        """``read``, its documents with descriptions of their pictures; ends once ``goes_on`` returns false."""
        for item in read:
            if not isinstance(item, Found) or not item.pictures:
                yield item
                continue
            described = self._describe_pictures(item.document, item.pictures, goes_on)
            if described is None:
                return
            document = _add_descriptions(item.document, described)
            if document.text.strip():
                yield Found(document, item.size)
            else:
                reason = f"no text in it; its picture: {described.reason}"
                yield Unreadable(item.document, reason, item.size)

    def _describe_pictures(
        self, document: Document, pictures: Sequence[Picture], goes_on: Callable[[], bool]
    ) -> _Described | None:
        """None once it is cancelled: descriptions so far are stored."""
        found: list[Description] = []
        waiting: list[Picture] = []
        reason = "says nothing to search for"
        before = self._describe_before(document)
        for picture in pictures:
            if not goes_on():
                return None
            figure = Figure(picture.digest, self._describer.model)
            remembered = self._memory.find(figure, document.tenant)
            remembered = before.get(figure) if remembered is None else remembered
            text, failure = (remembered, "") if remembered is not None else self._ask(picture, document)
            if text is None:
                waiting.append(picture)
                reason = failure
                continue
            self._memory.keep(figure, text, document.id, document.tenant)
            self._count(described=remembered is None, remembered=remembered is not None)
            if text:
                found.append(Description(picture.position, picture.place, figure, text))
        self._count_waiting(document, waiting, reason)
        return _Described(tuple(found), tuple(waiting), reason)

    def _describe_before(self, document: Document) -> dict[Figure, str]:
        """What the store has of the document's pictures."""
        stored = self._stored(document.id)
        if stored is None or stored.tenant != document.tenant:
            return {}
        return {
            block.figure: block.span.of(stored.text).removeprefix(block.figure.mark)
            for block in stored.blocks_of(BlockKind.FIGURE)
            if block.figure is not None
        }

    def _ask(self, picture: Picture, document: Document) -> tuple[str | None, str]:
        """What the model says; None, and why, where it was not called or gave nothing."""
        if self._defers:
            return None, "waits to be described"
        if self._failed_in_row >= _FAILURES:
            return None, self._failure
        try:
            text = self._describer.describe(picture, document)
        except BudgetExceeded:
            return None, _USED_UP
        except ModelError as error:
            self._failed_in_row += 1
            self._failure = str(error)
            return None, str(error)
        self._failed_in_row = 0
        return text, ""

    def _count(self, *, described: bool, remembered: bool) -> None:
        gain = self.gain
        self.gain = replace(gain, described=gain.described + described, remembered=gain.remembered + remembered)

    def _count_waiting(self, document: Document, waiting: Sequence[Picture], reason: str) -> None:
        if not waiting:
            return
        estimate = self._describer.estimate(waiting)
        gain = self.gain
        self.gain = replace(
            gain,
            waiting=gain.waiting + estimate.pictures,
            waiting_tokens=gain.waiting_tokens + estimate.tokens,
            waiting_usd=gain.waiting_usd + estimate.usd,
            waiting_in=(*gain.waiting_in, document.source),
            reasons=tuple(dict.fromkeys((*gain.reasons, *(() if self._defers else (reason,))))),
        )


def _add_descriptions(document: Document, described: _Described) -> Document:
    """``document`` with descriptions in it; described pictures no longer count as left out."""
    count = len(described.descriptions)
    completeness = document.completeness
    if completeness is not None:
        left_out = tuple(
            each
            for part in completeness.left_out
            if (each := _lessen(part, count) if part.what == "pictures" else part) is not None
        )
        completeness = Completeness(completeness.words, left_out, completeness.notes)
    return replace(insert_descriptions(document, described.descriptions), completeness=completeness)


def _lessen(left_out: LeftOut, count: int) -> LeftOut | None:
    """Without ``count`` of them, whose names are unknown; None where none are left."""
    if not count:
        return left_out
    rest = left_out.count - count
    return replace(left_out, count=rest, names=(), words=left_out.words * rest // left_out.count) if rest > 0 else None
