from __future__ import annotations

import math

import pytest

from ascertain.core.asking.runs import Budget, Run
from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.pairs.onnx import OnnxPairModel
from ascertain.models.ports import ClaimPair
from ascertain.models.registry import open_entailment, open_reranker

NLI = ["CONTRADICTION", "entailment", "neutral"]


def run():
    return Run(Budget(1, 1, 60, 1))


def entailment(folder):
    return open_entailment(ModelSettings(entailment=str(folder), threads=1), embedder=None)


def test_a_reranker_gives_the_sigmoid_of_its_logit_in_the_order_asked(a_model):
    folder = a_model({"cat": [2.0], "dog": [-1.0]}, ["relevance"])
    reranker = open_reranker(ModelSettings(reranker=str(folder), threads=1))
    texts = ["dog", "cat dog", "a much longer text about nothing", "cat"]
    expected = [1 / (1 + math.exp(-logit)) for logit in (-1, 1, 0, 2)]
    assert reranker.scores("what", texts) == pytest.approx(expected, abs=1e-4)
    assert reranker.scores("what", []) == []


def test_no_reranker_is_opened_unless_named():
    assert open_reranker(ModelSettings()) is None


def test_labels_tell_entailment_from_contradiction(a_model):
    folder = a_model({"yes": [0, 4, 0], "no": [4, 0, 0], "hm": [0, 0, 4]}, NLI)
    said, denied, other = entailment(folder).check([ClaimPair("so", word) for word in ("yes", "no", "hm")], run())
    assert said.entailed > 0.9
    assert denied.contradicted > 0.9
    assert denied.entailed < 0.1
    assert other.entailed < 0.1 > other.contradicted


def test_long_evidence_is_read_in_windows_and_the_best_one_counts(a_model):
    folder = a_model({"yes": [0, 6, 0], "hm": [0, 0, 1]}, NLI, window=16)
    (support,) = entailment(folder).check([ClaimPair("so", "hm " * 60 + "yes")], run())
    alone = entailment(folder).check([ClaimPair("so", "hm " * 60)], run())[0]
    assert support.entailed > alone.entailed + 0.05
    assert support.entailed + support.contradicted <= 1


def test_a_claim_that_fills_the_window_is_an_error_that_says_so(a_model):
    folder = a_model({"yes": [0, 6, 0]}, NLI, window=16)
    with pytest.raises(ModelError, match="too long"):
        entailment(folder).check([ClaimPair("so " * 30, "yes")], run())


def test_a_model_without_an_entailment_label_is_refused_by_name(a_model):
    folder = a_model({"yes": [0, 6]}, ["toxic", "mild"])
    with pytest.raises(ConfigurationError, match="toxic, mild"):
        entailment(folder)


def test_a_classifier_is_no_reranker(a_model):
    folder = a_model({"yes": [0, 6, 1]}, NLI)
    with pytest.raises(ConfigurationError, match=r"models\.reranker"):
        open_reranker(ModelSettings(reranker=str(folder)))


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_its_files_is_named(a_model, missing):
    folder = a_model({"yes": [1]}, ["relevance"])
    (folder / missing).unlink()
    with pytest.raises(ConfigurationError, match=missing):
        open_reranker(ModelSettings(reranker=str(folder)))


def test_broken_weights_are_a_model_error(a_model):
    folder = a_model({"yes": [1]}, ["relevance"])
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="could not be loaded"):
        open_reranker(ModelSettings(reranker=str(folder)))


def test_what_is_neither_a_folder_nor_a_name_of_the_hub_is_refused():
    with pytest.raises(ConfigurationError, match="no such folder"):
        open_reranker(ModelSettings(reranker="./nowhere"))


def test_a_hub_that_cannot_be_reached_says_what_to_do(monkeypatch):
    import huggingface_hub

    def offline(name, **_):
        raise OSError("no route to host")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", offline)
    with pytest.raises(ModelError, match=r"owner/model.*no route to host.*[Ff]etch it once"):
        open_reranker(ModelSettings(reranker="owner/model"))


def test_a_model_of_the_hub_is_opened_from_where_it_was_fetched_to(a_model, monkeypatch):
    import huggingface_hub

    folder = a_model({"cat": [2.0]}, ["relevance"])
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda name, **_: str(folder))
    reranker = open_reranker(ModelSettings(reranker="owner/model", threads=1))
    assert reranker.name == "owner/model"
    assert reranker.scores("what", ["cat"])[0] > 0.8


def test_a_lone_surrogate_is_no_error(a_model):
    model = OnnxPairModel.load(str(a_model({"cat": [2.0]}, ["r"])), "models.reranker", long="second", threads=1)
    assert len(model.logits([("\ud800", "cat")])) == 1
