"""A retriever for query engines and agents made with LlamaIndex; needs the extra ``llamaindex``."""

import asyncio

from ascertain.app.ascertain import Ascertain, Context
from ascertain.app.wire.documents import describe_passage
from ascertain.core.asking.passages import Filter, Passage, Strategy
from ascertain.core.errors import MissingExtra

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
except ImportError as error:
    raise MissingExtra("LlamaIndex", "llamaindex") from error

FOR_MODELS = ("title", "url", "published_at")
"""What of the metadata a model reads with the text; scores and spans would only cost tokens."""


class AscertainRetriever(BaseRetriever):
    """Retrieves passages of ``knowledge``, which stays open as long as the retriever is used, as nodes with scores.

    The options are those of ``Ascertain.search``. The text of a node is the passage exactly as it is stored, its metadata
    the rest of what ``ascertain search --json`` tells of it, with the ``source`` of its document. What the knowledge base
    refuses (no documents yet, an empty query) is an AscertainError.
    """

    def __init__(
        self,
        knowledge: Ascertain,
        *,
        k: int | None = None,
        strategy: Strategy | str | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
        context: Context = "none",
    ) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._knowledge = knowledge
        self._k = k
        self._strategy = strategy
        self._filter = filter
        self._days_back = days_back
        self._context: Context = context

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._knowledge.search(
            query_bundle.query_str,
            k=self._k,
            strategy=self._strategy,
            filter=self._filter,
            days_back=self._days_back,
            context=self._context,
        )
        return [_make_node(rank, passage) for rank, passage in enumerate(found.passages, 1)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _make_node(rank: int, passage: Passage) -> NodeWithScore:
    chunk, metadata = passage.chunk, describe_passage(rank, passage)
    unread = [name for name in metadata if name not in FOR_MODELS]
    node = TextNode(
        id_=chunk.id,
        text=chunk.text,
        metadata=metadata,
        excluded_llm_metadata_keys=unread,
        excluded_embed_metadata_keys=unread,
        start_char_idx=chunk.span.start,
        end_char_idx=chunk.span.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=chunk.document_id)},
    )
    return NodeWithScore(node=node, score=passage.score)
