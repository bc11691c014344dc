"""An addition that is interrupted, and the same one after it."""

from __future__ import annotations

import numpy as np
import pytest
from small_knowledge import WordHashes, opened

from ascertain.core.settings import IngestSettings


class Kills(WordHashes):
    """Its process is killed, as far as a test in the same process can be, at a certain call."""

    def __init__(self, at_call: int) -> None:
        super().__init__()
        self.calls_left = at_call

    def embed_documents(self, texts) -> np.ndarray:
        self.calls_left -= 1
        if not self.calls_left:
            raise KeyboardInterrupt
        return super().embed_documents(texts)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(20):
        (folder / f"note{number:02}.txt").write_text(f"Note {number} is about the bridge in Oakford.")
    return folder


def test_a_finished_addition_says_what_was_there_after_an_interruption(tmp_path, folder):
    settings = {"ingest": IngestSettings(embed_batch=4, write_batch=4)}
    with opened(tmp_path / "kb", Kills(at_call=3), **settings) as killed, pytest.raises(KeyboardInterrupt):
        killed.add([folder])
    with opened(tmp_path / "kb", **settings) as knowledge:
        there = len(knowledge.documents())
        assert 0 < there < 20
        report = knowledge.add([folder])
        assert (report.added, report.unchanged) == (20 - there, there)
        (note,) = report.notes
        assert note.startswith("resumed the run of ")
        assert note.endswith(f"UTC, which was interrupted: {there} of 20 documents were there already")
        assert knowledge.add([folder]).notes == ()


def test_one_that_was_interrupted_before_anything_was_written_begins_anew(tmp_path, folder):
    with opened(tmp_path / "kb", Kills(at_call=1)) as killed, pytest.raises(KeyboardInterrupt):
        killed.add([folder])
    with opened(tmp_path / "kb") as knowledge:
        report = knowledge.add([folder])
    assert (report.added, report.notes) == (20, ())
