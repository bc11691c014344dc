from collections.abc import Callable
from functools import cache

import pytest

from ascertain.core.documents.blocks import Place, Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.graph.nouns import DocumentGraph
from ascertain.core.settings.profiles import load_profile
from ascertain.graph.extraction.rules import RuleExtractor

profile_of = cache(load_profile)


def _a_chunk(
    text: str,
    *,
    id: str = "c1",
    start: int = 0,
    title: str = "",
    profile: str = "news",
    document_id: str = "d1",
    kind: DocumentKind = DocumentKind.PROSE,
    speaker: str | None = None,
    author: str | None = None,
) -> Chunk:
    return Chunk(
        id=id,
        document_id=document_id,
        index=0,
        span=Span(start, start + len(text)),
        text=text,
        heading=title,
        title=title,
        kind=kind,
        source=f"{document_id}.md",
        profile=profile,
        place=Place(speaker=speaker),
        author=author,
    )


@pytest.fixture(scope="session")
def rules() -> RuleExtractor:
    return RuleExtractor(profile_of)


@pytest.fixture(scope="session")
def read(rules) -> Callable[..., DocumentGraph]:
    """What the rules read in one chunk."""

    def reading(text: str, **options) -> DocumentGraph:
        return rules.read("hash", [_a_chunk(text, **options)])

    return reading


@pytest.fixture(scope="session")
def names(read) -> Callable[..., list[str]]:
    """The names that the rules read in a text, as they are written, in order."""

    def reading(text: str, **options) -> list[str]:
        graph = read(text, **options)
        named = sorted((m.span, m.name.written) for m in graph.mentions if m.role == "named")
        return [written for _, written in named]

    return reading


@pytest.fixture(scope="session")
def a_chunk() -> Callable[..., Chunk]:
    return _a_chunk


@pytest.fixture(scope="session")
def kinds(read) -> Callable[..., dict[str, str]]:
    """The kind of each name, as it is written."""

    def reading(text: str, **options) -> dict[str, str]:
        return {m.name.written: m.name.kind for m in read(text, **options).mentions if m.role == "named"}

    return reading


@pytest.fixture(scope="session")
def relations(read) -> Callable[..., list[tuple[str, str, str]]]:
    def reading(text: str, **options) -> list[tuple[str, str, str]]:
        return [(one.subject, one.predicate, one.object) for one in read(text, **options).relations]

    return reading


@pytest.fixture(scope="session")
def claims(read) -> Callable[..., set[tuple[str, str, str]]]:
    def reading(text: str, **options) -> set[tuple[str, str, str]]:
        return {(one.alias, one.key, one.reason) for one in read(text, **options).aliases}

    return reading
