"""``/v1/embeddings``: the embedding model of the knowledge base, for clients of OpenAI's API."""

from __future__ import annotations

import asyncio
import base64

import numpy as np
from fastapi import APIRouter

from ascertain.app.embedding import Embedded, embed_texts
from ascertain.app.wire.openai.chat_completions import MODEL
from ascertain.app.wire.openai.embeddings import EmbeddingJson, EmbeddingsBody, EmbeddingsJson, EmbeddingTokensJson
from ascertain.interfaces.server.identity import Known
from ascertain.interfaces.server.problems import Problem, ProblemError, describe_chat_problems
from ascertain.interfaces.server.routes.openai.chat_completions import check_model
from ascertain.interfaces.server.service import Running

embeddings_router = APIRouter(tags=["chat front ends"])


@embeddings_router.post("/v1/embeddings", responses=describe_chat_problems(400, 404, 503))
async def create_embeddings(body: EmbeddingsBody, who: Known, service: Running) -> EmbeddingsJson:
    """Embed texts as OpenAI's API does, with the model that the documents were embedded with."""

    def embed() -> Embedded:
        if body.model != MODEL:
            check_model(body.model, [who.knowledge.embedder.name])
        _check_dimensions(body.dimensions, who.knowledge.embedder.dimension)
        return embed_texts(who.knowledge.embedder, body.input)

    made = await asyncio.wrap_future(service.pool.submit(embed, tenant=who.tenant))
    rows = made.vectors.astype("<f4", copy=False)
    data = [
        EmbeddingJson(
            index=index,
            embedding=base64.b64encode(row.tobytes()).decode() if body.encoding_format == "base64" else row.tolist(),
        )
        for index, row in enumerate(np.ascontiguousarray(rows))
    ]
    return EmbeddingsJson(
        data=data, model=made.model, usage=EmbeddingTokensJson(prompt_tokens=made.tokens, total_tokens=made.tokens)
    )


def _check_dimensions(wanted: int | None, dimension: int) -> None:
    """Raise ProblemError for a vector length other than the model's."""
    if wanted is not None and wanted != dimension:
        problem = f"The vectors of this model have {dimension} dimensions; {wanted} is not available."
        raise ProblemError(
            Problem("invalid-request", problem, errors=({"pointer": "#/dimensions", "detail": problem},))
        )
