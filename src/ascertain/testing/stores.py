"""What every chunk store does, and what every graph store does: a class each to subclass."""

# pyright: basic

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ascertain.core.documents.blocks import Span
from ascertain.core.errors import StoreError
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Pin, Relation, Role
from ascertain.core.service.status import GraphCounts
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import StoreKind, open_kind
from ascertain.testing.chunk_store.changes import AroundContract, FingerprintContract, ModelContract
from ascertain.testing.chunk_store.filters import FilterCombinationContract
from ascertain.testing.chunk_store.limits import ExportContract, LimitContract
from ascertain.testing.chunk_store.searching import FilterContract, SearchingContract, TenantContract
from ascertain.testing.chunk_store.writing import DeletingContract, ProfileContract, WritingContract
from ascertain.testing.store_documents import DIMENSION


class ChunkStoreContract(
    ProfileContract,
    WritingContract,
    DeletingContract,
    SearchingContract,
    FilterContract,
    TenantContract,
    AroundContract,
    ModelContract,
    FilterCombinationContract,
    FingerprintContract,
    ExportContract,
    LimitContract,
):
    """Subclass it in a module of tests and give it ``kind``; what the store lacks has the defaults.

    Each home, a folder of its own, must be a separate store: if ``settings`` name the place on a server, override
    ``choose_settings``.
    """

    kind: StoreKind

    @pytest.fixture
    def choose_settings(self):
        """A function that gives the settings for a home, the same ones each time."""
        return lambda home: StoreSettings()

    @pytest.fixture
    def open_store(self, choose_settings):
        """A function that opens the store of a home."""
        return lambda home, *model: open_kind(self.kind, choose_settings(home), home, model)

    @pytest.fixture
    def opened(self, open_store):
        """Opens stores that are closed after the test."""
        stores = []

        def open_complete(home, model="model-a", dimension=DIMENSION):
            stores.append(open_store(home, model, dimension))
            return stores[-1]

        yield open_complete
        for store in stores:
            store.close()

    @pytest.fixture
    def reopen(self, opened, tmp_path):
        """Open the store under test again, as another process would."""
        return lambda *model: opened(tmp_path / "home", *model)

    @pytest.fixture
    def store(self, reopen):
        """The store under test."""
        return reopen()

    @pytest.fixture
    def second(self, opened, tmp_path):
        """Another empty store of the same kind."""
        return opened(tmp_path / "second")


SENTENCE = Span(0, 60)
ROLES = list(Role)


def a_graph(document_id="d1", names=("ada", "bob"), chunks=2, *, version="v1", tenant="default", talk=None):
    """A document whose chunks name these one after the other; the first founded the last, also known as itself."""
    chunk_ids = tuple(f"{document_id}:{place}" for place in range(chunks))
    mentions = tuple(a_mention(name, chunk_ids[place % chunks], 5 * place) for place, name in enumerate(names))
    relations = (Relation(names[0], "founded", names[-1], chunk_ids[-1], SENTENCE),) if names else ()
    aliases = (AliasClaim(names[0], names[-1], chunk_ids[0], Span(0, 3), "also known as"),) if names else ()
    return DocumentGraph(document_id, version, chunk_ids, mentions, relations, aliases, talk, tenant)


def a_mention(name, chunk_id, start=0, role=Role.NAMED):
    written = name if isinstance(name, Name) else Name(name, name.upper(), "Person")
    return Mention(written, chunk_id, Span(start, start + 3), SENTENCE, role)


def comparable_columns(columns):
    """All that columns hold but the generation, comparable."""
    return {
        "documents": list(columns.documents),
        "conversations": list(columns.conversations),
        "chunk_ids": list(columns.chunk_ids),
        "chunk_document": columns.chunk_document.tolist(),
        "names": list(columns.names),
        "mention_name": columns.mention_name.tolist(),
        "mention_chunk": columns.mention_chunk.tolist(),
        "mention_sentence": columns.mention_sentence.tolist(),
        "mention_role": columns.mention_role.tolist(),
        "relations": list(columns.relations),
        "aliases": list(columns.aliases),
    }


def expected_columns(graphs):
    """What ``comparable_columns`` gives of these documents of one tenant."""
    documents = sorted(graphs, key=lambda graph: graph.document_id)
    chunks = [(place, chunk_id) for place, one in enumerate(documents) for chunk_id in one.chunk_ids]
    placed = {(documents[place].document_id, chunk_id): number for number, (place, chunk_id) in enumerate(chunks)}
    names = sorted({mention.name for one in documents for mention in one.mentions})
    mentions = sorted(
        (placed[one.document_id, said.chunk_id], said.span.start, said.name, *mention_rest(said))
        for one in documents
        for said in one.mentions
    )
    relations = sorted(
        (placed[one.document_id, said.chunk_id], said.sentence.start, *relation_rest(said), said)
        for one in documents
        for said in one.relations
    )
    aliases = sorted(
        (placed[one.document_id, said.chunk_id], said.span.start, *alias_rest(said), said)
        for one in documents
        for said in one.aliases
    )
    return {
        "documents": [one.document_id for one in documents],
        "conversations": [one.conversation_id for one in documents],
        "chunk_ids": [chunk_id for _, chunk_id in chunks],
        "chunk_document": [place for place, _ in chunks],
        "names": names,
        "mention_name": [names.index(row[2]) for row in mentions],
        "mention_chunk": [row[0] for row in mentions],
        "mention_sentence": [row[4] for row in mentions],
        "mention_role": [row[6] for row in mentions],
        "relations": [row[-1] for row in relations],
        "aliases": [row[-1] for row in aliases],
    }


def mention_rest(said):
    return said.span.end, said.sentence.start, said.sentence.end, ROLES.index(said.role)


def relation_rest(said):
    return said.subject, said.predicate, said.object, said.sentence.end, said.origin


def alias_rest(said):
    return said.alias, said.key, said.span.end, said.reason


def first_mentions(graphs, keys, limit):
    """What ``mentions`` gives."""
    found = [
        (one.document_id, one.chunk_ids.index(said.chunk_id), said.span.start, said.name, *mention_rest(said), said)
        for one in graphs
        for said in one.mentions
        if said.name.key in keys
    ]
    return [row[-1] for row in sorted(found, key=lambda row: row[:-1])[:limit]]


NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)

ODD = (
    "naïve 東京 🦀",
    'O\'Brien "quoted" `back` \\ %s ? $1 {x} [y]',
    "a\0b",
    "lone \ud800 surrogate",
    "\ufdd0000 escape",
    "line\nbreak\ttab ",
    "",
    "x" * 20_000,
    "é" * 5_000 + "1",
    "é" * 5_000 + "2",
)


class GraphStoreContract:
    """Subclass it in a module of tests and give it a fixture ``reopen``, which opens one graph, again and again."""

    @pytest.fixture
    def graph(self, reopen):
        """The graph under test."""
        return reopen()

    def test_nothing_is_there_at_first(self, graph):
        assert comparable_columns(graph.columns("default")) == expected_columns([])
        assert graph.counts("default") == GraphCounts(0, 0, 0, 0, 0, 0)
        assert (graph.known("default"), graph.tenants(), graph.pins("default")) == ({}, [], [])
        assert graph.mentions("default", ["ada"]) == []
        assert graph.summaries("default", ["x"]) == {}
        assert graph.delete("default", ["d1"]) == 0
        assert graph.unpin("default", "a", "b") is False
        assert graph.forget_summaries("default", []) == 0
        assert graph.generation("default") == graph.columns("default").generation

    def test_what_documents_say_is_given_back(self, graph, reopen):
        two = [a_graph("d2", ("bob", "cleo", "ada"), 3, talk="a talk"), a_graph("d1")]
        graph.upsert(two)
        for place in (graph, reopen()):
            assert comparable_columns(place.columns("default")) == expected_columns(two)
            assert place.known("default") == {"d1": "v1", "d2": "v1"}
            assert place.counts("default") == GraphCounts(2, 5, 3, 5, 2, 2)
            assert place.tenants() == ["default"]
            assert place.columns("default").generation == place.generation("default")

    def test_a_document_is_replaced_with_all_that_only_it_said(self, graph):
        graph.upsert([a_graph("d1", ("ada", "bob")), a_graph("d2", ("bob", "cleo"))])
        after = [a_graph("d1", ("dora",), 1, version="v2"), a_graph("d2", ("bob", "cleo"))]
        graph.upsert(after[:1])
        assert comparable_columns(graph.columns("default")) == expected_columns(after)
        assert graph.known("default") == {"d1": "v2", "d2": "v1"}
        assert graph.mentions("default", ["ada"]) == []
        assert [said.chunk_id for said in graph.mentions("default", ["bob"])] == ["d2:0"]

    def test_a_name_goes_with_the_last_document_that_mentions_it(self, graph):
        graph.upsert([a_graph("d1", ("ada", "bob")), a_graph("d2", ("bob", "cleo"))])
        assert graph.delete("default", ["d1", "unknown", "d1"]) == 1
        assert [name.key for name in graph.columns("default").names] == ["bob", "cleo"]
        assert graph.delete("default", ["d2"]) == 1
        assert comparable_columns(graph.columns("default")) == expected_columns([])
        assert graph.counts("default") == GraphCounts(0, 0, 0, 0, 0, 0)
        assert graph.tenants() == []

    def test_a_document_that_names_nothing_is_there_and_so_is_one_without_chunks(self, graph):
        documents = [DocumentGraph("silent", "v1", ("a", "b")), DocumentGraph("empty", "v1", ())]
        graph.upsert(documents)
        assert comparable_columns(graph.columns("default")) == expected_columns(documents)
        assert graph.counts("default") == GraphCounts(2, 2, 0, 0, 0, 0)
        assert graph.known("default") == {"silent": "v1", "empty": "v1"}

    def test_of_a_document_given_twice_the_last_one_stays(self, graph):
        graph.upsert([a_graph("d1", ("ada",)), a_graph("d1", ("bob",), version="v2")])
        assert comparable_columns(graph.columns("default")) == expected_columns([a_graph("d1", ("bob",), version="v2")])

    def test_what_is_said_twice_is_kept_twice(self, graph):
        said = a_mention("ada", "d:0")
        relation = Relation("ada", "founded", "bob", "d:0", SENTENCE)
        claim = AliasClaim("a", "ada", "d:0", Span(0, 1), "abbreviation")
        document = DocumentGraph("d", "v", ("d:0",), (said, said), (relation, relation), (claim, claim))
        graph.upsert([document])
        assert comparable_columns(graph.columns("default")) == expected_columns([document])
        assert graph.mentions("default", ["ada"]) == [said, said]

    def test_the_order_in_which_a_document_says_things_makes_no_difference(self, graph):
        names = [Name(key, written, kind) for key in "ab" for written in "AB" for kind in ("", "Person")]
        said = [
            Mention(name, f"d:{place}", Span(start, end), Span(sentence, 90), role)
            for name in names
            for place, start, end, sentence, role in (
                (11, 4, 9, 0, Role.TITLE),
                (2, 4, 9, 0, Role.NAMED),
                (2, 4, 9, 0, Role.SPEAKER),
                (2, 4, 8, 1, Role.NAMED),
                (2, 3, 8, 0, Role.NAMED),
            )
        ]
        chunk_ids = tuple(f"d:{place}" for place in range(12))
        document = DocumentGraph("d", "v", chunk_ids, tuple(said))
        graph.upsert([document])
        once = comparable_columns(graph.columns("default"))
        assert once == expected_columns([document])
        graph.upsert([replace(document, mentions=tuple(reversed(said)))])
        assert comparable_columns(graph.columns("default")) == once

    @pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
    def test_any_text_comes_back_as_it_was(self, odd, graph):
        name = Name(odd, odd, odd)
        # Document ids and tenants are chosen by callers too.
        document = DocumentGraph(
            f"d {odd}",
            f"v {odd}",
            (f"c {odd}", f"{odd} c"),
            (a_mention(name, f"{odd} c"),),
            (Relation(odd, odd, odd, f"c {odd}", SENTENCE, odd),),
            (AliasClaim(odd, odd, f"c {odd}", Span(0, 1), odd),),
            odd,
            odd,
        )
        graph.upsert([document])
        assert comparable_columns(graph.columns(odd)) == expected_columns([document])
        assert graph.known(odd) == {document.document_id: document.version}
        assert graph.tenants() == [odd]
        assert graph.mentions(odd, [odd]) == list(document.mentions)
        assert graph.graphs(odd, [document.document_id]) == [document]
        pin = Pin(odd, f"{odd}!", True, odd, NOON)
        graph.pin(odd, pin)
        assert graph.pins(odd) == [pin]
        graph.keep_summaries(odd, {odd: odd})
        assert graph.summaries(odd, [odd]) == {odd: odd}
        assert graph.delete(odd, [document.document_id]) == 1

    def test_long_names_that_begin_alike_are_not_the_same(self, graph):
        one, other = "é" * 5_000 + "1", "é" * 5_000 + "2"
        graph.upsert([a_graph("d1", (one, other))])
        assert [said.name.key for said in graph.mentions("default", [other])] == [other]
        assert graph.counts("default").names == 2

    def test_ten_thousand_ids_at_once(self, graph):
        graph.upsert([a_graph("d1", tuple(f"name {number}" for number in range(300)), 3)])
        many = [f"unknown {number}" for number in range(10_000)]
        assert len(graph.mentions("default", [*many, *(f"name {number}" for number in range(300))], 5000)) == 300
        assert graph.summaries("default", many) == {}
        assert graph.delete("default", [*many, "d1"]) == 1
        assert graph.forget_summaries("default", many) == 0

    def test_mentions_are_the_first_of_all_documents(self, graph):
        documents = [a_graph(f"d{number}", ("ada", "bob", "ada", "cleo", "bob"), 2) for number in (10, 9, 1, 2)]
        graph.upsert(documents)
        for limit in (0, 1, 3, 4, 7, 1000):
            found = graph.mentions("default", ["bob", "ada", "nobody", "bob"], limit)
            assert found == first_mentions(documents, {"ada", "bob"}, limit)
        assert graph.mentions("default", []) == []
        assert graph.mentions("default", ["ADA"]) == []

    def test_one_key_finds_every_way_in_which_it_is_written(self, graph):
        names = [Name("ada", "Ada", "Person"), Name("ada", "ADA", ""), Name("ada", "ADA", "Product")]
        document = DocumentGraph("d", "v", ("d:0",), tuple(a_mention(name, "d:0") for name in names))
        graph.upsert([document])
        assert {said.name for said in graph.mentions("default", ["ada"])} == set(names)
        assert graph.counts("default").names == 1
        assert list(graph.columns("default").names) == sorted(names)

    def test_documents_are_given_back_whole(self, graph):
        spoken = Mention(Name("ada", "Ada Lovelace", "Person"), "d1:1", Span(7, 19), Span(5, 40), Role.SPEAKER)
        said = replace(a_graph("d1", ("ada", "bob"), 3, talk="a talk"), mentions=(spoken,))
        silent, other = DocumentGraph("silent", "v2", ()), a_graph("d2")
        graph.upsert([said, silent, other, a_graph("d1", ("cleo",), tenant="them")])
        assert graph.graphs("default", ["silent", "unknown", "d1"]) == [silent, said]
        assert graph.graphs("default", ["d2"]) == [other]
        assert graph.graphs("them", ["d1", "d2"]) == [a_graph("d1", ("cleo",), tenant="them")]
        assert graph.graphs("default", []) == graph.graphs("nobody", ["d1"]) == []

    def test_the_check_counts_what_there_is_and_finds_nothing_wrong(self, graph):
        assert graph.check().problems == ()
        said = a_graph("d1", ("ada", "bob"))
        shouted = Mention(Name("ada", "ADA", ""), "d1:0", Span(20, 23), Span(5, 40))
        said = replace(said, mentions=(*said.mentions, shouted))
        graph.upsert([said, a_graph("d2", ("bob",), tenant="them")])
        report = graph.check()
        assert report.problems == ()
        assert report.facts["knowledge graph"] == "2 documents, 3 names, 4 mentions, 2 relations"
        assert graph.counts("default").names + graph.counts("them").names == 3

    def test_tenants_never_see_each_other(self, graph):
        mine, theirs = (a_graph("d1", ("ada",), tenant="me"), a_graph("d1", ("bob",), tenant="them", version="v2"))
        graph.upsert([mine, theirs, a_graph("d2", ("ada",), tenant="me")])
        graph.pin("me", Pin("a", "b", True, "", NOON))
        graph.keep_summaries("me", {"x": "mine"})
        before = graph.generation("them")
        assert graph.tenants() == ["me", "them"]
        assert comparable_columns(graph.columns("them")) == expected_columns([theirs])
        assert graph.known("them") == {"d1": "v2"}
        assert graph.mentions("them", ["ada"]) == []
        assert (graph.pins("them"), graph.summaries("them", ["x"])) == ([], {})
        assert graph.counts("them") == GraphCounts(1, 2, 1, 1, 1, 1)
        assert graph.delete("them", ["d2"]) == 0
        assert graph.forget_summaries("them", []) == 0
        assert graph.unpin("them", "a", "b") is False
        assert graph.delete("me", ["d1"]) == 1
        assert comparable_columns(graph.columns("them")) == expected_columns([theirs])
        assert graph.generation("them") == before
        assert graph.summaries("me", ["x"]) == {"x": "mine"}

    def test_every_change_has_another_generation(self, graph, reopen):
        seen = [graph.generation("default")]
        other = reopen()
        pin = Pin("a", "b", False, "", NOON)
        for change in (
            lambda: graph.upsert([a_graph("d1")]),
            lambda: other.upsert([a_graph("d1")]),
            lambda: graph.upsert([a_graph("d2")]),
            lambda: other.pin("default", pin),
            lambda: graph.unpin("default", "b", "a"),
            lambda: other.delete("default", ["d2"]),
        ):
            change()
            seen.append(graph.generation("default"))
            assert other.generation("default") == graph.columns("default").generation == seen[-1]
        assert len(set(seen)) == len(seen)

    def test_what_changes_nothing_keeps_the_generation(self, graph):
        graph.upsert([a_graph("d1")])
        before = graph.generation("default")
        graph.upsert([])
        graph.delete("default", ["unknown"])
        graph.delete("default", [])
        graph.unpin("default", "a", "b")
        graph.keep_summaries("default", {"x": "text"})
        graph.summaries("default", ["x"])
        graph.columns("default")
        graph.forget_summaries("default", [])
        graph.upsert([a_graph("d1", tenant="another")])
        assert graph.generation("default") == before

    def test_a_graph_that_was_emptied_and_filled_again_has_another_generation(self, graph):
        graph.upsert([a_graph("d1", ("ada",))])
        before = graph.generation("default")
        graph.delete("default", ["d1"])
        graph.upsert([a_graph("d1", ("bob",))])
        assert graph.generation("default") != before

    def test_the_last_decision_about_two_names_counts(self, graph, reopen):
        pins = [
            Pin("b", "a", True, "first", NOON),
            Pin("a", "b", False, "second", NOON + timedelta(microseconds=1)),
            Pin("ab", "", True, "other", NOON),
            Pin("a", "c", True, "other", NOON),
        ]
        for pin in pins:
            graph.pin("default", pin)
        assert reopen().pins("default") == [pins[1], pins[3], pins[2]]
        assert graph.unpin("default", "b", "a") is True
        assert graph.unpin("default", "b", "a") is False
        assert graph.pins("default") == [pins[3], pins[2]]
        assert graph.tenants() == []

    def test_decisions_and_texts_stay_when_documents_go(self, graph):
        pin = Pin("a", "b", True, "", NOON)
        graph.upsert([a_graph("d1")])
        graph.pin("default", pin)
        graph.keep_summaries("default", {"x": "text"})
        graph.delete("default", ["d1"])
        assert graph.pins("default") == [pin]
        assert graph.summaries("default", ["x"]) == {"x": "text"}

    def test_texts_are_kept_until_they_are_no_longer_wanted(self, graph, reopen):
        graph.keep_summaries("default", {"a": "one", "b": "two", "c": "three"})
        graph.keep_summaries("default", {"b": "newer"})
        graph.keep_summaries("default", {})
        assert reopen().summaries("default", ["a", "b", "unknown", "a"]) == {"a": "one", "b": "newer"}
        assert graph.forget_summaries("default", ["b", "unknown"]) == 2
        assert graph.summaries("default", ["a", "b", "c"]) == {"b": "newer"}

    @pytest.mark.parametrize("wrong", ("mentions", "relations", "aliases", "chunk_ids"))
    def test_a_graph_that_speaks_of_a_chunk_it_does_not_have_is_refused_and_changes_nothing(self, wrong, graph):
        graph.upsert([a_graph("d1")])
        before = graph.generation("default")
        other = a_graph("d1", ("cleo",), 3)
        changed = {"chunk_ids": ("d1:0", "d1:0", "d1:2")} if wrong == "chunk_ids" else {"chunk_ids": ("x",)}
        kept = {part: () for part in ("mentions", "relations", "aliases") if part not in (wrong, "chunk_ids")}
        with pytest.raises(ValueError, match="d1"):
            graph.upsert([replace(other, **changed, **kept)])
        assert comparable_columns(graph.columns("default")) == expected_columns([a_graph("d1")])
        assert graph.generation("default") == before

    def test_more_than_fits_into_one_transaction(self, graph):
        names = [f"name {number}" for number in range(700)]
        documents = [
            a_graph(f"d{number}", tuple(names[(7 * number + place) % 700] for place in range(1500)), 5)
            for number in range(14)
        ]
        graph.upsert(documents)
        found, wanted = comparable_columns(graph.columns("default")), expected_columns(documents)
        assert found == wanted
        assert graph.delete("default", [document.document_id for document in documents[1:]]) == 13
        assert comparable_columns(graph.columns("default")) == expected_columns(documents[:1])

    def test_a_closed_graph_says_so(self, reopen):
        graph = reopen()
        graph.close()
        for call in (lambda: graph.known("default"), lambda: graph.upsert([a_graph()])):
            with pytest.raises(StoreError, match="closed"):
                call()
