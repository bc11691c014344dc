import pytest

from ascertain.core.documents import Document, DocumentKind


@pytest.fixture(scope="session")
def a_document():
    def build(text, title="Rules", regions=()):
        return Document(
            id="d",
            text=text,
            title=title,
            kind=DocumentKind.PROSE,
            source="/home/me/docs/rules.md",
            profile="docs",
            regions=regions,
        )

    return build
