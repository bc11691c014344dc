"""The simplifier: the findings in plain language, at a reading level that is measured.

The level is the Flesch-Kincaid grade, the school year in which a text can be read:
    0.39 · words / sentences + 11.8 · syllables / words - 15.59
Kincaid, Fishburne, Rogers & Chissom, "Derivation of new readability formulas", Naval Technical Training Command, 1975.
Syllables are counted by groups of vowels, an estimate: "differentiation" has five so, and six when it is said.

The rules do not reword: of the findings the ones easiest to read are shown, at most one per sub-question. A chat
model rewords each; a wording stays only if the checker of claims finds it supported by what the finding cites.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel, Field

from ascertain.answering.citations import shown_text
from ascertain.core.asking.answers import Citation
from ascertain.core.asking.runs import Run, Task
from ascertain.core.reports.research import PlainSummary, ReportSentence, ResearchMode
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import split_sentences
from ascertain.models.ports import Chat, ClaimPair, EntailmentModel
from ascertain.models.prompts import PromptedStep, Prompts, as_data

WANTED_GRADE = 9
"""School year that summaries aim at: general readers are written for at grade 8 to 10 (Plain Language Action and
Information Network, Federal Plain Language Guidelines)."""
MOST_SENTENCES = {ResearchMode.QUICK: 3, ResearchMode.DEEP: 5}
_WORDS = re.compile(r"[A-Za-z][A-Za-z'’]*")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(r"(?:[^laeiouy]es|[^aeioudt]ed|[^aeiouyl]e)$")


def count_syllables(word: str) -> int:
    """Syllables of an English word, at least one."""
    folded = _WORDS.sub(lambda found: found[0].lower(), word)
    bare = _SILENT.sub(lambda found: found[0][:1], folded) if len(folded) > 3 else folded
    return max(1, len(_VOWELS.findall(bare)))


def measure_grade(text: str) -> float:
    """The Flesch-Kincaid grade of ``text``, not below 0; 0 for one without words."""
    words = _WORDS.findall(text)
    if not words:
        return 0.0
    sentences = max(1, len(split_sentences(text)))
    syllables = sum(map(count_syllables, words))
    return max(0.0, round(0.39 * len(words) / sentences + 11.8 * syllables / len(words) - 15.59, 1))


class RuleSimplifier:
    """Chooses among the findings."""

    def simplify(
        self, findings: Sequence[ReportSentence], citations: Sequence[Citation], mode: ResearchMode, run: Run
    ) -> PlainSummary:
        """The easiest finding of each sub-question, in their order; ``run`` is not spent from."""
        easiest: dict[int, ReportSentence] = {}
        for finding in findings:
            if _PIECE.match(finding.text):
                continue
            known = easiest.get(finding.sub_question)
            if known is None or _is_easier(measure_grade(finding.text), measure_grade(known.text)):
                easiest[finding.sub_question] = finding
        chosen = [easiest[index] for index in sorted(easiest)][: MOST_SENTENCES[mode]]
        return PlainSummary(tuple(chosen), measure_grade(" ".join(each.text for each in chosen)), WANTED_GRADE)


def _is_easier(grade: float, known: float) -> bool:
    """Whether a later finding of ``grade`` takes the place of an earlier one: it is plain and that is not, or far harder."""
    return grade <= WANTED_GRADE < known or grade + EARLIER < known


def keep_plain(sentences: Sequence[ReportSentence]) -> tuple[ReportSentence, ...]:
    """The sentences that can be read together at WANTED_GRADE: without the hardest until they can; none where no one can."""
    kept = list(sentences)
    while kept and measure_grade(" ".join(each.text for each in kept)) > WANTED_GRADE:
        kept.remove(max(kept, key=lambda each: measure_grade(each.text)))
    return tuple(kept)


_PIECE = re.compile(r"^\W*(?:[ivx]{1,4}|\d{1,2}|[a-z])[.)]\s|^[^\w“\"']|.*(?: \| |→)")
"""An item of a list, a row of a table or another piece that no one would say."""
EARLIER = 3.0
"""Grades by which a later finding must be easier: the first one is the one that answers best."""


class PlainReply(BaseModel):
    """One finding in plain words."""

    number: int = Field(description="The number of the finding.")
    text: str = Field(description="What it says, in plain words, in one sentence.")


class PlainRepliesReply(BaseModel):
    """The summary, a sentence for each finding worth telling."""

    sentences: list[PlainReply]


class ModelSimplifier:
    """Has the model reword the findings; what it adds to them is not shown."""

    def __init__(
        self, chat: Chat, prompts: Prompts, fallback: RuleSimplifier, rules: EntailmentModel, support: float
    ) -> None:
        self._step = PromptedStep(chat, prompts, Task.WRITE, "simplify", "simplify")
        self._fallback = fallback
        self._rules = rules
        self._support = support

    def simplify(
        self, findings: Sequence[ReportSentence], citations: Sequence[Citation], mode: ResearchMode, run: Run
    ) -> PlainSummary:
        """The model's wording of findings that the checker finds supported by what they cite, else the rules' choice."""
        chosen = self._fallback.simplify(findings, citations, mode, run)
        if not chosen.sentences:
            return chosen
        shown = "\n".join(
            as_data(without_instructions(each.text), "finding", {"number": str(number)})
            for number, each in enumerate(chosen.sentences, 1)
        )
        reply = self._step.reply(PlainRepliesReply, run, findings=shown, grade=str(WANTED_GRADE))
        if reply is None:
            return chosen
        worded = {each.number: shown_text(each.text, ()) for each in reply.sentences}
        wordings = [worded.get(number, "") for number in range(1, len(chosen.sentences) + 1)]
        pairs = [
            ClaimPair(wording or "-", " ".join(citations[number - 1].quote for number in each.citations))
            for wording, each in zip(wordings, chosen.sentences, strict=True)
        ]
        supports = self._rules.check(pairs, run)
        sentences = [
            ReportSentence(wording, each.citations, each.sub_question)
            if wording and support.entailed > self._support and len(split_sentences(wording)) == 1
            else each
            for wording, each, support in zip(wordings, chosen.sentences, supports, strict=True)
        ]
        kept = sum(sentence is each for sentence, each in zip(sentences, chosen.sentences, strict=True))
        if kept:
            self._step.fell_back(run, f"{kept} of {len(sentences)} wordings are not supported by what they cite")
        return PlainSummary(tuple(sentences), measure_grade(" ".join(each.text for each in sentences)), WANTED_GRADE)
