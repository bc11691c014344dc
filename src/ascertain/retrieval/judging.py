"""How good a set of passages is for a question and what is wrong with it (RE-7), and whether it suffices (RE-8): rules.

The score of quality is the chance, in percent, that one of the passages answers: a logistic model over how near the
best passage is, how far it stands out, and how many of the question's words it holds. The weights, in
``models/weights``, are fitted by ``bench/fit/confidence.py`` for the built-in embedding model.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ascertain.core.asking.judgements import SUBJECT_SIGNAL, Gap, GapKind, RetrievalIssue, RetrievalQuality, Sufficiency
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import Plan
from ascertain.core.asking.runs import Run
from ascertain.core.settings import WorkflowSettings
from ascertain.language.equivalents import held_terms, is_telling
from ascertain.language.tokens import WORD, content_terms, fold_words, is_stop_word
from ascertain.language.word_lists import load_phrases, load_words
from ascertain.models.logistic_model import convert_log_odds, load_logistic_model
from ascertain.models.vectors.similarity import find_crossing, rate_crossing

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_TIME = frozenset((*load_phrases("moving_time", "words"), *load_words("asking", "news")))
"""Words that say of when, not of what."""
_ASKING = frozenset((*load_words("asking", "asking"), *load_words("asking", "passages")))
"""Words of asking rather than of the subject; a passage need not hold them."""


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """Words as written, each with its stems. ``names`` hold a capital inside the question or a digit; ``years`` are
    apart.
    """

    names: dict[str, tuple[str, ...]]
    years: dict[str, tuple[str, ...]]
    others: dict[str, tuple[str, ...]]
    language: str

    @property
    def telling(self) -> dict[str, tuple[str, ...]]:
        """The other words, without those of asking, which are missing from no passage."""
        return {word: stems for word, stems in self.others.items() if is_telling(word, self.language)}

    @property
    def subject(self) -> dict[str, tuple[str, ...]]:
        """What is asked of the names: the telling words, those of time aside."""
        return {word: stems for word, stems in self.telling.items() if fold_words(word) not in _TIME}

    @property
    def all(self) -> dict[str, tuple[str, ...]]:
        """Every word that tells something."""
        return self.names | self.years | self.others

    def coverage(self, stems: Iterable[str]) -> float:
        """Share of the words that ``stems`` hold, names and years counting double; 1 when the question has none."""
        held = set(stems)
        total = found = 0.0
        for words, weight in ((self.names, 2.0), (self.years, 2.0), (self.others, 1.0)):
            total += weight * len(words)
            found += weight * sum(held.issuperset(stems_of) for stems_of in words.values())
        return found / total if total else 1.0


def question_words(question: str, language: str) -> QuestionWords:
    """Sort the words of ``question``; stop words and words of asking are left out."""
    names: dict[str, tuple[str, ...]] = {}
    years: dict[str, tuple[str, ...]] = {}
    others: dict[str, tuple[str, ...]] = {}
    is_shouted, begin = question.upper() == question, re.search(r"\w", question)
    for match in WORD.finditer(question):
        word = match.group()
        stems = content_terms(word, language)
        if not stems or is_stop_word(word, language) or fold_words(word) in _ASKING:
            continue
        if _YEAR.fullmatch(word):
            years.setdefault(word, stems)
        elif _is_name(word, is_shouted, opens=begin is None or match.start() <= begin.start()):
            names.setdefault(word, stems)
        else:
            others.setdefault(word, stems)
    return QuestionWords(names, years, others, language)


def stems_of(passage: Passage, language: str) -> frozenset[str]:
    """The stems of a passage's text and heading, and of what they say in other spellings."""
    return held_terms(passage.chunk.indexed_text, language)


def absent_words(words: dict[str, tuple[str, ...]], held: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """The words that none of the passages, given by their stems, holds."""
    together = frozenset[str]().union(*held)
    return tuple(word for word, stems in words.items() if not together.issuperset(stems))


def _is_name(word: str, is_shouted: bool, *, opens: bool) -> bool:
    """Of a word that opens the question capitals say nothing, unless it has no other letters; nor of any where all are capitals."""
    if any(character.isdigit() for character in word):
        return True
    return any(character.isupper() for character in word) and not is_shouted and (not opens or word.isupper())


QUALITY_FEATURES = ("similarity", "lead", "coverage", "names")
WORDS_ONLY_FEATURES = ("coverage", "names")
"""For keyword searches, which compute no similarity."""

UNRELATED = 0.2
"""What a passage on another subject scores: below it nothing is on the subject, and it stands for passages not found.
"""
LOOSE = 0.35
"""Below it a passage shares at most the wider subject (RE-1's floor)."""
NEAR = 0.5
"""From it a passage is on the subject of the question itself."""
FEW_WORDS = 0.34
MOST_WORDS = 0.75
"""Share of the question's words."""
LOW_SCORE = 40
"""Below it there is an issue, whether rules or a model judge and whether or not one is given."""
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

    @property
    def subject(self) -> float:
        """Share of the words of the subject that stand in some passage; 1 for a question that is names alone."""
        words = self.words.subject
        return 1.0 - len(absent_words(words, self.held)) / len(words) if words else 1.0


class RuleRetrievalJudge:
    """Judges passages by similarity and words; needs no model."""

    def judge(
        self, question: str, language: str, plan: Plan, passages: Sequence[Passage], run: Run
    ) -> RetrievalQuality:
        """Quality 0..100 and what is wrong, weightiest first; ``run`` is not spent from.

        - off_topic: nothing found, the best passage is neither near in meaning nor holds the question's words, or the
          passages hold names of the question but are not near and no word of what is asked of them;
        - wrong_domain: most of the question's words are there, but in passages about something else altogether;
        - domain_misalignment: likewise, less surely;
        - missing_key_info: a name, number or year of the question stands in no passage;
        - partial_coverage: other words of the question, or all of one of its parts, stand in no passage;
        - low_confidence: the score is below 40;
        - mixed_relevance: a few passages are near, most are not even loosely so, and none stands out;
        - incomplete_context: fewer than 200 characters of text and not all of the question's words in them.

        Of passages in another language than the question only how near they are counts.
        """
        crossing = find_crossing(passages)
        if crossing is not None:
            return _judge_crossing(crossing)
        seen = _look_at_passages(question, language, passages)
        signals = _quality_signals(seen)
        score = _quality_score(signals) if passages else 0
        reasons = _find_issues(seen, plan, score, language)
        reason = "; ".join(reasons.values()) or f"the best passage holds {signals['coverage']:.0%} of the words"
        return RetrievalQuality(score, tuple(reasons), reason, signals)


def _judge_crossing(similarity: float) -> RetrievalQuality:
    score = round(100 * rate_crossing(similarity))
    is_off = similarity < UNRELATED
    issues = (RetrievalIssue.OFF_TOPIC,) if is_off else (RetrievalIssue.LOW_CONFIDENCE,) if score < LOW_SCORE else ()
    reason = f"the passages are in another language than the question, and the best is {similarity:.2f} near"
    return RetrievalQuality(score, issues, reason, {"similarity": similarity})


def _look_at_passages(question: str, language: str, passages: Sequence[Passage]) -> _Seen:
    words = question_words(question, language)
    held = [stems_of(passage, language) for passage in passages]
    return _Seen(
        words,
        held,
        sorted((p.scores["dense"] for p in passages if "dense" in p.scores), reverse=True),
        sorted((words.coverage(stems) for stems in held), reverse=True),
        sum(len(passage.chunk.text) for passage in passages),
    )


def _quality_signals(seen: _Seen) -> dict[str, float]:
    names = seen.words.names | seen.words.years
    signals = {
        "coverage": seen.coverages[0] if seen.coverages else 0.0,
        "names": 1.0 - len(absent_words(names, seen.held)) / len(names) if names else 1.0,
        SUBJECT_SIGNAL: seen.subject,
    }
    if seen.top is not None:
        near = [*seen.similarities[:_BACKGROUND]]
        near += [UNRELATED] * (_BACKGROUND - len(near))
        signals |= {"similarity": seen.top, "lead": seen.top - sum(near) / len(near)}
    return signals


def _quality_score(signals: Mapping[str, float]) -> int:
    if "similarity" in signals:
        model = load_logistic_model("retrieval_quality", QUALITY_FEATURES)
    else:
        model = load_logistic_model("retrieval_quality_words_only", WORDS_ONLY_FEATURES)
    return round(100 * convert_log_odds(model.weigh_features(signals)))


def _find_issues(seen: _Seen, plan: Plan, score: int, language: str) -> dict[RetrievalIssue, str]:
    """Each issue with its reason."""
    if not seen.held:
        return {RetrievalIssue.OFF_TOPIC: "nothing was found"}
    issues: dict[RetrievalIssue, str] = {}
    issues |= _about_something_else(seen)
    issues |= _find_missing(seen, plan, language)
    if score < LOW_SCORE:
        issues[RetrievalIssue.LOW_CONFIDENCE] = f"the passages are unlikely to answer ({score} of 100)"
    near = sum(value >= NEAR for value in seen.similarities)
    far = sum(value < LOOSE for value in seen.similarities)
    if 0 < near < far and score < CLEAR_SCORE:
        issues[RetrievalIssue.MIXED_RELEVANCE] = f"{near} passages are near the question and {far} are not"
    if seen.characters < SHORT and seen.coverages[0] < 1.0:
        issues[RetrievalIssue.INCOMPLETE_CONTEXT] = f"the passages have {seen.characters} characters in all"
    return issues


def _about_something_else(seen: _Seen) -> dict[RetrievalIssue, str]:
    if seen.top is None:
        return {} if seen.coverages[0] > 0 else {RetrievalIssue.OFF_TOPIC: "no passage holds a word of the question"}
    words = seen.coverages[0]
    if seen.top < UNRELATED and words < FEW_WORDS:
        return {RetrievalIssue.OFF_TOPIC: f"the best passage is far from the question ({seen.top:.2f})"}
    if seen.top < LOOSE and seen.subject == 0:
        subject = ", ".join(seen.words.subject)
        return {RetrievalIssue.OFF_TOPIC: f"no passage speaks of {subject}, and the best is not near ({seen.top:.2f})"}
    if words < MOST_WORDS or seen.top >= LOOSE:
        return {}
    if seen.top < UNRELATED:
        return {RetrievalIssue.WRONG_DOMAIN: "the words of the question are used of something else"}
    return {RetrievalIssue.DOMAIN_MISALIGNMENT: "the words of the question seem used of something else"}


def _find_missing(seen: _Seen, plan: Plan, language: str) -> dict[RetrievalIssue, str]:
    found: dict[RetrievalIssue, str] = {}
    names = absent_words(seen.words.names | seen.words.years, seen.held)
    if names:
        found[RetrievalIssue.MISSING_KEY_INFO] = f"no passage mentions {', '.join(names)}"
    others = absent_words(seen.words.telling, seen.held)
    if others and seen.coverages[0] < MOST_WORDS:
        found[RetrievalIssue.PARTIAL_COVERAGE] = f"no passage speaks of {', '.join(others)}"
    for part in plan.sub_queries:
        words = question_words(part.text, language)
        if max(words.coverage(stems) for stems in seen.held) < FEW_WORDS:
            found[RetrievalIssue.PARTIAL_COVERAGE] = f"no passage speaks of {part.text!r}"
            break
    return found


# Sufficiency is decided before an answer is written (RE-8), after "Sufficient Context" (Joren et al., ICLR 2025, arXiv
# 2411.06037), by rules: enough passages and text, near enough, with the question's names and its time in them. What is
# missing is named and steers the next search.

PLAIN_SIMILARITY = 0.6
"""A passage this near the question answers it plainly, however little else there is."""
ENOUGH_PASSAGES, ENOUGH_CHARACTERS = 2, 200
"""What sufficient evidence has at least (RE-8)."""
CONCEPTS_COVERED = 0.5
"""Share of the question's words that one passage should hold; below it what is absent is a gap in concepts."""


class RuleSufficiency:
    """Counts, measures and looks for names; needs no model."""

    def __init__(self, settings: WorkflowSettings) -> None:
        self._settings = settings

    def check(
        self, question: str, plan: Plan, passages: Sequence[Passage], filter: Filter, run: Run, *, language: str
    ) -> Sufficiency:
        """What is missing, named; ``run`` is not spent from.

        The bounds on number, length and mean are for evidence that is thin as a whole: one passage that plainly answers
        (near in meaning, or with every word of the question) is enough, so that a home of one short note works.
        """
        crossing = find_crossing(passages)
        if crossing is not None:
            is_near = round(100 * rate_crossing(crossing)) >= LOW_SCORE
            reason = "in another language than the question, " + ("near enough" if is_near else "and not near")
            gaps = () if is_near else (Gap(GapKind.AMOUNT, "no passage in another language is near"),)
            return Sufficiency(is_near, gaps, reason, {"top_similarity": crossing})
        words = question_words(question, language)
        held = [stems_of(passage, language) for passage in passages]
        signals = _sufficiency_signals(words, held, passages, max(ENOUGH_PASSAGES, 1))
        gaps = [
            *self._find_amount_gaps(signals),
            *_find_name_gaps(words, held),
            *_find_time_gaps(words, held, passages, filter),
            *_find_concept_gaps(words, held, plan, signals.get("top_similarity", 0.0)),
        ]
        reason = "; ".join(gap.what for gap in gaps) or f"{len(passages)} passages, near enough and complete"
        return Sufficiency(not gaps, tuple(gaps), reason, signals)

    def _find_amount_gaps(self, signals: dict[str, float]) -> list[Gap]:
        limits = self._settings
        if not signals["passages"]:
            return [Gap(GapKind.AMOUNT, "no passage was found")]
        top = signals.get("top_similarity")
        if top is not None and top >= PLAIN_SIMILARITY:
            return []
        if signals["coverage"] >= 1.0 and (top is None or top >= limits.min_top_similarity):
            return []
        lacking: list[str] = []
        if signals["passages"] < ENOUGH_PASSAGES:
            lacking.append(f"{signals['passages']:.0f} of {ENOUGH_PASSAGES} passages")
        if signals["characters"] < ENOUGH_CHARACTERS:
            lacking.append(f"{signals['characters']:.0f} of {ENOUGH_CHARACTERS} characters")
        if top is not None and top < limits.min_top_similarity:
            lacking.append(f"the best passage is {top:.2f} near, not {limits.min_top_similarity:.2f}")
        mean = signals.get("mean_similarity")
        if mean is not None and mean < limits.min_mean_similarity:
            lacking.append(f"the best passages are {mean:.2f} near on average, not {limits.min_mean_similarity:.2f}")
        return [Gap(GapKind.AMOUNT, what) for what in lacking]


def _sufficiency_signals(
    words: QuestionWords, held: Sequence[frozenset[str]], passages: Sequence[Passage], least: int
) -> dict[str, float]:
    """The mean is over the best ``least`` passages: further ones are there to choose from, not to answer."""
    similarities = sorted((p.scores["dense"] for p in passages if "dense" in p.scores), reverse=True)
    signals = {
        "passages": float(len(passages)),
        "characters": float(sum(len(passage.chunk.text) for passage in passages)),
        "coverage": max((words.coverage(stems) for stems in held), default=0.0),
    }
    if similarities:
        best = similarities[:least]
        signals |= {"top_similarity": similarities[0], "mean_similarity": sum(best) / len(best)}
    return signals


def _find_name_gaps(words: QuestionWords, held: Sequence[frozenset[str]]) -> list[Gap]:
    return [Gap(GapKind.NAME, name) for name in absent_words(words.names, held)] if held else []


def _find_time_gaps(
    words: QuestionWords, held: Sequence[frozenset[str]], passages: Sequence[Passage], filter: Filter
) -> list[Gap]:
    """Years that are neither said in a passage nor the year of one, and a period that no passage is dated within."""
    if not held:
        return []
    dated = {str(date.year) for passage in passages if (date := passage.chunk.published_at) is not None}
    gaps = [Gap(GapKind.TIME, year) for year in absent_words(words.years, held) if year not in dated]
    if filter.has_dates and not any(_is_within(passage, filter) for passage in passages):
        gaps.append(Gap(GapKind.TIME, "documents of the time asked about"))
    return gaps


def _is_within(passage: Passage, filter: Filter) -> bool:
    date = passage.chunk.published_at
    if date is None:
        return False
    from_ok = filter.published_from is None or date >= filter.published_from
    return from_ok and (filter.published_before is None or date < filter.published_before)


def _find_concept_gaps(
    words: QuestionWords, held: Sequence[frozenset[str]], plan: Plan, top_similarity: float
) -> list[Gap]:
    """Words that may well be said in others are no gap where a passage is plainly near in meaning."""
    if not held:
        return []
    gaps: list[Gap] = []
    covered = max(words.coverage(stems) for stems in held)
    if covered < CONCEPTS_COVERED and top_similarity < PLAIN_SIMILARITY:
        gaps += [Gap(GapKind.CONCEPT, word) for word in absent_words(words.telling, held)]
    for part in plan.sub_queries:
        asked = question_words(part.text, words.language)
        if max(asked.coverage(stems) for stems in held) < CONCEPTS_COVERED:
            gaps.append(Gap(GapKind.CONCEPT, part.text))
    return gaps
