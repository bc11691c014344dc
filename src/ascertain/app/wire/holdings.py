"""Size, health and configuration of a knowledge base."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Self, cast

from pydantic import Field

from ascertain.app.wire.shape import NounShape, Shape
from ascertain.core.documents.ingest import GraphGain, IngestRun
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.service.status import GraphCounts, HealthReport, StoreStats


class StatsJson(Shape):
    """How much there is."""

    place: str = Field(
        description=(
            "Where the knowledge base is: a folder, or an address without passwords; empty for callers of"
            " the service with a key."
        ),
        examples=["team.kb"],
    )
    documents: int = Field(examples=[42])
    chunks: int = Field(examples=[118])
    by_kind: dict[str, int] = Field(examples=[{"article": 42}])
    by_profile: dict[str, int] = Field(examples=[{"news": 42}])
    by_state: dict[str, int] = Field(examples=[{"indexed": 42}])
    embedding_model: str | None = Field(examples=["all-MiniLM-L6-v2"])
    dimension: int | None = Field(examples=[384])
    bytes_on_disk: int | None = Field(
        description="Of the whole store, with all tenants; null for callers of the service with a key.",
        examples=[1048576],
    )
    earliest: str | None = Field(examples=["2024-01-10T00:00:00+00:00"])
    latest: str | None = Field(examples=["2024-12-05T00:00:00+00:00"])
    corpus: CorpusProfile
    runs: list[IngestRun] = Field(description="The latest, the last started first.")
    graph: GraphGain | None = Field(description="The size of the knowledge graph; null when it cannot be read.")

    @classmethod
    def from_counts(
        cls, counts: StoreStats, place: str | None, runs: Sequence[IngestRun] = (), graph: GraphCounts | None = None
    ) -> Self:
        """Without ``place`` for users who need not know the store, which may hold more than their data."""
        size = GraphGain(graph.documents, graph.names, graph.mentions, graph.relations) if graph else None
        hidden: dict[str, object] = {"bytes_on_disk": None} if place is None else {}
        return cls.model_validate(cls.read_attributes(counts, place=place or "", runs=list(runs), graph=size, **hidden))


class NamedHomeJson(Shape):
    """A knowledge base that `--kb` opens."""

    name: str = Field(examples=["papers"])
    home: str = Field(examples=["/home/ann/.local/share/ascertain/papers"])
    documents: int | None = Field(description="Null where it cannot be opened; `doctor` says why.", examples=[56])


class HealthJson(NounShape[HealthReport]):
    """What `doctor` found; names of facts may change."""

    healthy: bool = Field(examples=[True])
    problems: list[str]
    facts: dict[str, str] = Field(examples=[{"python": "3.11.7 ..."}])

    @classmethod
    def read_noun(cls, noun: HealthReport) -> object:
        """Healthy is what has no problem."""
        return cls.read_attributes(noun, healthy=not noun.problems)


class ReindexedJson(Shape):
    """What is embedded with another model now."""

    chunks: int = Field(examples=[118])
    embedder: str = Field(examples=["all-MiniLM-L6-v2"])
    settings_file: str | None = Field(description="The file that the model was written to, if it was.")


class SettingJson(Shape):
    """A setting and where its value came from."""

    value: object = Field(examples=[10])
    origin: str = Field(examples=["default"])


def describe_settings(values: Mapping[str, object], origins: Mapping[str, str]) -> dict[str, SettingJson]:
    """``config show --json``: every setting by its dotted key."""
    return {key: SettingJson(value=_plain_value(value), origin=origins[key]) for key, value in values.items()}


class SettingsFileJson(Shape):
    """The settings file in use, or the one that would be."""

    path: str = Field(examples=["/work/ascertain.toml"])
    exists: bool


class ChangedSettingJson(Shape):
    """A setting that was written."""

    key: str = Field(examples=["retrieval.top_k"])
    value: object = Field(examples=[5])
    path: str = Field(description="The file that it was written into.", examples=["/work/ascertain.toml"])
    in_force: str = Field(
        description="Where the value that counts comes from: another layer may overrule the file.",
        examples=["/work/ascertain.toml"],
    )


def _plain_value(value: object) -> object:
    """A setting as JSON has it: paths and dates as text."""
    if isinstance(value, tuple):
        return [_plain_value(each) for each in cast("tuple[object, ...]", value)]
    if isinstance(value, datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
