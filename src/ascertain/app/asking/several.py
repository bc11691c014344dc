"""One question to several knowledge bases, by name.

Each is asked by itself, with its own models and settings, since neither scores nor vectors of two homes have to be comparable; confidence is
fitted to mean the same in each. So the surest answer comes first, and passages are taken in turn by their ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, Unpack

from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.questions.conversation.rewriting import without_topics

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.asking.requests import AskOptions, SearchResult

Item = TypeVar("Item")


def ask_each(bases: Mapping[str, Ascertain], question: str, **options: Unpack[AskOptions]) -> list[tuple[str, Answer]]:
    """The answer of each knowledge base with its name, the surest first and refusals last.

    In a conversation the one that gave the last answer understands the question, and the others are asked what it means: they know nothing
    of that answer. What is said about the conversation ("thanks") is for it alone.
    """
    answers: list[tuple[str, Answer]] = []
    asked = question
    for name in _order_bases(bases, options.get("conversation_id")):
        answer = bases[name].ask(asked, **options)
        answers.append((name, answer))
        if answer.type is AnswerType.GREETING:
            break
        asked = answer.standalone or asked
    return rank_answers(answers)


def word_alone(answer: Answer) -> str:
    """The question of an answer as a person would ask it outside its conversation."""
    return without_topics(answer.standalone or answer.question)


def search_each(
    bases: Mapping[str, Ascertain], search: Callable[[Ascertain], SearchResult]
) -> list[tuple[str, SearchResult]]:
    """What ``search`` finds in each knowledge base with its name, the surest first."""
    found = [(name, search(base)) for name, base in bases.items()]
    return sorted(found, key=lambda each: -each[1].confidence.score)


def rank_answers(answers: Sequence[tuple[str, Answer]]) -> list[tuple[str, Answer]]:
    """The surest first, refusals last; of equals in the order in which they are given."""
    return sorted(answers, key=lambda each: (each[1].type is AnswerType.REJECTION, -each[1].confidence.score))


def take_in_turn(found: Sequence[tuple[str, Sequence[Item]]]) -> list[tuple[str, Item]]:
    """The first ones of all, then the second ones, and so on, each with the name of its knowledge base."""
    ranked = [(rank, name, item) for name, items in found for rank, item in enumerate(items)]
    return [(name, item) for _, name, item in sorted(ranked, key=lambda each: each[0])]


def _order_bases(bases: Mapping[str, Ascertain], conversation_id: str | None) -> list[str]:
    """The one whose answer was shown last comes first."""
    if conversation_id is None or len(bases) == 1:
        return list(bases)
    last = [(name, answer) for name, base in bases.items() if (answer := base.last_answer(conversation_id))]
    return list(dict.fromkeys([*(name for name, _ in rank_answers(last)[:1]), *bases]))
