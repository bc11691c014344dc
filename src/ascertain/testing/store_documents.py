"""Documents to put into a store under test, and what it should find of them."""

# pyright: basic

import zlib
from datetime import UTC, datetime

import numpy as np

from ascertain.core.documents.blocks import Block, BlockKind, Figure, Place, Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind, DocumentState, chunk_id, document_id
from ascertain.core.documents.profiling import DocumentProfile, DocumentType
from ascertain.documents.ingest import duplicates
from ascertain.stores.ports.chunks import IndexedDocument

DIMENSION = 8


def vector_of(text, dimension=DIMENSION):
    """A unit vector that depends on the text alone."""
    seed = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return vector / np.linalg.norm(vector)


def a_document(
    source="/notes/one.md",
    parts=("the first part", "the second part"),
    *,
    dimension=DIMENSION,
    with_parent=False,
    title="A title",
    heading="A heading",
    state=DocumentState.INDEXED,
    duplicate_of=None,
    signature=None,
    tenant="default",
    conversation_id=None,
    topics=(),
    **fields,
):
    """A document of the given parts, one chunk each; ``topics`` are those of each chunk, in order."""
    identity = document_id(source, tenant, conversation_id)
    text = "\n".join(parts)
    kind = fields.pop("kind", DocumentKind.PROSE)
    document = Document(identity, text, title, kind, source, tenant=tenant, conversation_id=conversation_id, **fields)
    repeated = {"title": title, "kind": kind, "source": source, "tenant": tenant, "conversation_id": conversation_id}
    chunks = []
    start = 0
    for index, part in enumerate(parts):
        span = Span(start, start + len(part))
        start = span.end + 1
        chunks.append(
            Chunk(
                chunk_id(identity, span),
                identity,
                index,
                span,
                part,
                heading=heading,
                topics=tuple(topics[index]) if index < len(topics) else (),
                **repeated,
                **fields,
            )
        )
    vectors = np.array([vector_of(part, dimension) for part in parts], np.float32).reshape(-1, dimension)
    if with_parent:
        whole = Span(0, len(text))
        chunks.insert(
            0,
            Chunk(
                chunk_id(identity, whole, is_parent=True),
                identity,
                -1,
                whole,
                text,
                heading=heading,
                is_parent=True,
                **repeated,
                **fields,
            ),
        )
    return IndexedDocument(document, chunks, vectors, state, "", duplicate_of, signature)


def a_rich_document():
    """A document in which every field is set and unlike its default."""
    text = "Tyler: hello there\nSam: good-bye then"
    source = "shows/№1/épisode.md"
    identity = document_id(source, "acme", "talk")
    fields = {
        "title": "Épisode «1»",
        "kind": DocumentKind.TRANSCRIPT,
        "source": source,
        "url": "https://example.org/1?a=b",
        "author": "Tyler Cowen",
        "published_at": datetime.fromisoformat("2024-02-29T23:59:59.123456+05:30"),
        "language": "en",
        "tags": ("economics", "数学"),
        "profile": "podcasts",
        "conversation_id": "talk",
        "tenant": "acme",
        "document_profile": DocumentProfile(0.375, DocumentType.TRANSCRIPT, 0.9, ("economics", "history")),
    }
    places = [Place(speaker="Tyler", start_time=0.5, end_time=3.25), Place(page=2, section=("A", "B"), speaker="Sam")]
    spans = [Span(0, 18), Span(19, 37)]
    turns = (Block(BlockKind.TURN, span, place) for span, place in zip(spans, places, strict=True))
    blocks = (*turns, Block(BlockKind.FIGURE, spans[1], figure=Figure("9f86d081" * 8, "openai:gpt-5-mini")))
    document = Document(identity, text, blocks=blocks, **fields)
    parent = chunk_id(identity, Span(0, 37), is_parent=True)
    chunks = [
        Chunk(
            chunk_id(identity, span),
            identity,
            index,
            span,
            span.of(text),
            heading="Épisode › 1",
            place=place,
            parent_id=parent,
            overlap_previous=index,
            overlap_next=1 - index,
            topics=("economics", "чай & кофе")[: 2 - index],
            **fields,
        )
        for index, (span, place) in enumerate(zip(spans, places, strict=True))
    ]
    chunks.append(Chunk(parent, identity, -1, Span(0, 37), text, heading="", is_parent=True, **fields))
    vectors = np.array([vector_of(chunk.text) for chunk in chunks[:2]], np.float32)
    return IndexedDocument(document, chunks, vectors)


def utc_moment(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def chunk_ids(*documents):
    """Ids of the searchable chunks, in order."""
    return [chunk.id for document in documents for chunk in document.chunks if not chunk.is_parent]


def found_by_meaning(store, filter, k=100):
    return {hit.chunk_id for hit in store.dense(vector_of("anything"), k, filter)}


def found_by_words(store, word, filter, k=100):
    return {hit.chunk_id for hit in store.lexical({word: 1.0}, k, filter)}


def sign_words(words):
    """A signature that depends on the words alone; of at least 50 of them, or of none."""
    return duplicates.minhash_signature(" ".join(f"word{word}" for word in words)) or bytes(4 * duplicates.PERMUTATIONS)
