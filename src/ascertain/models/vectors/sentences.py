"""Which embedding model compares a question with sentences, and on which scale.

Weights and floors over single sentences were fitted to the built-in model, which reads English. In another language a home's own model
does it, where that one may know the language, runs on this machine and has a known scale; it gives no tokens, since what is
made of the nearness of single words was fitted to the built-in one alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.answers import Decision
from ascertain.core.documents.documents import Document
from ascertain.language.languages import ENGLISH
from ascertain.models.embed.cards import find_known_model, reads_english_only
from ascertain.models.ports import Embedder, HostedEmbedder, SentenceEmbedder, Vectors
from ascertain.models.vectors.similarity import PLAIN, SimilarityScale, find_scale


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """``embedder`` embeds questions; ``kept`` the sentences of documents, where that is not ``embedder`` too. ``scale`` is that of its
    cosines, None for the one known by its name.
    """

    embedder: Embedder
    kept: SentenceEmbedder | None = None
    scale: SimilarityScale | None = None

    def embed(self, texts: Sequence[str], documents: Sequence[Document]) -> Vectors:
        """Unit rows of sentences of ``documents``."""
        return self.kept.embed_sentences(texts, documents) if self.kept else self.embedder.embed_documents(texts)

    def compare(self, sentences: Vectors, asked: Vectors) -> NDArray[np.float64]:
        """Nearness of each row to ``asked`` on the scale of the built-in model."""
        scale = self.scale or find_scale(self.embedder.name) or PLAIN
        return scale.apply(sentences @ asked)


@dataclass(frozen=True, slots=True)
class SentenceModels:
    """``english`` reads English and ``others`` what is in other languages; None where that is ``english`` too, and then ``why`` it is."""

    english: SentenceModel
    others: SentenceModel | None = None
    why: str = ""

    def choose(self, asked: str, said: Sequence[str | None]) -> SentenceModel:
        """The model for a question in the language ``asked`` over passages, best first, in the languages ``said``, None for unknown:
        ``english`` where the question and the best passage are in English.
        """
        return self.english if self.others is None or _is_english(asked, said) else self.others

    def describe_choice(self, asked: str, said: Sequence[str | None]) -> tuple[Decision, ...]:
        """For the trace, where not all is English: by which model sentences are compared, and why. Where there is no other to choose, a
        question in English gets no note: the apparent language of a document must not affect it.
        """
        name = self.choose(asked, said).embedder.name
        if self.others is not None and not _is_english(asked, said):
            return (Decision("compose", f"sentences compared by {name}", "they are not in English"),)
        if self.others is None and self.why and asked != ENGLISH:
            return (Decision("compose", f"sentences compared by {name}, which reads English", f"{self.why}"),)
        return ()

    def describe(self) -> str:
        """For people: which model compares the sentences of documents with a question."""
        name = self.english.embedder.name
        if self.others is not None:
            return f"compared by {name} in English, by {self.others.embedder.name} in other languages"
        return f"compared by {name}" + (f", poorly in other languages than English: {self.why}" if self.why else "")


def _is_english(asked: str, said: Sequence[str | None]) -> bool:
    return asked == ENGLISH and (said[0] if said else None) in {None, ENGLISH}


def explain_english_only(embedder: Embedder, scale: SimilarityScale) -> str:
    """Why ``embedder``, whose cosines have this scale, compares no sentences in other languages than English; empty where it does."""
    if reads_english_only(embedder.name):
        return f"{embedder.name} was made for English"
    if isinstance(embedder, HostedEmbedder) or embedder.name.startswith("langchain:"):
        return f"{embedder.name} may be on a server, and sentences stay on this machine"
    if (scale.slope, scale.intercept) == (PLAIN.slope, PLAIN.intercept):
        return f"{embedder.name}: {scale.origin or 'its scale is not known'}"
    return ""


def reads_english_too(name: str) -> bool:
    """Whether a home's own model compares English sentences as well: it is multilingual, and its scale was measured."""
    known = find_known_model(name)
    return known is not None and known.is_multilingual and known.slope > 0
