"""LangChain's ``EnsembleRetriever``: its BM25 retriever and FAISS, half and half.

Words are lower-case letters and digits: by default the BM25 retriever splits at blanks alone, which finds a third less.
"""

import re

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings


class GivenEmbeddings(Embeddings):
    """The vectors that were handed in."""

    def __init__(self, embed):
        self.embed = embed

    def embed_documents(self, texts):
        return self.embed.embed_documents(texts).tolist()

    def embed_query(self, text):
        return self.embed.embed_query(text).tolist()


def build_index(texts, embed, folder):
    documents = [Document(page_content=text.text, metadata={"id": text.id}) for text in texts]
    store = FAISS.from_documents(documents, GivenEmbeddings(embed))
    store.save_local(str(folder))
    words = BM25Retriever.from_documents(documents, k=50, preprocess_func=lambda text: re.findall(r"\w+", text.lower()))
    meaning = store.as_retriever(search_kwargs={"k": 50})
    retriever = EnsembleRetriever(retrievers=[words, meaning], weights=[0.5, 0.5])

    def search(question, k):
        return [document.metadata["id"] for document in retriever.invoke(question)[:k]]

    return search
