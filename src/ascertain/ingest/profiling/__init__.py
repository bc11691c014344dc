"""Profiles of documents by rules: technical density, type, subjects. Offline, one pass over a sample."""

from __future__ import annotations

from ascertain.core.documents import Document
from ascertain.core.profiling import DocumentProfile
from ascertain.ingest.profiling.scoring import (
    choose_type,
    find_subjects,
    find_traits,
    scores_of_types,
    stratified_sample,
    technical_density,
)

__all__ = ["profile_document"]

SAMPLE_CHARACTERS = 6_000
"""Of a document, from its beginning, middle and end; the accuracies in docs/document-profiles.md are with it."""


def profile_document(document: Document, sample_characters: int = SAMPLE_CHARACTERS) -> DocumentProfile:
    """The profile of ``document`` from its text (of a long one, a sample), title, headings and kind."""
    sample = "\n".join(stratified_sample(document.text, sample_characters))
    found = find_traits(document, sample)
    kind, confidence = choose_type(scores_of_types(found, document.kind))
    return DocumentProfile(technical_density(found), kind, confidence, find_subjects(found))
