"""Haystack's hybrid pipeline: BM25 and embedding retrievers over the in-memory store, joined by reciprocal rank fusion."""

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore


def build_index(texts, embed, folder):
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    vectors = embed.embed_documents([text.text for text in texts]).tolist()
    store.write_documents(
        [Document(id=text.id, content=text.text, embedding=row) for text, row in zip(texts, vectors, strict=True)]
    )
    pipeline = Pipeline()
    pipeline.add_component("words", InMemoryBM25Retriever(store))
    pipeline.add_component("meaning", InMemoryEmbeddingRetriever(store))
    pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    pipeline.connect("words", "joiner")
    pipeline.connect("meaning", "joiner")

    def search(question, k):
        found = pipeline.run(
            {
                "words": {"query": question, "top_k": k},
                "meaning": {"query_embedding": embed.embed_query(question).tolist(), "top_k": k},
                "joiner": {"top_k": k},
            }
        )
        return [document.id for document in found["joiner"]["documents"]]

    return search
