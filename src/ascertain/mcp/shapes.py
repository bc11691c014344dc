"""What the tools give back as data; the names and meanings are those of ``--json`` (docs/json.md), of which this is a part."""

from __future__ import annotations

from pydantic import BaseModel


class Place(BaseModel):
    """Where in a document something stands; times are seconds."""

    page: int | None
    section: list[str]
    speaker: str | None
    start_time: float | None
    end_time: float | None
    label: str


class Confidence(BaseModel):
    """How far a result can be trusted: ``level`` is high, medium, low or none, ``score`` 0 to 100."""

    level: str
    score: int


class SearchConfidence(Confidence):
    """The same with a sentence for people, where there is reason for one."""

    caveat: str | None


class Passage(BaseModel):
    """One passage that was found; ``score`` is 0 to 1, ``span`` its characters in the document."""

    rank: int
    document_id: str
    title: str
    url: str | None
    published_at: str | None
    score: float
    text: str
    span: tuple[int, int]
    place: Place


class Found(BaseModel):
    """The passages of a search, best first."""

    query: str
    strategy: str
    results: list[Passage]
    confidence: SearchConfidence


class Sentence(BaseModel):
    """One sentence of an answer, whether its sources support it, and the numbers of its citations."""

    text: str
    verdict: str
    citations: list[int]


class Citation(BaseModel):
    """Words of a document that an answer rests on, exactly as they stand there."""

    n: int
    document_id: str
    title: str
    url: str | None
    published_at: str | None
    quote: str
    span: tuple[int, int]
    place: Place
    source: str
    warning: str | None


class Answered(BaseModel):
    """An answer with its citations; ``type`` is rejection when the documents do not say."""

    answer: str
    type: str
    confidence: Confidence
    caveat: str | None
    sentences: list[Sentence]
    citations: list[Citation]
    conversation_id: str | None


class Failed(BaseModel):
    """Something that could not be read, and why."""

    source: str
    reason: str


class Graph(BaseModel):
    """What was read into the knowledge graph."""

    documents: int
    names: int
    mentions: int
    relations: int


class Added(BaseModel):
    """What came of adding, in documents."""

    added: int
    changed: int
    unchanged: int
    duplicates: int
    chunks: int
    failures: list[Failed]
    notes: list[str]
    graph: Graph


class Listed(BaseModel):
    """A document of the knowledge base; ``state`` is indexed, duplicate or failed."""

    id: str
    title: str
    kind: str
    source: str
    state: str
    reason: str
    chunks: int
    url: str | None
    published_at: str | None
    tags: list[str]


class Documents(BaseModel):
    """A part of the list, and how many there are in all."""

    documents: list[Listed]
    total: int
