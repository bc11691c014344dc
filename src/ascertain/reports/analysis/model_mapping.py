"""Reads documents by a chat model, a few in one call: their mood and their key sentences.

The model chooses among numbered sentences, so that it can quote nothing that is not there. What rules find surely (figures, names,
forecasts) stays theirs. Two texts of certain mood are among the documents; a model that gets one wrong is asked for nothing more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace

from pydantic import BaseModel, Field

from ascertain.core.asking.runs import Run, Task
from ascertain.core.reports.analysis import DocumentMap, Mood
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import cut_at_sentence
from ascertain.language.word_lists import load_pairs
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data

BATCH = 8
"""Documents in one call."""
CONCURRENT = 4
"""Calls under way at once: what small accounts of hosted services allow; servers on one machine queue what they cannot do (by judgement)."""
MOST_SENTENCES, MOST_CHARACTERS = 12, 300
"""Sentences of a document that are shown, the first and the most telling, and characters of each: 8 documents make about 6,000 tokens."""
MOST_KEY = 3
_MOODS = {Mood.POSITIVE: 0.6, Mood.NEUTRAL: 0.0, Mood.NEGATIVE: -0.6}
"""What a mood counts where the rules see none of it; where they do, their figure says how strong it is."""


class ReadDocument(BaseModel):
    """What the model read in one document."""

    number: int = Field(description="The number of the document.")
    mood: Mood = Field(description="Whether it speaks well or ill of the subject.")
    key: list[int] = Field(default=[], description="Numbers of the sentences that tell most, best first; at most 3.")


class ReadingReply(BaseModel):
    """What the model read in all of them."""

    documents: list[ReadDocument]


class ChatMapper:
    """Asks the model; documents that it does not read validly keep the maps of the rules."""

    def __init__(self, chat: Chat, prompts: Prompts) -> None:
        self._step = PromptedStep(chat, prompts, Task.EXTRACT, "read", "analyse")
        prompt = prompts.messages("analyse", subject="", so_far="", documents="")
        self.version = hashlib.sha256(
            "\n".join(each.content for each in prompt[:1]).split("Today is")[0].encode()
        ).hexdigest()[:12]
        """Equal for equal prompts."""

    def estimate_calls(self, maps: Sequence[DocumentMap]) -> int:
        """How many calls it takes to read these."""
        return -(-len(maps) // BATCH)

    def read_documents(
        self, maps: Sequence[DocumentMap], subject: str, run: Run, so_far: str = ""
    ) -> dict[str, DocumentMap]:
        """The maps of the rules with what the model read instead, by id; without those that it did not read validly."""
        documents: dict[str, DocumentMap] = {}
        batches = [maps[start : start + BATCH] for start in range(0, len(maps), BATCH)]
        while batches and not (run.is_distrusted or run.is_out_of_time):
            parts = run.split(Task.EXTRACT, min(CONCURRENT, len(batches)), leaves_answer=True)
            asked, batches = batches[: len(parts)], batches[len(parts) :]
            replies = self._ask_together(asked, parts, subject, so_far, run=run)
            for batch, reply in zip(asked, replies, strict=True):
                if reply is None:
                    batches = []
                    continue
                read = {each.number: each for each in reply.documents}
                wrong = _find_wrong_control(read, len(batch))
                if wrong:
                    self._step.distrust(run, wrong)
                    return {}
                documents |= {
                    each.document_id: _merge_map(each, read[number])
                    for number, each in enumerate(batch, 1)
                    if number in read
                }
        return documents

    def _ask_together(
        self, batches: Sequence[Sequence[DocumentMap]], parts: Sequence[Run], subject: str, so_far: str, *, run: Run
    ) -> list[ReadingReply | None]:
        """The reply to each of ``batches``, all asked at the same time, each on its part of ``run``; an interrupt of ``run`` ends all."""

        def ask(batch: Sequence[DocumentMap], part: Run) -> ReadingReply | None:
            return self._step.reply(
                ReadingReply,
                part,
                subject=as_data(subject or "(whatever they are about)", "subject"),
                so_far=so_far or "(nothing)",
                documents="\n\n".join(_show_documents(batch)),
            )

        def interrupt() -> None:
            for part in parts:
                part.interrupt()

        try:
            with run.open_wait(interrupt), ThreadPoolExecutor(len(parts), "ascertain-map") as pool:
                try:
                    under_way = [
                        pool.submit(copy_context().run, ask, batch, part)
                        for batch, part in zip(batches, parts, strict=True)
                    ]
                    return [each.result() for each in under_way]
                except BaseException:
                    interrupt()
                    raise
        finally:
            run.join(parts)


def _show_documents(batch: Sequence[DocumentMap]) -> Iterator[str]:
    for number, each in enumerate(batch, 1):
        shown = [
            f"({place}) {cut_at_sentence(without_instructions(each.statements[place].quote.text), MOST_CHARACTERS)}"
            for place in _choose_shown(each)
        ]
        yield as_data("\n".join(shown), "document", {"number": str(number)})
    for number, (_, text) in enumerate(_controls(), len(batch) + 1):
        yield as_data(f"(0) {text}", "document", {"number": str(number)})


def _choose_shown(document: DocumentMap) -> list[int]:
    return sorted({*range(min(MOST_SENTENCES - MOST_KEY, len(document.statements))), *document.key})


def _controls() -> list[tuple[Mood, str]]:
    return [(Mood(name), text) for name, text in load_pairs("controls", "certain_moods").items()]


def _find_wrong_control(read: dict[int, ReadDocument], count: int) -> str:
    """What the model got wrong that is certain; empty if nothing: silence about a control counts neither way."""
    for number, (mood, _) in enumerate(_controls(), count + 1):
        judged = read.get(number)
        if judged is not None and judged.mood is not mood:
            return f"the model took a text that is plainly {mood.value} for {judged.mood.value}"
    return ""


def _merge_map(by_rules: DocumentMap, read: ReadDocument) -> DocumentMap:
    """The map of the rules in the mood that the model saw; key sentences only from those that it was shown."""
    shown = set(_choose_shown(by_rules))
    key = tuple(dict.fromkeys(place for place in read.key if place in shown))[:MOST_KEY] or by_rules.key
    wanted = _MOODS[read.mood]
    mood = by_rules.mood if wanted * by_rules.mood > 0 and abs(by_rules.mood) > 0.2 else wanted
    return replace(by_rules, mood=mood, key=key, by_model=True)
