"""The models whose weights are data: each file says what it rests on, and predicts what it always did."""

import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from ascertain.answering.checking.evaluation import RELEVANCE_FEATURES
from ascertain.answering.confidence import ANSWER_FEATURES
from ascertain.answering.evidence import EVIDENCE_FEATURES
from ascertain.answering.judging.features import SENTENCE_FEATURES
from ascertain.answering.judging.features import WORD_FEATURES as JUDGE_FEATURES
from ascertain.answering.judging.reading import (
    READER_EVIDENCE,
    READER_FEATURES,
    SECOND_READER_EVIDENCE,
    SECOND_READER_FEATURES,
)
from ascertain.documents.ingest.profiling.signs import MODEL
from ascertain.models.entail.rules import CLAIM_FEATURES, CLAIM_READER_FEATURES, CONTRADICTION_FEATURES, WORD_FEATURES
from ascertain.models.logistic_model import (
    compute_sigmoid,
    convert_log_odds,
    load_logistic_model,
    load_multinomial_model,
)
from ascertain.reports.research.verdicts.judging import READER_FEATURES as CLAIM_READING
from ascertain.reports.research.verdicts.judging import SUPPORT_FEATURES
from ascertain.retrieval import judging
from ascertain.retrieval.search import searcher

ROOT = Path(__file__).parents[3]
FOLDER = files("ascertain.models").joinpath("weights")
FEATURES = {
    "answer_confidence": ANSWER_FEATURES,
    "answer_relevance": RELEVANCE_FEATURES,
    "selection": SENTENCE_FEATURES,
    "judge_by_words": JUDGE_FEATURES,
    "judge": (*JUDGE_FEATURES, *READER_FEATURES),
    "judge_twice": (*JUDGE_FEATURES, *READER_FEATURES, *SECOND_READER_FEATURES),
    "confidence_with_reader": (*EVIDENCE_FEATURES, *READER_EVIDENCE),
    "confidence_with_both_readers": (*EVIDENCE_FEATURES, *READER_EVIDENCE, *SECOND_READER_EVIDENCE),
    "confidence": EVIDENCE_FEATURES,
    "claim_words": WORD_FEATURES,
    "claims": CLAIM_FEATURES,
    "claims_with_reader": (*CLAIM_FEATURES, *CLAIM_READER_FEATURES),
    "claim_contradictions": CONTRADICTION_FEATURES,
    "claim_support": (*SUPPORT_FEATURES, *CLAIM_READING),
    "claim_support_words_only": SUPPORT_FEATURES,
    "search_confidence": searcher.SEARCH_FEATURES,
    "search_confidence_words_only": searcher.WORDS_ONLY_FEATURES,
    "retrieval_quality": judging.QUALITY_FEATURES,
    "retrieval_quality_words_only": judging.WORDS_ONLY_FEATURES,
}
PREDICTED = {
    "answer_confidence": -0.6369999999999999,
    "answer_relevance": -0.242,
    "selection": -2.854,
    "judge_by_words": 4.401,
    "judge": 6.892,
    "judge_twice": 8.254,
    "confidence_with_reader": -0.6159000000000003,
    "confidence_with_both_readers": 0.3958000000000004,
    "confidence": -4.595599999999999,
    "claim_words": 1.2177082000000004,
    "claims": -1.1739626,
    "claims_with_reader": -0.6179108999999998,
    "claim_contradictions": -0.25028399999999995,
    "claim_support": -6.472795,
    "claim_support_words_only": -3.7217721,
    "search_confidence": -2.992,
    "search_confidence_words_only": -1.3840000000000001,
    "retrieval_quality": -1.4900000000000002,
    "retrieval_quality_words_only": -1.13,
}
"""Log-odds of 0.1, 0.2, ... in the order of the features."""


def read_file(name):
    return json.loads(FOLDER.joinpath(f"{name}.json").read_text("utf-8"))


def test_every_file_of_weights_belongs_to_features_of_the_code():
    assert {each.name for each in FOLDER.iterdir()} == {f"{name}.json" for name in (*FEATURES, MODEL)}


@pytest.mark.parametrize("name", FEATURES)
def test_weights_say_from_what_and_by_which_script_they_were_fitted(name):
    data = read_file(name)
    assert list(data) == ["fitted_from", "fitted_by", "date", "features", "weights", "bias"]
    assert data["fitted_from"]
    assert (ROOT / data["fitted_by"]).is_file()
    assert f'"{name}"' in (ROOT / data["fitted_by"]).read_text("utf-8")
    assert tuple(data["features"]) == tuple(data["weights"]) == FEATURES[name]


@pytest.mark.parametrize("name", FEATURES)
def test_predicts_what_it_predicted_before(name):
    values = {feature: (i + 1) / 10 for i, feature in enumerate(FEATURES[name])}
    model = load_logistic_model(name, FEATURES[name])
    assert model.weigh_features(values) == pytest.approx(PREDICTED[name], abs=1e-12)
    assert model.predict_chance(values) == pytest.approx(1 / (1 + math.exp(-PREDICTED[name])), abs=1e-12)


def test_a_row_counts_by_itself_whatever_is_beside_it():
    model = load_logistic_model("claims", CLAIM_FEATURES)
    rows = np.random.default_rng(0).normal(size=(20, len(CLAIM_FEATURES)))
    alone = [model.weigh_features(dict(zip(CLAIM_FEATURES, row, strict=True))) for row in rows]
    assert model.compute_log_odds(rows) == pytest.approx(alone)


def test_a_missing_feature_is_an_error():
    with pytest.raises(KeyError, match="coverage"):
        load_logistic_model("search_confidence_words_only", ("coverage",)).weigh_features({})
    with pytest.raises(KeyError, match="luck"):
        load_logistic_model("search_confidence_words_only", ("luck",))


def test_types_of_documents_share_the_chance_and_say_from_what_they_were_fitted():
    data = read_file(MODEL)
    assert list(data) == ["fitted_from", "fitted_by", "date", "classes"]
    assert (ROOT / data["fitted_by"]).is_file()
    weighed = tuple(dict.fromkeys(name for each in data["classes"].values() for name in each["weights"]))
    chances = load_multinomial_model(MODEL, weighed).share_chances(dict.fromkeys(weighed, 0.5))
    assert sum(chances.values()) == pytest.approx(1)
    with pytest.raises(KeyError):
        load_multinomial_model(MODEL, weighed[1:])


def test_extreme_odds_stay_probabilities():
    for odds in (-1e6, -31.0, 0.0, 31.0, 1e6):
        assert 0 < convert_log_odds(odds) <= 1
        assert compute_sigmoid(np.array([odds]))[0] == pytest.approx(convert_log_odds(odds))
