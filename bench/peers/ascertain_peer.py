"""Ascertain's ``search`` as it comes: the documents themselves are added, and asked for."""

from ascertain.app.ascertain import Ascertain
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.settings import Settings

READS = "documents"


def add_texts(app, texts):
    app.add_documents(
        Document(id=document_id(text.id), text=text.text, title=text.title, kind=DocumentKind.PROSE, source=text.id)
        for text in texts
    )
    return {document_id(text.id): text.id for text in texts}


def build_index(texts, embed, folder):
    app = Ascertain(Settings(home=folder), embedder=embed)
    ids = add_texts(app, texts)

    def search(question, k):
        return [ids[passage.chunk.document_id] for passage in app.search(question, k=k).passages]

    return search
