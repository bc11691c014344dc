"""Ports of the models. An adapter is one module beside this one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Identifies the weights; stores refuse vectors of another name or dimension."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text, shape ``(len(texts), dimension)``, float32, unit length; order kept.

        Text past the model's window is cut. Raises ModelError when the model cannot run.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """One vector, shape ``(dimension,)``, float32, unit length."""
        ...
