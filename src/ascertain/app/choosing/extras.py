"""All missing extras that the settings need; nothing is loaded or called."""

from importlib.util import find_spec

from ascertain.core.settings import Settings

_MODULES = {
    "postgres": "psycopg",
    "qdrant": "qdrant_client",
    "chroma": "chromadb",
    "neo4j": "neo4j",
    "nlp": "spacy",
    "ray": "ray",
    "llm": "langchain",
    "tracing": "opentelemetry",
}
"""One module of each extra that a setting outside ``models`` needs."""


def list_missing_extras(settings: Settings) -> tuple[str, ...]:
    """In alphabetical order."""
    from ascertain.app.choosing.configured import describe_models

    needed = {
        settings.store.kind,
        settings.graph.store,
        "nlp" if settings.graph.build and settings.graph.extractor == "spacy" else "",
        "ray" if settings.ingest.engine == "ray" else "",
        "llm" if settings.ingest.describe_figures else "",
        "tracing" if settings.telemetry.traces else "",
    }
    others = {extra for extra in needed & _MODULES.keys() if find_spec(_MODULES[extra]) is None}
    models = {model.extra for model in describe_models(settings.models).models if not model.is_installed}
    return tuple(sorted((others | models) - {""}))
