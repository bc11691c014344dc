"""LlamaIndex's ``QueryFusionRetriever`` over a vector index and its BM25 retriever, by reciprocal rank."""

from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever

VECTORS = []


class GivenEmbedding(BaseEmbedding):
    """The vectors that were handed in."""

    def _get_text_embedding(self, text):
        return VECTORS[0].embed_documents([text])[0].tolist()

    def _get_query_embedding(self, query):
        return VECTORS[0].embed_query(query).tolist()

    async def _aget_query_embedding(self, query):
        return self._get_query_embedding(query)


def build_index(texts, embed, folder):
    VECTORS.append(embed)
    nodes = [TextNode(id_=text.id, text=text.text) for text in texts]
    index = VectorStoreIndex(nodes, embed_model=GivenEmbedding())
    index.storage_context.persist(str(folder))
    k = min(50, len(nodes))
    words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=k)
    retriever = QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=k), words],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        similarity_top_k=k,
        num_queries=1,
        use_async=False,
    )

    def search(question, k):
        return [found.node.node_id for found in retriever.retrieve(question)]

    return search
