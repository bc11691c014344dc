"""Test suites for your own adapters: subclass one and give it what its docstring names.

Needs pytest. docs/extending.md has an example of each kind.
"""

import pytest

pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in ("adapters", "chunk_store", "stores")))

from ascertain.testing.adapters import (  # noqa: E402
    EmbedderContract,
    EntailmentContract,
    FormatContract,
    NewsProviderContract,
    RerankerContract,
    SourceContract,
)
from ascertain.testing.stores import ChunkStoreContract, GraphStoreContract  # noqa: E402

__all__ = [
    "ChunkStoreContract",
    "EmbedderContract",
    "EntailmentContract",
    "FormatContract",
    "GraphStoreContract",
    "NewsProviderContract",
    "RerankerContract",
    "SourceContract",
]
