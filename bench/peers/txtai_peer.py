"""txtai's hybrid embeddings index: its sparse index and vectors, fused as it comes."""

from txtai import Embeddings


def build_index(texts, embed, folder):
    def embed_texts(given):
        return embed.embed_documents(given)

    index = Embeddings(method="external", transform=embed_texts, hybrid=True)
    index.index((text.id, text.text, None) for text in texts)
    index.save(str(folder))

    def search(question, k):
        return [found for found, _ in index.search(question, k)]

    return search
