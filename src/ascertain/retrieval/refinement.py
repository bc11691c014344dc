"""Rules that word a question anew after poor retrieval (WF-2, QU-8): one tactic for each thing that can be wrong.

They follow ``guidance.GUIDANCE``. What the sufficiency check names as missing comes first; then the issues in order of
weight; then, so that every further attempt is another one, whatever still changes the wording. No tactic drops a telling
word: of 173 poor searches on five dev sets, those worded anew for the missing part alone fell from 68..79 to 23..32 R@5, while
the present wordings, which keep the question and lean on one side of it, find other passages at 73.2 R@5 (72.2 before).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ascertain.core.judgements import GapKind, RetrievalIssue, Shortfall
from ascertain.core.passages import Strategy
from ascertain.core.plans import Refinement
from ascertain.core.runs import Run
from ascertain.core.settings.profiles import Profile
from ascertain.language.tokens import WORD, content_terms
from ascertain.retrieval.expansion import TECHNICAL_WORDS
from ascertain.retrieval.keywords import READ, Keywords, keywords
from ascertain.retrieval.normalise import normalise
from ascertain.retrieval.relevance_feedback import telling_words
from ascertain.retrieval.small_talk import without_small_talk

MOST_GAPS = 3
"""Missing things asked for at once; more pull a search apart."""
MOST_WORDS = 24
"""Words of a wording."""
MOST_TIMES = 2
"""Times that a word is said in a wording."""
WIDER = ("overview", "definition", "background", "explanation", "details")
"""What widens a question; each further attempt takes the next."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A shortfall with the words of its question; ``asked`` is it on one line and without small talk."""

    shortfall: Shortfall
    asked: str
    words: Keywords
    profiles: Sequence[Profile]

    @property
    def plain(self) -> tuple[str, ...]:
        """The telling words, the most exact first, quotations in quotes."""
        return (*(f'"{phrase}"' for phrase in self.words.phrases), *self.words.all[len(self.words.phrases) :])


class RuleRefiner:
    """``profiles`` bring the vocabulary of the documents. Deterministic."""

    def __init__(self, profiles: Sequence[Profile] = ()) -> None:
        self._profiles = tuple(profiles)

    def refine(self, shortfall: Shortfall, run: Run) -> Refinement:
        """A wording other than the present one, never empty; ``run`` is not used, rules cost nothing."""
        asked = " ".join(without_small_talk(shortfall.question[:READ]).split())
        case = _Case(shortfall, asked, keywords(asked), self._profiles)
        before = _compared(shortfall.question)
        for text, reason in _wordings(case):
            if WORD.search(text) and _compared(text) != before:
                return Refinement(text, reason, _added(text, shortfall.question))
        return Refinement(f"{asked} {WIDER[0]}".strip(), "asks more widely", (WIDER[0],))


def _wordings(case: _Case) -> Iterator[tuple[str, str]]:
    """Wordings worth trying, best first, with why."""
    yield from _after_gaps(case)
    for issue in case.shortfall.quality.issues:
        text = _TACTICS[issue](case)
        yield text, f"{issue.replace('_', ' ')}: {_DOES[issue]}"
    yield _joined(case.plain), "only the telling words"
    yield _with(case.asked, telling_words(case.asked, case.shortfall.passages)), "words of the best passages"
    yield _wider(case), "asks more widely"


def _after_gaps(case: _Case) -> Iterator[tuple[str, str]]:
    gaps = case.shortfall.sufficiency.gaps
    missing = [gap.what for gap in gaps if gap.kind is GapKind.NAME][:MOST_GAPS]
    if missing:
        first = (
            [_whole_name(case.asked, missing)]
            if case.shortfall.strategy is not Strategy.SEMANTIC
            else missing
        )
        rest = [word for word in case.plain if word not in missing]
        yield _joined((*first, *rest)), f"missing name: {', '.join(missing)} first"
    times = [gap.what for gap in gaps if gap.kind is GapKind.TIME and gap.what.isdigit()]
    if times:
        yield _joined((*case.plain, *times)), f"missing time: {', '.join(times)}"
    concepts = [gap.what for gap in gaps if gap.kind is GapKind.CONCEPT and len(gap.what.split()) == 1][
        :MOST_GAPS
    ]
    if concepts:
        yield _joined((*concepts, *case.plain)), f"missing: {', '.join(concepts)} first"


def _whole_name(asked: str, missing: Sequence[str]) -> str:
    """The missing words in quotes where they stand together, as one name, else one by one."""
    together = " ".join(missing)
    return f'"{together}"' if len(missing) > 1 and together in asked else " ".join(missing)


def _missing_again(case: _Case) -> str:
    """The question with the words that no passage holds said once more, or words of the best passages where all are held."""
    held = {key for passage in case.shortfall.passages for key in content_terms(passage.chunk.indexed_text)}
    absent = [word for word in case.words.all if not held.issuperset(content_terms(word))]
    return _with(case.asked, absent[:MOST_GAPS] or telling_words(case.asked, case.shortfall.passages))


def _in_their_words(case: _Case) -> str:
    """Abbreviations written out, everyday words made technical, with words of the best passages."""
    written_out = normalise(case.asked, case.profiles).text
    changed = " ".join(TECHNICAL_WORDS.get(word.lower(), word) for word in written_out.split())
    return _with(changed, telling_words(case.asked, case.shortfall.passages))


def _subject_first(case: _Case) -> str:
    """The names once more before the question; without any, its longest words, since short ones have the most meanings."""
    words = case.words
    leading = (*words.exact, *words.names) or sorted(words.others, key=len, reverse=True)[:2]
    return f"{' '.join(leading[:MOST_GAPS])} {case.asked}".strip()


def _with_field(case: _Case) -> str:
    """The question and the name of its field: the alias table whose context it shows."""
    asked = set(content_terms(normalise(case.asked, case.profiles).text))
    fields = [
        name
        for profile in case.profiles
        for name, table in profile.aliases.items()
        if asked & {key for word in table.context for key in content_terms(word)}
    ]
    return _with(case.asked, [field for field in fields if not asked.issuperset(content_terms(field))][:2])


def _wider(case: _Case) -> str:
    said = set(WORD.findall(case.asked.lower()))
    wider = next((word for word in WIDER if word not in said), "")
    return _joined((*case.plain, wider))


def _few_words(case: _Case) -> str:
    return _joined(case.plain)


def _apart(case: _Case) -> str:
    """The question with what the best passages say more of than the others."""
    return _with(case.asked, telling_words(case.asked, case.shortfall.passages))


_TACTICS: Mapping[RetrievalIssue, Callable[[_Case], str]] = {
    RetrievalIssue.PARTIAL_COVERAGE: _missing_again,
    RetrievalIssue.MISSING_KEY_INFO: _missing_again,
    RetrievalIssue.INCOMPLETE_CONTEXT: _wider,
    RetrievalIssue.DOMAIN_MISALIGNMENT: _in_their_words,
    RetrievalIssue.LOW_CONFIDENCE: _few_words,
    RetrievalIssue.MIXED_RELEVANCE: _apart,
    RetrievalIssue.OFF_TOPIC: _subject_first,
    RetrievalIssue.WRONG_DOMAIN: _with_field,
}
_DOES: Mapping[RetrievalIssue, str] = {
    RetrievalIssue.PARTIAL_COVERAGE: "what is not covered once more",
    RetrievalIssue.MISSING_KEY_INFO: "what no passage holds once more",
    RetrievalIssue.INCOMPLETE_CONTEXT: "asks more widely",
    RetrievalIssue.DOMAIN_MISALIGNMENT: "in the words of the documents",
    RetrievalIssue.LOW_CONFIDENCE: "only the telling words",
    RetrievalIssue.MIXED_RELEVANCE: "with what sets the good passages apart",
    RetrievalIssue.OFF_TOPIC: "the subject first",
    RetrievalIssue.WRONG_DOMAIN: "with the name of the field",
}


def _with(text: str, words: Sequence[str]) -> str:
    """``text`` and ``words``; those it says twice already are left out, so that wordings do not grow without end."""
    said = Counter(content_terms(text))
    new = [word for word in words if all(said[key] < MOST_TIMES for key in content_terms(word))]
    return f"{text} {' '.join(new)}".strip()


def _joined(words: Sequence[str]) -> str:
    return " ".join([word for word in dict.fromkeys(words) if word][:MOST_WORDS])


def _added(text: str, question: str) -> tuple[str, ...]:
    before = set(content_terms(question))
    return tuple(
        dict.fromkeys(word for word in WORD.findall(text) if not before.issuperset(content_terms(word)))
    )


def _compared(text: str) -> str:
    return " ".join(text.casefold().split())
