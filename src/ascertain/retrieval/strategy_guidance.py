"""How a question is worded for each strategy (QU-8)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ascertain.core.passages import Strategy

STRATEGY_GUIDANCE: Mapping[Strategy, str] = MappingProxyType(
    {
        Strategy.KEYWORD: (
            "The search matches words exactly. Use specific terms, identifiers and proper nouns as the documents would "
            "write them; leave out words that every document has."
        ),
        Strategy.SEMANTIC: (
            "The search matches meaning. Say in a full phrase what is meant, in terms of concepts, broader rather than "
            "narrower; identifiers do not help."
        ),
        Strategy.HYBRID: (
            "The search matches both words and meaning. Keep the names and identifiers, and say in a full phrase what is "
            "meant."
        ),
    }
)
