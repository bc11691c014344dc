"""Whatever happened to a graph, it is what the documents say that are left: compared with a dictionary of documents."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.core.service.status import GraphCounts
from ascertain.testing.stores import comparable_columns, expected_columns, first_mentions

# Drawn from few, so that documents are replaced, names are shared, and orders have to be told apart.
DOCUMENTS = ("d1", "d10", "d2", "D", "é", "z🦀", "\ufb01", "")
KEYS = ("ada", "bob", "ada lovelace", "Ada", "é", "\u00e9 ", "🦀", "\ufb01", "")
TEXTS = ("", "a", "is part of", "É", "\0", "🦀")
PLACES = st.integers(0, 12)

_examples = count()

spans = st.builds(lambda start, length: Span(start, start + length), PLACES, st.integers(0, 3))
names = st.builds(Name, st.sampled_from(KEYS), st.sampled_from(TEXTS), st.sampled_from(("", "Person")))


@st.composite
def graphs(draw):
    document_id = draw(st.sampled_from(DOCUMENTS))
    chunk_ids = tuple(f"{document_id}:{place}" for place in range(draw(st.integers(0, 12))))
    texts, chunks = st.sampled_from(TEXTS), st.sampled_from(chunk_ids or ("",))
    most = 6 if chunk_ids else 0

    def some(statement):
        return tuple(draw(st.lists(statement, max_size=most)))

    return DocumentGraph(
        document_id,
        draw(texts),
        chunk_ids,
        some(st.builds(Mention, names, chunks, spans, spans, st.sampled_from(Role))),
        some(st.builds(Relation, texts, texts, texts, chunks, spans, texts)),
        some(st.builds(AliasClaim, texts, texts, chunks, spans, texts)),
        draw(st.none() | texts),
    )


changes = st.lists(
    st.lists(graphs(), min_size=1, max_size=3) | st.sets(st.sampled_from(DOCUMENTS), max_size=3).map(sorted),
    min_size=1,
    max_size=8,
)


@pytest.fixture
def compare(graph):
    """Apply changes to a tenant of its own and compare after each."""

    def apply(history):
        tenant = f"tenant {next(_examples)}"
        model = {}
        for change in history:
            before = graph.generation(tenant)
            if isinstance(change[0] if change else "", DocumentGraph):
                owned = [_of(tenant, one) for one in change]
                graph.upsert(owned)
                model |= {one.document_id: one for one in owned}
                is_changed = True
            else:
                gone = [document_id for document_id in change if document_id in model]
                assert graph.delete(tenant, change) == len(gone)
                for document_id in gone:
                    del model[document_id]
                is_changed = bool(gone)
            assert (graph.generation(tenant) != before) == is_changed
            left = list(model.values())
            assert comparable_columns(graph.columns(tenant)) == expected_columns(left)
            assert graph.known(tenant) == {one.document_id: one.version for one in left}
            assert graph.counts(tenant) == counts(left)
            assert (tenant in graph.tenants()) == bool(left)
            assert list(map(orderless, graph.graphs(tenant, list(model)))) == list(map(orderless, left))
        for limit in (2, 1000):
            wanted = KEYS[::2]
            assert graph.mentions(tenant, wanted, limit) == first_mentions(left, wanted, limit)
        graph.delete(tenant, list(model))

    return apply


def _of(tenant, one):
    fields = {field: getattr(one, field) for field in one.__dataclass_fields__}
    return DocumentGraph(**{**fields, "tenant": tenant})


def orderless(one):
    """A document that says things in any order."""
    said = (one.mentions, one.relations, one.aliases)
    return (
        one.document_id,
        one.version,
        one.chunk_ids,
        one.conversation_id,
        one.tenant,
        *(sorted(map(repr, some)) for some in said),
    )


def counts(documents):
    return GraphCounts(
        len(documents),
        sum(len(one.chunk_ids) for one in documents),
        len({said.name.key for one in documents for said in one.mentions}),
        *(sum(len(getattr(one, part)) for one in documents) for part in ("mentions", "relations", "aliases")),
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history=changes)
def test_after_any_changes_the_graph_is_what_the_documents_left_say(history, compare):
    compare(history)
