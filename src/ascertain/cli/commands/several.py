"""``ask`` and ``search`` over several knowledge bases (``--kb papers,notes``).

Each is asked separately, with its own models and settings, since scores and vectors of two homes may not be comparable; confidence is
fitted to mean the same in each. So the most confident answer is shown, with the name of its knowledge base, and the others are offered; passages
are taken in turn by their ranks.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ascertain.core.answers import Answer, AnswerType

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.cli.options import Invocation
    from ascertain.core.passages import Passage
    from ascertain.core.requests import SearchResult

Open = Callable[["Invocation"], "Ascertain"]
_SHORT = 160
"""Characters of an answer that is only offered."""


def ask_several(
    invocation: Invocation, question: str, ask: Callable[[Ascertain], Answer], open_base: Open, trace: bool
) -> None:
    """Print the most confident answer, and where the others are."""
    from ascertain.cli.answers import print_answer
    from ascertain.wire.answers import AnswerJson, NamedAnswerJson

    with ExitStack() as stack:
        opened = {name: stack.enter_context(open_base(base)) for name, base in invocation.list_bases()}
        answers = rank_answers([(name, ask(knowledge)) for name, knowledge in opened.items()])
        if invocation.as_json:
            named = [NamedAnswerJson(knowledge_base=name, answer=AnswerJson.from_noun(each)) for name, each in answers]
            invocation.emit(named)
            return
        (best, answer), *others = answers
        invocation.out.print(f"From {best}:\n", markup=False)
        print_answer(invocation.out, answer, opened[best].document, trace)
    for name, other in others:
        invocation.out.print(f"\n{_offer(name, other, question)}", markup=False, soft_wrap=True)


def search_several(
    invocation: Invocation,
    search: Callable[[Ascertain], SearchResult],
    open_base: Open,
    show: Callable[[int, Passage], None],
    k: int | None,
) -> None:
    """Print the passages of all in turn, each under the name of its knowledge base: ``k``, or as many as one alone would show. ``show`` prints
    one with its rank.
    """
    from ascertain.wire.documents import NamedSearchJson, SearchJson

    with ExitStack() as stack:
        opened = {name: stack.enter_context(open_base(base)) for name, base in invocation.list_bases()}
        found = [(name, search(knowledge)) for name, knowledge in opened.items()]
    found.sort(key=lambda each: -each[1].confidence.score)
    if invocation.as_json:
        invocation.emit(
            [NamedSearchJson(knowledge_base=name, found=SearchJson.from_noun(each)) for name, each in found]
        )
        return
    most = k or max(len(each.passages) for _, each in found)
    for rank, (name, passage) in enumerate(take_in_turn([(name, each.passages) for name, each in found])[:most], 1):
        invocation.out.print(f"{name}:", style="dim", markup=False)
        show(rank, passage)
        invocation.out.print()


def rank_answers(answers: Sequence[tuple[str, Answer]]) -> list[tuple[str, Answer]]:
    """The most confident first, refusals last; equal ones in the given order of names."""
    return sorted(answers, key=lambda each: (each[1].type is AnswerType.REJECTION, -each[1].confidence.score))


def take_in_turn(found: Sequence[tuple[str, Sequence[Passage]]]) -> list[tuple[str, Passage]]:
    """The first passages of all, then the second ones, and so on."""
    ranked = [(rank, name, passage) for name, passages in found for rank, passage in enumerate(passages)]
    return [(name, passage) for _, name, passage in sorted(ranked, key=lambda each: each[0])]


def _offer(name: str, answer: Answer, question: str) -> str:
    if answer.type is AnswerType.REJECTION:
        return f"Nothing in {name}."
    text = " ".join(answer.text.split())
    short = text if len(text) <= _SHORT else f"{text[:_SHORT].rpartition(' ')[0]} …"
    return f"In {name} ({answer.confidence.score}/100): {short}\n  ascertain ask {shlex.quote(question)} --kb {shlex.quote(name)}"
