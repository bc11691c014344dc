"""The suite of ``ascertain.testing`` on each of our graph stores."""

import pytest

from ascertain.core.errors import StoreError
from ascertain.stores.registry import open_graph
from ascertain.testing import GraphStoreContract


class TestGraphStore(GraphStoreContract):
    pass


def test_there_is_no_graph_without_a_knowledge_base(settings, graph_settings, tmp_path):
    with pytest.raises(StoreError, match="no knowledge base"):
        open_graph(graph_settings, settings, tmp_path / "nowhere")
