"""How people judge the answers they are given, what changes in these, and which questions stay without one, by theme."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ascertain.core.asking.feedback import Drift, UnansweredTheme, begin_course, compare_periods
from ascertain.core.errors import UsageError
from ascertain.core.service.service import GivenAnswer, Thumb
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, stem_word

if TYPE_CHECKING:
    from ascertain.app.access.viewers import Access
    from ascertain.app.container.container import Container

MOST_THEMES = 12
"""Shown of the questions without an answer; more do not help a reader."""


def judge_answer(container: Container, access: Access, answer_id: str, thumb: Thumb, *, comment: str) -> GivenAnswer:
    """See ``Ascertain.feedback``."""
    container.store()  # without one there are no answers
    answers, moment = container.service.feedback, container.clock.now()
    given = answers.get(answer_id, access.tenant)
    is_own = given is not None and access.viewer.owns(given.user)
    judged = answers.judge(answer_id, thumb, comment, moment, access.tenant) if is_own else None
    if judged is None:
        raise UsageError(f"there is no answer {answer_id!r} to judge; its id is in the answer as `id`")
    return judged


def report_course(container: Container, access: Access, days: int) -> Drift:
    """See ``Ascertain.drift``."""
    container.store()
    now = container.clock.now()
    given = container.service.feedback.answers(access.tenant, begin_course(now, days))
    return report_drift([each for each in given if access.viewer.owns(each.user)], now, days)


def report_drift(answers: Iterable[GivenAnswer], now: datetime, days: int) -> Drift:
    """Compare the answers of the last ``days`` with those of four times as many days before; greetings do not count."""
    counted = [answer for answer in answers if answer.answer_type != "greeting"]
    recent, earlier, moved, course = compare_periods(counted, now, days)
    declined = [
        answer.question
        for answer in counted
        if answer.answer_type == "rejection" and recent.begin < answer.answered_at <= now
    ]
    return Drift(recent, earlier, moved, course, group_questions(tuple(dict.fromkeys(declined))))


def group_questions(questions: Sequence[str]) -> tuple[UnansweredTheme, ...]:
    """The questions by the word that most of those left share, the largest group first; each is in one group."""
    words = {question: _list_words(question) for question in questions}
    themes: list[UnansweredTheme] = []
    left: list[str] = list(questions)
    while left and len(themes) < MOST_THEMES:
        counts = Counter(stem for question in left for stem in words[question])
        if not counts:
            break
        # of equally frequent words the longest says most
        _, _, stem = max((count, len(stem), stem) for stem, count in counts.items())
        held = [question for question in left if stem in words[question]]
        shown = Counter(words[question][stem] for question in held).most_common(1)[0][0]
        themes.append(UnansweredTheme(shown, tuple(held)))
        left = [question for question in left if stem not in words[question]]
    return tuple(themes)


def _list_words(question: str) -> dict[str, str]:
    """The words of a question that say what it is about, by their stem."""
    folded = (fold_words(match[0]) for match in WORD.finditer(question))
    return {stem_word(word, ENGLISH): word for word in folded if word not in STOP_WORDS}
