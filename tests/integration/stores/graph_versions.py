"""What must be in a graph after any upgrade, where ``embedded_versions`` or ``postgres_versions`` wrote one."""

from datetime import UTC, datetime

from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import AliasClaim, Mention, Name, Pin, Relation, Role
from ascertain.core.service.status import GraphCounts
from ascertain.core.settings import GraphSettings
from ascertain.stores.registry import open_graph


def check_graph(settings, home, is_filled):
    graph = open_graph(GraphSettings(), settings, home)
    if not is_filled:
        assert graph.counts("default") == GraphCounts(0, 0, 0, 0, 0, 0)
        graph.close()
        return
    assert graph.generation("default") == "then"
    assert graph.known("default") == {"a1b2": "v:rules"}
    assert graph.mentions("default", ["wallet"]) == [
        Mention(Name("wallet", "Wallet", "Product"), "a1b2:1", Span(4, 10), Span(0, 20), Role.TITLE)
    ]
    columns = graph.columns("default")
    assert list(columns.relations) == [Relation("wallet", "signs", "phrase", "a1b2:1", Span(0, 20), "pattern")]
    assert list(columns.aliases) == [AliasClaim("w", "wallet", "a1b2:0", Span(1, 2), "abbreviation")]
    assert graph.pins("default") == [
        Pin("wallet", "purse", False, "not that one", datetime(2026, 3, 1, 12, tzinfo=UTC))
    ]
    assert graph.unpin("default", "purse", "wallet") is True
    assert graph.summaries("default", ["abc"]) == {"abc": "of wallets"}
    assert graph.delete("default", ["a1b2"]) == 1
    assert graph.counts("default") == GraphCounts(0, 0, 0, 0, 0, 0)
    graph.close()
