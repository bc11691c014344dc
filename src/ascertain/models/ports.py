"""Ports of the models. An adapter is one module beside this one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from ascertain.core.asking.runs import Run, Task
from ascertain.core.documents.documents import Document
from ascertain.language.languages import ENGLISH

Vectors = NDArray[np.float32]
T = TypeVar("T", bound=BaseModel)


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Identifies the weights; stores refuse vectors of another name or dimension."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text, shape ``(len(texts), dimension)``, float32, unit length; order kept.

        Text past the model's window is cut. Raises ModelError when the model cannot run.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """One vector, shape ``(dimension,)``, float32, unit length."""
        ...


@dataclass(frozen=True, slots=True)
class Spent:
    """What a model on a server has cost so far; ``tokens`` as the server counted, else about a third of the bytes."""

    requests: int = 0
    tokens: int = 0
    usd: float = 0.0


@runtime_checkable
class HostedEmbedder(Protocol):
    """An embedder on a server: several requests can be under way, and they cost something."""

    @property
    def batch_texts(self) -> int:
        """Texts in one call that keep all its requests busy."""
        ...

    @property
    def spent(self) -> Spent:
        """What all its requests together have cost."""
        ...

    def probe(self) -> Vectors:
        """The vector of a fixed text, which identifies the model."""
        ...


def choose_batch(embedder: Embedder, batch: int) -> int:
    """Texts to embed in one call where ``batch`` is wanted: more where they go to a server."""
    return max(batch, embedder.batch_texts) if isinstance(embedder, HostedEmbedder) else batch


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A text token by token: ``spans`` are character offsets, ``vectors`` unit rows of shape ``(tokens, dimension)``.

    ``whole`` is the vector of the text, as ``embed_documents`` gives it.
    """

    spans: tuple[tuple[int, int], ...]
    vectors: Vectors
    whole: Vectors


@runtime_checkable
class TokenEmbedder(Protocol):
    """What an embedder may offer besides: the meaning of each token in its text."""

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors] | None:
        """The tokens of each text, special ones left out, in the order given; None when the model has none to give.

        Text past the model's window is cut. Raises ModelError when the model cannot run.
        """
        ...


class SentenceEmbedder(Protocol):
    """Embeds sentences of documents; it gets their documents, so that cached vectors are deleted with them."""

    def embed_sentences(self, texts: Sequence[str], documents: Sequence[Document]) -> Vectors:
        """As ``Embedder.embed_documents``; ``documents`` holds the document of each text."""
        ...


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for a chat model that reads images."""

    data: bytes
    media_type: str
    """Such as ``image/png``."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a chat model; ``images`` are shown with it."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[Image, ...] = ()


Listen = Callable[[str], object]
"""Called with the reply of a chat model so far: incomplete JSON, or whatever else the model writes."""


class Chat(Protocol):
    """Asks the chat model of a task for structured replies, within a run's budget."""

    def ask(
        self, task: Task, messages: Sequence[Message], answer: type[T], run: Run, listen: Listen | None = None
    ) -> T:
        """The reply to ``messages`` as an ``answer``; recorded on ``run``.

        ``listen`` is called with the text of the reply so far while it is written, where the model streams: in the thread
        of the caller, with a shorter text than before where a reply is asked for again.

        Raises BudgetExceeded before a call that the budget does not allow, and ModelError when the model did not give a
        valid reply in time, retries included.
        """
        ...


class Reranker(Protocol):
    """Scores passages for a question by reading both together."""

    @property
    def name(self) -> str:
        """Identifies the weights."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Relevance of each text, 0..1, in the order given. Raises ModelError when the model cannot run."""
        ...


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """A claim and the text that should support it.

    ``quote`` are the words of ``evidence`` that a sentence of an answer cites, where its figures, names and denials were
    compared before; "" where all is left to the model. ``language`` is that of the question.
    """

    claim: str
    evidence: str
    quote: str = ""
    language: str = ENGLISH


@dataclass(frozen=True, slots=True)
class Support:
    """How far evidence supports a claim: ``entailed`` and ``contradicted`` lie in 0..1 and sum to at most 1.

    ``reason`` is a line for people: the number, name or word that the evidence lacks or denies. ``is_altered``: a
    sentence of the evidence reads like the claim, with other numbers or denials.
    """

    entailed: float
    contradicted: float = 0.0
    reason: str = ""
    is_altered: bool = False


class EntailmentModel(Protocol):
    """Says whether a text supports a claim."""

    @property
    def name(self) -> str:
        """Identifies the model."""
        ...

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        """The support of each pair, in the order given. Raises ModelError or BudgetExceeded when it cannot decide."""
        ...


@dataclass(frozen=True, slots=True)
class Segment:
    """The words from ``start`` to ``end``, seconds from the beginning of the recording."""

    start: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class Transcription:
    """The transcript of a recording, in order; ``language`` as the server names it, empty if it does not; ``gap`` says what of the recording could
    not be read, empty where all was.
    """

    segments: tuple[Segment, ...]
    language: str = ""
    gap: str = ""


class Transcriber(Protocol):
    """Converts speech to text."""

    @property
    def model(self) -> str:
        """Its name, as shown in transcripts."""
        ...

    def transcribe(self, file: Path) -> Transcription:
        """The transcript of ``file``, in the order of time, with at least one segment. Raises ModelError, UsageError for an unsupported
        file, and OSError.
        """
        ...
