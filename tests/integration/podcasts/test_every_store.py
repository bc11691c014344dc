"""The same questions over every kind of store: the words are looked up by each store's own search."""

import importlib
import sys
from pathlib import Path

import pytest
from small_knowledge import WordHashes

from ascertain import Ascertain
from ascertain.core.settings import Settings

sys.path.append(str(Path(__file__).parents[2] / "contract"))

KINDS = ("postgres", "qdrant", "chroma_folder")
"""Beside the embedded one, which the other tests use; those that differ from these by the connection alone are left out."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("use", ["auto", "never"])
def test_who_said_what_in_every_store(kind, use, episodes, tmp_path):
    with importlib.import_module(f"backend_{kind}").backend(tmp_path / "server") as server:
        settings = Settings(
            home=tmp_path / "home",
            profile="podcasts",
            store=server.settings("podcasts", lock_seconds=20),
            graph={"build": use == "auto", "use": use},
        )
        with Ascertain(settings, embedder=WordHashes()) as show:
            show.add([episodes])
            who = show.ask("Who discussed sourdough and in which episodes?", use_cache=False)
            when = show.ask("When did Tyler Cowen talk about inflation?", use_cache=False)
    assert [(c.place.speaker, c.title, c.place.start_time) for c in who.citations] == [
        ("Ben Okoro", "Episode 2 Rye", 5.0),
        ("Ben Okoro", "Episode 9 Prices", 12.5),
        ("Ana Flores", "Episode 10: Ovens", 0.0),
    ]
    assert [(c.title, c.place.start_time) for c in when.citations] == [
        ("Episode 9 Prices", 3.0),
        ("Episode 9 Prices", 3723.0),
    ]
