"""Chat servers for every test that needs one: scripted, or with a real small model behind it."""

import sys
from pathlib import Path

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent / "chat_servers"))
sys.path.insert(0, str(Path(__file__).parent / "contract"))

from scripted_chat_server import ScriptedChatServer
from small_chat_server import SmallChatServer

# How long one example takes says more about the machine than about the code.
hypothesis.settings.register_profile("ascertain", deadline=None)
hypothesis.settings.load_profile("ascertain")


@pytest.fixture
def scripted_chat_server():
    """Speaks the OpenAI chat API on loopback and answers from a script; see scripted_chat_server.py."""
    server = ScriptedChatServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def small_chat_server():
    """A real chat model of 135M parameters on loopback; what it says is often nonsense."""
    server = SmallChatServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory):
    """A real PostgreSQL with pgvector that one session shares; each test uses a schema of its own."""
    from backend_postgres import backend

    with backend(tmp_path_factory.mktemp("postgres")) as server:
        yield server.url
