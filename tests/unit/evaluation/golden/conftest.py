import pytest

from ascertain.core.documents.documents import Document, DocumentKind


@pytest.fixture(scope="session")
def a_document():
    def build(text, title="Rules", blocks=()):
        return Document(
            id="d",
            text=text,
            title=title,
            kind=DocumentKind.PROSE,
            source="/home/me/docs/rules.md",
            profile="docs",
            blocks=blocks,
        )

    return build
