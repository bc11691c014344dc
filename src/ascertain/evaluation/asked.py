"""Questions as people ask them, each with what a script can check: the format ``asked``.

A folder holds ``questions.jsonl`` and ``corpora/NAME/``, the documents of each corpus. A question says what has to be in the
answer (``must``: of each inner list at least one string, as whole words or in other words as ``paraphrases`` knows them; a ``*`` lets the last
word go on), what in its first sentence (``first``), what shows a wrong one (``must_not``), how long it may be (``max_sentences``), which documents it should rest on
(``sources``: parts of titles or file names; ``dates``: days or ``from..to``), or that it should be declined (``expect``). Turns of a
``conversation`` are asked in order. Measured is the answer that is shown: is it right, is that said first, is it short.
"""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from ascertain.app.ascertain import Ascertain
from ascertain.app.wire.evaluation import MeasuredJson, TimingsJson
from ascertain.core.errors import SourceError, UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.measures.calibration import Judged, calibration_error, compute_auroc
from ascertain.evaluation.measures.metrics import find_percentile
from ascertain.evaluation.measures.paraphrases import (
    Word,
    holds_forms,
    holds_paraphrase,
    holds_words,
    plain_words,
    read_words,
)
from ascertain.evaluation.measures.significance import Interval, estimate_interval_of
from ascertain.evaluation.runs import Journal, Result, Scores, average_scores, measure_intervals
from ascertain.evaluation.sets.knowledge import Listener

SHARES = (
    *("ok", "good", "right", "first", "concise", "false_decline", "right_decline", "false_answer"),
    *("source_ok", "date_ok"),
)
"""Scores of one question, 0 or 1, in the order they are shown; None where one does not apply."""
Grouping = Literal["corpus", "type", "tag"]
KeptHome = Callable[[Path, str], Path]
"""The home of a corpus: its folder and name in, the folder of the knowledge base out, built where it was not."""
SettingsOf = Callable[[str, Path, datetime | None], Settings]
"""The settings for a corpus of this name, in this home, as of this moment."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A judge's verdict on an answer; None if it could not judge."""

    is_right: bool | None
    reason: str = ""


_MARKS = re.compile(r"(?:(?<!\s)\s+)?(?:\[\d+\])+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class AskedQuestion(BaseModel):
    """One line of ``questions.jsonl``; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    question: str
    corpus: str
    type: str = ""
    tags: tuple[str, ...] = ()
    expect: Literal["answer", "decline"] = "answer"
    or_decline: bool = False
    must: tuple[tuple[str, ...], ...] = ()
    first: tuple[tuple[str, ...], ...] = ()
    must_not: tuple[str, ...] = ()
    max_sentences: int = 4
    sources: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    as_of: str | None = None
    conversation: str | None = None
    where: str | None = None

    @property
    def moment(self) -> datetime | None:
        """When it is asked, time-zone aware; None for now."""
        if self.as_of is None:
            return None
        moment = datetime.fromisoformat(self.as_of)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Judge = Callable[[AskedQuestion, str], Opinion]
"""Says whether an answer, the text that is shown, is right."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _ShownSentence(_Part):
    text: str = ""
    citations: tuple[int, ...] | None = None


class _ShownPlace(_Part):
    label: str | None = None


class _ShownCitation(_Part):
    n: int | None = None
    title: str | None = None
    source: str | None = None
    url: str | None = None
    published_at: str | None = None
    label: str | None = None
    place: _ShownPlace | None = None

    @property
    def named(self) -> str:
        """What identifies the document."""
        return " ".join((self.title or "", self.source or "", self.url or ""))


class _ShownConfidence(_Part):
    score: float | None = None


class ShownAnswer(_Part):
    """The parts of an answer, in the shape of ``ask --json``, that count; also of one stored in part."""

    answer: str | None = ""
    type: str = ""
    seconds: float | None = None
    confidence: _ShownConfidence | None = None
    sentences: tuple[_ShownSentence, ...] | None = None
    citations: tuple[_ShownCitation, ...] | None = None

    @property
    def is_declined(self) -> bool:
        """Whether no answer was given."""
        return self.type == "rejection"

    @property
    def text(self) -> str:
        """The answer without the numbers of its citations."""
        return _MARKS.sub("", self.answer or "")

    def list_sentences(self) -> list[str]:
        """The sentences shown, without those numbers."""
        sentences = [_MARKS.sub("", sentence.text) for sentence in self.sentences or () if sentence.text.strip()]
        return sentences or [part for part in _SENTENCE_END.split(self.text) if part.strip()]

    def read_labels(self, numbers: Sequence[int] | None = None) -> str:
        """What a reader sees at the citations, or at those with these numbers: title, speaker, place."""
        chosen = (one for one in self.citations or () if numbers is None or one.n in numbers)
        return "  ".join(f"{c.title or ''} {c.label or (c.place and c.place.label) or ''}" for c in chosen)


class _KeptAnswer(_Part):
    id: str
    answer: dict[str, object]


class _KeptAnswers(_Part):
    rows: tuple[_KeptAnswer, ...]


def read_asked(folder: Path) -> list[AskedQuestion]:
    """The questions of ``folder``; UsageError where it has none, SourceError with file and line for a malformed one."""
    path = folder / "questions.jsonl"
    if not path.is_file():
        raise UsageError(f"{path}: not found; --data names a folder with questions.jsonl and corpora/")
    questions: list[AskedQuestion] = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            question = AskedQuestion.model_validate_json(line)
            _ = question.moment
        except ValidationError as error:
            first = error.errors()[0]
            raise SourceError(f"{path}:{number}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        except ValueError:
            raise SourceError(f"{path}:{number}: 'as_of' is no date; write it as 2025-06-15T18:00") from None
        questions.append(question)
    return questions


def ask_questions(
    questions: Sequence[AskedQuestion],
    folder: Path,
    *,
    keep_home: KeptHome,
    settings_of: SettingsOf,
    journal: Journal,
    listener: Listener,
    judge: Judge | None = None,
) -> list[Result]:
    """Ask all, each of its corpus and as of its day; a conversation is asked again from its first turn if one is missing."""
    results: dict[str, Result] = {}
    for corpus in dict.fromkeys(question.corpus for question in questions):
        here = [question for question in questions if question.corpus == corpus]
        home = keep_home(folder / "corpora" / corpus, corpus)
        for moment in dict.fromkeys(question.moment for question in here):
            batch = [question for question in here if question.moment == moment]
            with Ascertain(settings_of(corpus, home, moment)) as app:
                for done, turns in enumerate(_group_turns(batch)):
                    listener.progress(f"{corpus}: asking {done + 1:,} of {len(batch):,}")
                    results |= _ask_turns(turns, app, journal, judge)
    return [results[question.id] for question in questions]


def _group_turns(questions: Iterable[AskedQuestion]) -> list[list[AskedQuestion]]:
    groups: dict[str, list[AskedQuestion]] = {}
    for question in questions:
        key = f"c {question.conversation}" if question.conversation else f"q {question.id}"
        groups.setdefault(key, []).append(question)
    return list(groups.values())


def _ask_turns(
    turns: Sequence[AskedQuestion], app: Ascertain, journal: Journal, judge: Judge | None
) -> dict[str, Result]:
    """A question, or a conversation, which is deleted afterwards."""
    conversation = f"asked-{uuid.uuid4().hex[:12]}" if turns[0].conversation else None

    def ask(question: AskedQuestion) -> Result:
        answer = app.ask(question.question, conversation_id=conversation, use_cache=False)
        return build_result(question, answer.to_json(), judge)

    @cache
    def ask_all() -> dict[str, Result]:
        return {question.id: ask(question) for question in turns}

    try:
        return {
            question.id: journal.measure(question.corpus, question.id, lambda id=question.id: ask_all()[id])
            for question in turns
        }
    finally:
        if conversation is not None and app.conversation(conversation):
            app.delete_conversation(conversation)


def read_answers(path: Path) -> dict[str, dict[str, object]]:
    """Answers by id: of an earlier run's file whose rows have ``id`` and ``answer``, or of JSON lines of that kind."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; --answers names a file of answers") from None
    try:
        return {row.id: row.answer for row in _KeptAnswers.model_validate_json(text).rows}
    except ValidationError:
        pass
    try:
        rows = [_KeptAnswer.model_validate_json(line) for line in text.splitlines() if line.strip()]
    except ValidationError:
        raise SourceError(f"{path}: each row needs 'id' and 'answer', the answer as `ask --json` prints it") from None
    return {row.id: row.answer for row in rows}


def build_result(question: AskedQuestion, answer: Mapping[str, object], judge: Judge | None = None) -> Result:
    """The result of a question, of an answer in the shape of ``ask --json``; ``judge`` is asked about answers that ``must`` hold something."""
    shown = ShownAnswer.model_validate(answer)
    scores = dict(score_shown(question, shown))
    if question.expect == "answer" and not shown.is_declined:
        sentences = shown.list_sentences()
        words = len(plain_words(" ".join(sentences)).split())
        scores |= {"sentences": float(len(sentences)), "words": float(words)}
    facts: dict[str, object] = {
        "answer": shown.answer,
        "declined": shown.is_declined,
        "confidence": shown.confidence.score if shown.confidence else None,
        "expect": question.expect,
        "type": question.type,
        "tags": list(question.tags),
        "expected": [" | ".join(group) for group in question.must],
        "paraphrased": [] if shown.is_declined else list_paraphrased(question, shown),
        "cited": list(dict.fromkeys(citation.title or "" for citation in shown.citations or ())),
    }
    if judge is not None and question.expect == "answer" and question.must and not shown.is_declined:
        opinion = judge(question, _text_of(question, shown))
        scores["judged"] = None if opinion.is_right is None else float(opinion.is_right)
        facts["judge"] = opinion.reason
    return Result(question.corpus, question.id, question.question, shown.seconds or 0.0, scores, facts)


def score_shown(question: AskedQuestion, shown: ShownAnswer) -> Scores:
    """Each of ``SHARES`` for one answer."""
    scores: dict[str, float | None] = dict.fromkeys(SHARES)
    declined = float(shown.is_declined)
    if question.expect == "decline":
        return scores | dict.fromkeys(("ok", "good", "right_decline"), declined) | {"false_answer": 1 - declined}
    if declined:
        fine = float(question.or_decline)
        missed: dict[str, float | None] = {"first": 0.0} if question.first and not question.or_decline else {}
        return scores | dict.fromkeys(("ok", "good", "right"), fine) | {"false_decline": 1 - fine} | missed
    checks = _check_answer(question, shown)
    right = _is_right(question, shown)
    checked = {name: float(held) for name, held in checks.items()}
    good = float(right and all(checks.values()))
    return scores | {"ok": float(right), "right": float(right), "good": good, "false_decline": 0.0} | checked


def meet_expectations(question: AskedQuestion, text: str) -> float:
    """Share of what is wanted that ``text`` says, 0..1; 0 where it has what shows a wrong answer, or nothing is wanted."""
    read = _ReadText.read(text)
    if not question.must or any(read.shows(string) for string in question.must_not):
        return 0.0
    return sum(read.meets([group]) for group in question.must) / len(question.must)


@dataclass(frozen=True, slots=True)
class _ReadText:
    """A text that strings are looked for in: as it is, and by the words that identify paraphrases."""

    plain: str
    words: tuple[Word, ...]

    @classmethod
    def read(cls, *parts: str) -> "_ReadText":
        text = "\n".join(parts)
        return cls(plain_words(text), read_words(text))

    def says(self, string: str) -> bool:
        """Whether the string stands here, letter by letter or in other words."""
        return holds_words(self.plain, string) or holds_paraphrase(self.words, string)

    def shows(self, string: str) -> bool:
        """The same for what shows a wrong answer: no other inflection, as "raised" is wrong where "did not raise" is right."""
        return holds_words(self.plain, string) or holds_forms(self.words, string)

    def meets(self, groups: Iterable[Sequence[str]]) -> bool:
        """Whether at least one string of each group is said."""
        return all(any(self.says(string) for string in group) for group in groups)


def _text_of(question: AskedQuestion, shown: ShownAnswer) -> str:
    """What counts as the answer: with what stands at its citations where the question says so."""
    return "\n".join((shown.text, shown.read_labels())) if question.where == "citation" else shown.text


def _read_answer(question: AskedQuestion, shown: ShownAnswer) -> _ReadText:
    return _ReadText.read(_text_of(question, shown))


def _is_right(question: AskedQuestion, shown: ShownAnswer) -> bool:
    text = _read_answer(question, shown)
    return text.meets(question.must) and not any(text.shows(wrong) for wrong in question.must_not)


def list_paraphrased(question: AskedQuestion, shown: ShownAnswer) -> list[str]:
    """The strings of ``must`` that the answer says only in other words: where none of their group stands letter by letter."""
    text = _read_answer(question, shown)
    literal = (any(holds_words(text.plain, string) for string in group) for group in question.must)
    return [
        string
        for group, is_there in zip(question.must, literal, strict=True)
        if not is_there
        for string in group
        if holds_paraphrase(text.words, string)
    ]


def _check_answer(question: AskedQuestion, shown: ShownAnswer) -> dict[str, bool]:
    """What is asked for beside being right, as far as the question asks for it."""
    sentences = shown.list_sentences()
    citations = shown.citations or ()
    checks = {"concise": len(sentences) <= question.max_sentences}
    if question.first:
        numbers = shown.sentences[0].citations if shown.sentences else None
        labels = [shown.read_labels(numbers)] if question.where == "citation" else []
        checks["first"] = bool(sentences) and _ReadText.read(*sentences[:1], *labels).meets(question.first)
    if question.sources:
        named = [plain_words(citation.named) for citation in citations]
        checks["source_ok"] = any(plain_words(source) in name for source in question.sources for name in named)
    if question.dates:
        days = [(citation.published_at or "")[:10] for citation in citations]
        checks["date_ok"] = bool(days) and all(_is_within(day, question.dates) for day in days)
    return checks


def _is_within(day: str, allowed: Iterable[str]) -> bool:
    """Whether the day is one of those, or in one of the periods; ISO dates compare as text."""
    bounds = ((period.split("..")[0], period.split("..")[-1]) for period in allowed)
    return bool(day) and any(start <= day <= end for start, end in bounds)


def summarise_asked(results: Sequence[Result], name: str, documents: int = 0) -> MeasuredJson:
    """A row over these results."""
    metrics = asked_metrics(results)
    intervals = measure_intervals(results, metrics) | _interval_of_confidence(results, metrics)
    seconds = [result.seconds for result in results]
    timings = TimingsJson(
        index=0, query_p50=round(find_percentile(seconds, 0.5), 4), query_p95=round(find_percentile(seconds, 0.95), 4)
    )
    return MeasuredJson(
        set=name, documents=documents, queries=len(results), metrics=metrics, intervals=intervals, seconds=timings
    )


def asked_metrics(results: Sequence[Result]) -> dict[str, float | None]:
    """Every share, the mean length, and the quality of the confidence."""
    metrics = {name: average_scores(results, name) for name in (*SHARES, "sentences", "words")}
    if any("judged" in result.scores for result in results):
        metrics["judged"] = average_scores(results, "judged")
    judged = _list_judged(results)
    rated = [result for result in results if result.facts.get("confidence") is not None]
    metrics["auroc_right"] = compute_auroc(*_split_confidences(judged))
    metrics["auroc_answerable"] = compute_auroc(
        [_read_confidence(result) for result in rated if result.facts["expect"] == "answer"],
        [_read_confidence(result) for result in rated if result.facts["expect"] == "decline"],
    )
    metrics["calibration_error"] = calibration_error(judged)
    metrics["mean_confidence"] = sum(one.confidence for one in judged) / len(judged) if judged else None
    return metrics


def group_results(results: Sequence[Result], by: Grouping) -> dict[str, list[Result]]:
    """The results by corpus, type or tag, in the order of the alphabet; one may have several tags or none."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        tags = result.facts.get("tags")
        held = [str(tag) for tag in cast("list[object]", tags)] if isinstance(tags, list) else []
        names = {"corpus": [result.set], "type": [str(result.facts.get("type"))], "tag": held}[by]
        for name in names:
            groups.setdefault(name, []).append(result)
    return dict(sorted(groups.items()))


def _interval_of_confidence(results: Sequence[Result], metrics: Mapping[str, float | None]) -> dict[str, Interval]:
    figures: dict[str, Callable[[Sequence[Result]], float | None]] = {
        "auroc_right": lambda drawn: compute_auroc(*_split_confidences(_list_judged(drawn))),
        "calibration_error": lambda drawn: calibration_error(_list_judged(drawn)),
    }
    found = {n: estimate_interval_of(results, f) for n, f in figures.items() if metrics[n] is not None}
    return {name: interval for name, interval in found.items() if interval is not None}


def _list_judged(results: Iterable[Result]) -> list[Judged]:
    """All that were answered, those that should have been declined among the wrong."""
    given = (r for r in results if not r.facts["declined"] and r.facts.get("confidence") is not None)
    return [Judged(_read_confidence(result), result.scores["right"] == 1) for result in given]


def _split_confidences(judged: Sequence[Judged]) -> tuple[list[float], list[float]]:
    return [one.confidence for one in judged if one.right], [one.confidence for one in judged if not one.right]


def _read_confidence(result: Result) -> float:
    return (result.read_number("confidence") or 0.0) / 100
