"""Entailment by a cross-encoder trained for natural language inference or fact checking.

The evidence is the premise and comes first. Evidence longer than the model's window is read in windows; the best one
counts, as in SummaC (Laban et al., TACL 2022).
"""

import importlib
import threading
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ascertain.core.asking.runs import Run
from ascertain.core.errors import ConfigurationError, MissingExtra, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.entail.labels import CONTRADICTS, ENTAILS, find_label, weigh_chances
from ascertain.models.logistic_model import compute_sigmoid
from ascertain.models.pairs.ports import Logits, PairModel, apply_softmax
from ascertain.models.ports import ClaimPair, Embedder, Support


class CrossEncoderEntailment:
    """``setting`` is named in errors. Raises ConfigurationError when no label of the model means entailment."""

    def __init__(self, model: PairModel, setting: str = "models.entailment") -> None:
        self._model = model
        self._entails = self._contradicts = None
        if len(model.labels) > 1:
            self._entails = find_label(model.labels, ENTAILS)
            self._contradicts = find_label(model.labels, CONTRADICTS)
            if self._entails is None:
                raise ConfigurationError(
                    f"{setting} = {model.name!r}: its labels are {', '.join(model.labels)}; one must be entailment."
                )

    @property
    def name(self) -> str:
        return self._model.name

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        found = self._model.logits([(pair.evidence, pair.claim) for pair in pairs])
        return [self._combine_windows(windows) for windows in found]

    def _combine_windows(self, windows: Logits) -> Support:
        if self._entails is None:
            chance = compute_sigmoid(windows)[:, -1] if windows.shape[1] == 1 else apply_softmax(windows)[:, -1]
            return Support(float(chance.max()), 0.0, "")
        chances = apply_softmax(windows)
        entailed = float(chances[:, self._entails].max())
        if self._contradicts is None:
            return Support(entailed)
        return weigh_chances(entailed, float(np.max(chances[:, self._contradicts])))


def open_onnx_entailment(name: str, settings: ModelSettings, embedder: Embedder) -> CrossEncoderEntailment:
    """A model in ONNX form: a folder, or a name of the hub."""
    from ascertain.models.pairs.onnx import OnnxPairModel  # noqa: PLC0415  onnxruntime takes 0.2 s to import

    model = OnnxPairModel.load(name, "models.entailment", long="first", threads=settings.threads)
    return CrossEncoderEntailment(model)


def open_torch_entailment(name: str, settings: ModelSettings, embedder: Embedder) -> CrossEncoderEntailment:
    """A model that sentence-transformers runs."""
    from ascertain.models.pairs.sentence_transformers import SentenceTransformersPairModel  # noqa: PLC0415

    return CrossEncoderEntailment(SentenceTransformersPairModel(name, "models.entailment"))


class LettuceDetectEntailment:
    """Marks the tokens of an answer that its context does not support (LettuceDetect, Kovács & Recski, 2025).

    ``name`` is a folder or a name of the hub, such as ``KRLabsOrg/lettucedect-base-modernbert-en-v1``.
    """

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
        return self._name

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        """See the port; a claim is entailed as far as its least certain token."""
        return [self._check_pair(pair) for pair in pairs]

    def _check_pair(self, pair: ClaimPair) -> Support:
        try:
            with self._mutex:  # its tokenizer is set up again by every call, and refuses a second thread
                predicted = self._detector.predict(context=[pair.evidence], answer=pair.claim, output_format="tokens")
            tokens = cast("list[dict[str, Any]]", predicted)
        except Exception as error:
            raise ModelError(f"{self._name}: the model failed: {error}") from error
        marked = "".join(str(token["token"]) for token in tokens if token["pred"]).strip()
        doubt = max((float(token["prob"]) for token in tokens), default=0.0)
        return Support(1 - doubt, 0.0, f"the evidence does not bear out “{marked}”" if marked else "")


def open_lettucedetect(name: str, settings: ModelSettings, embedder: Embedder) -> LettuceDetectEntailment:
    """The model of that name."""
    return LettuceDetectEntailment(name)
