import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ascertain import Ascertain
from ascertain.core.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "app"))

from small_knowledge import WordHashes

RYE = """WEBVTT

00:00:05.000 --> 00:00:09.000
<v Ben Okoro>Welcome to the oven. Ana, what is a sourdough starter?</v>

00:00:09.500 --> 00:00:20.000
<v Ana Flores>A starter is flour and water in which wild yeast lives. You feed it every day.</v>

00:15:30.000 --> 00:15:41.000
<v Ana Flores>Rye flour wakes a tired starter within two days.</v>

00:15:42.000 --> 00:15:50.000
<v Ben Okoro>Let us hear about salt next time.</v>
"""
PRICES = """1
00:00:03,000 --> 00:00:12,000
Tyler Cowen: Inflation is what turned the price of bread into news.

2
00:00:12,500 --> 00:00:20,000
Ben Okoro: And yet people bake more sourdough than ever.

3
01:02:03,000 --> 01:02:14,000
Tyler Cowen: Grocery inflation came down sooner than the inflation of rents.
"""
OVENS = """# Episode 10: Ovens

**Ana Flores:** \\[00:00\\] Sourdough wants a hot stone and plenty of steam.

**Tyler Cowen:** \\[00:41\\] An oven is capital, and it wears out.

**Ana Flores:** \\[01:05\\] Mine is older than I am, and the starter does not mind.

**Tyler Cowen:** \\[01:20\\] Then it has paid for itself.
"""
EPISODES = {"Episode 2 Rye.vtt": RYE, "Episode 9 Prices.srt": PRICES, "Episode 10 Ovens.md": OVENS}


@pytest.fixture(scope="session")
def episodes(tmp_path_factory) -> Path:
    """A folder with three recordings."""
    folder = tmp_path_factory.mktemp("episodes")
    for name, text in EPISODES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session", params=["with the graph", "without the graph"])
def show(request, tmp_path_factory, episodes) -> Iterator[Ascertain]:
    """A knowledge base of these recordings, which must answer alike with a graph and without."""
    settings = Settings.model_validate(
        {
            "home": tmp_path_factory.mktemp("show") / "home",
            "profile": "podcasts",
            "graph": {
                "build": request.param == "with the graph",
                "use": "auto" if request.param == "with the graph" else "never",
            },
        }
    )
    with Ascertain(settings, embedder=WordHashes()) as knowledge:
        knowledge.add([episodes])
        yield knowledge
