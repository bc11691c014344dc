"""A knowledge base copied from store to store is the same knowledge base."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from knowledge_bases import MODEL, NOON, held, talk

from ascertain.app.migration.copying import Migration
from ascertain.app.migration.plan import MigrationScope, open_stores
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import TurnState
from ascertain.core.documents.documents import DocumentState
from ascertain.core.errors import UsageError
from ascertain.stores.registry import embedding_of
from ascertain.testing.store_documents import a_document


def without_attempts(everything):
    """But for when, and of which text, an attempt to read a document failed."""
    for records in everything["records"].values():
        for n, record in enumerate(records):
            if record.state is DocumentState.FAILED and not record.chunks:
                records[n] = replace(record, added_at=NOON, content_hash="", characters=0)
    return everything


def test_everything_arrives_and_comes_back(source, place, folder):
    there, back = place(), folder()
    for from_, to in ((source, there), (there, back)):
        report = Migration(from_, to).run()
        assert report.differences == ()
        assert (report.written, report.unchanged, report.turns) == (88, 0, 7)
        for proof in report.tenants:
            assert proof.source == proof.target
    assert [proof.tenant for proof in report.tenants] == ["acme", "default"]
    assert without_attempts(held(there)) == without_attempts(held(source))
    assert without_attempts(held(back)) == without_attempts(held(source))


def test_what_is_there_already_is_passed_over_and_what_changed_is_written_again(source, place):
    there = place()
    Migration(source, there).run()
    with open_stores(source, MODEL) as here:
        here.chunks.upsert([a_document("/many/3.md", ("rewritten",)), a_document("/new.md")])
        talk(here.conversations, "failures", 2, first=1)
    report = Migration(source, there).run()
    assert report.differences == ()
    assert (report.written, report.unchanged, report.turns) == (2, 87, 2)


def test_the_oldest_duplicate_inherits_at_the_target_too(source, place):
    there = place()
    Migration(source, there).run()
    original = a_document("/original.md").document.id
    for address in (source, there):
        with open_stores(address, MODEL) as stores:
            stores.chunks.delete(Filter(document_ids=(original,)))
    assert Migration(source, there).verify().differences == ()


def test_what_only_the_target_has_is_never_lost(source, place):
    there = place()
    Migration(source, there).run()
    with open_stores(there, MODEL) as stores:
        stores.chunks.upsert([a_document("/only-here.md"), a_document("/theirs.md", tenant="zeta")])
        talk(stores.conversations, "tea ☕", 1, first=9)
    before = held(there)
    with pytest.raises(UsageError, match=r"/only-here\.md, conversation tea ☕, /theirs\.md.*--merge"):
        Migration(source, there).run()
    assert held(there) == before
    with open_stores(source, MODEL) as here:
        here.chunks.upsert([a_document("/late.md")])
        talk(here.conversations, "later", 1)
    report = Migration(source, there, MigrationScope(merge=True)).run()
    assert report.differences == ()
    assert (report.written, report.turns) == (1, 1)
    with open_stores(there, MODEL) as stores:
        sources = {record.source for record in stores.chunks.documents()}
        assert {"/only-here.md", "/late.md"} <= sources
        assert len(stores.conversations.turns("tea ☕")) == 5
    assert any("/only-here.md" in line for line in Migration(source, there).verify().differences)


def test_one_tenant_leaves_the_others_alone(source, place):
    there = place()
    report = Migration(source, there, MigrationScope(tenant="acme")).run()
    assert [proof.tenant for proof in report.tenants] == ["acme"]
    assert report.differences == ()
    with open_stores(there, MODEL) as stores:
        assert stores.chunks.tenants() == ["acme"]
        assert stores.conversations.tenants() == ["acme"]
    assert Migration(source, there).run().differences == ()
    with pytest.raises(UsageError, match="no tenant 'nobody'"):
        Migration(source, there, MigrationScope(tenant="nobody")).run()


def test_a_turn_that_is_being_answered_is_left_out_and_named(source, place):
    there = place()
    with open_stores(source, MODEL) as here:
        here.conversations.begin("tea ☕", "now", "and now?", NOON)
        here.conversations.begin("new", "first", "what is this?", NOON)
        report = Migration(source, there).run()
        assert sorted(report.left_out) == [("default", "new", "first"), ("default", "tea ☕", "now")]
        assert report.differences == ()
        with open_stores(there, MODEL) as stores:
            assert "new" not in [summary.id for summary in stores.conversations.conversations()]
    with open_stores(there, MODEL) as stores:
        states = {turn.turn_id: turn.state for turn in stores.conversations.turns("tea ☕")}
    assert states["lost"] is TurnState.INTERRUPTED
    assert "now" not in states


def test_the_answers_that_the_source_still_has_are_all_kept(source, place):
    there = place()
    with open_stores(source, MODEL) as here:
        talk(here.conversations, "long", 60)
    assert Migration(source, there).run().differences == ()
    with open_stores(there, MODEL) as stores:
        assert all(turn.outcome.answer for turn in stores.conversations.turns("long"))


def test_a_plan_changes_nothing(source, place):
    there = place()
    plan = Migration(source, there).plan()
    assert (plan.documents, plan.chunks) == (88, 80 * 9 + 3 * 2 + 2 + 2 + 2)
    assert (plan.target_exists, plan.target_documents, plan.obstacles) == (False, 0, ())
    assert [(tenant.tenant, tenant.conversations) for tenant in plan.tenants] == [("acme", 1), ("default", 2)]
    assert embedding_of(there.store, there.home) is None
    with pytest.raises(UsageError, match="no knowledge base in"):
        Migration(source, there).verify()
    Migration(source, there).run()
    again = Migration(source, there).plan()
    assert [tenant.present for tenant in again.tenants] == [1, 86]
    assert again.target_documents == 88


def test_a_target_of_another_model_is_refused_unless_it_is_empty(source, place):
    other, empty = place(), place()
    for address in (other, empty):
        with open_stores(address, ("model-b", 4), create=True):
            pass
    with open_stores(other, ("model-b", 4)) as stores:
        stores.chunks.upsert([a_document("/b.md", dimension=4)])
    with pytest.raises(UsageError, match=r"model-b \(4 dimensions\).*model-a \(8\).*reindex"):
        Migration(source, other).run()
    assert Migration(source, empty).run().differences == ()


def test_a_place_cannot_be_copied_to_itself_and_an_empty_one_not_at_all(source, folder):
    with pytest.raises(UsageError, match="name two places"):
        Migration(source, replace(source, home=source.home / ".." / source.home.name)).run()
    with pytest.raises(UsageError, match="there is no knowledge base in"):
        Migration(folder(), source).run()


class DuringVerification:
    """Does something as soon as copying is over."""

    def __init__(self, act):
        self.act = act

    def stage(self, name, chunks):
        if name == "verifying":
            self.act()

    def report_progress(self, chunks):
        pass


def test_what_changes_while_it_is_copied_is_named(source, place):
    there = place()

    def change():
        with open_stores(source, MODEL) as here:
            here.chunks.upsert([a_document("/many/7.md", ("other words",)), a_document("/late.md")])
            here.chunks.delete(Filter(sources=("/many/8.md",)))
            talk(here.conversations, "tea ☕", 1, first=5)

    report = Migration(source, there).run(DuringVerification(change))
    found = "\n".join(report.differences)
    assert "/many/7.md" in found and "changed in" in found
    assert "/late.md" in found and "was added in" in found
    assert "/many/8.md" in found and "any more" in found
    assert "conversation tea ☕ is not the same" in found
    with open_stores(there, MODEL) as stores:
        stores.chunks.delete(Filter(sources=("/many/8.md",)))
    assert Migration(source, there).run().differences == ()


def test_what_arrived_wrong_is_named(source, place):
    there = place()

    def spoil():
        with open_stores(there, MODEL) as stores:
            [found] = stores.chunks.export([a_document("/many/1.md").document.id])
            stores.chunks.upsert([replace(found, vectors=found.vectors[::-1].copy())])
            stores.chunks.delete(Filter(sources=("/many/2.md",)))

    report = Migration(source, there).run(DuringVerification(spoil))
    lines = sorted(report.differences)
    assert len(lines) == 3
    assert "/many/1.md" in lines[0] and "is not the same in" in lines[0]
    assert "/many/2.md" in lines[1] and "is missing in" in lines[1]
    assert "searchable chunks in" in lines[2]
    [default] = [proof for proof in report.tenants if proof.tenant == "default"]
    assert default.source.checksum != default.target.checksum


texts = st.text(st.characters(), min_size=1, max_size=20)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.builds(
            a_document,
            texts,
            st.lists(texts, max_size=4).map(tuple),
            with_parent=st.booleans(),
            title=texts,
            heading=st.text(max_size=5),
            tenant=st.sampled_from(["default", "acme", "ç"]),
            conversation_id=st.none() | texts,
            author=st.none() | texts,
            published_at=st.none() | st.datetimes(timezones=st.timezones()),
            tags=st.lists(texts, unique=True, max_size=3).map(tuple),
        ),
        max_size=8,
        unique_by=lambda found: found.document.id,
    )
)
def test_any_documents_come_back_the_same(folder, place, documents):
    start, there, back = folder(), place(), folder()
    with open_stores(start, MODEL, create=True) as here:
        here.chunks.upsert(documents)
    assert Migration(start, there).run().differences == ()
    assert Migration(there, back).run().differences == ()
    assert held(back) == held(start)
