"""The driver's book of what was handed out and what has come back.

Whatever did not come back, for whatever reason (a process killed, a machine lost, a parser that crashes), is owed and handed
out again, more carefully: source by source and document by document, so that what crashes a worker takes nothing with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascertain.core.documents import Document
from ascertain.ingest.cluster.parcels import Outcome, Source
from ascertain.ingest.reading import stand_in
from ascertain.ingest.tally import Tally
from ascertain.sources.extraction import ReadOptions


@dataclass(slots=True)
class _Account:
    source: Source
    done: set[str] = field(default_factory=set[str])
    given: Mapping[str, str] | None = None
    """Once the source was read to its end: the id of each document it gave, and where that is from."""

    @property
    def is_settled(self) -> bool:
        return self.given is not None and self.done.issuperset(self.given)


class Ledger:
    """Books outcomes into a tally, each document once however often it was tried."""

    def __init__(self, sources: Iterable[Source], tally: Tally) -> None:
        self._open = {source.number: _Account(source) for source in sources}
        self._tally = tally

    def book(self, outcome: Outcome) -> None:
        """Take in what came of a parcel."""
        for end in outcome.ends:
            account = self._open.get(end.number)
            if account is not None and account.given is None:
                account.given = end.documents
                finished = end.finished
                self._tally.finished(finished.path, finished.size, is_whole=finished.is_whole)
                self._close(account)
        for failed in outcome.failed:
            if self._is_first(failed.number, failed.document_id):
                self._tally.failed(failed.document_id, failed.source, failed.reason, failed.size)
        for number, item in outcome.unchanged:
            if self._is_first(number, item.document_id):
                self._tally.unchanged(item.document_id, item.source, item.size)
        for written in outcome.written:
            if self._is_first(written.number, written.document_id):
                self._tally.seen.documents.add(written.document_id)
                self._tally.written(written.document_id, written.chunks, is_known=written.is_known)
                self._tally.listener.advanced(written.source, written.size, written.chunks)
        self._tally.embedding_seconds += outcome.embedding_seconds
        self._tally.graph.join(outcome.graph)

    def owed(self) -> list[Source]:
        """Sources of which something has not come back, with what has, in the order of discovery."""
        return [replace(account.source, done=frozenset(account.done)) for account in self._open.values()]

    def lost(self, options: ReadOptions) -> Iterator[Document]:
        """What stands for each file or document that is owed still."""
        for account in self._open.values():
            content = account.source.content
            if isinstance(content, Document):
                yield replace(content, text="", regions=())
            elif account.given is None:
                yield stand_in(content, str(content.resolve()), options)
            else:
                for identity, source in account.given.items():
                    if identity not in account.done:
                        yield replace(stand_in(content, source, options), id=identity)

    def _is_first(self, number: int, document_id: str) -> bool:
        account = self._open.get(number)
        if account is None or document_id in account.done:
            return False
        account.done.add(document_id)
        self._close(account)
        return True

    def _close(self, account: _Account) -> None:
        if account.is_settled:
            del self._open[account.source.number]


def in_lots(sources: Iterable[tuple[Source, int]], largest: int, most: int) -> Iterator[tuple[Source, ...]]:
    """Neighbouring sources, given with their sizes, in lots of at most ``most`` sources and about ``largest`` bytes."""
    lot: list[Source] = []
    size = 0
    for source, bytes_ in sources:
        if lot and (size + bytes_ > largest or len(lot) >= most):
            yield tuple(lot)
            lot, size = [], 0
        lot.append(source)
        size += bytes_
    if lot:
        yield tuple(lot)


def size_of(content: Path | Document) -> int:
    """Bytes of a file, characters of a document."""
    if isinstance(content, Document):
        return len(content.text)
    try:
        return content.stat().st_size
    except OSError:
        return 0  # reading it will say what is wrong
