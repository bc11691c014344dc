"""The reader: one small encoder that reads a question, or a claim, together with a text.

One pass tells where an answer stands, whether there is one, how relevant the text is, and whether it supports a claim. A
stretch of the text is scored against "no answer here", which the model says at its first token, as in SQuAD 2.0 (Rajpurkar
et al., ACL 2018; Devlin et al., NAACL 2019):

    score(i, j) = start[i] + end[j] - start[CLS] - end[CLS],  i <= j < i + MAX_ANSWER_TOKENS

A long text is read in overlapping windows, and the best one counts. Each is run alone and without padding: a quantised model
scales its numbers by all that is run at once, so a neighbour would change them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from ascertain.core.documents.blocks import Span
from ascertain.core.errors import ModelError
from ascertain.models.onnx import TOKENIZER, onnx_session, replace_surrogates
from ascertain.models.pairs.ports import apply_softmax
from ascertain.models.ports import Support

Logits = NDArray[np.float64]

BUILT_IN = Path(__file__).with_name("data") / "reader.onnx"
"""Reads passages; docs/reader.md says what it was trained on and how well it does."""
BUILT_IN_CLAIMS = BUILT_IN.with_name("claim_reader.onnx")
"""Checks claims, trained by ``training/train_reader.py``: what reads questions better separates claims worse (AUROC of seven sets, in
the mean, 70.3 for 73.7).
"""

WINDOW = 256
"""Tokens read at once, the question and three special ones among them: what the model was trained with."""
MAX_QUESTION_TOKENS = 64
"""A longer question is cut: what it asks stands in its first two lines, and a text needs room beside it."""
MAX_CLAIM_TOKENS = 128
"""Likewise of a claim: more than the longest sentence of an answer has, so that none is approved unread."""
OVERLAP = 64
"""Tokens shared by neighbouring windows: about two sentences, so that one is whole somewhere."""
EVIDENCE_WINDOW, EVIDENCE_OVERLAP = 64, 32
"""Tokens of evidence that a claim is held against at once: two or three sentences, as in most pairs that the model was trained
on. Beside the rules it tells claims of seven sets apart as well as with 112 or all that ``WINDOW`` holds (AUROC 84.1; 84.0;
83.9 in the mean of the sets, each left out), and transfers its threshold better (balanced accuracy 74.5; 73.5; 72.2).
"""
MAX_ANSWER_TOKENS = 30
"""Longest answer in tokens, as is usual for SQuAD: a longer one is a sentence, which is found by its best stretch."""
LEAST_SCORE = -30.0
"""Scores are cut here, and it is the score of a stretch without tokens: beyond, no chance differs to a reader."""
_OUTPUTS = ("span", "answerable", "relevance", "support")
_POSSIBLE = np.triu(np.tri(WINDOW, k=MAX_ANSWER_TOKENS - 1, dtype=bool))
"""Which ends (columns) an answer may have that begins at a token (rows)."""


def _start_of(token: Span) -> int:
    return token.start


def _end_of(token: Span) -> int:
    return token.end


@dataclass(frozen=True, slots=True, eq=False)
class WindowLogits:
    """Tokens of a passage that were read at once: their characters, and the logits of a start and an end at each.

    Above 0 a start and an end together are likelier than no answer: the logits of [CLS] are taken off, half from each.
    """

    tokens: tuple[Span, ...]
    starts: Logits
    ends: Logits

    def find_answer(self, within: Span | None = None) -> tuple[float, Span | None]:
        """The best stretch whose tokens all lie ``within`` these characters, and its score."""
        first, count = 0, len(self.tokens)
        if within is not None:
            # tokens stand in order, so those inside are neighbours
            first = bisect_left(self.tokens, within.start, key=_start_of)
            count = bisect_right(self.tokens, within.end, lo=first, key=_end_of) - first
        if count <= 0:
            return LEAST_SCORE, None
        sums = self.starts[first : first + count, None] + self.ends[None, first : first + count]
        start, end = divmod(int(np.argmax(np.where(_POSSIBLE[:count, :count], sums, -np.inf))), count)
        found = Span(self.tokens[first + start].start, self.tokens[first + end].end)
        return max(float(sums[start, end]), LEAST_SCORE), found


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model makes of one passage for a question; all scores are logits, and the best window counts for each.

    ``answer`` are the characters of the best answer, None for a passage without a token; ``score`` is above 0 where it is
    likelier than none. ``answerable``: whether the passage answers the question at all.
    """

    answer: Span | None
    score: float
    answerable: float
    relevance: float
    windows: tuple[WindowLogits, ...] = field(default=(), repr=False, compare=False)


def find_answer(reading: Reading, within: Span) -> tuple[float, Span | None]:
    """The best answer that lies ``within`` these characters of the passage, and its score."""
    return max((window.find_answer(within) for window in reading.windows), key=lambda found: found[0])


def score_sentences(reading: Reading, sentences: Sequence[Span]) -> list[float]:
    """For each sentence, by its characters, the score of the best answer inside it."""
    return [find_answer(reading, sentence)[0] for sentence in sentences]


class PassageReader(Protocol):
    """Reads passages for the words that answer a question."""

    def read(self, question: str, passages: Sequence[str]) -> list[Reading]:
        """What each passage says to the question, in the order given. Raises ModelError when it cannot read."""
        ...


class ClaimReader(Protocol):
    """Reads claims together with the texts that should support them."""

    def check(self, claim: str, evidences: Sequence[str]) -> list[Support]:
        """What each evidence says about the claim, in the order given. Raises ModelError when it cannot read."""
        ...


@dataclass(frozen=True, slots=True)
class DamagedReader:
    """Replaces a reader that could not be loaded; ``reason`` says why."""

    reason: str

    def read(self, question: str, passages: Sequence[str]) -> list[Reading]:
        """Raises ModelError."""
        raise ModelError(self.reason)

    def check(self, claim: str, evidences: Sequence[str]) -> list[Support]:
        """Raises ModelError."""
        raise ModelError(self.reason)


REMEMBERED = 128
"""Readings that are cached: a question returns to the same passages when its answer is revised or its search repeated."""


class Reader:
    """The model in one ONNX file; it takes the tokenizer of the built-in embedder. Safe to use from several threads."""

    def __init__(self, weights: Path, threads: int = 0) -> None:
        self._name = str(weights)
        if not weights.is_file():
            raise ModelError(f"{weights}: no such file; the reader needs its weights in ONNX form")
        try:
            self._tokenizer = cast(Any, Tokenizer.from_file(str(TOKENIZER)))
            self._session = onnx_session(weights, threads)
        except Exception as error:  # both libraries raise bare Exception subclasses of their own
            raise ModelError(f"{weights}: the reader could not be loaded: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._first, self._separator = (int(self._tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]"))
        self._inputs: list[str] = [str(node.name) for node in self._session.get_inputs()]
        self._read_remembered = lru_cache(maxsize=REMEMBERED)(self._read_passage)
        missing = set(_OUTPUTS) - {str(node.name) for node in self._session.get_outputs()}
        if missing:
            raise ModelError(f"{weights}: this is not a reader: it has no output {', '.join(sorted(missing))}")

    @classmethod
    def load(cls, path: str | Path, threads: int = 0) -> Reader:
        """Open the model in the file ``path``; raises ModelError when it is missing, broken or another model."""
        return cls(Path(path), threads)

    @property
    def name(self) -> str:
        """Identifies the weights."""
        return self._name

    def read(self, question: str, passages: Sequence[str]) -> list[Reading]:
        """What each passage says to the question, in the order given. Raises ModelError when the model cannot run."""
        question_ids = tuple(self._encode_text(question)[0][:MAX_QUESTION_TOKENS])
        return [self._read_remembered(question_ids, passage) for passage in passages]

    def check(self, claim: str, evidences: Sequence[str]) -> list[Support]:
        """What each evidence says about the claim, in the order given; the rest to 1 is the chance that it says nothing.

        Raises ModelError when the model cannot run.
        """
        claim_ids, _ = self._encode_text(claim)
        return [self._check_evidence(claim_ids[:MAX_CLAIM_TOKENS], evidence) for evidence in evidences]

    def _read_passage(self, question: tuple[int, ...], passage: str) -> Reading:
        windows: list[WindowLogits] = []
        answerable: list[float] = []
        relevance: list[float] = []
        for tokens, outputs in self._run_windows(question, passage, WINDOW - 3 - len(question), OVERLAP):
            logits = outputs["span"] - outputs["span"][0].sum() / 2
            body = logits[len(question) + 2 : len(question) + 2 + len(tokens)]
            windows.append(WindowLogits(tokens, body[:, 0], body[:, 1]))
            answerable.append(float(outputs["answerable"][0]))
            relevance.append(float(outputs["relevance"][0]))
        score, answer = max((window.find_answer() for window in windows), key=lambda found: found[0])
        return Reading(answer, score, max(answerable), max(relevance), tuple(windows))

    def _check_evidence(self, claim: list[int], evidence: str) -> Support:
        windows = np.stack(
            [outputs["support"] for _, outputs in self._run_windows(claim, evidence, EVIDENCE_WINDOW, EVIDENCE_OVERLAP)]
        )
        supported, refuted, _ = (float(chance) for chance in apply_softmax(windows).max(axis=0))
        refuted = min(refuted, 1 - supported)
        return Support(supported, refuted, "the evidence denies it" if refuted > max(supported, 0.5) else "")

    def _encode_text(self, text: str) -> tuple[list[int], list[Span]]:
        """Its tokens without special ones, and the characters of each."""
        encoding = self._tokenizer.encode(replace_surrogates(text), add_special_tokens=False)
        return list(encoding.ids), [Span(*offsets) for offsets in encoding.offsets]

    def _run_windows(
        self, first: Sequence[int], text: str, room: int, overlap: int
    ) -> Iterator[tuple[tuple[Span, ...], dict[str, Logits]]]:
        """Every window of ``room`` tokens of ``text`` beside ``first``: the characters of its tokens, and the outputs
        without the batch.
        """
        ids, spans = self._encode_text(text)
        for start in range(0, max(len(ids) - overlap, 1), room - overlap):
            yield tuple(spans[start : start + room]), self._run_window(first, ids[start : start + room])

    def _run_window(self, first: Sequence[int], second: list[int]) -> dict[str, Logits]:
        pair = [self._first, *first, self._separator, *second, self._separator]
        types = np.array([[0] * (len(first) + 2) + [1] * (len(second) + 1)], dtype=np.int64)
        feeds = {
            "input_ids": np.array([pair], dtype=np.int64),
            "attention_mask": np.ones_like(types),
            "token_type_ids": types,
        }
        try:
            found = self._session.run(_OUTPUTS, {name: feeds[name] for name in self._inputs})
        except Exception as error:  # the runtime's own, or a KeyError for an input that is not ours
            raise ModelError(f"{self._name}: the reader failed: {error}") from error
        outputs = {name: np.asarray(value, dtype=np.float64) for name, value in zip(_OUTPUTS, found, strict=True)}
        shapes = {"span": (1, len(pair), 2), "answerable": (1,), "relevance": (1,), "support": (1, 3)}
        for name, output in outputs.items():
            if output.shape != shapes[name]:
                raise ModelError(f"{self._name}: {name} has the shape {output.shape}, a reader's has {shapes[name]}")
            if not np.isfinite(output).all():
                raise ModelError(
                    f"{self._name}: {name} contains values that are not finite numbers; the weights are damaged"
                )
        return {name: output if name in {"answerable", "relevance"} else output[0] for name, output in outputs.items()}
