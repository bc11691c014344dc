"""The models that the settings name, each opened once for all tenants and threads."""

from __future__ import annotations

from ascertain.app.once import Once
from ascertain.core.settings import ModelSettings
from ascertain.models.ports import Chat, Embedder, EntailmentModel, Reranker


class ChosenModels:
    """Opens a model when it is first used; ``given`` is an embedding model that the caller brought.

    Each property raises as its function in ``models.registry`` does.
    """

    def __init__(self, settings: ModelSettings, given: Embedder | None = None) -> None:
        self.settings = settings
        self.given = given
        self._embedder = Once(self._open_embedder)
        self._asking_embedder = Once(self._open_asking_embedder)
        self._chat = Once(self._open_chat)
        self._entailment = Once(self._open_entailment)
        self._rules = Once(self._open_rules)
        self._reranker = Once(self._open_reranker)

    @property
    def embedder(self) -> Embedder:
        """What embeds documents and questions."""
        return self._embedder.get()

    @property
    def asking_embedder(self) -> Embedder:
        """The same model for questions, which come back to the same texts: it remembers vectors."""
        return self._asking_embedder.get()

    def begin_loading(self) -> None:
        """Load the embedding model beside what the caller does next: its library works without holding up other threads."""
        self._asking_embedder.begin_making()

    @property
    def chat(self) -> Chat | None:
        """The chat models; None offline."""
        return self._chat.get()

    @property
    def entailment(self) -> EntailmentModel:
        """What checks claims, or what the chat model that checks them falls back to."""
        return self._entailment.get()

    @property
    def rule_entailment(self) -> EntailmentModel:
        """The offline checker of claims, whatever the settings name."""
        return self._rules.get()

    @property
    def reranker(self) -> Reranker | None:
        """What ranks passages again; None when none is named."""
        return self._reranker.get()

    def _open_embedder(self) -> Embedder:
        from ascertain.models.registry import open_embedder

        return self.given or open_embedder(self.settings)

    def _open_asking_embedder(self) -> Embedder:
        from ascertain.models.remembered_vectors import MOST_BYTES, remembering

        return remembering(self.embedder, MOST_BYTES)

    def _open_chat(self) -> Chat | None:
        from ascertain.models.registry import open_chat

        return open_chat(self.settings)

    def _open_entailment(self) -> EntailmentModel:
        from ascertain.models.registry import open_entailment

        if self.settings.entailment in {"auto", "rules", "chat"}:
            return self.rule_entailment
        return open_entailment(self.settings, self.asking_embedder)

    def _open_rules(self) -> EntailmentModel:
        from ascertain.models.registry import open_entailment

        return open_entailment(self.settings.model_copy(update={"entailment": "rules"}), self.asking_embedder)

    def _open_reranker(self) -> Reranker | None:
        from ascertain.models.registry import open_reranker

        return open_reranker(self.settings)
