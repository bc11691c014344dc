"""The models in the settings, each opened once for all tenants and threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from ascertain.app.container.opening import opened_once, release_opened
from ascertain.core.errors import AscertainError
from ascertain.core.settings import ModelSettings
from ascertain.models.ports import Chat, Embedder, EntailmentModel, Reranker, SentenceEmbedder

if TYPE_CHECKING:
    from ascertain.models.reader import DamagedReader, Reader
    from ascertain.models.vectors.sentences import SentenceModels
    from ascertain.models.vectors.similarity import SimilarityScale
    from ascertain.models.vectors.vector_file import VectorFile


class ChosenModels:
    """Opens a model when it is first used; ``given`` is an embedding model from the caller, ``kept`` the file for
    vectors of sentences.

    Each raises as its function in ``models.registry`` does.
    """

    def __init__(self, settings: ModelSettings, given: Embedder | None = None, kept: VectorFile | None = None) -> None:
        self.settings = settings
        self.given = given
        self._kept = kept
        self._searching: Embedder | None = None
        self._is_loading = False

    @opened_once
    def embedder(self) -> Embedder:
        """What embeds documents and questions."""
        from ascertain.models.registry import open_embedder

        return self.given or open_embedder(self.settings)

    @opened_once
    def asking_embedder(self) -> Embedder:
        """The same model for questions, which embed the same texts repeatedly: it caches vectors."""
        return _remember_for_asking(self._searching or self.embedder)

    def search_with(self, embedder: Embedder | None) -> None:
        """From now on embed questions with ``embedder``; None for the model of the settings."""
        self._searching = embedder
        release_opened(self, "asking_embedder", "_own_sentences")

    @property
    def is_searching_with_another(self) -> bool:
        """Whether questions are embedded by another model than the settings name: that of the vectors."""
        return self._searching is not None

    @property
    def is_fitted(self) -> bool:
        """Whether questions are embedded by ``fitted_embedder``."""
        return self.asking_embedder is self.fitted_embedder

    @opened_once
    def fitted_embedder(self) -> Embedder:
        """The model that weights and floors over single sentences were fitted to, the built-in one, whatever finds passages; a model that
        the caller provides and the settings do not name does this too.
        """
        from ascertain.models.embed.cards import BUILT_IN
        from ascertain.models.onnx import OnnxEmbedder

        if self._is_brought or self.embedder.name == BUILT_IN:
            return _remember_for_asking(self.embedder) if self.is_searching_with_another else self.asking_embedder
        return _remember_for_asking(OnnxEmbedder.load(BUILT_IN, self.settings.threads))

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
            return SentenceModels(SentenceModel(self.fitted_embedder, self._fitted_sentences))
        why = explain_english_only(searching, scale)
        own = None if why else SentenceModel(self.asking_embedder, self._own_sentences, scale)
        if own is not None and reads_english_too(searching.name):
            return SentenceModels(own)
        fitted = SentenceModel(self.fitted_embedder, self._fitted_sentences)
        return SentenceModels(fitted, None if self.is_fitted else own, why)

    @property
    def _is_brought(self) -> bool:
        """Whether the embedding model is the caller's own, and not one in the settings."""
        return self.given is not None and self.embedder.name.partition("?")[0] not in self.settings.embedder

    def begin_loading(self) -> None:
        """Load the models that every question needs while the caller goes on, the first time this is called: their library works
        without blocking other threads.
        """
        if not self._is_loading:
            self._is_loading = True
            for load in (lambda: self.asking_embedder, lambda: self.reader):
                # the program waits for it at its end: a library that is loading must not be torn down
                threading.Thread(target=_attempt_loading, args=(load,)).start()

    @opened_once
    def chat(self) -> Chat | None:
        """The chat models; None offline."""
        from ascertain.models.registry import open_chat

        return open_chat(self.settings)

    @opened_once
    def entailment(self) -> EntailmentModel:
        """What checks claims, or what the chat model that checks them falls back to."""
        from ascertain.models.registry import open_entailment

        if self.settings.entailment in {"auto", "rules", "chat"}:
            return self.rule_entailment
        return open_entailment(self.settings, self.asking_embedder)

    @property
    def sure_entailment(self) -> EntailmentModel:
        """The same with the rules behind it, which check where it fails."""
        from ascertain.models.entail.rules import EntailmentOverRules

        given, rules = self.entailment, self.rule_entailment
        return given if given is rules else EntailmentOverRules(given, rules)

    @opened_once
    def rule_entailment(self) -> EntailmentModel:
        """The offline checker of claims, whatever the settings name."""
        from ascertain.models.entail.rules import open_rules
        from ascertain.models.registry import open_claim_reader

        return open_rules("rules", self.settings, self.fitted_embedder, open_claim_reader(self.settings))

    @opened_once
    def reranker(self) -> Reranker | None:
        """What ranks passages again; None when none is named."""
        from ascertain.models.registry import open_reranker

        return open_reranker(self.settings)

    @opened_once
    def reader(self) -> Reader | DamagedReader | None:
        """What reads passages for the sentence that answers; None when none is named."""
        from ascertain.models.registry import open_reader

        return open_reader(self.settings)

    @opened_once
    def second_reader(self) -> Reader | DamagedReader | None:
        """What reads again the sentences that the first finds best; None when none is named or installed."""
        from ascertain.models.registry import open_second_reader

        return open_second_reader(self.settings)

    @opened_once
    def _fitted_sentences(self) -> SentenceEmbedder:
        from ascertain.models.vectors.remembered_vectors import KeptSentences

        # an embedder that stores vectors itself needs no cache
        return KeptSentences(self.embedder if self.is_fitted else self.fitted_embedder, self._kept)

    @opened_once
    def _own_sentences(self) -> SentenceEmbedder:
        from ascertain.models.vectors.remembered_vectors import KeptSentences

        return KeptSentences(self._searching or self.embedder, self._kept)

    def adopt(self, settings: ModelSettings) -> None:
        """Switch to other chat models; calls in progress use the old ones."""
        self.settings = settings
        release_opened(self, "chat", "entailment")

    def release(self) -> None:
        """Release the models; each is reopened when used again."""
        release_opened(self)


def _attempt_loading(load: Callable[[], object]) -> None:
    """An error is left to who needs the model: it tries again."""
    with suppress(AscertainError):
        load()


def _remember_for_asking(embedder: Embedder) -> Embedder:
    from ascertain.models.vectors.remembered_vectors import MOST_BYTES, remember_vectors

    return remember_vectors(embedder, MOST_BYTES)
