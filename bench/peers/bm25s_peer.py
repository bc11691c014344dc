"""BM25 alone: bm25s with its English stop words and the Snowball stemmer, as its README shows."""

import bm25s
import Stemmer


def build_index(texts, embed, folder):
    stemmer = Stemmer.Stemmer("english")

    def tokenize(given):
        return bm25s.tokenize(given, stopwords="en", stemmer=stemmer, show_progress=False)

    index = bm25s.BM25()
    index.index(tokenize([text.text for text in texts]), show_progress=False)
    index.save(folder)

    def search(question, k):
        found, _ = index.retrieve(tokenize([question]), k=min(k, len(texts)), show_progress=False)
        return [texts[row].id for row in found[0]]

    return search
