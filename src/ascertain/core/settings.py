"""Settings: one typed object, unknown keys forbidden, every number with bounds and a meaning."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field

from ascertain.core.settings_graph import GraphSettings
from ascertain.core.settings_ingest import IngestSettings
from ascertain.core.settings_models import ModelSettings
from ascertain.core.settings_section import Section
from ascertain.core.settings_service import CacheSettings, ServerSettings, TelemetrySettings, UiSettings
from ascertain.core.settings_sources import NewsSettings, WebSettings
from ascertain.core.settings_store import StoreSettings
from ascertain.core.settings_workflow import BudgetSettings, VerificationSettings, WorkflowSettings


class FusionSettings(Section):
    """How the legs' scores become one."""

    method: Literal["convex", "rrf"] = Field(
        default="convex",
        description="convex adds the legs' comparable scores; rrf merges their ranks alone.",
    )
    dense_weight: float = Field(
        default=0.7, ge=0, le=1, description="Weight of the dense score in the convex combination."
    )
    rrf_k: int = Field(default=60, ge=1, description="k of reciprocal rank fusion.")
    title_weight: float = Field(
        default=0.1, ge=0, le=1, description="Weight of the share of the title that the question names."
    )
    feedback_weight: float = Field(
        default=0.25,
        ge=0,
        le=2,
        description="How far the question's vector moves towards the best candidate before ranking; 0 is not at all.",
    )


class HeuristicSettings(Section):
    """Weights of the heuristic rerank; they are scaled to sum to 1."""

    fused: float = Field(default=0.35, ge=0, le=1, description="Weight of the fused score of the legs.")
    title: float = Field(
        default=0.30,
        ge=0,
        le=1,
        description="Weight of the share of the question's terms that stand in the title.",
    )
    content: float = Field(
        default=0.20,
        ge=0,
        le=1,
        description="Weight of the share of the question's terms that stand in the text.",
    )
    recency: float = Field(
        default=0.15, ge=0, le=1, description="Weight of recency: full up to 24 hours, less up to 72 hours."
    )


class RetrievalSettings(Section):
    """Finding passages."""

    strategy: Literal["semantic", "keyword", "hybrid"] = Field(
        default="hybrid", description="Which legs a search uses: meaning, words, or both."
    )
    candidates: int = Field(default=30, ge=1, le=10_000, description="Candidates from each leg.")
    common_term_share: float = Field(
        default=0.3,
        gt=0,
        le=1,
        description="Words found in a larger share of the chunks are not looked up while a rarer one is left.",
    )
    top_k: int = Field(default=10, ge=1, le=1000, description="Passages returned.")
    similarity_floor: float = Field(
        default=0.0, ge=-1, le=1, description="Dense hits below this cosine are dropped."
    )
    fusion: FusionSettings = FusionSettings()
    rerank: Literal["none", "heuristic"] = Field(
        default="none", description="heuristic reorders by the weights under retrieval.heuristic."
    )
    heuristic: HeuristicSettings = HeuristicSettings()
    reranking_strategy: Literal["rrf", "mmr", "rrf_mmr"] = Field(
        default="rrf",
        description="rrf keeps the fused order; mmr and rrf_mmr diversify the passages used for answering.",
    )
    mmr_lambda: float = Field(default=0.7, ge=0, le=1, description="1 is relevance only, 0 diversity only.")
    context: Literal["none", "neighbours", "parents"] = Field(
        default="none",
        description="What the passages of an answer are widened by: nothing, the chunks beside them, or their parent.",
    )
    context_neighbours: int = Field(
        default=1, ge=0, le=10, description="Chunks added on either side of a passage."
    )
    context_tokens: int = Field(
        default=4000, ge=100, le=200_000, description="Budget of the expanded context."
    )
    rerank_keep: int = Field(
        default=15, ge=1, le=100, description="Passages kept after models.reranker has ordered them."
    )
    rerank_floor: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Passages that a reranker finds less relevant are dropped, but never all.",
    )
    near_duplicate: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Passages that share more than this of their terms with a better one are dropped after reranking.",
    )
    hyde: bool = Field(
        default=False,
        description="With a chat model, also search a passage it imagines as the answer; hurts on multi-hop news.",
    )
    step_back: bool = Field(
        default=False, description="With a chat model, also search a more general form of the question."
    )
    judge_keep: int = Field(
        default=4,
        ge=1,
        le=100,
        description="Passages an answer is written from once a chat model judged them.",
    )
    judge_floor: float = Field(
        default=0.5, ge=0, le=1, description="Passages that a chat model judges less relevant are dropped."
    )
    notes_floor: int = Field(
        default=3,
        ge=0,
        le=10,
        description="Passages whose evidence a chat model scores lower, from 0 to 10, are not written from.",
    )


class AnswerSettings(Section):
    """Composing answers."""

    max_sentences: int = Field(default=3, ge=1, le=30, description="Most sentences in an answer.")
    passages: int = Field(default=8, ge=1, le=100, description="Passages considered for the answer.")
    rejection_threshold: int = Field(
        default=30,
        ge=0,
        le=100,
        description="Confidence below which no answer is given but what was found is named.",
    )
    calibration_slope: float = Field(
        default=1.0,
        ge=0,
        le=100,
        description="Factor on the log-odds of an answer's confidence; ascertain tune fits it to your questions.",
    )
    calibration_intercept: float = Field(
        default=0.0, ge=-30, le=30, description="Added to those log-odds; fitted likewise."
    )
    max_question_characters: int = Field(
        default=10_000, ge=10, le=1_000_000, description="Longer questions are refused with a message."
    )
    tone: str = Field(
        default="plain and factual",
        min_length=1,
        max_length=300,
        description="How a chat model writes answers, in a few words.",
    )
    length: Literal["short", "medium", "long"] = Field(
        default="medium", description="How long the answers are that a chat model writes."
    )
    language: str = Field(
        default="",
        max_length=50,
        description="Language of the answers that a chat model writes; empty means the question's.",
    )


class Settings(Section):
    """Everything Ascertain can be told, from defaults < profile < ``ascertain.toml`` < environment < arguments."""

    home: Path = Field(default=Path(".ascertain"), description="Folder of the knowledge base.")
    profile: str = Field(default="docs", description="docs, news, papers, podcasts or a profile of your own.")
    now: datetime | None = Field(
        default=None, description="Pretend it is this moment; for asking as of a past day."
    )
    ingest: IngestSettings = IngestSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    answers: AnswerSettings = AnswerSettings()
    verification: VerificationSettings = VerificationSettings()
    workflow: WorkflowSettings = WorkflowSettings()
    budget: BudgetSettings = BudgetSettings()
    models: ModelSettings = ModelSettings()
    store: StoreSettings = StoreSettings()
    graph: GraphSettings = GraphSettings()
    web: WebSettings = WebSettings()
    news: NewsSettings = NewsSettings()
    cache: CacheSettings = CacheSettings()
    server: ServerSettings = ServerSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    ui: UiSettings = UiSettings()
