"""LightRAG's mixed search (graph and vectors) with a scripted model, which names what is written with capital letters.

The model reads names sentence by sentence, and says that neighbours in a sentence are related; a real one would find more, and cost
more. Vectors of names and relations are made here, by the same model as those of the chunks.
"""

import asyncio
import itertools
import re

from lightrag import LightRAG, QueryParam
from lightrag.utils import EmbeddingFunc, Tokenizer

NAME = re.compile(r"[A-Z][\w'’.-]*(?: (?:of|the|and|de) [A-Z][\w'’.-]*| [A-Z][\w'’.-]*)*")
FIELD = "<|#|>"


def list_names(sentence):
    return list(dict.fromkeys(name.strip(".'’-") for name in NAME.findall(sentence) if len(name) > 3))


class CountWords:
    """A tokenizer that needs no download."""

    def encode(self, content):
        return [ord(letter) for letter in content]

    def decode(self, tokens):
        return "".join(map(chr, tokens))


async def answer(prompt, system_prompt=None, history_messages=None, **_):
    """The reply of the scripted model to a prompt that asks for names and relations."""
    if history_messages:
        return "<|COMPLETE|>"
    rows = []
    for sentence in re.split(r"(?<=[.!?])\s+", prompt.partition("Input Text---")[2]):
        names = list_names(sentence)
        rows += [FIELD.join(("entity", name, "other", sentence[:200])) for name in names]
        pairs = itertools.pairwise(names)
        rows += [FIELD.join(("relation", first, second, "related", sentence[:200])) for first, second in pairs]
    return "\n".join([*rows, "<|COMPLETE|>"])


def build_index(texts, embed, folder):
    run = asyncio.new_event_loop().run_until_complete

    async def embed_texts(given):
        return embed.embed_all(given)

    rag = LightRAG(
        working_dir=str(folder),
        llm_model_func=answer,
        embedding_func=EmbeddingFunc(embedding_dim=embed.dimension, max_token_size=8192, func=embed_texts),
        tokenizer=Tokenizer("letters", CountWords()),
        chunk_token_size=1_000_000,
        entity_extract_max_gleaning=0,
    )
    run(rag.initialize_storages())
    run(rag.ainsert([text.text for text in texts], file_paths=[text.id for text in texts]))

    def search(question, k):
        names = list_names(question) or [question]
        param = QueryParam("mix", chunk_top_k=k, max_total_tokens=10**7, hl_keywords=[question], ll_keywords=names)
        param.enable_rerank = False
        found = run(rag.aquery_data(question, param))
        return [chunk["file_path"] for chunk in found["data"]["chunks"]]

    return search
