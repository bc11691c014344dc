"""Rules that make a follow-up self-contained (QU-1).

A question in a conversation is rarely whole: "How does it work?", "What about pricing?", "Dialog skill". A pronoun with one
clear antecedent gives way to it; otherwise, or besides, the question names in brackets the topics it continues. A
question that has words enough of its own and points nowhere back is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.conversations import Standalone, Turn
from ascertain.core.plans import Intent
from ascertain.core.runs import Run
from ascertain.retrieval.intent import intent_of
from ascertain.retrieval.references import Pronoun, Stands, first_pronoun, points_back
from ascertain.retrieval.salience import Topic, content_stems, topics
from ascertain.retrieval.small_talk import without_small_talk

WORDS_ADDED = 3
"""Words of the conversation. Three and four find alike on mtrag_un, and fewer read better; eight hide the question."""
WHOLE_QUESTION = 4
"""Content words from which a question that points nowhere back stands alone: more of them only blur it."""
CLEAR_LEAD = 1.3
"""How much heavier than the next topic an antecedent must be to take a pronoun's place."""


class RuleRewriter:
    """Adds what a follow-up leaves out, from the topics of the conversation."""

    def standalone(self, question: str, history: Sequence[Turn], run: Run) -> Standalone:
        """``question`` as it would be asked without ``history`` (oldest first); it is returned as it is when it stands alone."""
        if not history:
            return Standalone(question, False, reason="nothing was said before")
        intent, why = intent_of(question)
        if intent in {Intent.GREETING, Intent.OUT_OF_SCOPE}:
            return Standalone(question, False, reason=why)
        asked = without_small_talk(question)
        own = content_stems(asked)
        leans = points_back(asked)
        if not leans and len(own) >= WHOLE_QUESTION:
            return Standalone(question, False, reason="has words of its own and points nowhere back")
        found = topics(history, own, WORDS_ADDED)
        if not found:
            return Standalone(question, leans, reason="the conversation names nothing that would help")
        text, replaced = _with_antecedent(asked, found)
        rest = [topic for topic in found if topic is not replaced]
        if rest:
            text = f"{text} (about: {', '.join(topic.text for topic in rest)})"
        reason = "continues the conversation" if leans else "has few words of its own"
        return Standalone(text, True, tuple(topic.text for topic in found), reason)


def _with_antecedent(question: str, found: Sequence[Topic]) -> tuple[str, Topic | None]:
    """``question`` with its first pronoun replaced by the topic it stands for, and that topic; None where it is not clear."""
    pronoun = first_pronoun(question)
    if pronoun is None or not _fits(found[0], pronoun.stands):
        return question, None
    antecedent = found[0]
    second = next((topic for topic in found[1:] if _fits(topic, pronoun.stands)), None)
    if second is not None and antecedent.weight < CLEAR_LEAD * second.weight:
        return question, None
    return f"{question[: pronoun.start]}{_named(antecedent, pronoun)}{question[pronoun.end :]}", antecedent


def _fits(topic: Topic, stands: Stands) -> bool:
    words = topic.text.split()
    if stands is Stands.PERSON:
        return topic.is_name and len(words) > 1
    is_plural = words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))
    if stands is Stands.THINGS:
        return is_plural
    return topic.is_name or not is_plural


def _named(topic: Topic, pronoun: Pronoun) -> str:
    name = (
        f"the {topic.text}"
        if topic.is_definite or not (topic.is_name or pronoun.stands is Stands.THINGS)
        else topic.text
    )
    if not pronoun.is_possessive:
        return name
    return f"{name}’" if name.endswith("s") else f"{name}’s"
