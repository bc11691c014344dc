from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ascertain.app.ascertain import Ascertain
from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.settings import IngestSettings, Settings, StoreSettings

RAY = IngestSettings(engine="ray")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text("A fox saw a hen.")
    return path


def test_a_run_of_this_process_is_in_the_ingest_log(tmp_path: Path, note: Path) -> None:
    with Ascertain(Settings(home=tmp_path / "home")) as knowledge:
        knowledge.add([note])
        (run,) = knowledge.ingest_runs()
    assert (run.engine, run.what, run.state, run.chunks) == ("local", str(note.resolve()), "finished", 1)
    assert run.bytes_done == run.bytes_total == note.stat().st_size


def test_a_cluster_needs_a_store_that_several_machines_can_write_to(tmp_path: Path, note: Path) -> None:
    home = tmp_path / "home"
    with (
        Ascertain(Settings(home=home, ingest=RAY)) as knowledge,
        pytest.raises(ConfigurationError, match=r"needs a server store.*or use the local engine"),
    ):
        knowledge.add([note])
    assert not home.exists()


def test_a_cluster_without_ray_names_the_extra(tmp_path: Path, note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "ascertain.documents.ingest.cluster.ray_data", raising=False)
    store = StoreSettings(kind="postgres", url="postgresql://nobody@localhost:1/none")
    with (
        Ascertain(Settings(home=tmp_path / "home", store=store, ingest=RAY)) as knowledge,
        pytest.raises(MissingExtra, match=r"pip install .*\[ray\]"),
    ):
        knowledge.add([note])
