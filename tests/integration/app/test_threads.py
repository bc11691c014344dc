"""One instance used by many threads for two tenants at once."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from small_knowledge import WordHashes, a_document, opened

from ascertain import Ascertain, Filter

THREADS = 16
ROUNDS = 12
TENANTS = ("anna", "ben")


def about(tenant: str, number: int) -> str:
    """A document that names its tenant in every sentence."""
    return (
        f"The {tenant} harbour report {number} says that pier {number} of {tenant} is closed. "
        f"Repairs of the {tenant} pier take {number} weeks."
    )


def work(knowledge: Ascertain, thread: int) -> list[str]:
    """Random operations as one tenant; every text that came back."""
    chance = random.Random(thread)
    tenant = TENANTS[thread % 2]
    mine = knowledge.as_tenant(tenant)
    seen: list[str] = []
    for number in range(ROUNDS):
        kind = chance.choice(["ask", "ask", "stream", "search", "add", "delete", "look"])
        if kind == "ask":
            conversation = chance.choice([None, "shared", f"own {thread}"])
            answer = mine.ask(f"How long do repairs of pier {number} take?", conversation_id=conversation)
            seen += [answer.text, *(citation.quote for citation in answer.citations)]
        elif kind == "stream":
            seen += [str(event) for event in mine.ask_stream("Which pier of the harbour is closed?")]
        elif kind == "search":
            seen += [passage.chunk.text for passage in mine.search("harbour report pier").passages]
        elif kind == "add":
            name = f"{thread}-{number}"
            mine.add_documents([a_document(name, about(tenant, 100 * thread + number), tenant)])
        elif kind == "delete":
            mine.delete(Filter(sources=(f"{thread}-{chance.randrange(ROUNDS)}",)))
        else:
            seen += [str(record) for record in mine.documents()]
            seen += [str(turn) for turn in mine.conversation("shared")]
            seen.append(str(mine.stats().by_profile))
    return seen


def test_many_threads_of_two_tenants_see_only_their_own(tmp_path: Path) -> None:
    embedder = WordHashes()
    with opened(tmp_path / "kb", embedder) as knowledge:
        for tenant in TENANTS:
            knowledge.as_tenant(tenant).add_documents([a_document(f"first {tenant}", about(tenant, 7), tenant)])
        knowledge.close()
        with ThreadPoolExecutor(THREADS) as pool:
            results = list(pool.map(lambda thread: work(knowledge, thread), range(THREADS)))
        for thread, seen in enumerate(results):
            assert seen
            other = TENANTS[(thread + 1) % 2]
            assert not any(other in text for text in seen)
        assert knowledge.check().problems == ()


def test_threads_that_come_at_once_open_one_store(tmp_path: Path) -> None:
    embedder = WordHashes()
    with opened(tmp_path / "kb", embedder) as knowledge:
        knowledge.add_documents([a_document("a", about("anna", 1))])
        knowledge.close()
        start = threading.Barrier(THREADS)

        def first_use(_: int) -> tuple[int, int]:
            start.wait()
            return id(knowledge.container.store_for_vectors()), id(knowledge.container.conversations)

        with ThreadPoolExecutor(THREADS) as pool:
            assert len(set(pool.map(first_use, range(THREADS)))) == 1


def test_what_another_instance_adds_is_noticed(tmp_path: Path) -> None:
    with opened(tmp_path / "kb") as one, opened(tmp_path / "kb") as other:
        one.add_documents([a_document("a", "The harbour is deep.")])
        assert not any("Bitcoin" in d.reason for d in one.search("what about btc").decisions)
        other.add_documents([a_document("n", "The price of Bitcoin rose.", profile="news")])
        assert any("Bitcoin" in d.reason for d in one.search("what about btc").decisions)
