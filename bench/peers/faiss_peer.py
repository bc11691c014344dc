"""Vectors alone: exact search with FAISS."""

import faiss


def build_index(texts, embed, folder):
    index = faiss.IndexFlatIP(embed.dimension)
    index.add(embed.embed_documents([text.text for text in texts]))
    faiss.write_index(index, str(folder / "index"))

    def search(question, k):
        _, rows = index.search(embed.embed_query(question)[None], min(k, len(texts)))
        return [texts[row].id for row in rows[0]]

    return search
