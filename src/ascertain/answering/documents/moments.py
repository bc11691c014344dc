"""What is said in recordings at a time, or between two times: the sentences with speaker and time, each with its citation.

A transcript gives times for cues, for turns, or for a mark here and there. Sentences that share one time are placed by their share
of the characters until the next one, as people speak at an even pace.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ascertain.answering.composition import Composition
from ascertain.answering.confidence import confidence_of
from ascertain.answering.documents.composing import (
    NAMED,
    NEAREST,
    OF_EACH,
    OF_SEVERAL,
    WHOLE_PART,
    Group,
    Lines,
    Presentation,
    PresentationRequest,
    finish_presentation,
    name_document,
    quote_units,
)
from ascertain.answering.documents.outline import Outline, Section, Unit, outline_document
from ascertain.answering.documents.selection import select_carrying
from ascertain.answering.overviews.digests import StoryWriter
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Decision
from ascertain.core.asking.plans import Stretch
from ascertain.core.asking.runs import Run
from ascertain.core.documents.blocks import BlockKind, clock_time
from ascertain.core.documents.documents import Document
from ascertain.core.reports.overviews import DocumentFit
from ascertain.language.tokens import may_name

AROUND, BESIDE = 3, 2
"""Sentences shown of an utterance on each side of the moment, and of the utterances before and after it."""
MOST_RECORDINGS = 5
"""Most recordings whose words are shown together; other matching ones are named."""
FAR_APART = 60.0
"""Seconds between two times of a transcript from which the answer says that text between them is placed by its length."""


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A sentence with when it is said: between ``start`` and ``end``, None where the end is not known; about ``at``."""

    unit: Unit
    start: float
    end: float | None
    at: float

    @property
    def is_placed(self) -> bool:
        """Whether its time is one of several sentences over more than a minute, so that ``at`` is more precise."""
        return self.end is not None and self.end - self.start > FAR_APART

    @property
    def utterance(self) -> tuple[str, float]:
        return self.unit.speaker, self.start


@dataclass(frozen=True, slots=True)
class _Recording:
    """The sentences of a recording in order; ``ends`` is the last time in it."""

    document: Document
    spoken: tuple[_Spoken, ...]
    ends: float

    @property
    def name(self) -> str:
        return name_document(self.document)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is shown of a recording out of ``of`` sentences, and the note before it."""

    recording: _Recording
    spoken: tuple[_Spoken, ...]
    of: int
    note: str = ""


def present_moments(request: PresentationRequest, run: Run, writer: StoryWriter | None = None) -> Presentation | None:
    """What is said then in each recording, written by ``writer`` where it is more than a moment; a line that says why there is nothing, where
    no recording has such a time. None where no recording has times.
    """
    asked, found = request.asked, request.found
    stretch = asked.stretch
    assert stretch is not None
    if not request.documents:
        return _refuse(_describe_unfound(request), request.language)
    read = [_read_recording(each) for each in request.documents]
    timed = [each for each in read if each is not None]
    if not timed:
        names = ", ".join(map(name_document, request.documents))
        return _refuse(f"{names} gives no times.", request.language) if asked.name else None
    heard = [each for each in timed if not asked.speaker or _list_own(each, asked.speaker)]
    if not heard:
        return _refuse(f"Nobody called “{asked.speaker}” speaks in {_join_names(timed)}.", request.language)
    fitting = [each for each in heard if stretch.is_from_end or stretch.start <= each.ends]
    if not fitting:
        return _refuse(_describe_ends(heard, stretch), request.language)
    room = None if len(fitting) == 1 else max(OF_EACH, OF_SEVERAL // min(len(fitting), MOST_RECORDINGS))
    chosen = [
        _choose(one, stretch, asked.speaker, room, language=request.language) for one in fitting[:MOST_RECORDINGS]
    ]
    shown = [each for each in chosen if each.spoken]
    if not shown:
        return _refuse(f"Nothing is said {_describe_stretch(stretch)} of {_join_names(fitting)}.", request.language)
    lines = _quote(shown, stretch)
    lines.lead = _describe_recordings(shown, fitting, heard, stretch)
    is_told = not stretch.is_moment
    score = NAMED if found.fit is DocumentFit.NAMED or len(fitting) == 1 else NEAREST
    return finish_presentation(
        lines, score, request.question, run, writer=writer if is_told else None, language=request.language
    )


def _read_recording(document: Document) -> _Recording | None:
    """The spoken sentences of ``document``; None where it has no times."""
    turns = document.blocks_of(BlockKind.TURN)
    times = [each for turn in turns for each in (turn.place.start_time, turn.place.end_time) if each is not None]
    if not times:
        return None
    spoken: list[_Spoken] = []
    now = 0.0
    for unit in outline_document(document).units:
        if document.tree.at(BlockKind.TURN, unit.span.start) is None:
            continue
        place = unit.place
        now = now if place.start_time is None else max(now, place.start_time)
        speaker = unit.speaker or place.speaker or ""
        spoken.append(_Spoken(replace(unit, speaker=speaker), now, place.end_time, now))
    placed = tuple(each for _, alike in groupby(spoken, key=lambda each: each.start) for each in _spread(tuple(alike)))
    return _Recording(document, placed, max(times)) if placed else None


def _spread(alike: Sequence[_Spoken]) -> Iterator[_Spoken]:
    """Sentences that share one time, each placed by its share of the characters until the next time."""
    start, end = alike[0].start, alike[-1].end
    first, last = alike[0].unit.span.start, alike[-1].unit.span.end
    seconds = max(0.0, end - start) if end is not None else 0.0
    for each in alike:
        yield replace(each, at=start + seconds * (each.unit.span.start - first) / (last - first))


def _choose(recording: _Recording, stretch: Stretch, speaker: str, room: int | None, *, language: str) -> _Shown:
    if stretch.is_moment:
        return _choose_at(recording, stretch.start, speaker)
    start = max(0.0, recording.ends - stretch.start) if stretch.is_from_end else stretch.start
    end = None if stretch.is_from_end else stretch.end
    timed = [(each, each.at if each.is_placed else each.start) for each in recording.spoken]
    within = [each for each, time in timed if start <= time and (end is None or time < end)]
    own = [each for each in within if not speaker or may_name(each.unit.speaker, speaker)]
    shown = tuple(own) if len(own) <= (room or WHOLE_PART) else _select(recording, own, room, language)
    is_cut = end is not None and end > recording.ends
    note = f"It ends at {clock_time(recording.ends)}." if is_cut else ""
    return _Shown(recording, shown, len(own), " ".join(filter(None, (note, _describe_marks(shown)))))


def _select(recording: _Recording, spoken: Sequence[_Spoken], room: int | None, language: str) -> tuple[_Spoken, ...]:
    """The main sentences."""
    outline = Outline(recording.document, (Section((), tuple(each.unit for each in spoken)),), is_whole=True)
    chosen = {id(unit) for part in select_carrying(outline, language, room, WHOLE_PART).sections for unit in part.units}
    return tuple(each for each in spoken if id(each.unit) in chosen)


def _choose_at(recording: _Recording, moment: float, speaker: str) -> _Shown:
    """The utterance of the moment with those next to it; with a speaker given, only their nearest one."""
    spoken = recording.spoken
    at = max(0, bisect_right(spoken, moment, key=lambda each: each.at) - 1)
    note = _describe_silence(spoken[at], moment)
    own = _list_own(recording, speaker) if speaker else []
    if own and spoken[at] not in own:
        nearest = min(own, key=lambda each: abs(each.at - moment))
        note = f"{spoken[at].unit.speaker or 'Somebody else'} speaks then; what {speaker} says is nearest at {clock_time(nearest.start)}."
        at = spoken.index(nearest)
    utterance = [n for n, each in enumerate(spoken) if each.utterance == spoken[at].utterance and abs(n - at) <= AROUND]
    first, last = min(utterance), max(utterance)
    if not speaker:
        first, last = _extend(spoken, first, -1), _extend(spoken, last, 1)
    shown = spoken[first : last + 1]
    return _Shown(recording, shown, len(shown), " ".join(filter(None, (note, _describe_marks([spoken[at]])))))


def _extend(spoken: Sequence[_Spoken], edge: int, step: int) -> int:
    """``edge`` moved over the nearest sentences of the next utterance in the direction of ``step``."""
    utterance = None
    for number in range(edge + step, edge + step * (BESIDE + 1), step):
        if not 0 <= number < len(spoken) or (utterance is not None and spoken[number].utterance != utterance):
            break
        utterance, edge = spoken[number].utterance, number
    return edge


def _list_own(recording: _Recording, speaker: str) -> list[_Spoken]:
    return [each for each in recording.spoken if may_name(each.unit.speaker, speaker)]


def _quote(shown: Sequence[_Shown], stretch: Stretch) -> Lines:
    """The sentences under the name of their recording, each utterance with its time."""
    lines = Lines([], [], len(shown))
    for each in shown:
        heading = " ".join(filter(None, (each.recording.name, each.note))) if len(shown) > 1 else ""
        sentences = tuple(quote_units([one.unit for one in each.spoken], lines))
        body = _lay_out(sentences, each.spoken)
        lines.groups.append(Group(heading, sentences, tuple(one.unit for one in each.spoken), body))
    return lines


def _lay_out(sentences: Sequence[AnswerSentence], spoken: Sequence[_Spoken]) -> str:
    """A line for each utterance: when it begins, who speaks, and what."""
    pairs = zip(spoken, sentences, strict=True)
    rows: list[str] = []
    for (speaker, start), group in groupby(pairs, key=lambda pair: pair[0].utterance):
        said = " ".join(sentence.text for _, sentence in group)
        rows.append(f"{clock_time(start)}  {f'{collapse_spaces(speaker)}: ' if speaker else ''}{said}")
    return "\n".join(rows)


def _describe_recordings(
    shown: Sequence[_Shown], fitting: Sequence[_Recording], heard: Sequence[_Recording], stretch: Stretch
) -> str:
    when = _describe_stretch(stretch)
    if len(heard) == 1:
        one = shown[0]
        share = "" if len(one.spoken) == one.of else f" ({len(one.spoken)} of {count_noun(one.of, 'sentence')})"
        note = f" {one.note}" if one.note else ""
        return f"{one.recording.name}, {when}{share}:{note}"
    left = fitting[MOST_RECORDINGS:]
    more = f" Not shown: {_join_names(left)}." if left else ""
    short = [each for each in heard if each not in fitting]
    ended = f" Shorter: {', '.join(f'{each.name} ({clock_time(each.ends)})' for each in short)}." if short else ""
    names = _join_names([each.recording for each in shown])
    if len(shown) == 1:
        note = f" {shown[0].note}" if shown[0].note else ""
        return f"{names}, {when}:{note}{more}{ended}"
    return f"{count_noun(len(fitting), 'recording')} may be meant, {when}: {names}.{more}{ended}"


def _describe_stretch(stretch: Stretch) -> str:
    if stretch.is_moment:
        return f"at {clock_time(stretch.start)}"
    if stretch.is_from_end:
        return f"the last {_name_length(stretch.start)}"
    if stretch.end is None:
        return f"from {clock_time(stretch.start)} on"
    return f"from {clock_time(stretch.start)} to {clock_time(stretch.end)}"


def _name_length(seconds: float) -> str:
    return count_noun(round(seconds / 60), "minute") if seconds % 60 == 0 else count_noun(round(seconds), "second")


def _describe_silence(spoken: _Spoken, moment: float) -> str:
    """A line that nothing is said at ``moment``, where ``spoken`` ends before it or begins after it."""
    is_over = spoken.end is not None and moment > spoken.end
    if not is_over and spoken.start <= moment:
        return ""
    return f"Nothing is said at {clock_time(moment)}; these are the words before and after it."


def _describe_marks(spoken: Sequence[_Spoken]) -> str:
    """A line that text between two times of a transcript is placed by its length, where they are far apart."""
    is_placed = any(each.is_placed for each in spoken)
    return "Its times are minutes apart; between them words are placed by their length." if is_placed else ""


def _describe_ends(recordings: Sequence[_Recording], stretch: Stretch) -> str:
    ends = ", ".join(f"{each.name} ends at {clock_time(each.ends)}" for each in recordings[:MOST_RECORDINGS])
    more = len(recordings) - MOST_RECORDINGS
    others = f", and {count_noun(more, 'other recording')} earlier than that too" if more > 0 else ""
    return f"There is nothing {_describe_stretch(stretch)}: {ends}{others}."


def _describe_unfound(request: PresentationRequest) -> str:
    """Why no recording was looked into: none has this name, or the question does not say which of many."""
    name, count = collapse_spaces(request.asked.name), count_noun(request.found.documents, "recording")
    if name:
        return f"None of {count} is called “{name}”."
    return f"There are {count}: say in which of them, as in “in episode 12”."


def _join_names(recordings: Sequence[_Recording]) -> str:
    more = len(recordings) - 2 * MOST_RECORDINGS
    names = ", ".join(each.name for each in recordings[: 2 * MOST_RECORDINGS])
    return f"{names} and {more} more" if more > 0 else names


def _refuse(text: str, language: str) -> Presentation:
    """An answer that says there is nothing, and why; it quotes nothing."""
    decision = Decision("compose", "rejected", text)
    composition = Composition(text, (), (), confidence_of(0, 1, language), (decision,), AnswerType.REJECTION)
    return Presentation(composition, 0, text)
