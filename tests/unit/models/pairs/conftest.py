"""A cross-encoder of a few hundred bytes: each word adds its own logits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_onnx import SPECIAL, summing_model, word_tokenizer


@pytest.fixture
def a_model(tmp_path):
    def build(words: dict[str, list[float]], labels: list[str], window: int = 64) -> Path:
        (tmp_path / "tokenizer.json").write_text(word_tokenizer(list(words)))
        rows = [[0.0] * len(labels)] * len(SPECIAL) + list(words.values())
        (tmp_path / "model.onnx").write_bytes(summing_model(np.array(rows, dtype=np.float32)))
        config = {"id2label": dict(enumerate(labels)), "max_position_embeddings": window}
        (tmp_path / "config.json").write_text(json.dumps(config))
        return tmp_path

    return build
