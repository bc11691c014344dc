"""An evidence step before writing: each passage is scored and summed up for the question (RE-10).

The map step of PaperQA2 (Skarlinski et al., "Language agents achieve superhuman synthesis of scientific knowledge", arXiv
2409.13740), there the part that mattered most. Several passages share a call, to save calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from ascertain.core.answers import Decision
from ascertain.core.passages import Passage
from ascertain.core.runs import Run, Task
from ascertain.models.ports import Chat
from ascertain.models.prompted import PromptedStep
from ascertain.models.prompts import Prompts, as_data
from ascertain.retrieval.model_wording import one_line
from ascertain.retrieval.passage_data import index_of, passages_as_data

PASSAGES_A_CALL = 4
CHARACTERS_A_CALL = 8000
"""About 2,000 tokens: small models lose track of more."""
HELPFUL = 3
"""Score, of the 0 to 10 that the prompt describes, from which a passage is written from (by judgement, not measured)."""
LONGEST_NOTE = 600
MOST_FACTS = 5


class NoteReply(BaseModel):
    """What one passage gives for the question."""

    key: str
    score: int = Field(ge=0, le=10, description="How much it helps to answer.")
    summary: str = Field(default="", description="What it says about the question, in one or two sentences.")
    facts: list[str] = Field(default=[], description="Its key facts: names, figures, dates.")


class NotesReply(BaseModel):
    """One note for each passage."""

    notes: list[NoteReply]


@dataclass(frozen=True, slots=True)
class _Batch:
    first: int
    passages: Sequence[Passage]


class EvidenceNotes:
    """Drops passages scored under ``HELPFUL`` and puts a note on the others."""

    def __init__(self, chat: Chat, prompts: Prompts) -> None:
        self._step = PromptedStep(chat, prompts, Task.JUDGE, "judge", "note_evidence")

    def select(self, question: str, passages: Sequence[Passage], run: Run) -> tuple[Passage, ...]:
        """The passages that help, in the order given, with ``note`` and ``scores["evidence"]`` (0..1).

        A passage that the model says nothing of is kept without a note. When none helps, all are kept: abstaining is left
        to the calibrated confidence.
        """
        noted: list[Passage] = []
        dropped: list[Passage] = []
        for batch in _batches(passages):
            notes = self._notes(question, batch, run)
            for index, passage in enumerate(batch.passages, batch.first):
                note = notes.get(index)
                if note is None:
                    noted.append(passage)
                elif note.score >= HELPFUL:
                    noted.append(_with_note(passage, note))
                else:
                    dropped.append(passage)
        if dropped:
            outcome = "passages dropped" if noted else "no passage helps"
            reason = f"{len(dropped)} of {len(passages)} scored under {HELPFUL} of 10 for the question"
            run.note(Decision("judge", outcome, reason))
        return tuple(noted or passages)

    def _notes(self, question: str, batch: _Batch, run: Run) -> dict[int, NoteReply]:
        """By index of the passage; only for passages of the batch."""
        reply = self._step.reply(
            NotesReply,
            run,
            question=as_data(question, "question"),
            passages=passages_as_data(batch.passages, CHARACTERS_A_CALL, batch.first),
        )
        if reply is None:
            return {}
        end = batch.first + len(batch.passages)
        found = {index_of(note.key, end): note for note in reply.notes}
        notes = {index: note for index, note in found.items() if index is not None and index >= batch.first}
        if not notes:
            self._step.fell_back(run, "the model noted nothing of the passages it was shown")
        return notes


def _batches(passages: Sequence[Passage]) -> Iterator[_Batch]:
    first = 0
    while first < len(passages):
        end, characters = first, 0
        while end < len(passages) and end - first < PASSAGES_A_CALL:
            characters += len(passages[end].chunk.text)
            if characters > CHARACTERS_A_CALL and end > first:
                break
            end += 1
        yield _Batch(first, passages[first:end])
        first = end


def _with_note(passage: Passage, reply: NoteReply) -> Passage:
    facts = [one_line(fact) for fact in reply.facts[:MOST_FACTS]]
    note = " ".join(
        part for part in (one_line(reply.summary), *(f"- {fact}" for fact in facts if fact)) if part
    )
    return replace(passage, note=note[:LONGEST_NOTE], scores={**passage.scores, "evidence": reply.score / 10})
