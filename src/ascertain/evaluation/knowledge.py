"""A knowledge base built from an evaluation set, through the door a user's documents take."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ascertain.app.ascertain import Ascertain
from ascertain.core.documents import Document, DocumentKind, document_id
from ascertain.core.filters import Filter
from ascertain.core.settings import Settings
from ascertain.evaluation.datasets import EvaluationSet, Query
from ascertain.evaluation.embedding_cache import CachedEmbedder
from ascertain.models.registry import open_embedder

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Listener:
    """``progress`` takes short lines for a status display, ``remark`` what people should know beside the numbers."""

    progress: Say
    remark: Say


@dataclass(frozen=True, slots=True)
class Knowledge:
    """An open knowledge base and how its documents map to the set's texts.

    ``corpus_ids`` maps document id to corpus id and ``document_ids`` back; ``texts`` maps a document id to the text that
    was handed in: what quotations are checked against.
    """

    app: Ascertain
    corpus_ids: Mapping[str, str]
    document_ids: Mapping[str, str]
    texts: Mapping[str, str]
    index_seconds: float

    def limits(self, query: Query) -> Filter:
        """Only the documents that the query is asked of; all when it names none."""
        return Filter(document_ids=tuple(self.document_ids[corpus_id] for corpus_id in query.documents))


@contextmanager
def open_knowledge(
    data: EvaluationSet, settings: Settings, cache: Path | None, listener: Listener
) -> Generator[Knowledge]:
    """Index ``data`` into a temporary home, deleted at the end.

    With ``cache``, document vectors are kept in and taken from that folder; ``index_seconds`` then leaves out what
    was not computed anew. Texts that could not be ingested are reported through ``listener.remark``.
    """
    documents = as_documents(data, settings.profile)
    with ExitStack() as stack:
        home = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="ascertain-eval-", ignore_cleanup_errors=True)
        )
        embedder = None
        if cache is not None:
            embedder = CachedEmbedder(open_embedder(settings.models), cache)
            stack.callback(embedder.close)
        app = stack.enter_context(
            Ascertain(settings.model_copy(update={"home": Path(home)}), embedder=embedder)
        )
        listener.progress(f"{data.name}: indexing {len(documents):,} texts")
        started = time.perf_counter()
        report = app.add_documents(documents.values())
        seconds = time.perf_counter() - started
        for failure in report.failures[:5]:
            listener.remark(f"{data.name}: {failure.source}: not ingested: {failure.reason}")
        if len(report.failures) > 5:
            listener.remark(f"{data.name}: {len(report.failures) - 5} more texts were not ingested")
        yield Knowledge(
            app=app,
            corpus_ids={document.id: corpus_id for corpus_id, document in documents.items()},
            document_ids={corpus_id: document.id for corpus_id, document in documents.items()},
            texts={document.id: document.text for document in documents.values()},
            index_seconds=seconds,
        )


def as_documents(data: EvaluationSet, profile: str) -> dict[str, Document]:
    """A document for each text of the set, by corpus id."""
    return {
        text.id: Document(
            id=document_id(f"eval/{data.name}/{text.id}"),
            text=text.text,
            title=text.title,
            kind=DocumentKind.PROSE,
            source=f"eval/{data.name}/{text.id}",
            profile=profile,
        )
        for text in data.corpus
    }
