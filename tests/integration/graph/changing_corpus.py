"""Random adds, changes and deletions through the product, with kills in between, and the corpus that should be left of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import numpy as np
from small_knowledge import a_document

from ascertain import Ascertain
from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, document_id
from ascertain.graph.snapshot import Snapshot

PEOPLE = ("Marit Solheim", "Theo Okafor", "Ana Flores", "Karen Jones", "Peter Jones", "Wim Duisenberg")
PLACES = ("Frankfurt", "Heerenveen", "Port Louis", "New Haven", "Zagreb")
BODIES = ("European Central Bank (ECB)", "Harbour Trust", "ECB", "Tidepool Labs", "Electric Car Board (ECB)")
SENTENCES = (
    "{person} was born in {place}.",
    "{body} was founded in {place} by {person}.",
    "{person} met {other} at the {body}.",
    "The office of the {body} is in {place}.",
    "Nothing that has a name is said here, only that it rained.",
    "{person}, also known as The Captain, left {place}.",
)


class Killed(BaseException):
    """Nothing may catch it on the way, as nothing catches the end of a process."""


class Corpus:
    """The documents that should be there, by tenant and id."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.documents: dict[tuple[str, str], Document] = {}

    def a_document(self, tenant: str, conversation: str | None = None) -> Document:
        name = f"note {self.chance.randint(0, 24)}"
        return a_document(name, self.a_text(), tenant=tenant, conversation_id=conversation)

    def a_text(self) -> str:
        return " ".join(self._sentence() for _ in range(self.chance.randint(1, 4)))

    def put(self, documents: Sequence[Document]) -> None:
        self.documents |= {(document.tenant, document.id): document for document in documents}

    def drop(self, tenant: str, gone: Callable[[Document], bool]) -> None:
        kept = self.documents.items()
        self.documents = {key: one for key, one in kept if not (one.tenant == tenant and gone(one))}

    def _sentence(self) -> str:
        chance = self.chance
        person, other = chance.sample(PEOPLE, 2)
        return chance.choice(SENTENCES).format(
            person=person, other=other, place=chance.choice(PLACES), body=chance.choice(BODIES)
        )


class History:
    """Operations on a knowledge base, each through ``Ascertain``; one in ``kill_every`` dies half way and is done again."""

    TENANTS = ("default", "other")

    def __init__(self, knowledge: Ascertain, seed: int, kill_every: int = 0) -> None:
        self.knowledge = knowledge
        knowledge.set_up()
        self.corpus = Corpus(seed)
        self.chance = self.corpus.chance
        self.kill_every = kill_every
        self.kills = 0

    def run(self, operations: int) -> None:
        for _ in range(operations):
            step = self.chance.choices(
                (self.add, self.add_one_again, self.delete, self.delete_conversation), (10, 4, 6, 1)
            )[0]
            step(self.chance.choices(self.TENANTS, (4, 1))[0])

    def add(self, tenant: str) -> None:
        conversation = self.chance.choices((None, "talk"), (5, 1))[0]
        documents = [self.corpus.a_document(tenant, conversation) for _ in range(self.chance.choice((1, 1, 1, 4)))]
        documents = list({document.id: document for document in documents}.values())
        self._do(lambda: self.knowledge.as_tenant(tenant).add_documents(documents))
        self.corpus.put(documents)

    def add_one_again(self, tenant: str) -> None:
        """Deleted and added anew, as it was."""
        own = [one for one in self.corpus.documents.values() if one.tenant == tenant]
        if own:
            one = self.chance.choice(own)
            seen = self.knowledge.as_tenant(tenant)
            self._do(lambda: seen.delete(Filter(document_ids=(one.id,))))
            self._do(lambda: seen.add_documents([one]))

    def delete(self, tenant: str) -> None:
        if self.chance.random() < 0.7:
            names = [f"note {self.chance.randint(0, 24)}" for _ in range(self.chance.choice((1, 3)))]
            ids = tuple(document_id(name, tenant, None) for name in names)
            self._do(lambda: self.knowledge.as_tenant(tenant).delete(Filter(document_ids=ids)))
            self.corpus.drop(tenant, lambda one: one.id in ids)
        else:
            name = f"note {self.chance.randint(0, 24)}"
            self._do(lambda: self.knowledge.as_tenant(tenant).delete(Filter(sources=(name,))))
            self.corpus.drop(tenant, lambda one: one.source == name)

    def delete_conversation(self, tenant: str) -> None:
        self._do(lambda: self.knowledge.as_tenant(tenant).delete_conversation("talk"))
        self.corpus.drop(tenant, lambda one: one.conversation_id == "talk")

    def _do(self, work: Callable[[], object]) -> None:
        """Do it; sometimes a kill comes between what it writes to the one store and to the other, and it is done again after that."""
        if self.kill_every and self.chance.randint(1, self.kill_every) == 1:
            store = self.knowledge.container.graph_store
            with dying(store, self.chance.choice(("upsert", "delete"))) as deaths:
                try:
                    work()
                except Killed:
                    self.kills += len(deaths)
            self.knowledge.close()
        work()


@contextmanager
def dying(store: object, method: str) -> Generator[list[str]]:
    """The process ends as it comes to ``method``."""
    deaths: list[str] = []

    def die(*_: object) -> None:
        deaths.append(method)
        raise Killed

    setattr(store, method, die)
    try:
        yield deaths
    finally:
        delattr(store, method)


def filled_at_once(knowledge: Ascertain, documents: Sequence[Document]) -> Ascertain:
    """The same documents, added in one go, in another order."""
    for tenant in sorted({document.tenant for document in documents}):
        own = [document for document in documents if document.tenant == tenant]
        knowledge.as_tenant(tenant).add_documents(sorted(own, key=lambda one: one.id))
    return knowledge


def assert_same_graph(found: Ascertain, expected: Ascertain, tenant: str) -> None:
    """Column by column, and entity by entity after names were resolved."""
    one, other = (each.container.graph_store for each in (found, expected))
    assert one.known(tenant) == other.known(tenant)
    assert one.counts(tenant) == other.counts(tenant)
    left, right = one.columns(tenant), other.columns(tenant)
    for name in ("documents", "conversations", "chunk_ids", "names", "relations", "aliases"):
        assert list(getattr(left, name)) == list(getattr(right, name)), name
    for name in ("chunk_document", "mention_name", "mention_chunk", "mention_sentence", "mention_role"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), name)
    assert entities(Snapshot.of(left, one.pins(tenant))) == entities(Snapshot.of(right, other.pins(tenant)))


def entities(snapshot: Snapshot) -> list[object]:
    return [snapshot.at(index) for index in range(snapshot.size)] + list(snapshot.merges)
