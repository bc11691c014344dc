from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind


@pytest.fixture(scope="session")
def a_found_passage() -> Callable[..., Passage]:
    def build(text: str, id: str = "c1", title: str = "A title", score: float = 0.6) -> Passage:
        chunk = Chunk(
            id=id,
            document_id=f"d-{id}",
            index=0,
            span=Span(0, len(text)),
            text=text,
            heading=title,
            title=title,
            kind=DocumentKind.PROSE,
            source=f"{id}.md",
            published_at=datetime(2024, 5, 17, tzinfo=UTC),
        )
        return Passage(chunk, score, {"dense": score})

    return build
