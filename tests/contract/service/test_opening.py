"""Where a service keeps its things, and what there is before anything else."""

import subprocess
import sys

import pytest
from service_nouns import NOON, a_job, a_key

from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import embedding_of, open_conversations, open_service, open_store

DIMENSION = 8

OPEN = """
import sys
from pathlib import Path
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_service
settings = StoreSettings.model_validate_json(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
service = open_service(settings, Path(sys.argv[2]))
print(len(service.keys.keys()))
"""


def test_keys_can_be_made_before_the_first_document(service, settings, home):
    service.keys.add(a_key(), b"d" * 32)
    assert embedding_of(settings, home) is None
    store = open_store(settings, home, "model-a", DIMENSION)
    assert store.count() == 0
    store.close()
    assert embedding_of(settings, home) == ("model-a", DIMENSION)
    assert service.keys.find(b"d" * 32) is not None


def test_it_is_there_beside_a_knowledge_base_that_was_there_first(settings, home):
    open_store(settings, home, "model-a", DIMENSION).close()
    service, conversations = open_service(settings, home), open_conversations(settings, home)
    service.jobs.add(a_job())
    conversations.begin("c", "1", "why?", NOON)
    assert [job.id for job in service.jobs.jobs()] == ["job"]
    conversations.close()
    service.close()


def test_processes_may_open_it_at_the_same_time_when_there_is_nothing_yet(settings, home):
    command = [sys.executable, "-c", OPEN, settings.model_dump_json(), str(home)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, **pipes) for _ in range(4)]
    for each in started:
        assert each.stdout.readline() == "ready\n"
    for each in started:
        each.stdin.write("\n")
        each.stdin.flush()
    assert [each.communicate()[0] for each in started] == ["0\n"] * 4
    assert [each.returncode for each in started] == [0] * 4


@pytest.mark.parametrize("kind", ["chroma", "qdrant"])
def test_a_store_of_vectors_has_it_in_the_home(kind, home):
    settings = StoreSettings(kind=kind, url="" if kind == "chroma" else "http://127.0.0.1:1")
    service = open_service(settings, home)
    service.keys.add(a_key(), b"d" * 32)
    stored = service.files.put("f", "f.txt", [b"words"], NOON)
    service.close()
    again = open_service(settings, home)
    assert again.keys.find(b"d" * 32) == a_key()
    assert again.files.files() == [stored]
    assert (home / "record.sqlite3").exists()
    again.close()


def test_a_store_of_vectors_has_it_in_postgresql_where_that_is_named(backends, home):
    server = backends("postgres").settings("beside")
    settings = StoreSettings(kind="qdrant", name=server.name, conversations_url=server.url)
    service, shared = open_service(settings, home), open_service(server, home)
    service.keys.add(a_key(), b"d" * 32)
    assert shared.keys.find(b"d" * 32) == a_key()
    assert not home.exists()
    service.close()
    shared.close()
