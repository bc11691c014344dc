"""How good a set of passages is for a question, and what is wrong with it, by rules (RE-7).

The score is the chance, in percent, that one of the passages answers: a logistic model over how near the best passage is,
how far it stands out, and how many of the question's words it holds. The weights, in
``models/weights``, are fitted by ``bench/fit_confidence.py`` for the built-in embedding model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ascertain.core.judgements import RetrievalIssue, RetrievalQuality
from ascertain.core.passages import Passage
from ascertain.core.plans import Plan
from ascertain.core.runs import Run
from ascertain.models.logistic_model import convert_log_odds, load_logistic_model
from ascertain.retrieval.question_words import QuestionWords, absent, question_words, stems_of

QUALITY_FEATURES = ("similarity", "lead", "coverage", "names")
WORDS_ONLY_FEATURES = ("coverage", "names")
"""For keyword searches, which compute no similarity."""

UNRELATED = 0.2
"""What a passage on another subject scores: below it nothing is on the subject, and it stands for passages not found."""
LOOSE = 0.35
"""Below it a passage shares at most the wider subject (RE-1's floor)."""
NEAR = 0.5
"""From it a passage is on the subject of the question itself."""
FEW_WORDS = 0.34
MOST_WORDS = 0.75
"""Share of the question's words."""
LOW_SCORE = 40
CLEAR_SCORE = 75
"""From it one passage stands out, and it does not matter what came along with it."""
SHORT = 200
"""Characters; RE-8's least."""
_BACKGROUND = 8
"""Passages that the lead is measured against."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """The question against the passages. Similarities best first, empty where the search computed none."""

    words: QuestionWords
    held: Sequence[frozenset[str]]
    similarities: Sequence[float]
    coverages: Sequence[float]
    characters: int

    @property
    def top(self) -> float | None:
        return self.similarities[0] if self.similarities else None


class RuleRetrievalJudge:
    """Judges passages by similarity and words; needs no model."""

    def judge(self, question: str, plan: Plan, passages: Sequence[Passage], run: Run) -> RetrievalQuality:
        """Quality 0..100 and what is wrong, weightiest first; ``run`` is not spent from.

        - off_topic: nothing found, or the best passage is neither near in meaning nor holds the question's words;
        - wrong_domain: most of the question's words are there, but in passages about something else altogether;
        - domain_misalignment: likewise, less surely;
        - missing_key_info: a name, number or year of the question stands in no passage;
        - partial_coverage: other words of the question, or all of one of its parts, stand in no passage;
        - low_confidence: the score is below 40;
        - mixed_relevance: a few passages are near, most are not even loosely so, and none stands out;
        - incomplete_context: fewer than 200 characters of text and not all of the question's words in them.
        """
        seen = _see(question, passages)
        signals = _signals(seen)
        score = _score(signals) if passages else 0
        reasons = _issues(seen, plan, score)
        reason = (
            "; ".join(reasons.values()) or f"the best passage holds {signals['coverage']:.0%} of the words"
        )
        return RetrievalQuality(score, tuple(reasons), reason, signals)


def _see(question: str, passages: Sequence[Passage]) -> _Seen:
    words = question_words(question)
    held = [stems_of(passage) for passage in passages]
    return _Seen(
        words,
        held,
        sorted((p.scores["dense"] for p in passages if "dense" in p.scores), reverse=True),
        sorted((words.coverage(stems) for stems in held), reverse=True),
        sum(len(passage.chunk.text) for passage in passages),
    )


def _signals(seen: _Seen) -> dict[str, float]:
    names = seen.words.names | seen.words.years
    signals = {
        "coverage": seen.coverages[0] if seen.coverages else 0.0,
        "names": 1.0 - len(absent(names, seen.held)) / len(names) if names else 1.0,
    }
    if seen.top is not None:
        near = [*seen.similarities[:_BACKGROUND]]
        near += [UNRELATED] * (_BACKGROUND - len(near))
        signals |= {"similarity": seen.top, "lead": seen.top - sum(near) / len(near)}
    return signals


def _score(signals: Mapping[str, float]) -> int:
    if "similarity" in signals:
        model = load_logistic_model("retrieval_quality", QUALITY_FEATURES)
    else:
        model = load_logistic_model("retrieval_quality_words_only", WORDS_ONLY_FEATURES)
    return round(100 * convert_log_odds(model.weigh_features(signals)))


def _issues(seen: _Seen, plan: Plan, score: int) -> dict[RetrievalIssue, str]:
    """Each issue with its reason."""
    if not seen.held:
        return {RetrievalIssue.OFF_TOPIC: "nothing was found"}
    found: dict[RetrievalIssue, str] = {}
    found |= _about_something_else(seen)
    found |= _missing(seen, plan)
    if score < LOW_SCORE:
        found[RetrievalIssue.LOW_CONFIDENCE] = f"the passages are unlikely to answer ({score} of 100)"
    near = sum(value >= NEAR for value in seen.similarities)
    far = sum(value < LOOSE for value in seen.similarities)
    if 0 < near < far and score < CLEAR_SCORE:
        found[RetrievalIssue.MIXED_RELEVANCE] = f"{near} passages are near the question and {far} are not"
    if seen.characters < SHORT and seen.coverages[0] < 1.0:
        found[RetrievalIssue.INCOMPLETE_CONTEXT] = f"the passages have {seen.characters} characters in all"
    return found


def _about_something_else(seen: _Seen) -> dict[RetrievalIssue, str]:
    if seen.top is None:
        return (
            {}
            if seen.coverages[0] > 0
            else {RetrievalIssue.OFF_TOPIC: "no passage holds a word of the question"}
        )
    words = seen.coverages[0]
    if seen.top < UNRELATED and words < FEW_WORDS:
        return {RetrievalIssue.OFF_TOPIC: f"the best passage is far from the question ({seen.top:.2f})"}
    if words < MOST_WORDS or seen.top >= LOOSE:
        return {}
    if seen.top < UNRELATED:
        return {RetrievalIssue.WRONG_DOMAIN: "the words of the question are used of something else"}
    return {RetrievalIssue.DOMAIN_MISALIGNMENT: "the words of the question seem used of something else"}


def _missing(seen: _Seen, plan: Plan) -> dict[RetrievalIssue, str]:
    found: dict[RetrievalIssue, str] = {}
    names = absent(seen.words.names | seen.words.years, seen.held)
    if names:
        found[RetrievalIssue.MISSING_KEY_INFO] = f"no passage mentions {', '.join(names)}"
    others = absent(seen.words.others, seen.held)
    if others and seen.coverages[0] < MOST_WORDS:
        found[RetrievalIssue.PARTIAL_COVERAGE] = f"no passage speaks of {', '.join(others)}"
    for part in plan.sub_queries:
        words = question_words(part.text)
        if max(words.coverage(stems) for stems in seen.held) < FEW_WORDS:
            found[RetrievalIssue.PARTIAL_COVERAGE] = f"no passage speaks of {part.text!r}"
            break
    return found
