"""Running as a service: addresses, limits, caches, traces."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ascertain.core.settings_section import Section


class CacheSettings(Section):
    """Whole answers used again. They are made anew when a document the question could reach has changed."""

    answers: bool = Field(default=True, description="Keep answers and give them again to the same question.")
    most: int = Field(default=5000, ge=0, le=1_000_000, description="Answers kept of each tenant.")
    similarity: float = Field(
        default=0.97,
        ge=0.5,
        le=1,
        description="Cosine that two questions with the same words must reach to get one answer.",
    )
    hours: float = Field(default=24, gt=0, le=8760, description="Longest time an answer is given again.")


class ServerSettings(Section):
    """The HTTP service."""

    host: str = Field(
        default="127.0.0.1", description="Address to listen on; any but a loopback one needs a key."
    )
    port: int = Field(default=8000, ge=0, le=65_535, description="Port; 0 takes a free one.")
    workers: int = Field(default=2, ge=1, le=256, description="Questions worked on at a time.")
    queue: int = Field(
        default=200,
        ge=0,
        le=100_000,
        description="Questions that may wait; beyond them the service answers 503.",
    )
    ingest_workers: int = Field(default=1, ge=0, le=64, description="Background jobs at a time.")
    requests_per_minute: int = Field(
        default=120, ge=0, le=1_000_000, description="Limit of a key that names none; 0 is none."
    )
    max_upload_megabytes: float = Field(default=200, gt=0, le=100_000, description="Largest file taken.")
    max_body_kilobytes: int = Field(
        default=1024, ge=1, le=1_000_000, description="Largest request that is not an upload."
    )
    drain_seconds: float = Field(
        default=30, ge=0, le=3600, description="How long running requests may go on after a signal to end."
    )
    cors_origins: tuple[str, ...] = Field(
        default=(), description="Origins whose pages may call the service from a browser."
    )


class TelemetrySettings(Section):
    """What the program tells of itself."""

    traces: bool = Field(
        default=False,
        description="Send a trace of every question to the OpenTelemetry endpoint of the environment (OTEL_EXPORTER_OTLP_ENDPOINT).",
    )
    content: bool = Field(
        default=False, description="Put the texts of questions, passages and answers into traces."
    )
    log_format: Literal["json", "text"] = Field(
        default="json", description="Form of the service's log lines."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level that is logged."
    )


class UiSettings(Section):
    """The page in the browser, a client of the service."""

    api_url: str = Field(default="http://127.0.0.1:8000", description="The service it talks to.")
    key_variable: str = Field(
        default="ASCERTAIN_API_KEY",
        description="Environment variable that holds its key, where the service asks for one.",
    )
    host: str = Field(default="127.0.0.1", description="Address the page listens on.")
    port: int = Field(default=8501, ge=0, le=65_535, description="Its port.")
