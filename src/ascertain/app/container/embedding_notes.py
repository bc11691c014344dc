"""What a home remembers of the embedding models it was used with: how their cosines lie, and the vector of a fixed text.

That vector identifies the model of a server: one that serves another model under the old name is noticed before its vectors mix with the
others. The file holds no text and can be deleted; it is then recreated.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Chunk
from ascertain.core.errors import EmbeddingMismatch, StoreError
from ascertain.core.system.private_files import private_files
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Embedder, HostedEmbedder
from ascertain.models.vectors.similarity import LEAST_SAMPLE, SimilarityScale, choose_sample, estimate_scale, find_scale
from ascertain.stores.ports.chunks import CompleteStore

LOOKED_THROUGH = 2000
"""Chunks that a sample is taken from: a store of millions is not read for it."""
GROWTH = 1.5
"""A larger sample, by so much, is worth another estimate."""
ALIKE = 0.7
"""Share of their terms, figures aside (Jaccard), from which two passages say much the same, by judgement."""
SAME_MODEL = 0.98
"""Cosine of the vectors of one text: servers that compute it again come to .999 and more, another quantisation of the same weights to .99,
other models to less than .5.
"""


class EmbeddingNotes:
    """The notes in ``folder``, None to store none; a file that cannot be read or written is ignored."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / "embedding_models.json"

    def choose_scale(self, embedder: Embedder, store: CompleteStore) -> SimilarityScale:
        """The scale of the embedder's cosines: the measured one of a known model, else one estimated from the store's own passages."""
        found = find_scale(embedder.name)
        if found is not None:
            return found
        chunks = _leave_out_alike(_take_sample(store))
        noted = self._read(embedder.name).get("scale")
        if isinstance(noted, dict):
            known = cast("dict[str, float]", noted)
            if len(chunks) < GROWTH * known["sample"]:
                return SimilarityScale(known["slope"], known["intercept"], str(known["origin"]))
        try:
            scale = _estimate_scale_of(embedder, store, chunks)
        except StoreError:  # one of them was deleted meanwhile; the next search takes another sample
            return SimilarityScale(origin="its scale is not known, and passages of the sample were deleted meanwhile")
        noted = {"slope": scale.slope, "intercept": scale.intercept, "origin": scale.origin, "sample": len(chunks)}
        self._write(embedder.name, {"scale": noted})
        return scale

    def recognise(self, embedder: Embedder) -> None:
        """Note the probe of a model on a server the first time; later raise EmbeddingMismatch when it is another's."""
        if not isinstance(embedder, HostedEmbedder):
            return
        now = embedder.probe()
        noted = self._read(embedder.name).get("probe")
        if noted is None:
            halves = base64.b64encode(now.astype(np.float16).tobytes()).decode()
            self._write(embedder.name, {"probe": halves})
            return
        before = np.frombuffer(base64.b64decode(str(noted)), np.float16).astype(np.float32)
        alike = float(before @ now) if before.shape == now.shape else 0.0
        if alike < SAME_MODEL:
            name, _, options = embedder.name.partition("?")
            revision = f"{name}?{options}&revision=2" if options else f"{name}?revision=2"
            raise EmbeddingMismatch(
                f"models.embedder = {embedder.name!r}: the server has another model under this name now (the vector of a fixed text "
                f"is {alike:.2f} like the one before); bring the old one back, or run `ascertain reindex '{revision}'` to move to the "
                "new one (with base_url and key as before)"
            )

    def find_value(self, name: str) -> str:
        """The value of ``models.embedder`` that opens the model of this name; the name itself where nothing is noted."""
        return str(self._read(name).get("value") or name)

    def keep_value(self, name: str, value: str) -> None:
        """Note by which value a model was opened, where its name does not say it; keys are named by their variable only."""
        if name != value and self.find_value(name) != value:
            self._write(name, {"value": value})

    def forget(self, name: str) -> None:
        """Forget a model: all its vectors are recomputed."""
        self._write(name, {}, again=True)

    def _read(self, name: str) -> dict[str, object]:
        if self._file is not None:
            with suppress(OSError, ValueError, AttributeError):
                return cast("dict[str, object]", json.loads(self._file.read_text("utf-8")).get(name) or {})
        return {}

    def _write(self, name: str, noted: dict[str, object], *, again: bool = False) -> None:
        if self._file is None or not self._file.parent.is_dir():
            return
        with suppress(OSError):
            try:
                content = cast("dict[str, dict[str, object]]", json.loads(self._file.read_text("utf-8")))
            except (OSError, ValueError):
                content = {}
            content[name] = {**({} if again else content.get(name, {})), **noted}
            with private_files():
                self._file.write_text(json.dumps(content, indent=1), "utf-8")


def _take_sample(store: CompleteStore) -> Iterator[Chunk]:
    every = (chunk for tenant in store.tenants() for chunk in store.iterate_chunks(Filter(tenant=tenant)))
    chunks = list(islice((chunk for chunk in every if not chunk.is_parent), LOOKED_THROUGH))
    return (chunks[place] for place in choose_sample(len(chunks)))


def _leave_out_alike(chunks: Iterable[Chunk]) -> list[Chunk]:
    """The chunks of which none says much the same as one before: how near near-duplicates lie says nothing of a model."""
    kept: list[tuple[Chunk, frozenset[str]]] = []
    for chunk in chunks:
        terms = frozenset(term for term in content_terms(chunk.text, ENGLISH) if not any(map(str.isdigit, term)))
        if all(len(terms & others) < ALIKE * len(terms | others) for _, others in kept):
            kept.append((chunk, terms))
    return [chunk for chunk, _ in kept]


def _estimate_scale_of(embedder: Embedder, store: CompleteStore, chunks: Sequence[Chunk]) -> SimilarityScale:
    nothing = np.zeros((0, 1), np.float32)
    if len(chunks) < LEAST_SAMPLE:
        return estimate_scale(nothing, np.zeros((len(chunks), 1), np.float32))
    questions = np.stack([embedder.embed_query(choose_sentence(chunk.text)) for chunk in chunks])
    return estimate_scale(questions, store.vectors([chunk.id for chunk in chunks]))


def choose_sentence(text: str) -> str:
    """The sentence in the middle of a passage, which stands for a question about it."""
    sentences = [span.of(text) for span in split_sentences(text)] or [text]
    return sentences[len(sentences) // 2]
