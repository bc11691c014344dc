"""What is printed of several knowledge bases (``--kb papers,notes``): answers and passages, each under the name of its own."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ascertain.app.asking.several import take_in_turn, word_alone
from ascertain.core.asking.answers import Answer, AnswerType

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.asking.passages import Passage
    from ascertain.core.asking.requests import SearchResult
    from ascertain.interfaces.cli.options import Invocation

_SHORT = 160
"""Characters of an answer that is only offered."""


def print_answers(
    invocation: Invocation, answers: list[tuple[str, Answer]], bases: Mapping[str, Ascertain], trace: bool = False
) -> None:
    """The first answer, and where the others are."""
    from ascertain.app.wire.answers import NamedAnswerJson
    from ascertain.interfaces.cli.answers import print_answer

    if invocation.as_json:
        named = [NamedAnswerJson(knowledge_base=name, answer=each) for name, each in answers]
        invocation.emit(named)
        return
    (best, answer), *others = answers
    invocation.out.print(f"From {best}:\n", markup=False)
    print_answer(invocation.out, answer, bases[best].document, trace)
    for name, other in others:
        invocation.out.print(f"\n{_offer(name, other)}", markup=False, soft_wrap=True)


def print_found(
    invocation: Invocation, results: list[tuple[str, SearchResult]], show: Callable[[int, Passage], None], k: int | None
) -> None:
    """Passages of all in turn: ``k``, or as many as one alone would show. ``show`` prints one with its rank."""
    from ascertain.app.wire.documents import NamedSearchJson, SearchJson

    if invocation.as_json:
        invocation.emit(
            [NamedSearchJson(knowledge_base=name, found=SearchJson.from_noun(each)) for name, each in results]
        )
        return
    most = k or max(len(each.passages) for _, each in results)
    for rank, (name, passage) in enumerate(take_in_turn([(name, each.passages) for name, each in results])[:most], 1):
        invocation.out.print(f"{name}:", style="dim", markup=False)
        show(rank, passage)
        invocation.out.print()


def _offer(name: str, answer: Answer) -> str:
    if answer.type is AnswerType.REJECTION:
        return f"Nothing in {name}."
    text = " ".join(answer.text.split())
    short = text if len(text) <= _SHORT else f"{text[:_SHORT].rpartition(' ')[0]} …"
    command = shlex.join(("ascertain", "ask", word_alone(answer), "--kb", name))
    return f"In {name} ({answer.confidence.score}/100): {short}\n  {command}"
