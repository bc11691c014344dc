"""A source, or a move to another model, that several ask for at the same moment is one job."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from ascertain import Ascertain, Settings

ASKING = 8


@pytest.fixture
def knowledge(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mill.md").write_text("The mill at Olhao was built in 1885.\n")
    with Ascertain(Settings(home=tmp_path / "kb")) as opened:
        opened.sources.add(str(tmp_path / "notes"), name="notes")
        yield opened


@pytest.mark.parametrize(
    "submit",
    [
        lambda knowledge: knowledge.jobs.submit_source("notes"),
        lambda knowledge: knowledge.jobs.submit_move("all-MiniLM-L6-v2"),
    ],
    ids=["source", "move"],
)
def test_what_is_asked_for_at_once_is_one_job(knowledge, submit):
    together = Barrier(ASKING)

    def ask(_):
        together.wait()
        return submit(knowledge).id

    with ThreadPoolExecutor(ASKING) as threads:
        ids = set(threads.map(ask, range(ASKING)))
    assert len(ids) == 1
