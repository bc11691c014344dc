"""Which extractor reads the graph, by settings and by what is installed."""

from __future__ import annotations

from ascertain.core.settings_graph import GraphSettings
from ascertain.graph.extraction.ports import Extractor
from ascertain.graph.extraction.rules import ProfileOf, RuleExtractor
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts


def choose_extractor(
    settings: GraphSettings, profile_of: ProfileOf, chat: Chat | None = None, prompts: Prompts | None = None
) -> Extractor:
    """The extractor of ``settings.extractor``; ``profile_of`` gives the profile of a name, or None.

    Raises ConfigurationError where it cannot be used, with what to install or set.
    """
    return RuleExtractor(profile_of)
