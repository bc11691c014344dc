"""Adding documents: the engine of the settings, and the log of its runs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, document_id
from ascertain.core.errors import AscertainError, ConfigurationError, UsageError
from ascertain.core.service.status import format_count
from ascertain.core.settings import Settings
from ascertain.core.settings.profiles import load_profiles

if TYPE_CHECKING:
    from ascertain.app.container.container import Container
    from ascertain.core.documents.ingest import IngestReport
    from ascertain.documents.formats.reader import ReadOptions
    from ascertain.documents.ingest.cluster.batches import GraphRecipe
    from ascertain.documents.ingest.cluster.engine import ClusterIngestor
    from ascertain.documents.ingest.figures.reading import FigureStep
    from ascertain.documents.ingest.pipeline import Ingestor
    from ascertain.documents.ingest.preparing import Read, Unchanged
    from ascertain.documents.ingest.report import IngestListener
    from ascertain.models.ports import Embedder
    from ascertain.stores.ports.chunks import CompleteStore


_NOT_BY_CLUSTER = "pictures were not described: a cluster does not (ingest.engine); add them by the local engine"
_NAMED_PATHS = 5
"""Paths of a run that its log entry names."""


class Adding:
    """Adds documents to one knowledge base by the engine of its settings.

    ``open_store`` gives the store, created if missing; ``given`` is an embedding model from the caller;
    ``open_figures`` what describes pictures in one run, or defers that, None where none are described.
    """

    def __init__(
        self,
        settings: Settings,
        open_store: Callable[[], CompleteStore],
        open_embedder: Callable[[], Embedder],
        given: Embedder | None,
        tenant: str = "default",
        *,
        open_figures: Callable[[bool], FigureStep | None] = lambda defers: None,
    ) -> None:
        self._open_figures = open_figures
        self._settings = settings
        self._open_store = open_store
        self._open_embedder = open_embedder
        self._given = given
        self._tenant = tenant

    def paths(
        self,
        paths: Sequence[Path],
        *,
        profile: str,
        tags: Sequence[str],
        sync: bool,
        listener: IngestListener | None,
        conversation_id: str | None = None,
        defer_figures: bool = False,
    ) -> IngestReport:
        """Add files and folders, for everyone or for one conversation."""
        names = [str(path.expanduser().resolve()) for path in paths]
        since = self.unfinished_since(names)
        if self.is_on_cluster:
            add = partial(self.cluster_ingestor().add_paths, resumed_since=since)
        else:
            add = self.local_ingestor(defer_figures=defer_figures).add_paths
        with self.record_run(names, listener) as heard:
            report = add(
                paths,
                profile=profile,
                tags=tags,
                tenant=self._tenant,
                conversation_id=conversation_id,
                sync=sync,
                listener=heard,
            )
        if self.is_on_cluster and self._settings.ingest.describe_figures:
            report = replace(report, notes=(*report.notes, _NOT_BY_CLUSTER))
        return tell_resumption(report, since)

    def documents(self, documents: Iterable[Document], listener: IngestListener | None) -> IngestReport:
        """Add documents made by the caller."""
        ingestor = self.cluster_ingestor() if self.is_on_cluster else self.local_ingestor()
        with self.record_run(["documents made by a program"], listener) as heard:
            return ingestor.add_documents(documents, listener=heard)

    def options(self, profile: str, tags: tuple[str, ...], conversation_id: str | None) -> ReadOptions:
        """How files of this tenant are read, within the limits of the settings."""
        from ascertain.documents.formats.reader import ReadLimits, ReadOptions

        ingest = self._settings.ingest
        limits = ReadLimits.of(ingest.reading)
        return ReadOptions(
            profile,
            tags,
            self._tenant,
            conversation_id,
            max_bytes=ingest.max_file_bytes,
            limits=limits,
            reads_pictures=ingest.describe_figures and not self.is_on_cluster,
        )

    def read(
        self,
        read: Iterator[Read | Unchanged],
        under: Filter,
        size: int,
        *,
        listener: IngestListener | None,
        goes_on: Callable[[], bool],
    ) -> IngestReport:
        """Add what the caller reads, in this process, as ``Ingestor.add_read`` does."""
        ingestor = self.local_ingestor()
        with self.record_run(under.sources, listener) as heard:
            return ingestor.add_read(read, under, size, listener=heard, goes_on=goes_on)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings

    @property
    def is_on_cluster(self) -> bool:
        """Whether a cluster ingests."""
        return self._settings.ingest.engine == "ray"

    def store(self) -> CompleteStore:
        """The store, created if missing."""
        return self._open_store()

    def local_ingestor(self, *, defer_figures: bool = False) -> Ingestor:
        """The ingestor in this process; with ``defer_figures`` new pictures are described later."""
        from ascertain.documents.ingest.pipeline import Ingestor

        profiles = load_profiles(self._settings.home / "profiles")
        store = self._open_store()
        figures = self._open_figures(defer_figures)
        return Ingestor(store, self._open_embedder(), self._settings.ingest, profiles, figures)

    def cluster_ingestor(self) -> ClusterIngestor:
        """The ingestor on a cluster. Raises ConfigurationError for a store that only this machine can write to."""
        from ascertain.documents.ingest.cluster.batches import EmbedderRecipe, GivenEmbedder, StoreRecipe
        from ascertain.documents.ingest.cluster.engine import ClusterIngestor
        from ascertain.documents.ingest.cluster.stages import Workplace
        from ascertain.documents.sources.files import ReadOptions

        settings = self._settings
        if not settings.store.is_shared:
            raise ConfigurationError(
                "ingest.engine = 'ray' needs a server store, which several machines can write to: set store.kind to "
                "postgres or qdrant; or use the local engine"
            )
        from ascertain.documents.ingest.cluster.ray_data import RayCluster

        store = self._open_store()
        threads = max(1, int(settings.ingest.ray.cpus_per_worker))
        embedder = (
            GivenEmbedder(_check_sendable(self._given)) if self._given else EmbedderRecipe(settings.models, threads)
        )
        workplace = Workplace(
            settings.ingest,
            ReadOptions(),
            StoreRecipe.of(settings.store, settings.home, self._open_embedder()),
            embedder,
            open_graph=self._graph_recipe(),
            profiles=load_profiles(settings.home / "profiles"),
        )
        return ClusterIngestor(store, RayCluster(settings.ingest.ray), workplace)

    def _graph_recipe(self) -> GraphRecipe | None:
        """How workers have the graph follow.

        One that is read by chat model, whose budget is for the whole run, catches up afterwards.
        """
        from ascertain.documents.ingest.cluster.batches import GraphRecipe

        settings = self._settings
        if settings.graph.extractor == "model" and settings.graph.build:
            return None
        return GraphRecipe.of(settings.graph, settings.store, settings.home, load_profiles(settings.home / "profiles"))

    @contextmanager
    def record_run(self, names: Sequence[str], listener: IngestListener | None) -> Generator[IngestListener]:
        """A logged run over the named sources; forwards its progress."""
        from ascertain.documents.ingest.recording import record_run
        from ascertain.documents.ingest.report import SilentListener
        from ascertain.stores.registry import open_ingest_log

        settings = self._settings
        with record_run(
            lambda: open_ingest_log(settings.store, settings.home),
            settings.ingest.engine,
            _join_paths(names),
            listener or SilentListener(),
            tenant=self._tenant,
        ) as heard:
            yield heard

    def unfinished_since(self, names: Sequence[str]) -> datetime | None:
        """When an interrupted run over the same sources began; None also when the log cannot be read."""
        from ascertain.documents.ingest.recording import unfinished_since
        from ascertain.stores.registry import open_ingest_log

        settings = self._settings
        try:
            with closing(open_ingest_log(settings.store, settings.home)) as log:
                return unfinished_since(log, settings.ingest.engine, _join_paths(names), self._tenant)
        except AscertainError:
            return None


def open_adding(container: Container, tenant: str) -> Adding:
    """What puts documents of a tenant into the store; creates the knowledge base if there is none."""
    from ascertain.app.adding.figures import open_figure_step

    def open_figures(defers: bool) -> FigureStep | None:
        models, descriptions = container.models, container.figure_descriptions
        document = container.store().document
        return open_figure_step(container.settings, lambda: models.chat, descriptions, document, defers=defers)

    return Adding(
        container.settings,
        lambda: container.store_for_vectors(create=True),
        lambda: container.models.embedder,
        container.models.given,
        tenant,
        open_figures=open_figures,
    )


def tell_resumption(report: IngestReport, since: datetime | None) -> IngestReport:
    """``report`` of a run that resumed one interrupted since ``since``, with a note of what was already there."""
    if since is None or not report.unchanged:
        return report
    all_of_them = report.added + report.changed + report.unchanged
    note = (
        f"resumed the run of {since:%Y-%m-%d at %H:%M} UTC, which was interrupted: {report.unchanged:,} of "
        f"{format_count(all_of_them, 'document')} were there already"
    )
    return replace(report, notes=(*report.notes, note))


def _join_paths(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED_PATHS:,} more" if len(paths) > _NAMED_PATHS else ""
    return ", ".join(paths[:_NAMED_PATHS]) + more


def _check_sendable(embedder: Embedder) -> Embedder:
    try:
        pickle.dumps(embedder)
    except Exception as error:  # parts of a model that cannot be pickled raise anything
        raise UsageError(
            f"the embedding model {embedder.name} cannot be sent to workers ({error}); set one in models.embedder"
        ) from error
    return embedder


def adopt_documents(documents: Iterable[Document], tenant: str) -> Iterable[Document]:
    """``documents`` with ``tenant`` as their tenant; one of another tenant gets the id that its source has here.

    So no one can overwrite a document of another tenant by naming it. A sequence stays one, so that its length is
    known.
    """
    if isinstance(documents, Sequence):
        return [_adopt_document(document, tenant) for document in documents]
    return (_adopt_document(document, tenant) for document in documents)


def _adopt_document(document: Document, tenant: str) -> Document:
    if document.tenant == tenant:
        return document
    return replace(document, id=document_id(document.source, tenant, document.conversation_id), tenant=tenant)
