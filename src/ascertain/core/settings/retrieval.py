"""Settings of retrieval: how passages are found, ordered and widened."""

from typing import Literal

from pydantic import Field

from ascertain.core.settings.section import Section


class FusionSettings(Section):
    """How the legs' scores become one; ``ascertain tune`` fits the weights to questions with known answers."""

    method: Literal["convex", "rrf"] = Field(
        default="convex",
        description="convex adds the legs' comparable scores; rrf merges their ranks alone, for an embedding "
        "model whose scores say little.",
    )
    dense_weight: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Weight of the dense score in the convex combination; less where exact words matter, as "
        "with part numbers or statutes.",
    )
    title_weight: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="Weight of the share of the title that the question names; 0 where titles say nothing, "
        "as with numbered files.",
    )
    feedback_weight: float = Field(
        default=0.25,
        ge=0,
        le=2,
        description="How far the question's vector moves towards the best candidate before ranking; 0 where "
        "the best candidate often misleads.",
    )


class RetrievalSettings(Section):
    """Finding passages."""

    strategy: Literal["semantic", "keyword", "hybrid"] = Field(
        default="hybrid",
        description="Which legs a search uses: meaning, words, or both; one alone to compare them or to save time.",
    )
    candidates: int = Field(
        default=30,
        ge=1,
        le=10_000,
        description="Candidates from each leg; more where the right passage is in the store but is not found.",
    )
    common_term_share: float = Field(
        default=0.3,
        gt=0,
        le=1,
        description="Words found in a larger share of the chunks are not looked up while a rarer one is "
        "left; 0.1 for tens of millions of chunks, to be quicker.",
    )
    top_k: int = Field(
        default=10, ge=1, le=1000, description="Passages returned; more to read on, fewer for a quick look."
    )
    similarity_floor: float = Field(
        default=0.0,
        ge=-1,
        le=1,
        description="Dense hits below this cosine are dropped; raise it where unrelated passages come along, "
        "and fit it again for another embedding model.",
    )
    fusion: FusionSettings = FusionSettings()
    rerank: Literal["none", "heuristic"] = Field(
        default="none",
        description="heuristic reorders by search score, the question's words in title and text, and recency, for news and "
        "wherever the latest counts more.",
    )
    reranking_strategy: Literal["none", "rrf", "mmr", "rrf_mmr"] = Field(
        default="none",
        description="Reorders the passages of an answer: rrf by their ranks in each leg, where scores mislead; "
        "mmr by nearness and difference, where many documents say the same; rrf_mmr by ranks, then difference. "
        "RERANKING_STRATEGY in the environment sets it too.",
    )
    context: Literal["none", "neighbours", "parents"] = Field(
        default="none",
        description="What the passages of an answer are widened by: nothing, the chunks beside them, or "
        "their parent, where an answer needs more around it.",
    )
    context_tokens: int = Field(
        default=4000,
        ge=100,
        le=200_000,
        description="Budget of the widened context; as much as the chat model reads well and cheaply.",
    )
    rerank_floor: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Passages that a reranker finds less relevant are dropped, but never all; fit it to the "
        "reranker's scores.",
    )
    hyde: bool = Field(
        default=False,
        description="With a chat model, also search a passage it imagines as the answer; for questions in "
        "other words than the documents, but it hurts on multi-hop news.",
    )
    step_back: bool = Field(
        default=False,
        description="With a chat model, also search a more general form of the question; for questions more "
        "special than the documents.",
    )
