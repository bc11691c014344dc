"""LanceDB's hybrid search: full-text index and vectors, merged by its default reranker (RRF)."""

import lancedb


def build_index(texts, embed, folder):
    vectors = embed.embed_documents([text.text for text in texts])
    rows = [{"id": text.id, "text": text.text, "vector": vector} for text, vector in zip(texts, vectors, strict=True)]
    table = lancedb.connect(folder).create_table("texts", rows)
    table.create_fts_index("text", with_position=True)  # without it a question with quotation marks is an error

    def search(question, k):
        asked = table.search(query_type="hybrid").vector(embed.embed_query(question)).text(question)
        return [row["id"] for row in asked.limit(k).to_list()]

    return search
