"""What a knowledge base to copy holds, and everything that is at a place."""

from datetime import UTC, datetime, timedelta

from ascertain.app.migration.plan import open_stores
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import StoredTurn
from ascertain.core.documents.documents import DocumentState
from ascertain.testing.store_documents import a_document, a_rich_document

MODEL = ("model-a", 8)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def fill(address):
    original = a_document("/original.md", signature=bytes(range(256)) * 4)
    copies = [
        a_document(
            f"/copy-{n}.md",
            state=DocumentState.DUPLICATE,
            duplicate_of=original.document.id,
            signature=bytes(range(256)) * 4,
        )
        for n in (2, 1)
    ]
    with open_stores(address, MODEL, create=True) as there:
        for document in (original, *copies, a_rich_document(), a_document("/empty.md", ())):
            there.chunks.upsert([document])
        there.chunks.upsert([a_document(f"/many/{n}.md", tuple(f"part {n} {m}" for m in range(9))) for n in range(80)])
        there.chunks.upsert([a_document("/whole.md", with_parent=True)])
        there.chunks.mark_failed(a_document("/unread.pdf", ("was read once",)).document, "no text")
        there.chunks.upsert([a_document("/broken-later.md")])
        there.chunks.mark_failed(a_document("/broken-later.md").document, "it is broken now")
        talk(there.conversations, "tea ☕", 3)
        talk(there.conversations, "other", 1, tenant="acme")
        there.conversations.begin("tea ☕", "lost", "what was lost?", NOON + timedelta(hours=1))
        there.conversations.begin("failures", "t1", "what failed?", NOON)
        there.conversations.fail("failures", "t1", "the model did not answer")
        talk(there.conversations, "failures", 1)


def talk(conversations, name, turns, tenant="default", first=0):
    for n in range(first, first + turns):
        moment = NOON + timedelta(minutes=n, microseconds=7)
        conversations.begin(name, f"turn-{n}", f"question {n}?", moment, tenant)
        answer = {"answer": f"answer {n}", "confidence": {"score": 84}, "seconds": 0.1, "quote": "\ud800"}
        conversations.finish(
            name,
            f"turn-{n}",
            StoredTurn(
                f"question {n}?", f"answer {n}", AnswerType.SUMMARY, moment + timedelta(seconds=3), "standalone", answer
            ),
            tenant,
        )


def held(address, model=MODEL):
    """Everything at a place, as it is read from there."""
    with open_stores(address, model) as there:
        tenants = there.chunks.tenants()
        talkers = there.conversations.tenants()
        return {
            "documents": {
                tenant: [comparable(found) for found in exported(there.chunks, tenant)] for tenant in tenants
            },
            "records": {tenant: there.chunks.documents(Filter(tenant=tenant)) for tenant in tenants},
            "conversations": {tenant: there.conversations.conversations(tenant) for tenant in talkers},
            "turns": {
                (tenant, summary.id): there.conversations.turns(summary.id, tenant)
                for tenant in talkers
                for summary in there.conversations.conversations(tenant)
            },
        }


def exported(store, tenant):
    return store.export([record.id for record in store.documents(Filter(tenant=tenant))])


def comparable(found):
    """An exported document without the order of its parents, and its vectors as they are kept."""
    return (
        found.document,
        {chunk.id: chunk for chunk in found.chunks},
        [chunk.id for chunk in found.chunks if not chunk.is_parent],
        found.vectors.astype("float16").tobytes(),
        (found.state, found.reason, found.duplicate_of, found.signature, found.added_at),
    )
