"""haiku.rag's hybrid search over LanceDB: every chunk is imported with its vector, and questions are embedded by what is handed in."""

import asyncio

from docling_core.types.doc import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel
from haiku.rag.client import HaikuRAG
from haiku.rag.client.documents import DocumentImport
from haiku.rag.config.models import AppConfig
from haiku.rag.embeddings import EmbedderWrapper
from haiku.rag.store.models.chunk import Chunk


class GivenEmbedder(EmbedderWrapper):
    """The vectors that were handed in."""

    def __init__(self, embed):
        super().__init__(None, embed.dimension)
        self.embed = embed

    async def _embed_query(self, text):
        return self.embed.embed_query(text).tolist()


def build_index(texts, embed, folder):
    run = asyncio.new_event_loop().run_until_complete
    config = AppConfig()
    config.embeddings.model.vector_dim = embed.dimension
    client = HaikuRAG(folder / "texts.lancedb", config=config, create=True)
    run(client.__aenter__())
    client.store.embedder = client.chunk_repository.embedder = GivenEmbedder(embed)

    def build_import(text, vector):
        document = DoclingDocument(name=text.id)
        document.add_text(label=DocItemLabel.TEXT, text=text.text)
        chunk = Chunk(content=text.text, embedding=vector.tolist())
        return DocumentImport(document, [chunk], uri=text.id, title=text.title)

    vectors = embed.embed_documents([text.text for text in texts])
    run(client.import_documents([build_import(*pair) for pair in zip(texts, vectors, strict=True)]))

    def search(question, k):
        return [found.document_uri for found in run(client.search(question, limit=k))]

    return search
