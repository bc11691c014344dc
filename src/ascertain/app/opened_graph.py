"""The graph of what is open: its store, what keeps it in step with the documents, and what questions see of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ascertain.app.once import Once

if TYPE_CHECKING:
    from pathlib import Path

    from ascertain.core.settings import Settings
    from ascertain.core.settings.profiles import Profile
    from ascertain.graph.extraction.ports import Extractor
    from ascertain.graph.knowledge_graph import KnowledgeGraph
    from ascertain.graph.upkeep import GraphUpkeep
    from ascertain.models.ports import Chat
    from ascertain.stores.graph_ports import GraphStore


class OpenedGraph:
    """Opens each part when it is first needed, under the settings and for the chat model of that moment.

    ``check_home`` raises UsageError when there is no knowledge base that the graph could belong to.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        chat: Callable[[], Chat | None],
        check_home: Callable[[], object],
    ) -> None:
        self._settings = settings
        self._chat = chat
        self._check_home = check_home
        self._store = Once(self._open_store)
        self._extractor = Once(self._open_extractor)
        self._upkeep = Once(self._make_upkeep)
        self._knowledge = Once(self._make_knowledge)

    @property
    def store(self) -> GraphStore:
        """What documents say; UsageError when there is no knowledge base, StoreError when it cannot be used."""
        return self._store.get()

    @property
    def upkeep(self) -> GraphUpkeep:
        """What keeps the graph in step with the documents; nothing is opened for it yet."""
        return self._upkeep.get()

    @property
    def knowledge(self) -> KnowledgeGraph:
        """What questions and the command line ask."""
        return self._knowledge.get()

    @property
    def extractor(self) -> Extractor:
        """What reads documents, whether they are read as they are added or not; raises ConfigurationError."""
        return self._extractor.get()

    def extractor_of_a_run(self) -> Extractor:
        """The same, but for one that costs something and has a budget for each run: that is another one each time."""
        if self._settings().graph.extractor == "model":
            return self._open_extractor()
        return self.extractor

    def close(self) -> None:
        """Release everything; it is opened again when needed."""
        self._knowledge.take()
        self._upkeep.take()
        self._extractor.take()
        store = self._store.take()
        if store is not None:
            store.close()

    def _open_store(self) -> GraphStore:
        from ascertain.stores.registry import open_graph

        self._check_home()
        settings = self._settings()
        return open_graph(settings.graph, settings.store, settings.home)

    def _make_upkeep(self) -> GraphUpkeep:
        from ascertain.graph.upkeep import GraphUpkeep

        reads = self._settings().graph.build
        return GraphUpkeep(
            self._store.get,
            self.extractor_of_a_run if reads else None,
            self._forget_copies,
        )

    def _forget_copies(self, tenant: str) -> None:
        self.knowledge.forget(tenant)

    def _make_knowledge(self) -> KnowledgeGraph:
        from ascertain.graph.knowledge_graph import KnowledgeGraph

        settings = self._settings()
        return KnowledgeGraph(self.store, None if settings.store.is_shared else settings.home / "graph")

    def _open_extractor(self) -> Extractor:
        return open_extractor(self._settings(), self._chat())


def open_extractor(settings: Settings, chat: Chat | None) -> Extractor:
    """What reads documents under these settings; raises ConfigurationError and MissingExtra where it cannot be used."""
    from ascertain.graph.extraction.registry import choose_extractor
    from ascertain.models.prompts import Prompts

    prompts = Prompts(settings.home / "prompts")
    profile_of = all_profiles(settings.home).get
    return choose_extractor(settings.graph, profile_of, chat, prompts, settings.models.chat)


def all_profiles(home: Path) -> dict[str, Profile]:
    """Every profile that a document may have, by name: those built in and those of the home."""
    from ascertain.core.settings.profiles import load_profile, profile_names

    own = home / "profiles"
    return {name: load_profile(name, own) for name in profile_names(own)}
