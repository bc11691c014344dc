"""The adapters of libraries that need torch, against stand-ins with the signatures of sentence-transformers 6.2 and
lettucedetect 0.2.3; the libraries themselves are too large to install for a test."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from ascertain.core.asking.runs import Budget, Run
from ascertain.core.errors import MissingExtra, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.ports import ClaimPair
from ascertain.models.registry import open_entailment, open_reranker


class CrossEncoder:
    def __init__(self, model_name_or_path=None, *, device=None, max_length=None):
        if model_name_or_path == "owner/gone":
            raise OSError("owner/gone is not there")
        classes = {0: "contradiction", 1: "entailment", 2: "neutral"} if "nli" in model_name_or_path else {0: "LABEL_0"}
        self.config = SimpleNamespace(id2label=classes)

    def predict(self, inputs, *, batch_size=32, show_progress_bar=None, activation_fn=None, apply_softmax=False):
        if any("crash" in text for pair in inputs for text in pair):
            raise RuntimeError("out of memory")
        raw = np.array([[float("no" in a), float("yes" in a), 0.0] for a, _ in inputs]) * 5
        if len(self.config.id2label) == 1:
            raw = np.array([float("cat" in b) * 4 - 2 for _, b in inputs])
        return activation_fn(raw)


class HallucinationDetector:
    def __init__(self, method="transformer", **kwargs):
        assert (method, list(kwargs)) == ("transformer", ["model_path"])

    def predict(self, context, answer, question=None, output_format="tokens", min_confidence=0.0):
        assert output_format == "tokens"
        return [
            {"token": f" {word}", "pred": int(word not in context[0]), "prob": 0.05 if word in context[0] else 0.9}
            for word in answer.split()
        ]


@pytest.fixture
def libraries(monkeypatch):
    library = ModuleType("sentence_transformers")
    library.CrossEncoder = CrossEncoder
    lettuce = ModuleType("lettucedetect.models.inference")
    lettuce.HallucinationDetector = HallucinationDetector
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    monkeypatch.setitem(sys.modules, "lettucedetect", ModuleType("lettucedetect"))
    monkeypatch.setitem(sys.modules, "lettucedetect.models", ModuleType("lettucedetect.models"))
    monkeypatch.setitem(sys.modules, "lettucedetect.models.inference", lettuce)


def supports(name, *pairs):
    model = open_entailment(ModelSettings(entailment=name), embedder=None)
    return model.check([ClaimPair(*pair) for pair in pairs], Run(Budget(1, 1, 60, 1)))


def test_sentence_transformers_rerank(libraries):
    reranker = open_reranker(ModelSettings(reranker="sentence-transformers:owner/ranker"))
    assert reranker.scores("what", ["dog", "cat"]) == pytest.approx([0.119, 0.881], abs=1e-3)
    assert reranker.scores("what", []) == []


def test_sentence_transformers_entail(libraries):
    said, denied = supports("sentence-transformers:owner/nli", ("so", "yes"), ("so", "no"))
    assert said.entailed > 0.9
    assert denied.contradicted > 0.9


def test_lettucedetect_marks_what_the_evidence_does_not_bear_out(libraries):
    said, other = supports("lettucedetect:owner/m", ("red cat", "a red cat"), ("red dog", "a red cat"))
    assert said.entailed == pytest.approx(0.95)
    assert other.entailed == pytest.approx(0.1)
    assert "“dog”" in other.reason


def test_a_model_that_fails_is_a_model_error(libraries):
    with pytest.raises(ModelError, match="out of memory"):
        supports("sentence-transformers:owner/nli", ("crash", "yes"))
    with pytest.raises(ModelError, match="not there"):
        open_reranker(ModelSettings(reranker="sentence-transformers:owner/gone"))


@pytest.mark.parametrize(("name", "extra"), [("sentence-transformers:m", "torch"), ("lettucedetect:m", "lettuce")])
def test_a_missing_library_names_the_extra(monkeypatch, name, extra):
    for module in ("sentence_transformers", "lettucedetect", "lettucedetect.models.inference"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install .*\[{extra}\]"):
        open_entailment(ModelSettings(entailment=name), embedder=None)
