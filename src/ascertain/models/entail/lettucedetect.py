"""Entailment by LettuceDetect, which marks the tokens of an answer that its context does not bear out (Kovács & Recski, 2025).

Needs torch and the package ``lettucedetect``.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from typing import Any, cast

from ascertain.core.errors import MissingExtra, ModelError
from ascertain.core.runs import Run
from ascertain.core.settings import ModelSettings
from ascertain.models.ports import ClaimPair, Embedder, Support


class LettuceDetectEntailment:
    """``name`` is a folder or a name of the hub, such as ``KRLabsOrg/lettucedect-base-modernbert-en-v1``."""

    def __init__(self, name: str, setting: str = "models.entailment") -> None:
        try:
            library = cast(Any, importlib.import_module("lettucedetect.models.inference"))
        except ImportError as error:
            raise MissingExtra(f"{setting} = 'lettucedetect:{name}'", "lettuce") from error
        try:
            self._detector = library.HallucinationDetector(method="transformer", model_path=name)
        except Exception as error:  # the library's, the hub's and torch's own
            raise ModelError(f"{setting} = 'lettucedetect:{name}': not loaded: {error}") from error
        self._name = name
        self._mutex = threading.Lock()

    @property
    def name(self) -> str:
        """Identifies the model."""
        return self._name

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        """See the port; a claim is entailed as far as its least certain token. Raises ModelError when the model cannot run."""
        return [self._support(pair) for pair in pairs]

    def _support(self, pair: ClaimPair) -> Support:
        try:
            with self._mutex:  # its tokenizer is set up anew by every call, and refuses a second thread
                predicted = self._detector.predict(
                    context=[pair.evidence], answer=pair.claim, output_format="tokens"
                )
            tokens = cast("list[dict[str, Any]]", predicted)
        except Exception as error:
            raise ModelError(f"{self._name}: the model failed: {error}") from error
        marked = "".join(str(token["token"]) for token in tokens if token["pred"]).strip()
        doubt = max((float(token["prob"]) for token in tokens), default=0.0)
        return Support(1 - doubt, 0.0, f"the evidence does not bear out “{marked}”" if marked else "")


def open_lettucedetect(name: str, settings: ModelSettings, embedder: Embedder) -> LettuceDetectEntailment:
    """The model of that name."""
    return LettuceDetectEntailment(name)
