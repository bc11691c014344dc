"""Folders with an ONNX model of a few hundred bytes, whose words have vectors of their own, and the files beside it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_onnx import SPECIAL, embedding_model, word_tokenizer

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ModelSettings
from ascertain.models.registry import open_embedder

WORDS = {"ask": [0, 0, 0, 9], "tell": [0, 0, 9, 0], "red": [1, 0, 0, 0], "blue": [0, 1, 0, 0]}
START, END = [3, 0, 0, 0], [0, 0, 3, 0]


@pytest.fixture
def a_folder(tmp_path):
    def build(*, outputs=("last_hidden_state",), name="mine", **files: object) -> Path:
        folder = tmp_path / name
        rows = [[0, 0, 0, 0], [0, 0, 0, 1], START, END, *WORDS.values()]
        for file, content in files.items():
            path = folder / f"{file.replace('__', '/')}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        folder.mkdir(exist_ok=True)
        (folder / "model.onnx").write_bytes(embedding_model(np.array(rows, np.float32), outputs))
        (folder / "tokenizer.json").write_text(word_tokenizer(list(WORDS)))
        assert len(rows) == len(SPECIAL) + len(WORDS)
        return folder

    return build


def opened(folder: Path, options: str = ""):
    return open_embedder(ModelSettings(embedder=f"{folder}{options}", threads=1))


def unit(*numbers: float) -> list[float]:
    return pytest.approx(np.array(numbers) / np.linalg.norm(numbers), abs=1e-6)


MEAN, FIRST, LAST = unit(4, 1, 3, 0), unit(*START), unit(*END)
PARTS = {"modules": [{"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]}


@pytest.mark.parametrize(
    ("options", "vector"), [("", MEAN), ("?pooling=mean", MEAN), ("?pooling=cls", FIRST), ("?pooling=last", LAST)]
)
def test_tokens_are_pooled_as_the_option_says(a_folder, options, vector):
    embedder = opened(a_folder(), options)
    assert embedder.embed_documents(["red blue"])[0] == vector
    assert embedder.embed_query("red blue") == vector


@pytest.mark.parametrize(
    ("config", "vector"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, FIRST),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, MEAN),
        ({"pooling_mode_lasttoken": True}, LAST),
        ({"pooling_mode": "cls", "embedding_dimension": 4}, FIRST),
        ({"word_embedding_dimension": 4}, MEAN),
    ],
)
def test_the_folder_says_how_its_tokens_are_pooled(a_folder, config, vector):
    folder = a_folder(**PARTS, **{"1_Pooling__config": config})
    assert opened(folder).embed_query("red blue") == vector
    assert opened(folder, "?pooling=last").embed_query("red blue") == LAST


def test_pooling_is_where_modules_json_says(a_folder):
    parts = {"modules": [{"path": "", "type": "st.Transformer"}, {"path": "2_Own", "type": "st.Pooling"}]}
    assert opened(a_folder(**parts, **{"2_Own__config": {"pooling_mode": "cls"}})).embed_query("red blue") == FIRST


@pytest.mark.parametrize(
    "config", [{"pooling_mode_max_tokens": True}, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}]
)
def test_a_pooling_that_is_not_known_is_refused_unless_the_option_says_another(a_folder, config):
    folder = a_folder(**{"1_Pooling__config": config})
    with pytest.raises(ConfigurationError, match=r"1_Pooling.config.json pools by .* choose pooling=mean, cls or last"):
        opened(folder)
    assert opened(folder, "?pooling=mean").embed_query("red blue") == MEAN


def test_prefixes_are_those_of_the_option_of_the_folder_or_of_a_model_of_its_name(a_folder):
    asked, told = unit(4, 1, 3, 9), unit(4, 1, 12, 0)
    prompts = {"config_sentence_transformers": {"prompts": {"query": "ask ", "document": "tell "}}}
    for embedder in (opened(a_folder(), "?query=ask%20&passage=tell%20"), opened(a_folder(name="saved", **prompts))):
        assert embedder.embed_query("red blue") == asked
        assert embedder.embed_documents(["red blue"])[0] == told
        assert embedder.embed_tokens(["red"]) is None
    plain = opened(a_folder(name="saved", **prompts), "?query=&passage=")
    assert (plain.embed_query("red blue"), plain.embed_documents(["red blue"])[0]) == (MEAN, MEAN)
    assert opened(a_folder(name="multilingual-e5-small")).embed_query("red blue") != MEAN


def test_vectors_are_cut_to_the_dimensions_of_the_option(a_folder):
    embedder = opened(a_folder(), "?dimensions=2")
    assert embedder.dimension == 2
    assert embedder.embed_documents(["red blue"])[0] == unit(4, 1)
    with pytest.raises(ConfigurationError, match="have 4 dimensions, fewer than dimensions=8"):
        opened(a_folder(), "?dimensions=8")


def test_a_vector_that_the_model_pools_itself_is_taken(a_folder):
    for outputs in (("sentence_embedding",), ("last_hidden_state", "sentence_embedding")):
        embedder = opened(a_folder(outputs=outputs, **{"1_Pooling__config": {"pooling_mode": "cls"}}))
        assert embedder.embed_query("red blue") == MEAN
        assert embedder.embed_tokens(["red"]) is None
    both = a_folder(outputs=("sentence_embedding", "last_hidden_state"))
    assert opened(both, "?pooling=cls").embed_query("red blue") == FIRST
    with pytest.raises(
        ConfigurationError, match="gives sentence_embedding, and none of them is a state for every token"
    ):
        opened(a_folder(outputs=("sentence_embedding",)), "?pooling=cls")


def test_a_layer_that_the_file_lacks_is_named(a_folder):
    parts = {"modules": [{"path": "2_Dense", "type": "sentence_transformers.models.Dense.Dense"}]}
    with pytest.raises(ConfigurationError, match=r"a layer Dense that .*model.onnx does not apply"):
        opened(a_folder(**parts))
    assert opened(a_folder(**parts, outputs=("sentence_embedding",))).embed_query("red blue") == MEAN


def test_texts_are_cut_where_option_or_folder_say(a_folder):
    folder = a_folder(sentence_bert_config={"max_seq_length": 3})
    assert opened(folder).embed_query("blue red red red") == unit(3, 1, 3, 0)
    assert opened(folder, "?window=4").embed_query("blue red red red") == unit(4, 1, 3, 0)
    shorter = a_folder(
        name="short", sentence_bert_config={"max_seq_length": None}, config={"max_position_embeddings": 3}
    )
    assert opened(shorter).embed_query("blue red red red") == unit(3, 1, 3, 0)


def test_what_makes_other_vectors_is_in_the_name(a_folder):
    folder = a_folder(**{"1_Pooling__config": {"pooling_mode": "cls"}})
    names = [
        opened(folder, options).name for options in ("", "?pooling=mean", "?pooling=cls&query=ask%20", "?window=3")
    ]
    assert names == ["mine?pooling=cls", "mine", "mine?pooling=cls", "mine?pooling=cls"]
    assert (
        opened(folder, "?passage=tell%20&dimensions=2&revision=b").name
        == "mine?passage=tell+&pooling=cls&dimensions=2&revision=b"
    )


def test_an_exported_folder_has_the_model_in_a_folder_of_its_own(a_folder):
    folder = a_folder()
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert opened(folder).embed_query("red blue") == MEAN


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("?poling=cls", "no option 'poling'.*pooling"),
        ("?pooling=max", "pooling"),
        ("?base_url=http://127.0.0.1", "a folder has no option 'base_url'"),
    ],
)
def test_an_option_that_makes_no_sense_is_told(a_folder, options, message):
    with pytest.raises(ConfigurationError, match=message):
        opened(a_folder(), options)


def test_a_file_that_is_no_json_is_named(a_folder):
    with pytest.raises(ConfigurationError, match=r"modules\.json cannot be read"):
        opened(a_folder(modules="[{"))
