"""Settings of running as a service: addresses, limits, caches, traces."""

from typing import Literal

from pydantic import Field

from ascertain.core.settings.section import Section
from ascertain.core.settings.sign_in import AccessSettings, OidcSettings, ProxySettings


class CacheSettings(Section):
    """What answering reuses: whole answers, which are computed again when a document the question could reach has changed,
    and vectors of sentences.
    """

    answers: bool = Field(
        default=True,
        description="Store answers and reuse them for the same question; false to measure or to compare settings.",
    )
    hours: float = Field(
        default=24,
        gt=0,
        le=8760,
        description="Longest time an answer is reused, and articles fetched for a question outside any "
        "conversation are stored; less where answers speak of today.",
    )


class ServerSettings(Section):
    """The HTTP service."""

    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on; 0.0.0.0 to serve other machines, and any but a loopback one needs a key.",
    )
    port: int = Field(default=8000, ge=0, le=65_535, description="Port; another if it is in use, 0 takes a free one.")
    open: bool = Field(
        default=False,
        description="Whether a service on a loopback address lets programs on this machine in without a key even though there are keys, or were; "
        "where a home that had keys is for this machine alone now.",
    )
    certificate: str = Field(
        default="",
        description="File of a certificate (PEM, with those it rests on) to speak TLS with; without it keys and documents travel unencrypted, as behind a "
        "proxy that speaks it.",
    )
    key_file: str = Field(
        default="",
        description="File of the private key of the certificate (PEM), if the certificate file does not contain it.",
    )
    workers: int = Field(
        default=1,
        ge=1,
        le=256,
        description="Processes that answer, each with its own models in memory; as many as cores where many people ask at once.",
    )
    questions_at_once: int = Field(
        default=2,
        ge=1,
        le=256,
        description="Questions that a process works on at a time; more where a chat model is waited for.",
    )
    ingest_workers: int = Field(
        default=2,
        ge=0,
        le=64,
        description="Background jobs at a time, one of them reserved for other tenants; 0 for an instance "
        "that only answers.",
    )
    requests_per_minute: int = Field(
        default=120,
        ge=0,
        le=1_000_000,
        description="Limit of a key without its own; 0 means none, fewer for keys that strangers hold.",
    )
    max_upload_megabytes: float = Field(
        default=200, gt=0, le=100_000, description="Largest file taken; less where strangers upload."
    )
    processor_seconds: float = Field(
        default=60,
        gt=0,
        le=86_400,
        description="Processor time that one question may take, waiting for models aside; an analysis or research ten times as much. "
        "More on a slow machine with very many documents.",
    )
    requests_at_once: int = Field(
        default=500,
        ge=1,
        le=100_000,
        description="Requests in progress at a time, including those that wait or listen to events; more are asked to retry "
        "later. More where many listen.",
    )
    receive_seconds: float = Field(
        default=20,
        gt=0,
        le=3600,
        description="How long the headers of a request may take, and so long its body, which gets a second more for every "
        "500 bytes; less where strangers connect.",
    )
    drain_seconds: float = Field(
        default=30,
        ge=0,
        le=3600,
        description="How long running requests may go on after a signal to end; less than the time your "
        "orchestrator gives.",
    )
    stream_drafts: bool = Field(
        default=False,
        description="Whether a stream of the OpenAI-compatible endpoint begins with the draft as a chat model writes it, "
        "before the checked answer; on where readers would rather see unchecked words than wait.",
    )
    cors_origins: tuple[str, ...] = Field(
        default=(), description="Origins whose pages may call the service from a browser; those of a page of your own."
    )
    proxy: ProxySettings = ProxySettings()
    oidc: OidcSettings = OidcSettings()
    access: AccessSettings = AccessSettings()

    @property
    def has_sign_in(self) -> bool:
        """Whether people can come in without a key, by name."""
        return bool(self.proxy.user_header or self.oidc.issuer)


class TelemetrySettings(Section):
    """What the program reports about itself."""

    traces: bool = Field(
        default=False,
        description="Send a trace of every question to the OpenTelemetry endpoint of the environment "
        "(OTEL_EXPORTER_OTLP_ENDPOINT), to see where time and money go.",
    )
    content: bool = Field(
        default=False,
        description="Put the texts of questions, passages and answers into traces; on only if the readers of "
        "traces may read them.",
    )
    log_format: Literal["json", "text"] = Field(
        default="json", description="Form of the service's log lines; text to read them on a terminal."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level that is logged; debug to look for a fault."
    )
