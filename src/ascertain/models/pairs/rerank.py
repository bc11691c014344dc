"""Reranking by a cross-encoder trained for relevance: the sigmoid of its logit (Nogueira & Cho, arXiv 1901.04085)."""

from collections.abc import Sequence

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ModelSettings
from ascertain.models.logistic_model import compute_sigmoid
from ascertain.models.pairs.ports import PairModel, apply_softmax


class CrossEncoderReranker:
    """``setting`` is named in errors. Raises ConfigurationError for a model with more than two labels."""

    def __init__(self, model: PairModel, setting: str = "models.reranker") -> None:
        if len(model.labels) > 2:
            raise ConfigurationError(
                f"{setting} = {model.name!r}: its labels are {', '.join(model.labels)}; a reranker has one, or no and yes."
            )
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """See the port; of a text longer than the model's window the best part counts."""
        found = self._model.logits([(question, text) for text in texts])
        return [
            float((compute_sigmoid(windows) if windows.shape[1] == 1 else apply_softmax(windows))[:, -1].max())
            for windows in found
        ]


def open_onnx_reranker(name: str, settings: ModelSettings) -> CrossEncoderReranker:
    """A model in ONNX form: a folder, or a name of the hub."""
    from ascertain.models.pairs.onnx import OnnxPairModel  # noqa: PLC0415  onnxruntime takes 0.2 s to import

    model = OnnxPairModel.load(name, "models.reranker", long="second", threads=settings.threads)
    return CrossEncoderReranker(model)


def open_torch_reranker(name: str, settings: ModelSettings) -> CrossEncoderReranker:
    """A model that sentence-transformers runs."""
    from ascertain.models.pairs.sentence_transformers import SentenceTransformersPairModel  # noqa: PLC0415

    return CrossEncoderReranker(SentenceTransformersPairModel(name, "models.reranker"))
