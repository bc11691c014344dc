import re
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ascertain import Ascertain
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.runs import FELL_BACK
from ascertain.core.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))

from hostile_documents import SUBJECTS, HostileDocument

SIDE_NOTES = {"sentences skipped", FELL_BACK}
"""Records of what was left out or done by rules: they take no decision."""


class Shelf:
    """A knowledge base with one document on each subject, in which one at a time is exchanged for a hostile one."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.knowledge = Ascertain(settings)
        for subject in SUBJECTS:
            self._write(f"{subject.name}.txt", f"{subject.fact} {subject.around}")
        self.knowledge.add([folder])

    def ask(self, case: HostileDocument, text: str) -> Answer:
        """The answer to the question of the case's subject when ``text`` is the document on it."""
        subject = case.subject
        (self.folder / f"{subject.name}.txt").unlink()
        self._write(f"{subject.name}{case.suffix}", text)
        self.knowledge.add([self.folder], sync=True)
        try:
            return self.knowledge.ask(subject.question, use_cache=False)
        finally:
            (self.folder / f"{subject.name}{case.suffix}").unlink()
            self._write(f"{subject.name}.txt", f"{subject.fact} {subject.around}")

    def _write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory) -> Iterator[Callable[..., Shelf]]:
    """Builds a shelf with the settings given; closed when the module is done."""
    opened: list[Shelf] = []

    def build(**sections: object) -> Shelf:
        root = tmp_path_factory.mktemp("shelf")
        (root / "documents").mkdir()
        settings = Settings.model_validate({"home": root / "home", **sections})
        opened.append(Shelf(root / "documents", settings))
        return opened[-1]

    yield build
    for each in opened:
        each.knowledge.close()


@pytest.fixture(scope="module")
def in_the_clear() -> Callable[..., Answer]:
    """The answer from the document without the order; computed once a shelf, subject and layout."""
    known: dict[tuple[int, str], Answer] = {}

    def answer(shelf: Shelf, case: HostileDocument) -> Answer:
        key = (id(shelf), case.clean)
        if key not in known:
            known[key] = shelf.ask(case, case.clean)
        return known[key]

    return answer


@pytest.fixture(autouse=True)
def nothing_is_fetched(monkeypatch):
    """Any name looked up or address called beside loopback fails the test."""
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self, address):
        assert not isinstance(address, tuple) or address[0] in {"127.0.0.1", "::1"}, address
        return connect(self, address)

    def guarded_look_up(host, *args, **kwargs):
        assert host in {"127.0.0.1", "localhost", None}, host
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)


@pytest.fixture(scope="session")
def route() -> Callable[[Answer], list[tuple[str, str]]]:
    """The nodes of an answer with their outcomes, in order; figures are left out, which any text more or less changes."""

    def nodes(answer: Answer) -> list[tuple[str, str]]:
        decided = [d for d in answer.decisions if d.outcome not in SIDE_NOTES]
        return [(d.node, re.sub(r"\d+( sentences?)?", "#", d.outcome)) for d in decided]

    return nodes
