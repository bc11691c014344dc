"""Settings of the workflow: when it is content, how often it tries again, what it may spend."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ascertain.core.settings_section import Section


class WorkflowSettings(Section):
    """Thresholds and bounds of the self-correcting workflow."""

    good_quality: int = Field(
        default=60, ge=0, le=100, description="Retrieval quality from which an answer is written at once."
    )
    max_rewrites: int = Field(
        default=2, ge=0, le=10, description="Rewrites of the question after poor retrieval."
    )
    max_regenerations: int = Field(
        default=2, ge=0, le=10, description="Times an answer with unsupported claims is written again."
    )
    max_attempts: int = Field(
        default=3, ge=1, le=10, description="Rounds of retrieval and answer; the best one is kept."
    )
    sufficient_after_good: int = Field(
        default=65, ge=0, le=100, description="Score an answer needs after good retrieval."
    )
    sufficient_after_poor: int = Field(
        default=50, ge=0, le=100, description="Score an answer needs after poor retrieval."
    )
    min_chunks: int = Field(default=2, ge=0, description="Passages that sufficient evidence has.")
    min_top_similarity: float = Field(
        default=0.45, ge=-1, le=1, description="Best similarity that sufficient evidence has."
    )
    min_mean_similarity: float = Field(
        default=0.35, ge=-1, le=1, description="Mean similarity that sufficient evidence has."
    )
    min_characters: int = Field(default=200, ge=0, description="Characters that sufficient evidence has.")
    llm_sufficiency: bool = Field(
        default=False,
        description="Whether a chat model, where there is one, looks for what the passages lack.",
    )
    history_turns: int = Field(
        default=10, ge=0, le=1000, description="Latest turns of a conversation that a question sees."
    )
    kept_turns: int = Field(
        default=50,
        ge=0,
        le=100_000,
        description="Latest turns of a conversation kept with citations and decisions; older ones keep their text.",
    )


class VerificationSettings(Section):
    """Checking the claims of an answer against their evidence."""

    support: float = Field(
        default=0.7, ge=0, le=1, description="Entailment above which a claim is supported."
    )
    fine: float = Field(default=0.8, ge=0, le=1, description="Groundedness from which an answer is fine.")
    moderate: float = Field(
        default=0.6, ge=0, le=1, description="Groundedness from which an answer is kept with a warning."
    )
    unsupported: Literal["show", "remove"] = Field(
        default="show", description="Whether unsupported sentences are shown as such or removed."
    )


class BudgetSettings(Section):
    """What one question may spend on models; then the rest of the work is done by rules."""

    calls: int = Field(default=60, ge=0, description="Model calls.")
    tokens: int = Field(default=300_000, ge=0, description="Input and output tokens together.")
    seconds: float = Field(default=300, gt=0, description="Seconds from the question on.")
    usd: float = Field(default=1.0, ge=0, description="US dollars, at the prices under models.chat.")
