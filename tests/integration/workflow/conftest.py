"""Makes the planted corpora importable by the tests beside this file, and asks one of them with chat models in roles."""

from __future__ import annotations

import sys
from functools import cache, partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from interviews import ask_as
from planted_facts import documents

from ascertain.app.ascertain import Ascertain
from ascertain.core.settings import Settings


@pytest.fixture(scope="session")
def interview(tmp_path_factory):
    """An ``Interview``; each model is asked once in a run."""
    home = tmp_path_factory.mktemp("facts") / "kb"
    with Ascertain(Settings(home=home)) as knowledge:
        knowledge.add_documents(documents())
    return cache(partial(ask_as, home=home))
