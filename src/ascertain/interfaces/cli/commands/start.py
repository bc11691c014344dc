"""``ascertain`` without a command."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ascertain.core.service.status import format_count

if TYPE_CHECKING:
    from ascertain.interfaces.cli.options import Invocation

_EMPTY = (
    ("demo", "see it work on a small built-in collection"),
    ("add FOLDER", "read your own documents"),
    ("ui", "the same in your browser"),
)
_FILLED = (
    ('ask "..."', "an answer with numbered citations"),
    ("chat", "a conversation"),
    ("ui", "the same in your browser"),
    ("add FOLDER", "read more documents"),
)


def show_next_steps(invocation: Invocation) -> None:
    """Show how much the knowledge base holds and what to do next."""
    with invocation.open() as knowledge:
        documents = knowledge.stats().documents if knowledge.exists else 0
        place = knowledge.place
    if documents:
        invocation.out.print(f"{format_count(documents, 'document')} in {place}. Next:\n", markup=False, soft_wrap=True)
    else:
        promise = "Ascertain answers from your own documents, and shows the exact words that each sentence rests on."
        invocation.out.print(
            f"{promise}\nThere are no documents in {place} yet. Begin with:\n", markup=False, soft_wrap=True
        )
    has_page = find_spec("uvicorn") is not None
    given = f" {shlex.join(invocation.options.name_place())}".rstrip()
    rows = [
        (f"ascertain {command}{'' if command == 'demo' else given}", use)
        for command, use in (_FILLED if documents else _EMPTY)
        if command != "ui" or has_page
    ]
    width = max(len(command) for command, _ in rows)
    for command, use in rows:
        invocation.out.print(f"  {command.ljust(width)}  {use}", markup=False, soft_wrap=True)
    invocation.out.print("\n'ascertain --help' lists all commands.", markup=False)
