"""``ascertain demo`` says what of its documents could not be read."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

import ascertain.app.demo
from ascertain.app.demo import read_demo
from ascertain.core.documents.ingest import Failure, IngestReport
from ascertain.interfaces.cli.commands.demo import _build_corpus


@pytest.mark.parametrize("as_json", [False, True])
def test_the_demo_tells_its_failures(monkeypatch, as_json):
    reports = [IngestReport(added=3), IngestReport(failures=(Failure("paper.pdf", "no process can be started"),))]
    monkeypatch.setattr(ascertain.app.demo, "add_demo", lambda *_: reports)
    out, err = (Console(file=io.StringIO(), width=100) for _ in range(2))
    knowledge = SimpleNamespace(stats=lambda: SimpleNamespace(documents=3, chunks=9))
    _build_corpus(SimpleNamespace(as_json=as_json, out=out, err=err), knowledge, read_demo())
    told, silent = (err, out) if as_json else (out, err)
    assert "1 failure:" in told.file.getvalue()
    assert "no process can be started" in told.file.getvalue()
    assert "failure" not in silent.file.getvalue()
