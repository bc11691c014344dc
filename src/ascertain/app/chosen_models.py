"""The models in the settings, each opened once for all tenants and threads, and moving a store to another model."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ascertain.core.errors import AscertainError
from ascertain.core.settings import ModelSettings
from ascertain.models.ports import Chat, Embedder, EntailmentModel, Reranker, SentenceEmbedder, choose_batch
from ascertain.stores.ports.chunks import CompleteStore

if TYPE_CHECKING:
    from ascertain.models.reader import DamagedReader, Reader
    from ascertain.models.vectors.sentences import SentenceModels
    from ascertain.models.vectors.similarity import SimilarityScale
    from ascertain.models.vectors.vector_file import VectorFile

T = TypeVar("T")


class Once(Generic[T]):
    """Holds what ``make`` gives.

    Other threads wait while it is being created; after an error the next one tries again.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._made: list[T] = []
        self._is_begun = False

    def begin_making(self) -> None:
        """Create it in another thread, the first time this is called; an error is left to ``get``, which tries again."""
        if not self._is_begun:
            self._is_begun = True
            # the program waits for it at its end: a library that is loading must not be torn down
            threading.Thread(target=self._make_quietly).start()

    def get(self) -> T:
        """The object, created now if it was not; raises what creating it raises."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def take(self) -> T | None:
        """Release the object, for the caller to close; the next ``get`` creates it again."""
        with self._lock:
            return self._made.pop() if self._made else None

    def _make_quietly(self) -> None:
        with suppress(AscertainError):
            self.get()


class ChosenModels:
    """Opens a model when it is first used; ``given`` is an embedding model from the caller, ``kept`` the file for
    vectors of sentences.

    Each property raises as its function in ``models.registry`` does.
    """

    def __init__(self, settings: ModelSettings, given: Embedder | None = None, kept: VectorFile | None = None) -> None:
        self.settings = settings
        self.given = given
        self._kept = kept
        self._embedder = Once(self._open_embedder)
        self._asking_embedder = Once(self._open_asking_embedder)
        self._fitted_embedder = Once(self._open_fitted_embedder)
        self._fitted_sentences = Once(self._keep_fitted_sentences)
        self._own_sentences = Once(self._keep_own_sentences)
        self._searching: Embedder | None = None
        self._chat = Once(self._open_chat)
        self._entailment = Once(self._open_entailment)
        self._rules = Once(self._open_rules)
        self._reranker = Once(self._open_reranker)
        self._reader = Once(self._open_reader)
        self._second_reader = Once(self._open_second_reader)

    @property
    def embedder(self) -> Embedder:
        """What embeds documents and questions."""
        return self._embedder.get()

    @property
    def asking_embedder(self) -> Embedder:
        """The same model for questions, which embed the same texts repeatedly: it caches vectors."""
        return self._asking_embedder.get()

    def search_with(self, embedder: Embedder | None) -> None:
        """From now on embed questions with ``embedder``; None for the model of the settings."""
        self._searching = embedder
        self._asking_embedder = Once(lambda: self._remember_for_asking(embedder or self.embedder))
        self._own_sentences = Once(self._keep_own_sentences)

    @property
    def is_searching_with_another(self) -> bool:
        """Whether questions are embedded by another model than the settings name: that of the vectors."""
        return self._searching is not None

    @property
    def is_fitted(self) -> bool:
        """Whether questions are embedded by ``fitted_embedder``."""
        return self.asking_embedder is self.fitted_embedder

    @property
    def fitted_embedder(self) -> Embedder:
        """The model that weights and floors over single sentences were fitted to, the built-in one, whatever finds passages; a model that
        the caller provides and the settings do not name does this too.
        """
        return self._fitted_embedder.get()

    def sentence_models(self, scale: SimilarityScale) -> SentenceModels:
        """What compares a question with sentences of documents, whose vectors are kept, rounded. ``scale`` is that of the model of the
        store's vectors, which does it where the fitted one cannot.
        """
        from ascertain.models.vectors.sentences import (
            SentenceModel,
            SentenceModels,
            explain_english_only,
            reads_english_too,
        )

        searching = self._searching or self.embedder
        if self._is_brought:
            return SentenceModels(SentenceModel(self.fitted_embedder, self._fitted_sentences.get()))
        why = explain_english_only(searching, scale)
        own = None if why else SentenceModel(self.asking_embedder, self._own_sentences.get(), scale)
        if own is not None and reads_english_too(searching.name):
            return SentenceModels(own)
        fitted = SentenceModel(self.fitted_embedder, self._fitted_sentences.get())
        return SentenceModels(fitted, None if self.is_fitted else own, why)

    @property
    def _is_brought(self) -> bool:
        """Whether the embedding model is the caller's own, and not one in the settings."""
        return self.given is not None and self.embedder.name.partition("?")[0] not in self.settings.embedder

    def begin_loading(self) -> None:
        """Load the models that every question needs while the caller goes on: their library works without
        blocking other threads.
        """
        self._asking_embedder.begin_making()
        self._reader.begin_making()

    @property
    def chat(self) -> Chat | None:
        """The chat models; None offline."""
        return self._chat.get()

    @property
    def entailment(self) -> EntailmentModel:
        """What checks claims, or what the chat model that checks them falls back to."""
        return self._entailment.get()

    @property
    def sure_entailment(self) -> EntailmentModel:
        """The same with the rules behind it, which check where it fails."""
        from ascertain.models.entail.rules import EntailmentOverRules

        given, rules = self.entailment, self.rule_entailment
        return given if given is rules else EntailmentOverRules(given, rules)

    @property
    def rule_entailment(self) -> EntailmentModel:
        """The offline checker of claims, whatever the settings name."""
        return self._rules.get()

    @property
    def reranker(self) -> Reranker | None:
        """What ranks passages again; None when none is named."""
        return self._reranker.get()

    @property
    def reader(self) -> Reader | DamagedReader | None:
        """What reads passages for the sentence that answers; None when none is named."""
        return self._reader.get()

    @property
    def second_reader(self) -> Reader | DamagedReader | None:
        """What reads again the sentences that the first finds best; None when none is named or installed."""
        return self._second_reader.get()

    def adopt(self, settings: ModelSettings) -> None:
        """Switch to other chat models; calls in progress use the old ones."""
        self.settings = settings
        self._chat.take()
        self._entailment.take()

    def release(self) -> None:
        """Release the models; each is reopened when used again."""
        embedders = (self._embedder, self._asking_embedder, self._fitted_embedder)
        sentences = (self._fitted_sentences, self._own_sentences)
        others = (self._chat, self._entailment, self._rules, self._reranker, self._reader, self._second_reader)
        for model in (*embedders, *sentences, *others):
            model.take()

    def _open_embedder(self) -> Embedder:
        from ascertain.models.registry import open_embedder

        return self.given or open_embedder(self.settings)

    def _open_asking_embedder(self) -> Embedder:
        return self._remember_for_asking(self.embedder)

    def _remember_for_asking(self, embedder: Embedder) -> Embedder:
        from ascertain.models.vectors.remembered_vectors import MOST_BYTES, remember_vectors

        return remember_vectors(embedder, MOST_BYTES)

    def _open_fitted_embedder(self) -> Embedder:
        from ascertain.models.embed.cards import BUILT_IN
        from ascertain.models.onnx import OnnxEmbedder
        from ascertain.models.vectors.remembered_vectors import MOST_BYTES, remember_vectors

        if self._is_brought or self.embedder.name == BUILT_IN:
            return self._remember_for_asking(self.embedder) if self.is_searching_with_another else self.asking_embedder
        return remember_vectors(OnnxEmbedder.load(BUILT_IN, self.settings.threads), MOST_BYTES)

    def _keep_fitted_sentences(self) -> SentenceEmbedder:
        from ascertain.models.vectors.remembered_vectors import KeptSentences

        # an embedder that stores vectors itself needs no cache
        return KeptSentences(self.embedder if self.is_fitted else self.fitted_embedder, self._kept)

    def _keep_own_sentences(self) -> SentenceEmbedder:
        from ascertain.models.vectors.remembered_vectors import KeptSentences

        return KeptSentences(self._searching or self.embedder, self._kept)

    def _open_chat(self) -> Chat | None:
        from ascertain.models.registry import open_chat

        return open_chat(self.settings)

    def _open_entailment(self) -> EntailmentModel:
        from ascertain.models.registry import open_entailment

        if self.settings.entailment in {"auto", "rules", "chat"}:
            return self.rule_entailment
        return open_entailment(self.settings, self.asking_embedder)

    def _open_rules(self) -> EntailmentModel:
        from ascertain.models.entail.rules import open_rules
        from ascertain.models.registry import open_claim_reader

        return open_rules("rules", self.settings, self.fitted_embedder, open_claim_reader(self.settings))

    def _open_reranker(self) -> Reranker | None:
        from ascertain.models.registry import open_reranker

        return open_reranker(self.settings)

    def _open_reader(self) -> Reader | DamagedReader | None:
        from ascertain.models.registry import open_reader

        return open_reader(self.settings)

    def _open_second_reader(self) -> Reader | DamagedReader | None:
        from ascertain.models.registry import open_second_reader

        return open_second_reader(self.settings)


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
