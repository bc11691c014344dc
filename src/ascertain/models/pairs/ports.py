"""The port of cross-encoders, which rerankers and entailment models are made from."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float64]


class PairModel(Protocol):
    """Reads two texts together."""

    @property
    def name(self) -> str:
        """Identifies the weights."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each logit, lower case; a model with one logit may name it anything."""
        ...

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[Logits]:
        """For each pair an array of shape ``(windows, labels)``; a text too long for the model may be read in windows.

        Raises ModelError when the model cannot run.
        """
        ...


def apply_softmax(logits: Logits) -> Logits:
    """Probabilities of exclusive labels, along the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)
