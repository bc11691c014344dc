"""The chat model as a checker of claims: several a call, the offline checker behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, Field

from ascertain.core.runs import Run, Task
from ascertain.language.instructions import instruction_spans, without_instructions
from ascertain.language.tokens import WORD, content_terms, is_foreign
from ascertain.models.controls import make_false_claim
from ascertain.models.ports import Chat, ClaimPair, EntailmentModel, Support
from ascertain.models.prompts import PromptedStep, Prompts, as_data

CLAIMS_A_CALL = 8
"""An answer of middle length in one call; small models lose count of more."""
EVIDENCE_CHARACTERS = 3000
UNRELATED = 0.25
"""Share of a claim's content words in its evidence under which a model's yes is not enough."""
DOUBTED = 0.5
"""What such a yes counts for: below ``verification.support``, so never as supported. So does a yes to a claim with a
name or figure that its evidence lacks: 12 to 48 % of the unsupported claims of begin, summedits and factcheck_gpt have
one, and 2, 8 and 18 % of the supported.
"""
UNLIKELY = 0.2
"""Entailment by the fallback under which a model's yes is not enough either: of claims that people found supported in
lfqa_verification, defacto, cliff_goyal, realsumm_scu and gensearch_highlights 0 to 12 % lie below, of the unsupported
12 to 41 %, and of sentences that a model made up nearly all.
"""
_OPENS = re.compile(r"(?:^|[.!?:])[\s\"'“‘(\[]*$")
_LONGEST_REASON = 200


class ClaimReply(BaseModel):
    """What the evidence of one claim says of it."""

    claim: int = Field(description="The number of the claim.")
    entailed: float = Field(ge=0, le=1, description="1 when its evidence states it.")
    contradicted: float = Field(ge=0, le=1, description="1 when its evidence states the opposite.")
    reason: str = Field(default="", description="What the evidence lacks or denies, in a few words.")


class ClaimsReply(BaseModel):
    """One verdict a claim."""

    verdicts: list[ClaimReply]


class ChatEntailment:
    """``EntailmentModel`` by chat model; the fallback sees a claim said from ``support`` on (``verification.support``)."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: EntailmentModel, support: float) -> None:
        self._step = PromptedStep(chat, prompts, Task.VERIFY, "check", "check_claims")
        self._fallback = fallback
        self._support = support

    @property
    def name(self) -> str:
        """Identifies the model."""
        return f"chat, else {self._fallback.name}"

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        """The support of each pair, in the order given.

        Pairs whose claim or evidence reads like instructions to a model are left to the fallback, without that text:
        there a model's verdict may be the verdict that the text asked for.
        """
        supports: dict[int, Support] = {}
        suspect = [i for i, pair in enumerate(pairs) if _has_instructions(pair)]
        if suspect:
            self._step.fell_back(run, f"{len(suspect)} claims or their evidence read like instructions to a model")
        honest = [i for i in range(len(pairs)) if i not in set(suspect)]
        for batch in _batch_indexes(honest):
            found = self._ask_model([pairs[i] for i in batch], run)
            if found is None:
                suspect += batch
            else:
                supports |= dict(zip(batch, found, strict=True))
        judged = list(supports)
        doubted = self._doubt_unlikely([pairs[i] for i in judged], [supports[i] for i in judged], run)
        supports |= dict(zip(judged, doubted, strict=True))
        if suspect:
            clean = [_without_instructions(pairs[i]) for i in suspect]
            supports |= dict(zip(suspect, self._fallback.check(clean, run), strict=True))
        return [supports[i] for i in range(len(pairs))]

    def _doubt_unlikely(self, pairs: Sequence[ClaimPair], verdicts: Sequence[Support], run: Run) -> list[Support]:
        """The model's verdicts, each yes taken back by half that the fallback finds next to impossible.

        So is a yes to what is an altered quotation of any of the texts, unless the fallback sees it said in this one.
        """
        doubted = list(verdicts)
        yes = [i for i, pair in enumerate(pairs) if verdicts[i].entailed > DOUBTED and _can_compare_words(pair)]
        seconds = self._fallback.check([pairs[i] for i in yes], run) if yes else []
        altered = {pairs[i].claim for i, second in zip(yes, seconds, strict=True) if second.is_altered}
        for i, second in zip(yes, seconds, strict=True):
            is_altered = second.is_altered or (pairs[i].claim in altered and second.entailed < self._support)
            if second.entailed < UNLIKELY or is_altered:
                reason = f"a chat model sees support, {self._fallback.name} do not: {second.reason}"
                doubted[i] = Support(DOUBTED, min(verdicts[i].contradicted, 1.0 - DOUBTED), reason[:_LONGEST_REASON])
        return doubted

    def _ask_model(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support] | None:
        """None, with a note on the run, when the model gave no verdict that can be used on one of them, and when it
        finds a claim supported that is mixed in and has no support.
        """
        control = make_false_claim(pairs)
        shown = (*pairs, control) if control else pairs
        reply = self._step.reply(ClaimsReply, run, claims="\n".join(_show_pairs(shown)))
        if reply is None:
            return None
        own = [verdict for verdict in reply.verdicts if control is None or verdict.claim != len(shown)]
        misled = [verdict for verdict in reply.verdicts if verdict not in own and verdict.entailed > DOUBTED]
        if control is not None and misled:
            self._step.distrust(run, f"the model sees support for “{control.claim}” in “{control.evidence}”")
            return None
        verdicts = {verdict.claim: verdict for verdict in own}
        wrong = [
            str(number)
            for number in range(1, len(pairs) + 1)
            if (verdict := verdicts.get(number)) is None or min(verdict.entailed, verdict.contradicted) > DOUBTED
        ]
        if wrong or len(own) != len(pairs):
            self._step.fell_back(
                run, f"no verdict, or two, or a contradictory one on claim {', '.join(wrong) or 'numbers'}"
            )
            return None
        return [_doubt_verdict(pair, verdicts[number]) for number, pair in enumerate(pairs, 1)]


def _doubt_verdict(pair: ClaimPair, verdict: ClaimReply) -> Support:
    """The verdict, a yes taken back by half where the words of the evidence speak against it."""
    entailed = verdict.entailed
    reason = " ".join(verdict.reason.split())[:_LONGEST_REASON]
    if entailed > DOUBTED and _can_compare_words(pair):
        said, held = set(content_terms(pair.claim)), set(content_terms(pair.evidence))
        absent = [word for word in _names_and_figures(pair.claim) if not set(content_terms(word)) <= held]
        if absent:
            entailed, reason = DOUBTED, f"the evidence does not mention {', '.join(absent[:3])}"
        elif len(said & held) < UNRELATED * len(said):
            entailed, reason = (DOUBTED, "a chat model sees support, but the evidence has almost none of its words")
    return Support(entailed, min(verdict.contradicted, 1.0 - entailed), reason)


def _names_and_figures(claim: str) -> list[str]:
    """Words with a figure, and capitalised ones that do not begin a sentence."""
    words = [match for match in WORD.finditer(claim) if len(match.group()) > 1 or match.group().isdigit()]
    return [
        word.group()
        for word in words
        if any(map(str.isdigit, word.group()))
        or (word.group()[0].isupper() and not _OPENS.search(claim[: word.start()]))
    ]


def _can_compare_words(pair: ClaimPair) -> bool:
    """Whether neither text is in another language than English: a claim and evidence in two languages share few."""
    return not is_foreign(pair.claim) and not is_foreign(pair.evidence)


def _has_instructions(pair: ClaimPair) -> bool:
    return bool(instruction_spans(pair.evidence) or instruction_spans(pair.claim))


def _without_instructions(pair: ClaimPair) -> ClaimPair:
    return ClaimPair(pair.claim, without_instructions(pair.evidence))


def _batch_indexes(indexes: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(indexes), CLAIMS_A_CALL):
        yield indexes[start : start + CLAIMS_A_CALL]


def _show_pairs(pairs: Sequence[ClaimPair]) -> Iterator[str]:
    for number, pair in enumerate(pairs, 1):
        yield as_data(pair.claim, "claim", {"number": str(number)})
        yield as_data(pair.evidence[:EVIDENCE_CHARACTERS], "evidence", {"of": str(number)})
