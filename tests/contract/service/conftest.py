"""What a service keeps is in SQLite or PostgreSQL, wherever the chunks are; the suites run on these two."""

import pytest

from ascertain.stores.registry import open_service

SCRIPT = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_service

noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
service = open_service(StoreSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
def say(*words):
    print(*words, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(params=("embedded", "postgres"))
def backend(request, backends):
    return backends(request.param)


@pytest.fixture
def reopen(settings, home):
    """Open what the service of one knowledge base keeps again, as another process would."""
    opened = []

    def open_again():
        opened.append(open_service(settings, home))
        return opened[-1]

    yield open_again
    for service in opened:
        service.close()


@pytest.fixture
def service(reopen):
    return reopen()


@pytest.fixture
def process(run_script):
    """Start a script in another process, which has ``service`` and ``say`` (print a line, wait for one)."""
    return lambda script, *arguments: run_script(SCRIPT + script, *arguments)
