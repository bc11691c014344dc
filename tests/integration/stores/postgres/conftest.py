"""Stores of the tests of this folder, in schemas of their own of one database."""

import subprocess
import sys
from itertools import count
from pathlib import Path

import psycopg
import pytest
from backend_postgres import connect_to_shared
from psycopg import sql
from shared_server import WORKER, share_server

from ascertain.stores.registry import open_store

CONTRACT = Path(__file__).parents[3] / "contract"
_numbers = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A database of its own: tests here end sessions, count them, and build indexes, which wait for all who read."""
    url = share_server("backend_postgres", tmp_path_factory.getbasetemp())
    return connect_to_shared(url, f"{WORKER}_alone")


@pytest.fixture
def schema():
    return f"store{next(_numbers)}"


@pytest.fixture
def settings(server, schema):
    """Settings of the schema under test, others by keyword."""
    return lambda **fields: server.settings(schema, **{"lock_seconds": 20, **fields})


@pytest.fixture
def reopen(settings, tmp_path):
    """Open the store under test; settings by keyword."""
    opened = []

    def open_again(model="model-a", dimension=8, create=True, **fields):
        opened.append(open_store(settings(**fields), tmp_path, model, dimension, create=create))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def database(server, schema):
    """A connection to look at the schema under test and to tamper with it."""
    with psycopg.connect(server.url, autocommit=True) as db:
        db.execute(sql.SQL("SET search_path = {}, public").format(sql.Identifier(schema)))
        yield db


@pytest.fixture
def process(settings, tmp_path):
    """Start a script in another process, which has ``settings``, ``home`` and the builders of documents."""
    started = []

    def start(script, **fields):
        begin = (
            f"import sys\nsys.path.insert(0, {str(CONTRACT)!r})\n"
            "from pathlib import Path\nfrom ascertain.testing.store_documents import *\n"
            "from ascertain.core.settings import StoreSettings\n"
            "from ascertain.stores.registry import create_schema, open_store\n"
            f"home = Path({str(tmp_path)!r})\n"
            f"settings = StoreSettings.model_validate_json({settings(**fields).model_dump_json()!r})\n"
        )
        started.append(subprocess.Popen([sys.executable, "-c", begin + script], stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.wait()
        each.stdout.close()
