"""What is deleted is nowhere in the home any more, copies of the graph included."""

from pathlib import Path

import pytest
from small_knowledge import WordHashes

from ascertain import Ascertain
from ascertain.core.asking.passages import Filter
from ascertain.core.settings import Settings
from ascertain.graph import knowledge_graph


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(knowledge_graph, "WORTH_A_FILE", 1)
    (tmp_path / "kept.txt").write_text("Norland Lines sails from Oakford to Veltrix Bay.", encoding="utf-8")
    (tmp_path / "gone.txt").write_text("Norland Lines fired its captain, Peter Aaskov.", encoding="utf-8")
    return tmp_path / "home"


def copies(home: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (home / "graph").glob("*.npz")}


def test_a_deleted_name_is_not_in_the_kept_copy_of_the_graph(home):
    with Ascertain(Settings(home=home), embedder=WordHashes()) as knowledge:
        knowledge.add([home.parent / "kept.txt", home.parent / "gone.txt"])
        assert knowledge.graph.entity("Peter Aaskov")
        assert any(b"aaskov" in content for content in copies(home).values())
        knowledge.delete(Filter(sources=(str(home.parent / "gone.txt"),)))
        assert copies(home) == {}
        knowledge.graph.entity("Norland Lines")
        assert copies(home)
        assert not any(b"aaskov" in content for content in copies(home).values())
