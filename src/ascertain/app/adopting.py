"""Documents made by a caller, as those of the tenant that adds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ascertain.core.documents import Document, document_id


def adopted(documents: Iterable[Document], tenant: str) -> Iterable[Document]:
    """``documents`` with ``tenant`` as theirs; one that named another gets the id that its source has there.

    So nobody can write over a document of another tenant by naming it. A sequence stays one, so that its length is known.
    """
    if isinstance(documents, Sequence):
        return [_adopted(document, tenant) for document in documents]
    return (_adopted(document, tenant) for document in documents)


def _adopted(document: Document, tenant: str) -> Document:
    if document.tenant == tenant:
        return document
    return replace(
        document,
        id=document_id(document.source, tenant, document.conversation_id),
        tenant=tenant,
    )
