"""Keys, answers that people may judge, and uploaded files go with the documents."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from knowledge_bases import MODEL

from ascertain.app.migration.copying import Migration
from ascertain.app.migration.plan import MigrationScope, open_stores
from ascertain.core.documents.documents import document_id
from ascertain.core.service.migration import CopiedService
from ascertain.core.service.service import JobState, Role
from ascertain.testing.store_documents import a_document

sys.path.insert(0, str(Path(__file__).parents[2] / "contract" / "service"))

from service_nouns import NOON, a_given_answer, a_job, a_key, a_notebook, a_user, later

KEYS = [
    a_key("k1", name="press office", requests_per_minute=0, role=Role.ADMIN, last_used_at=NOON),
    a_key("k2", tenant="only a key", created_at=later(hours=1), revoked_at=later(hours=2)),
]
JUDGED = a_given_answer(
    "a1", features={"words": 3}, thumb="down", comment="no 🎈", judged_at=later(hours=1, microseconds=7)
)
WAITING = a_given_answer("a2", conversation_id="tea ☕")
NOTEBOOK = a_notebook("n1", name="manuals", sources=("upload:*",), owner="kim", is_shared=True)
PERSON = a_user("kim", role=Role.READ)
CONTENT = b"\0report" * 400_000


def file_id(name, turn=1, conversation_id=None):
    return f"{document_id(f'upload:{name}', 'default', conversation_id)}.{turn:016x}-0"


def put(service, name, turn=1, content=CONTENT):
    return service.files.put(file_id(name, turn), name, [content[:100], content[100:]], later(seconds=turn))


@pytest.fixture
def filled(source):
    with open_stores(source, MODEL) as here:
        here.chunks.upsert([a_document("upload:report.pdf"), a_document("upload:table.csv#2")])
        for number, key in enumerate(KEYS):
            here.service.keys.add(key, bytes([number]) * 32)
        here.service.feedback.note(JUDGED)
        here.service.feedback.note(WAITING)
        here.service.notebooks.put(NOTEBOOK)
        here.service.users.put(PERSON, "secret")
        put(here.service, "report.pdf")
        put(here.service, "table.csv", content=b"")
        put(here.service, "not yet read.pdf")
        work = {"files": [{"id": file_id("not yet read.pdf"), "name": "not yet read.pdf", "size": 1}]}
        here.service.jobs.add(a_job("waiting", work=work))
    return source


def content(service, name, turn=1):
    with service.files.open(file_id(name, turn)) as path:
        return path.read_bytes()


def test_everything_arrives_and_comes_back(filled, place, folder):
    there, back = place(), folder()
    for from_, to, waiting in ((filled, there, 1), (there, back, 0)):
        report = Migration(from_, to).run()
        assert report.differences == ()
        assert report.service == CopiedService(keys=2, answers=2, files=2, waiting=waiting, notebooks=1, users=1)
        with open_stores(to, MODEL) as stores:
            assert stores.service.keys.keys() == KEYS
            assert stores.service.keys.find(b"\1" * 32) == KEYS[1]
            assert stores.service.feedback.answers() == [JUDGED, WAITING]
            assert stores.service.notebooks.notebooks() == [NOTEBOOK]
            assert stores.service.users.find("kim") == (PERSON, "secret")
            assert [file.name for file in stores.service.files.files()] == ["report.pdf", "table.csv"]
            assert content(stores.service, "report.pdf") == CONTENT
            assert content(stores.service, "table.csv") == b""
            assert stores.service.jobs.jobs() == []
        again = Migration(from_, to).run()
        assert (again.differences, again.service) == ((), CopiedService(waiting=waiting))


def test_what_changed_at_the_source_is_brought_over(filled, folder):
    there = folder()
    Migration(filled, there).run()
    with open_stores(filled, MODEL) as here:
        here.service.keys.revoke("k1", later(days=1))
        here.service.feedback.judge("a1", "up", "better", later(days=1))
        here.service.feedback.judge("a2", "up", "", later(days=1))
        here.service.notebooks.put(replace(NOTEBOOK, name="books", changed_at=later(days=1)))
        here.service.files.delete(file_id("report.pdf"))
        put(here.service, "report.pdf", 2, b"second")
    found = Migration(filled, there).verify().differences
    assert [line.split(" in ")[0] for line in found] == [
        "the key 'press office' (k1) is not the same",
        "the feedback on answer a1 is not the same",
        "the feedback on answer a2 is not the same",
        "the notebook 'books' is not the same",
        f"the uploaded file report.pdf ({file_id('report.pdf', 2)}) is missing",
    ]
    report = Migration(filled, there).run()
    assert (report.differences, report.service) == ((), CopiedService(1, 2, 1, 1, 1))
    with open_stores(there, MODEL) as stores:
        assert stores.service.keys.find(b"\0" * 32).revoked_at == later(days=1)
        assert stores.service.feedback.get("a1").comment == "better"
        assert [file.id for file in stores.service.files.files()] == [file_id("table.csv"), file_id("report.pdf", 2)]


def test_what_only_the_target_has_stays(filled, folder):
    there = folder()
    Migration(filled, there).run()
    own, answer = a_key("own", created_at=later(days=9)), a_given_answer("own")
    with open_stores(there, MODEL) as stores:
        stores.service.keys.add(own, b"o" * 32)
        stores.service.keys.revoke("k1", later(days=1))
        stores.service.feedback.note(answer)
        stores.service.feedback.judge("a1", "up", "better", later(days=1))
    report = Migration(filled, there).run()
    assert (report.differences, report.service) == ((), CopiedService(waiting=1))
    with open_stores(there, MODEL) as stores:
        assert stores.service.keys.keys() == [replace(KEYS[0], revoked_at=later(days=1)), KEYS[1], own]
        assert stores.service.feedback.get("a1").comment == "better"
        assert stores.service.feedback.get("own") == answer


def test_a_file_that_was_damaged_at_the_target_is_named(filled, folder):
    there = folder()
    Migration(filled, there).run()
    with open_stores(there, MODEL) as stores, stores.service.files.open(file_id("report.pdf")) as path:
        path.write_bytes(b"other")
    (line,) = Migration(filled, there).verify().differences
    assert line.startswith("the uploaded file report.pdf")
    assert "is not the same" in line


def test_what_has_been_read_meanwhile_is_brought_later(filled, folder):
    there = folder()
    Migration(filled, there).run()
    with open_stores(filled, MODEL) as here:
        here.chunks.upsert([a_document("upload:not yet read.pdf")])
        job = here.service.jobs.claim(later(hours=1))
        here.service.jobs.finish(job.id, JobState.FINISHED, later(hours=1))
    report = Migration(filled, there).run()
    assert (report.differences, report.written, report.service) == ((), 1, CopiedService(files=1))


def test_one_tenant_takes_its_own_keys_along(filled, folder):
    there = folder()
    report = Migration(filled, there, MigrationScope(tenant="only a key")).run()
    assert (report.differences, report.service) == ((), CopiedService(keys=1))
    with open_stores(there, MODEL) as stores:
        assert stores.service.keys.keys() == [KEYS[1]]
