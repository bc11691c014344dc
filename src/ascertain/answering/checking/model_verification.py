"""The chat model as a checker of claims: several sentences a call, each against everything it cites, with the offline checker as fallback.

``build_claim_block`` makes what a prompt shows, ``ModelChecker.read_verdicts`` makes verdicts from the model's reply, so that a
a request with another purpose can include both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field, field_validator

from ascertain.answering.checking.evidence import Evidence, Statement, spell_date
from ascertain.answering.checking.objections.rules import find_objection
from ascertain.answering.checking.verification import StatementChecker
from ascertain.core.asking.answers import Verdict, VerdictLabel
from ascertain.core.asking.judgements import CheckedClaim
from ascertain.core.asking.runs import Run, Task
from ascertain.language.instructions import instruction_spans, without_instructions
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import cut_at_sentence
from ascertain.models.chat.controls import choose_addition, make_false_claim
from ascertain.models.ports import Chat, ClaimPair, Support
from ascertain.models.prompts import PromptedStep, Prompts, as_data

CLAIMS_A_CALL = 8
"""An answer of medium length in one call; small models lose count of more."""
EVIDENCE_CHARACTERS = 3000
"""Of one citation with its surroundings; five sentences are seldom as long, and are cut between two sentences."""
_LONGEST_REASON = 200
SCORES = {
    VerdictLabel.SUPPORTED: 1.0,
    VerdictLabel.INFERRED: 0.8,
    VerdictLabel.NOT_IN_SOURCES: 0.2,
    VerdictLabel.CONTRADICTED: 0.0,
}
"""What a verdict without a figure counts for, 0..1; the two that are shown lie above the default of ``verification.support``."""


class ClaimReply(BaseModel):
    """What the sources of a claim say about it."""

    claim: int = Field(description="The number of the claim.")
    verdict: VerdictLabel
    reason: str = Field(default="", description="A few words.")

    @field_validator("verdict", mode="before")
    @classmethod
    def _spell_label(cls, label: object) -> object:
        """``Not in sources`` is ``not_in_sources``."""
        return re.sub(r"[\s-]+", "_", label.strip().lower()) if isinstance(label, str) else label


class ClaimsReply(BaseModel):
    """One verdict a claim."""

    verdicts: list[ClaimReply]


@dataclass(frozen=True, slots=True)
class ClaimBlock:
    """Sentences to be judged in one request, numbered from 1, followed by the controls: sentences that their sources do not state."""

    statements: tuple[Statement, ...]
    controls: tuple[Statement, ...] = ()

    @property
    def text(self) -> str:
        """The block as a prompt shows it: every source once, then the claims with the numbers of what they cite."""
        shown = (*self.statements, *self.controls)
        sources, numbers = _number_sources([each for statement in shown for each in statement.evidence])
        lines = [_show_source(number, each) for number, each in enumerate(sources, 1)]
        for number, statement in enumerate(shown, 1):
            cites = ", ".join(map(str, dict.fromkeys(numbers[each] for each in statement.evidence)))
            lines.append(as_data(statement.text, "claim", {"number": str(number), "cites": cites}))
        return "\n".join(lines)


def _number_sources(evidence: Sequence[Evidence]) -> tuple[list[Evidence], dict[Evidence, int]]:
    """The sources to show, and the number of the one that shows each piece of ``evidence``: a text contained in another one is not repeated."""
    sources: list[Evidence] = []
    for each in sorted(dict.fromkeys(evidence), key=lambda one: -len(_shown_text(one))):
        if not any(each.context == other.context and each.text in _shown_text(other) for other in sources):
            sources.append(each)
    sources.sort(key=list(evidence).index)
    numbers = {
        each: next(
            n for n, one in enumerate(sources, 1) if each.context == one.context and each.text in _shown_text(one)
        )
        for each in evidence
    }
    return sources, numbers


def build_claim_block(statements: Sequence[Statement]) -> ClaimBlock:
    """The block of ``statements``, with the controls that can be made."""
    return ClaimBlock(tuple(statements), tuple(make_controls(statements)))


def make_controls(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Sentences beside ``statements`` that no model may find supported: one with a figure changed, and one that adds a detail as a
    writer who makes something up would.
    """
    pairs = [ClaimPair(statement.text, each.text) for statement in statements for each in statement.evidence]
    language = next((statement.language for statement in statements), ENGLISH)
    changed, added = make_false_claim(pairs, language), choose_addition(pairs, language)
    if changed is not None:
        held = next((e for s in statements for e in s.evidence if changed.evidence in e.text), None)
        yield Statement(changed.claim, -1, (held or Evidence(changed.evidence, changed.evidence),))
    if added:
        yield Statement(added, -1, statements[-1].evidence[:1])


class ModelChecker:
    """``StatementChecker`` by chat model; ``fallback`` judges where it cannot or may not."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: StatementChecker, at_once: int = CLAIMS_A_CALL) -> None:
        """At most ``at_once`` claims are shown in one request."""
        self._step = PromptedStep(chat, prompts, Task.VERIFY, "check", "check_claims")
        self._fallback = fallback
        self._at_once = at_once

    def check(self, statements: Sequence[Statement], run: Run) -> list[list[CheckedClaim]]:
        """See the port.

        Statements that read like instructions to a model are left to the fallback: there a model's verdict may be the
        verdict that the text asked for.
        """
        judged: dict[int, list[CheckedClaim]] = {}
        left = [i for i, statement in enumerate(statements) if has_instructions(statement)]
        if left:
            self._step.fell_back(run, f"{len(left)} claims read like instructions to a model")
        honest = [i for i in range(len(statements)) if i not in set(left)]
        for start in range(0, len(honest), self._at_once):
            batch = honest[start : start + self._at_once]
            found = self._ask_model([statements[i] for i in batch], run)
            if found is None:
                left += batch
            else:
                judged |= {i: [claim] for i, claim in zip(batch, found, strict=True)}
        if left:
            judged |= dict(zip(left, self._fallback.check([statements[i] for i in left], run), strict=True))
        return [judged[i] for i in range(len(statements))]

    def _ask_model(self, statements: Sequence[Statement], run: Run) -> list[CheckedClaim] | None:
        block = build_claim_block(statements)
        question = as_data(statements[0].question, "question") if statements[0].question else ""
        reply = self._step.reply(ClaimsReply, run, question=question, claims=block.text)
        return None if reply is None else self.read_verdicts(block, reply.verdicts, run)

    def read_verdicts(self, block: ClaimBlock, verdicts: Sequence[ClaimReply], run: Run) -> list[CheckedClaim] | None:
        """One claim a statement of ``block``.

        None, with a note on the run, when not every statement has one verdict, and when a control is found true.
        """
        count = len(block.statements)
        own = [each for each in verdicts if not count < each.claim <= count + len(block.controls)]
        misled = [each for each in verdicts if each not in own and each.verdict.is_sound]
        if misled:
            control = block.controls[misled[0].claim - count - 1]
            held = control.evidence[0].text
            self._step.distrust(run, f"the model sees support for “{control.text}” in “{held}”")
            return None
        by_number = {each.claim: each for each in own}
        missing = [str(number) for number in range(1, count + 1) if number not in by_number]
        if missing or len(own) != count:
            self._step.fell_back(run, f"no verdict, or two, on claim {', '.join(missing) or 'numbers'}")
            return None
        return [_judge_statement(each, by_number[number]) for number, each in enumerate(block.statements, 1)]


def _judge_statement(statement: Statement, said: ClaimReply) -> CheckedClaim:
    reason = " ".join(said.reason.split())[:_LONGEST_REASON]
    if said.verdict.is_sound and (objection := find_objection(statement)) is not None:
        return objection.check(statement)
    return CheckedClaim(statement.text, statement.sentence, Verdict(said.verdict, SCORES[said.verdict]), reason)


class ChatEntailment:
    """``EntailmentModel`` by chat model: each claim is a statement that cites its evidence."""

    def __init__(self, checker: ModelChecker) -> None:
        self._checker = checker

    @property
    def name(self) -> str:
        """Identifies the model."""
        return "chat"

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        """The support of each pair, in the order given."""
        statements = [
            Statement(pair.claim, i, (Evidence(text, text),), language=pair.language)
            for i, pair in enumerate(pairs)
            for text in (without_instructions(pair.evidence),)
        ]
        return [_read_support(claims) for claims in self._checker.check(statements, run)]


def _read_support(claims: Sequence[CheckedClaim]) -> Support:
    """The support of the worst claim; nothing is claimed where there is none."""
    if not claims:
        return Support(1.0, 0.0, "it claims nothing")
    worst = min(claims, key=lambda claim: (claim.verdict.label.is_sound, claim.verdict.score))
    score = worst.verdict.score
    denied = 1 - score if worst.verdict.label is VerdictLabel.CONTRADICTED else 0.0
    return Support(score, denied, worst.reason)


def has_instructions(statement: Statement) -> bool:
    """Whether the statement reads like instructions to a model; they were removed from what it cites."""
    return bool(instruction_spans(statement.text))


def _show_source(number: int, evidence: Evidence) -> str:
    attributes = {
        "number": str(number),
        "title": evidence.title,
        "section": " › ".join(evidence.section),
        "speaker": evidence.speaker,
        "date": spell_date(evidence.published_at),
        "page": str(evidence.page or ""),
    }
    shown = {name: value for name, value in attributes.items() if value}
    return as_data(_shown_text(evidence), "source", shown)


def _shown_text(evidence: Evidence) -> str:
    """The whole passage where it is not long: what a claim takes from it may be further from the quotation than the neighbouring sentences."""
    if 0 < len(evidence.passage) <= EVIDENCE_CHARACTERS:
        return evidence.passage
    return cut_at_sentence(evidence.text, EVIDENCE_CHARACTERS)
