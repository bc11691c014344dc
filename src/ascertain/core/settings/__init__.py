"""Settings: one typed object, merged from defaults, profile, file, environment and arguments."""

from ascertain.core.settings.answers import (
    AnswerSettings,
    BudgetSettings,
    ResearchSettings,
    VerificationSettings,
    WorkflowSettings,
)
from ascertain.core.settings.ingest import ChunkerSettings, IngestSettings, RaySettings, ReadingSettings
from ascertain.core.settings.layers import Settings, load_settings
from ascertain.core.settings.models import ChatSettings, ModelSettings, TierSettings
from ascertain.core.settings.retrieval import FusionSettings, RetrievalSettings
from ascertain.core.settings.section import Section
from ascertain.core.settings.service import CacheSettings, ServerSettings, TelemetrySettings
from ascertain.core.settings.sign_in import AccessSettings, OidcSettings, ProxySettings
from ascertain.core.settings.sources import FeedSettings, NewsSettings, SearxngSettings, WebSettings
from ascertain.core.settings.store import GraphSettings, HnswSettings, StoreSettings

__all__ = [
    "AccessSettings",
    "AnswerSettings",
    "BudgetSettings",
    "CacheSettings",
    "ChatSettings",
    "ChunkerSettings",
    "FeedSettings",
    "FusionSettings",
    "GraphSettings",
    "HnswSettings",
    "IngestSettings",
    "ModelSettings",
    "NewsSettings",
    "OidcSettings",
    "ProxySettings",
    "RaySettings",
    "ReadingSettings",
    "ResearchSettings",
    "RetrievalSettings",
    "SearxngSettings",
    "Section",
    "ServerSettings",
    "Settings",
    "StoreSettings",
    "TelemetrySettings",
    "TierSettings",
    "VerificationSettings",
    "WebSettings",
    "WorkflowSettings",
    "load_settings",
]
