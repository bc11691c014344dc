"""What only a Bolt server has: its own errors, knowledge bases that share a database, and people who ask it by hand.

The driver, which imports pandas where that is installed, is left out of the processes that run other tests.
"""

import pytest
from backend_neo4j import KEY_VARIABLE, PASSWORD, USER

from ascertain.core.errors import ConfigurationError, StoreError
from ascertain.stores.registry import open_graph, open_store
from ascertain.testing.stores import a_graph, comparable_columns, expected_columns


@pytest.fixture(params=("neo4j",))
def backend(request, backends):
    return backends(request.param)


@pytest.fixture
def opening(settings, home, backend):
    """Open the graph with other settings."""
    open_store(settings, home, "model-a", 8).close()
    place = settings.model_copy(update={"timeout_seconds": 3})
    return lambda **fields: open_graph(backend.graph_settings(**fields), place, home)


@pytest.fixture
def by_hand(backend):
    """Run Cypher as a person would; the first 1000 rows."""
    import neo4j

    with neo4j.GraphDatabase.driver(backend.bolt, auth=(USER, PASSWORD), notifications_min_severity="OFF") as driver:
        yield lambda query, **parameters: [
            list(row.values()) for row in driver.execute_query(query, parameters, database_=backend.database).records
        ]


def test_a_wrong_password_is_an_error_that_names_the_settings(opening, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "wrong secret")
    with pytest.raises(StoreError, match=r"graph\.user") as caught:
        opening()
    assert KEY_VARIABLE in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_database_that_is_not_there_is_an_error_that_names_it(opening):
    with pytest.raises(StoreError, match=r"no database 'nowhere'.*graph\.database"):
        opening(database="nowhere")


@pytest.mark.parametrize(
    "url", ("localhost", "http://localhost:7687", "bolt://localhost:x", "bolt://", "bolt://me:secret@localhost")
)
def test_an_address_that_is_none_is_a_mistake_in_the_settings(url, opening):
    with pytest.raises(ConfigurationError, match=r"graph\.url") as caught:
        opening(url=url)
    assert "secret" not in str(caught.value)


def test_a_server_that_nobody_knows_is_an_error_that_names_it(opening):
    with pytest.raises(StoreError, match=r"no connection to bolt://nowhere\.invalid:7687"):
        opening(url="bolt://nowhere.invalid:7687")


def test_knowledge_bases_that_share_a_database_never_see_each_other(opening, settings, graph_settings, tmp_path):
    one = opening()
    open_store(settings, tmp_path / "other", "model-a", 8).close()
    other = open_graph(graph_settings, settings, tmp_path / "other")
    one.upsert([a_graph("d1", ("ada",))])
    other.upsert([a_graph("d1", ("bob",))])
    assert other.delete("default", ["d2"]) == 0
    assert comparable_columns(one.columns("default")) == expected_columns([a_graph("d1", ("ada",))])
    assert comparable_columns(other.columns("default")) == expected_columns([a_graph("d1", ("bob",))])
    assert one.mentions("default", ["bob"]) == []
    assert other.delete("default", ["d1"]) == 1
    assert one.tenants() == ["default"]
    one.close()
    other.close()


def test_a_person_can_ask_the_server(opening, by_hand):
    graph = opening()
    graph.upsert(
        [a_graph("talk-1", ("by hand one", "by hand two"), 1), a_graph("talk-2", ("by hand two", "by hand three"))]
    )
    asked = by_hand(
        """MATCH (d:AscertainDocument)-[:HAS_CHUNK]->(c:AscertainChunk)-[:MENTIONS]->(n:AscertainName {key: $key})
           RETURN d.id, c.id ORDER BY d.id""",
        key="by hand two",
    )
    assert asked == [["talk-1", "talk-1:0"], ["talk-2", "talk-2:0"]]
    between = by_hand(
        """MATCH (:AscertainName {key: $one})<-[:MENTIONS]-(c:AscertainChunk)-[:MENTIONS]->(n:AscertainName)
           WHERE n.key <> $one RETURN DISTINCT n.key""",
        one="by hand one",
    )
    assert between == [["by hand two"]]
    stated = by_hand(
        "MATCH (:AscertainChunk)-[:STATES]->(r:AscertainRelation {subject: $one}) RETURN r.object", one="by hand one"
    )
    assert stated == [["by hand two"]]
    graph.close()


def test_nothing_of_a_deleted_document_stays_on_the_server(opening, by_hand):
    def nodes():
        # The tenant of a knowledge base with nothing in it is gone too.
        return by_hand("MATCH (n) RETURN count(n)")[0][0]

    before = nodes()
    graph = opening()
    graph.upsert([a_graph("d1"), a_graph("d2")])
    assert nodes() > before
    graph.upsert([a_graph("d1", ("cleo",))])
    graph.delete("default", ["d1", "d2"])
    assert nodes() == before
    graph.close()


@pytest.fixture
def bolt(opening, settings, backend):
    from ascertain.stores.neo4j.connection import Bolt

    opening().close()
    bolt = Bolt(backend.graph_settings(), settings)
    yield bolt
    bolt.close()


@pytest.fixture
def gone():
    """What a server says when a node was deleted between being found and being read, which no test can bring about."""
    import neo4j

    class Gone(neo4j.exceptions.ClientError):
        code = "Neo.ClientError.Statement.EntityNotFound"

    return Gone


@pytest.mark.parametrize("way", ("read", "change", "undo"))
def test_a_transaction_that_loses_what_it_reads_is_run_again(way, bolt, gone):
    from ascertain.stores.neo4j.connection import fetch_rows

    attempts = []

    def lose(tx):
        attempts.append(len(attempts))
        if len(attempts) < 4:
            raise gone
        return next(fetch_rows(tx, "RETURN 'read'"))[0]

    assert getattr(bolt, way)(lose) == "read"
    assert len(attempts) == 4


def test_a_transaction_that_never_finds_what_it_reads_ends_with_an_error(bolt, gone):
    def lose(tx):
        raise gone

    with pytest.raises(StoreError, match=r"refused the operation"):
        bolt.change(lose)


def test_a_transaction_that_another_makes_a_node_before_is_run_again(bolt, by_hand):
    from ascertain.stores.neo4j.connection import run_statement

    attempts = []

    def make(tx):
        attempts.append(len(attempts))
        run_statement(tx, "MERGE (t:AscertainTenant {uid: 'one'}) ON CREATE SET t.turn = $turn", turn=len(attempts))
        if len(attempts) == 1:
            by_hand("MERGE (t:AscertainTenant {uid: 'one'}) ON CREATE SET t.turn = 0")

    bolt.change(make)
    assert len(attempts) == 2
    assert by_hand("MATCH (t:AscertainTenant {uid: 'one'}) RETURN t.turn") == [[0]]
    by_hand("MATCH (t:AscertainTenant {uid: 'one'}) DELETE t")
