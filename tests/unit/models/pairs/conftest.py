"""A cross-encoder of a few hundred bytes: each word adds its own logits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_onnx import summing_model
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


@pytest.fixture
def a_model(tmp_path):
    def build(words: dict[str, list[float]], labels: list[str], window: int = 64) -> Path:
        vocabulary = {word: i for i, word in enumerate([*SPECIAL, *words])}
        tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        rows = [[0.0] * len(labels)] * len(SPECIAL) + list(words.values())
        (tmp_path / "model.onnx").write_bytes(summing_model(np.array(rows, dtype=np.float32)))
        config = {"id2label": dict(enumerate(labels)), "max_position_embeddings": window}
        (tmp_path / "config.json").write_text(json.dumps(config))
        return tmp_path

    return build
