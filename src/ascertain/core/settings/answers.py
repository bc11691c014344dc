"""Settings of answers: how they are written and checked, how often tried again, what they may cost."""

from typing import Literal

from pydantic import Field

from ascertain.core.settings.section import Section


class AnswerSettings(Section):
    """Composing answers."""

    max_sentences: int = Field(
        default=3, ge=1, le=30, description="Most sentences in an answer; more for questions about how and why."
    )
    passages: int = Field(
        default=8,
        ge=1,
        le=100,
        description="Passages considered for the answer; more where an answer has to draw on many documents.",
    )
    rejection_threshold: int = Field(
        default=30,
        ge=0,
        le=100,
        description="Confidence below which no answer is given but the passages found are named; higher where a "
        "wrong answer costs more than none (ascertain tune fits it).",
    )
    calibration_slope: float = Field(
        default=1.0,
        ge=0,
        le=100,
        description="Factor on the log-odds of an answer's confidence; ascertain tune fits it to your questions.",
    )
    calibration_intercept: float = Field(
        default=0.0, ge=-30, le=30, description="Added to those log-odds; ascertain tune fits it likewise."
    )
    tone: str = Field(
        default="plain and factual",
        min_length=1,
        max_length=300,
        description="How a chat model writes answers, in a few words; change it for your readers.",
    )
    length: Literal["auto", "short", "medium", "long"] = Field(
        default="auto",
        description="How long the answers are that a chat model writes; auto is as the question needs, short for a "
        "chat, long for a report.",
    )
    language: str = Field(
        default="",
        max_length=50,
        description="Language of the answers that a chat model writes; empty means the question's, name one "
        "where readers have another.",
    )


class VerificationSettings(Section):
    """Checking the claims of an answer against their evidence."""

    support: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Entailment above which a claim is supported; higher to let fewer false claims through, "
        "and fit it again for another checking model.",
    )
    unsupported: Literal["mark", "remove"] = Field(
        default="mark",
        description="Whether sentences with something that is not in the sources are shown as such or removed; remove "
        "where readers would trust them. What the sources contradict is never shown.",
    )


class WorkflowSettings(Section):
    """When the self-correcting workflow is satisfied, and how often it retries."""

    max_attempts: int = Field(
        default=3,
        ge=1,
        le=10,
        description="Rounds of retrieval and answer, of which the best one is used; 1 for the quickest answer.",
    )
    min_top_similarity: float = Field(
        default=0.45,
        ge=-1,
        le=1,
        description="Best similarity that sufficient evidence has; fit it again for another embedding model.",
    )
    min_mean_similarity: float = Field(
        default=0.35,
        ge=-1,
        le=1,
        description="Mean similarity that sufficient evidence has; fit it again for another embedding model.",
    )


class ResearchSettings(Section):
    """Whether research asks arXiv."""

    arxiv: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Whether arXiv is searched where a run names no sources: auto where its question is about papers; "
        "always for a collection of papers; never where questions must not leave your network.",
    )


class BudgetSettings(Section):
    """What one question may spend on models; then the rest of the work is done by rules."""

    calls: int = Field(
        default=15,
        ge=0,
        description="Model calls; fewer where the provider limits them, more for global questions over many themes.",
    )
    tokens: int = Field(
        default=300_000, ge=0, description="Input and output tokens together; fewer to cap what long documents cost."
    )
    seconds: float = Field(
        default=300, gt=0, description="Seconds from the question on; fewer where someone waits for the answer."
    )
    usd: float = Field(
        default=1.0, ge=0, description="US dollars, at the prices under models.chat; what an answer is worth to you."
    )
