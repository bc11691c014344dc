"""What is computed again for all documents of a knowledge base: their vectors, with another model, and their topics."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Protocol

from ascertain.core.settings.profiles import load_profiles
from ascertain.models.ports import choose_batch

if TYPE_CHECKING:
    from ascertain.app.container.container import Container
    from ascertain.core.settings import Settings
    from ascertain.documents.ingest.topics import ModelTagger
    from ascertain.models.ports import Chat, Embedder
    from ascertain.stores.ports.chunks import CompleteStore


def reindex(container: Container, model: str | None = None, listener: ReindexListener | None = None) -> int:
    """See ``Ascertain.reindex``."""
    settings, embedder, done = _embed_again(container, model, listener)
    container.change(settings, embedder)
    tag_topics(container)
    return done


def move_store(container: Container, model: str, listener: ReindexListener | None = None) -> int:
    """The same while others use the knowledge base: nothing is closed for them, and they switch to the new model once it has every vector."""
    settings, embedder, done = _embed_again(container, model, listener)
    container.follow_move(settings, embedder)
    tag_topics(container)
    return done


def _embed_again(
    container: Container, model: str | None, listener: ReindexListener | None
) -> tuple[Settings, Embedder, int]:
    from ascertain.models.registry import open_embedder

    settings = container.settings
    models = settings.models.model_copy(update={"embedder": model}) if model else settings.models
    embedder = open_embedder(models)
    container.expect_embedder(embedder, models.embedder)
    done = reindex_store(container.store(), embedder, settings.ingest.embed_batch, listener)
    return settings.model_copy(update={"models": models}), embedder, done


def tag_topics(container: Container, *, again: bool = False) -> int:
    """See ``Ascertain.tag_topics``."""
    from ascertain.documents.ingest.topics import tag_store

    store, settings = container.store(), container.settings
    tagger = open_tagger(settings, container.models.chat) if again else None
    with store.writing():
        return tag_store(store, load_profiles(settings.home / "profiles"), tagger, again=again)


def open_tagger(settings: Settings, chat: Chat | None) -> ModelTagger | None:
    """What names topics by chat model, within the budget of reading by chat model; None offline."""
    from ascertain.core.asking.runs import Budget, Run
    from ascertain.documents.ingest.topics import ModelTagger
    from ascertain.models.prompts import Prompts

    if chat is None:
        return None
    graph = settings.graph
    budget = Budget(graph.model_calls, tokens=sys.maxsize, seconds=math.inf, usd=graph.model_budget_usd)
    return ModelTagger(chat, Prompts(settings.home / "prompts"), Run(budget))


class ReindexListener(Protocol):
    """Follows the progress of a reindex."""

    def report_progress(self, done: int, total: int) -> None:
        """``done`` of ``total`` chunks have their new vector."""
        ...


def reindex_store(store: CompleteStore, embedder: Embedder, batch: int, listener: ReindexListener | None = None) -> int:
    """Give every chunk a vector of ``embedder``; how many were computed. An interrupted run is resumed."""
    done = 0
    with store.writing(), store.reembed(embedder.name, embedder.dimension) as vectors:
        total = vectors.total
        for chunks in vectors.pending(choose_batch(embedder, batch)):
            texts = [chunk.indexed_text for chunk in chunks]
            vectors.put([chunk.id for chunk in chunks], embedder.embed_documents(texts))
            done += len(chunks)
            if listener:
                listener.report_progress(done, total)
    return done
