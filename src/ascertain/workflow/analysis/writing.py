"""Writes what an analysis found: what was read, then each finding with the sentences that it rests on.

Computed figures (shares, counts) are in lines without a citation, and list their documents in the JSON; every figure of a source
is in its quotation. What a chat model writes comes first, and only sentences that they support.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import dropwhile, takewhile

from ascertain.answering.units.candidates import count_noun
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.reports.analysis import (
    AnalysisKind,
    Course,
    Coverage,
    Direction,
    Findings,
    Mood,
    NarrativePart,
    NarrativeSentence,
)
from ascertain.language.tokens import WORD
from ascertain.reports.analysis.agreement import describe_move
from ascertain.reports.analysis.moods import name_mood
from ascertain.workflow.analysis.figures import (
    MOST_COURSES,
    MOST_DISPUTES,
    MOST_EVENTS,
    MOST_FORECASTS,
    MOST_MOVES,
    MOST_TURNS,
    UNNAMED,
    describe_coverage,
    describe_forecasts,
    describe_speaker,
    describe_turn,
    format_day_of,
    list_differing,
    list_mood_figures,
    list_named,
)
from ascertain.workflow.analysis.in_short import tell_in_short
from ascertain.workflow.analysis.steps import Scope
from ascertain.workflow.analysis.written import Written
from ascertain.workflow.question_text import DISCLAIMER

MOST_GISTS = 12


def write_analysis(
    scope: Scope,
    coverage: Coverage,
    findings: Findings,
    document: Callable[[str], Document | None],
    *,
    narrative: Sequence[NarrativeSentence] = (),
) -> Written:
    """The findings in words, the requested part first; before them the ``narrative``, if there is one."""
    written = Written(document)
    written.tell(describe_coverage(scope, coverage))
    is_of_reports = _tells_of_reports(scope, findings)
    _tell_narrative(written, narrative, scope.asked.kind)
    if not narrative and is_of_reports:
        written.tell("")
        written.tell("In short:")
        for line in tell_in_short(scope, findings):
            written.tell(f"- {line}")
    sections: dict[AnalysisKind, Callable[[Written, Findings], None]] = {
        AnalysisKind.PREDICTION: _tell_forecasts,
        AnalysisKind.MOOD: partial(_tell_moods, side=scope.asked.side),
        AnalysisKind.DISAGREEMENT: _tell_disputes,
        AnalysisKind.TREND: _tell_courses,
        AnalysisKind.OVERVIEW: _tell_events,
    }
    order = [
        AnalysisKind.MOOD,
        AnalysisKind.TREND,
        AnalysisKind.OVERVIEW,
        AnalysisKind.DISAGREEMENT,
        AnalysisKind.PREDICTION,
    ]
    first = scope.asked.kind
    if first is not AnalysisKind.OVERVIEW:
        order = [first, *(kind for kind in order if kind is not first)]
    if not is_of_reports:
        # papers, minutes and mails have neither prices nor a mood of the day
        order = [] if first is AnalysisKind.OVERVIEW else [first]
    for kind in order:
        sections[kind](written, findings)
        if kind is first is AnalysisKind.DISAGREEMENT:
            _tell_disagreement(written, scope, findings)
    if not is_of_reports:
        _tell_gists(written, scope, findings)
    if findings.forecasts or first is AnalysisKind.PREDICTION:
        written.tell("")
        written.tell(DISCLAIMER)
    return written


def _tells_of_reports(scope: Scope, findings: Findings) -> bool:
    """Whether most of the documents are articles, which report on days."""
    own = frozenset(findings.documents)
    kinds = [each.kind for each in scope.records if each.id in own]
    return 2 * sum(kind is DocumentKind.ARTICLE for kind in kinds) >= len(kinds)


def _tell_gists(written: Written, scope: Scope, findings: Findings) -> None:
    """What each of the documents says, in its most informative sentence."""
    titles = {each.id: each.title for each in scope.records}
    written.tell("")
    written.tell("What each of them says:")
    for quote in findings.gists[:MOST_GISTS]:
        written.quote(quote, f"- {titles.get(quote.document_id, '')}: ")
    left = len(findings.gists) - MOST_GISTS
    if left > 0:
        written.tell(f"- and {left:,} more")


_HEADINGS = {
    NarrativePart.SHORT_TERM: "Expected within three months (speculation of the sources, not fact):",
    NarrativePart.LONGER_TERM: "Expected later (speculation of the sources, not fact):",
}


NARRATED = "In short, as the chat model tells it; each sentence was checked against the figures and quotations below:"


def _tell_narrative(written: Written, narrative: Sequence[NarrativeSentence], asked: AnalysisKind) -> None:
    """The narrative by its parts; expectations first where those were requested."""
    if not narrative:
        return
    written.tell("")
    written.tell(NARRATED)
    known, outlook = [NarrativePart.TREND, NarrativePart.PATTERN], list(_HEADINGS)
    for part in (*outlook, *known) if asked is AnalysisKind.PREDICTION else (*known, *outlook):
        own = [each for each in narrative if each.part is part]
        if own and part in _HEADINGS:
            written.tell(_HEADINGS[part])
        for each in own:
            written.narrate(each, f"- [speculation] {_name_unnamed(each)}" if part in _HEADINGS else "- ")


def _name_unnamed(sentence: NarrativeSentence) -> str:
    """Who speculates, of those whom the sentence itself does not name."""
    words = set(WORD.findall(sentence.text))
    unnamed = [each for each in sentence.speakers if each.endswith(UNNAMED) or _find_surname(each) not in words]
    return f"{', '.join(unnamed)}: " if unnamed else ""


def _find_surname(speaker: str) -> str:
    """``Brandt`` of "Elena Brandt, chief analyst at Halden Markets"."""
    words = dropwhile(lambda word: not word[0].isupper(), WORD.findall(speaker))
    return next(reversed(list(takewhile(lambda word: word[0].isupper(), words))), speaker)


def _tell_moods(written: Written, findings: Findings, side: Mood | None = None) -> None:
    """Shares and course of the mood and who speaks how, the requested ``side`` first."""
    written.tell("")
    for line in list_mood_figures(findings):
        written.tell(line)
    for turn in [each for each in findings.turning_points if each.what == "sentiment"][:MOST_TURNS]:
        went = "best" if turn.before is Direction.UP else "worst"
        line = f"Turned after its {went} around {format_day_of(turn.first)}: "
        if not any(written.quote(each, line) for each in turn.quotes):
            written.tell(line.rstrip(": "))
    for each in sorted(findings.voices, key=lambda each: side is not None and name_mood(each.mood) is not side):
        written.quote(each.quote, f"- {name_mood(each.mood).value}: ")
    for line in list_named(findings):
        written.tell(line)


def _tell_courses(written: Written, findings: Findings) -> None:
    courses = findings.courses[:MOST_COURSES]
    moves = sorted(
        (each for each in findings.moves if each.percent is not None), key=lambda each: -(each.percent or 0.0)
    )[:MOST_MOVES]
    if not courses and not moves:
        return
    written.tell("")
    for course in courses:
        written.tell(f"{course.subject}, in {count_noun(len(course.documents), 'document')}:")
        for move in dict.fromkeys((course.highest, course.lowest, course.last)):
            written.quote(move.quote, f"{_role_of(course, move)}: ")
    for turn in [each for each in findings.turning_points if each.what != "sentiment"][:MOST_TURNS]:
        line = f"{describe_turn(turn).removesuffix('.')}: "
        if not any(written.quote(each, line) for each in turn.quotes):
            written.tell(line.rstrip(": "))
    if moves:
        written.tell("Largest moves:")
        for move in moves:
            written.quote(move.quote, f"- {describe_move(move)}: ")
    for outlier in findings.outliers[:MOST_TURNS]:
        written.tell(f"Out of the ordinary: {outlier.why}.")


def _role_of(course: Course, move: object) -> str:
    roles = [
        name
        for name, each in (("highest", course.highest), ("lowest", course.lowest), ("last", course.last))
        if each is move
    ]
    return f"- {' and '.join(roles)}"


def _tell_disputes(written: Written, findings: Findings) -> None:
    written.tell("")
    if not findings.contradictions:
        agreed = (
            f"; {count_noun(len(findings.agreements), 'move')} told alike by several" if findings.agreements else ""
        )
        written.tell(f"Contradictions between sources: none found{agreed}.")
    else:
        written.tell(f"Contradictions between sources: {len(findings.contradictions)}.")
    for each in findings.contradictions[:MOST_DISPUTES]:
        written.tell(f"{each.why}:")
        written.quote(each.one, f"- {each.sources[0]}: ")
        written.quote(each.other, f"- {each.sources[1]}: ")
    for each in list_differing(findings):
        written.tell(each)


def _tell_disagreement(written: Written, scope: Scope, findings: Findings) -> None:
    """Where the documents themselves report disagreement."""
    if not findings.disputes:
        return
    titles = {each.id: each.title for each in scope.records}
    written.tell("Disagreement that they tell of:")
    for quote in findings.disputes[:MOST_GISTS]:
        written.quote(quote, f"- {titles.get(quote.document_id, '')}: ")


def _tell_forecasts(written: Written, findings: Findings) -> None:
    if not findings.forecasts:
        written.tell("")
        written.tell("Statements about the future: none found, and this product makes none itself.")
        return
    written.tell("")
    written.tell(f"Speculation, not fact: {describe_forecasts(findings.forecasts)}.")
    for each in findings.forecasts[:MOST_FORECASTS]:
        speaker = "" if each.speaker in each.quote.text else f"{describe_speaker(each)}: "
        written.quote(each.quote, f"- [speculation] {speaker}")


def _tell_events(written: Written, findings: Findings) -> None:
    if not findings.events:
        return
    written.tell("")
    written.tell("What happened:")
    for each in findings.events[:MOST_EVENTS]:
        written.quote(each.quote, "- ")
