"""All settings: one typed object, unknown keys forbidden, every number with bounds and a meaning."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path

from pydantic import Field

from ascertain.core.settings.answers import (
    AnswerSettings,
    BudgetSettings,
    VerificationSettings,
    WorkflowSettings,
)
from ascertain.core.settings.ingest import IngestSettings
from ascertain.core.settings.models import ModelSettings
from ascertain.core.settings.retrieval import RetrievalSettings
from ascertain.core.settings.section import Leaf, Section, list_leaves, list_sections
from ascertain.core.settings.service import CacheSettings, ServerSettings, TelemetrySettings, UiSettings
from ascertain.core.settings.sources import NewsSettings, WebSettings
from ascertain.core.settings.store import GraphSettings, StoreSettings


class Settings(Section):
    """Everything Ascertain can be told, from defaults < profile < ``ascertain.toml`` < environment < arguments."""

    home: Path = Field(
        default=Path(".ascertain"),
        description="Folder of the knowledge base; another for each collection of documents that is asked "
        "by itself.",
    )
    profile: str = Field(
        default="docs",
        description="What the documents are: docs, news, papers, podcasts or a profile of your own, with its "
        "aliases and defaults.",
    )
    now: datetime | None = Field(
        default=None, description="Pretend it is this moment, to ask as of a past day or to repeat a run."
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


@cache
def leaves() -> dict[str, Leaf]:
    """Every value that can be set by its dotted key, in the order of the models."""
    return {leaf.key: leaf for leaf in list_leaves(Settings)}


@cache
def sections() -> dict[str, type[Section]]:
    """Every section by its dotted key."""
    return dict(list_sections(Settings))
