"""A chat model weighs and words the themes of a global answer, from the sentences that represent them and nothing
else.

What it writes about a theme is stored in the graph store, under the digest of the sentence that represents the theme
best, for as long as everything it cites represents the theme too: changes elsewhere cause no rewriting. It
names its sources by keys from a closed set; a sentence without one is dropped, and the others are checked like any
answer.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pydantic import BaseModel, Field, ValidationError

from ascertain.answering.citations import shown_text
from ascertain.answering.overviews.global_answers import OF_ONE_THEME, Written
from ascertain.answering.units.candidates import collapse_spaces
from ascertain.core.asking.runs import Run, Task
from ascertain.core.errors import StoreError
from ascertain.core.reports.overviews import Representative, Theme
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import WORD
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data

BATCH = 10
"""Themes in one call that weighs them: a prompt of about 2,000 tokens."""
SHOWN = 3
"""Sentences of a theme shown for weighing it."""
KEPT = 1000
"""Texts stored in the graph store for each tenant, the most recently used; the others are removed from time to time."""
BETWEEN = 100
"""Texts written between two clean-ups."""


class ThemeScoreReply(BaseModel):
    """How far one theme helps."""

    key: str = Field(description="The key of a theme, such as T1.")
    score: float = Field(description="0 for no help at all to 100 for essential.")


class ThemeScoresReply(BaseModel):
    """One score for each theme."""

    scores: list[ThemeScoreReply]


class ThemeSentenceReply(BaseModel):
    """One statement about the theme."""

    text: str
    keys: list[str] = Field(default=[], description="Keys of the sources it rests on, such as S1; at least one.")


class ThemeReply(BaseModel):
    """One or two sentences that say what the sources are about; none where they have nothing in common."""

    sentences: list[ThemeSentenceReply]


class KeptSentence(BaseModel):
    """A sentence as it is stored; ``sources`` name the sentences it rests on, independent of their position."""

    text: str
    sources: list[str]


class KeptTheme(BaseModel):
    """What was written about a theme; empty where it is better quoted."""

    sentences: list[KeptSentence]


class Texts(Protocol):
    """The graph store, as far as it is used here; raises StoreError when it cannot be used."""

    def summaries(self, tenant: str, digests: Sequence[str]) -> dict[str, str]:
        """Texts stored under these digests."""
        ...

    def keep_summaries(self, tenant: str, texts: Mapping[str, str]) -> None:
        """Store texts by digest."""
        ...

    def forget_summaries(self, tenant: str, keep: Sequence[str]) -> int:
        """Remove all texts except these."""
        ...


class ModelThemeScorer:
    """Weighs themes for a question, in batches; a batch that gets no answer ends it."""

    def __init__(self, chat: Chat, prompts: Prompts) -> None:
        self._step = PromptedStep(chat, prompts, Task.JUDGE, "overview", "score_themes")

    def scores(self, question: str, themes: Sequence[Theme], run: Run) -> list[int] | None:
        """How far each theme helps to answer, 0..100, those left out 0; None when the model did not reply."""
        found: list[int] = []
        for start in range(0, len(themes), BATCH):
            batch = themes[start : start + BATCH]
            reply = self._step.reply(
                ThemeScoresReply,
                run,
                question=as_data(question, "question"),
                themes="\n".join(_show_theme(f"T{number}", theme) for number, theme in enumerate(batch, 1)),
            )
            if reply is None:
                return None
            told = {one.key.strip().strip("[]()").upper(): one.score for one in reply.scores}
            scores = [told.get(f"T{number}", 0.0) for number in range(1, len(batch) + 1)]
            # NaN is not a score
            found += [round(min(100.0, max(0.0, score))) if math.isfinite(score) else 0 for score in scores]
        if not any(found):
            self._step.fell_back(run, "it finds no theme of use")
            return None
        return found


class ModelThemeWriter:
    """Writes what a theme is about, or finds it stored; after a failed call, a question continues with
    quotations.
    """

    def __init__(self, chat: Chat, prompts: Prompts, texts: Callable[[], Texts | None]) -> None:
        self._step = PromptedStep(chat, prompts, Task.WRITE, "overview", "write_theme")
        self._prompts = prompts
        self._texts = texts
        self._used: dict[tuple[str, str], None] = {}
        self._unsaved = 0
        self._lock = threading.Lock()

    def write(self, themes: Sequence[Theme], tenant: str, unsupported: Sequence[str], run: Run) -> list[list[Written]]:
        """At most two sentences for each theme, with the indexes of the sentences they rest on; none where these are
        better quoted.

        A theme about which an earlier draft said something unsupported is always quoted: the rest of the draft
        would say less than its quotations. All are quoted, this time, where the model has since failed a control.
        """
        if run.is_distrusted:
            return [[] for _ in themes]
        has_failed = False
        written: list[list[Written]] = []
        for theme in themes:
            reply, has_failed = self._fetch_reply(theme, tenant, run, has_failed)
            written.append([])
            if reply is None:
                continue
            if any(one.text in unsupported for one in reply.sentences):
                self._keep_reply(tenant, self._digest_theme(theme), KeptTheme(sentences=[]), run)
                continue
            written[-1] += [Written(one.text, _find_places(one, theme)) for one in reply.sentences]
        return written

    def _fetch_reply(self, theme: Theme, tenant: str, run: Run, has_failed: bool) -> tuple[KeptTheme | None, bool]:
        """What was written before or is written now, and whether a call has failed."""
        if not theme.description.sentences:
            return None, has_failed
        digest = self._digest_theme(theme)
        kept = self._find_kept(tenant, digest, run)
        if kept is not None and all(_find_places(one, theme) for one in kept.sentences):
            return kept, has_failed
        if has_failed or run.is_out_of_time:
            return None, has_failed
        reply = self._step.reply(ThemeReply, run, **_prompt_values(theme.description.sentences))
        if reply is None:
            return None, True
        checked = _check_reply(reply, theme)
        self._keep_reply(tenant, digest, checked, run)
        return checked, False

    def _digest_theme(self, theme: Theme) -> str:
        """Of the first sentence of a theme and the prompt it is shown in."""
        first = theme.description.sentences[0]
        values = _prompt_values([first])
        shown = "\n".join(message.content for message in self._prompts.messages("write_theme", **values))
        return hashlib.sha256(f"{shown}\n{_name_representative(first)}".encode()).hexdigest()

    def _find_kept(self, tenant: str, digest: str, run: Run) -> KeptTheme | None:
        texts = self._texts()
        try:
            found = texts.summaries(tenant, [digest]).get(digest) if texts is not None else None
            self._mark_used(tenant, digest)
            return None if found is None else KeptTheme.model_validate_json(found)
        except (StoreError, ValidationError) as error:
            self._step.fell_back(run, f"what was written before cannot be read: {collapse_spaces(str(error))[:200]}")
            return None

    def _keep_reply(self, tenant: str, digest: str, reply: KeptTheme, run: Run) -> None:
        texts = self._texts()
        if texts is None:
            return
        try:
            texts.keep_summaries(tenant, {digest: reply.model_dump_json()})
            if self._is_due():
                texts.forget_summaries(tenant, [used for owner, used in self._used if owner == tenant])
        except StoreError as error:
            self._step.fell_back(run, f"what was written cannot be kept: {collapse_spaces(str(error))[:200]}")

    def _mark_used(self, tenant: str, digest: str) -> None:
        with self._lock:
            self._used.pop((tenant, digest), None)
            self._used[tenant, digest] = None
            while len(self._used) > KEPT:
                del self._used[next(iter(self._used))]

    def _is_due(self) -> bool:
        with self._lock:
            self._unsaved = (self._unsaved + 1) % BETWEEN
            return self._unsaved == 0


def _show_theme(key: str, theme: Theme) -> str:
    said = [collapse_spaces(one.text) for one in theme.description.sentences[:SHOWN]]
    text = "\n".join([theme.description.label, *said])
    return as_data(without_instructions(text), "theme", {"key": key, "passages": str(theme.passages)})


def _prompt_values(sentences: Sequence[Representative]) -> dict[str, str]:
    sources = "\n".join(
        as_data(
            without_instructions(collapse_spaces(one.text)),
            "source",
            {"key": f"S{number}", "title": without_instructions(one.chunk.title)},
        )
        for number, one in enumerate(sentences, 1)
    )
    return {"sources": sources, "most": str(OF_ONE_THEME)}


def _check_reply(reply: ThemeReply, theme: Theme) -> KeptTheme:
    """What of a reply can be shown: single sentences of words, each with an existing source."""
    sources = theme.description.sentences
    keys = {f"S{number}": _name_representative(one) for number, one in enumerate(sources, 1)}
    kept: list[KeptSentence] = []
    for written in reply.sentences[: 2 * OF_ONE_THEME]:
        named = (key.strip().strip("[]()").upper() for key in written.keys)
        rests_on = list(dict.fromkeys(keys[key] for key in named if key in keys))
        text = shown_text(written.text, [one.text for one in sources])
        for span in split_sentences(text) if rests_on else ():
            sentence = span.of(text)
            if WORD.search(sentence):
                kept.append(KeptSentence(text=sentence, sources=rests_on))
    return KeptTheme(sentences=kept[:OF_ONE_THEME])


def _name_representative(one: Representative) -> str:
    """The same for the same words at the same place."""
    said = f"{one.chunk.document_id}\n{one.span.start}\n{one.text}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _find_places(kept: KeptSentence, theme: Theme) -> tuple[int, ...]:
    """The indexes, in the description, of what a sentence rests on; empty unless all of it is there."""
    places = {_name_representative(one): place for place, one in enumerate(theme.description.sentences)}
    if not all(source in places for source in kept.sources):
        return ()
    return tuple(places[source] for source in kept.sources)
