"""A digest does not depend on the folder that its documents lie in."""

from datetime import UTC, datetime
from pathlib import Path

from small_knowledge import opened

from ascertain import Document
from ascertain.core.documents.documents import DocumentKind, document_id

DAY = datetime(2024, 12, 4, 9, tzinfo=UTC)
MATTERS = ("bakery", "harbour", "library", "museum", "orchard", "railway")


def tell_news(home: Path, folder: str) -> str:
    documents = []
    for matter in MATTERS:
        source = f"{folder}/{matter}.md"
        text = f"The {matter} of the town was opened again by its {matter} keeper on Wednesday."
        documents.append(
            Document(document_id(source), text, f"The {matter}", DocumentKind.ARTICLE, source, published_at=DAY)
        )
    with opened(home, profile="news") as knowledge:
        knowledge.add_documents(documents)
        return knowledge.ask("what happened this week").text


def test_stories_of_one_moment_come_in_the_same_order_wherever_they_lie(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("ascertain.retrieval.search.digests.READ", 3)
    told = {tell_news(tmp_path / name, folder) for name, folder in (("a", "/one"), ("b", "/two"), ("c", "/x/y/z"))}
    assert len(told) == 1
