"""The plain chunker that ours is compared with: recursive, 1000 characters, overlap 150, no idea of what it cuts.

Splits at blank lines, else line ends, else spaces, else anywhere, and glues the parts back together up to the size, as
LangChain's ``RecursiveCharacterTextSplitter`` does with its default separators. Its chunks go through the same index
and the same search as ours, so that only the chunking differs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ascertain.app.ascertain import Ascertain
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, Document, chunk_id
from ascertain.core.settings import Settings
from ascertain.evaluation.sets.datasets import EvaluationSet
from ascertain.evaluation.sets.knowledge import CachedEmbedder, Knowledge, as_documents
from ascertain.models.registry import open_embedder
from ascertain.stores.ports.chunks import IndexedDocument
from ascertain.stores.registry import open_store

SIZE = 1000
OVERLAP = 150
SEPARATORS = ("\n\n", "\n", " ")


def split(text: str) -> list[Span]:
    """Spans of at most ``SIZE`` characters that cover ``text``, each beginning up to ``OVERLAP`` before the last ended."""
    parts = _parts(text, Span(0, len(text)), SEPARATORS)
    chunks: list[Span] = []
    held: list[Span] = []
    for part in parts:
        if held and part.end - held[0].start > SIZE:
            chunks.append(Span(held[0].start, held[-1].end))
            while held and (held[-1].end - held[0].start > OVERLAP or part.end - held[0].start > SIZE):
                held.pop(0)
        held.append(part)
    if held:
        chunks.append(Span(held[0].start, held[-1].end))
    return [span for span in chunks if span.of(text).strip()]


def _parts(text: str, span: Span, separators: tuple[str, ...]) -> list[Span]:
    """Adjoining spans of at most ``SIZE``, cut after the first separator that occurs, finer where needed."""
    if span.length <= SIZE:
        return [span]
    if not separators:
        return [Span(at, min(at + SIZE, span.end)) for at in range(span.start, span.end, SIZE)]
    parts: list[Span] = []
    start = span.start
    while start < span.end:
        cut = text.find(separators[0], start, span.end)
        end = span.end if cut < 0 else cut + len(separators[0])
        parts.extend(_parts(text, Span(start, end), separators[1:]))
        start = end
    return parts


@contextmanager
def open_baseline(data: EvaluationSet, settings: Settings, cache: Path) -> Generator[Knowledge]:
    """As ``open_knowledge``, with the plain chunker in place of ours."""
    documents = as_documents(data, settings.profile)
    embedder = CachedEmbedder(open_embedder(settings.models), cache)
    with tempfile.TemporaryDirectory(prefix="ascertain-baseline-") as home:
        store = open_store(settings.store, Path(home), embedder.name, embedder.dimension)
        for document in documents.values():
            chunks = [_chunk(document, number, span) for number, span in enumerate(split(document.text))]
            vectors = embedder.embed_documents([chunk.indexed_text for chunk in chunks])
            store.upsert([IndexedDocument(document, chunks, vectors)])
        store.close()
        with Ascertain(settings.model_copy(update={"home": Path(home)}), embedder=embedder) as app:
            yield Knowledge(
                app=app,
                corpus_ids={document.id: corpus_id for corpus_id, document in documents.items()},
                document_ids={corpus_id: document.id for corpus_id, document in documents.items()},
                texts={document.id: document.text for document in documents.values()},
                index_seconds=0.0,
            )
    embedder.close()


def _chunk(document: Document, number: int, span: Span) -> Chunk:
    return Chunk(
        id=chunk_id(document.id, span),
        document_id=document.id,
        index=number,
        span=span,
        text=span.of(document.text),
        heading=document.title,
        title=document.title,
        kind=document.kind,
        source=document.source,
        profile=document.profile,
    )
