"""Cross-encoders of the library sentence-transformers (sbert.net), which needs torch."""

import importlib
import threading
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ascertain.core.errors import MissingExtra, ModelError
from ascertain.models.pairs.ports import Logits


class SentenceTransformersPairModel:
    """A folder or a name of the hub, as ``CrossEncoder`` takes it."""

    def __init__(self, name: str, setting: str) -> None:
        try:
            library = cast(Any, importlib.import_module("sentence_transformers"))
        except ImportError as error:
            raise MissingExtra(f"{setting} = 'sentence-transformers:{name}'", "torch") from error
        try:
            self._model = library.CrossEncoder(name)
        except Exception as error:  # the library's, the hub's and torch's own
            raise ModelError(f"{setting} = 'sentence-transformers:{name}': not loaded: {error}") from error
        self._name = name
        self._mutex = threading.Lock()

    @property
    def name(self) -> str:
        return self._name

    @property
    def labels(self) -> tuple[str, ...]:
        named = cast("dict[int, str]", getattr(self._model.config, "id2label", None) or {})
        return tuple(str(named[key]).lower() for key in sorted(named))

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[Logits]:
        """See the port; always one window, the library cuts what is too long."""
        if not pairs:
            return []
        try:
            # Raw logits: what a model's own files make of them differs from release to release.
            with self._mutex:  # its tokenizer is set up again by every call, and refuses a second thread
                raw = self._model.predict(list(pairs), activation_fn=_as_it_is, show_progress_bar=False)
        except Exception as error:
            raise ModelError(f"{self._name}: the model failed: {error}") from error
        rows: NDArray[np.float64] = np.asarray(raw, dtype=np.float64).reshape(len(pairs), -1)
        return [rows[i : i + 1] for i in range(len(pairs))]


def _as_it_is(logits: Any) -> Any:
    return logits
