"""``ascertain chat``: a conversation at the terminal."""

from __future__ import annotations

import shlex
import sys
import uuid
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ascertain.core.errors import AscertainError, UsageError
from ascertain.interfaces.cli.options import (
    FilterOptions,
    Invocation,
    NewsOptions,
    RetrievalOptions,
    SharedOptions,
    ask_options,
    spread_options,
)

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.asking.answers import Answer
    from ascertain.core.asking.requests import AskOptions

PROMPT = "> "
COMMANDS = {
    "/sources": "the passages behind the last answer",
    "/trace": "how the last answer came about",
    "/up": "the last answer was good; /up WHY says why",
    "/down": "the last answer was bad; /down WHY says why",
    "/new": "begin another conversation",
    "/help": "this list",
    "/quit": "leave (Ctrl-D does too)",
}


@spread_options
def chat_with_documents(
    context: typer.Context,
    shared: SharedOptions,
    filters: FilterOptions,
    retrieval: RetrievalOptions,
    news: NewsOptions,
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="ID", help="Continue this conversation, or start it.")
    ] = None,
) -> None:
    """Talk with your documents. Follow-up questions are understood, and every answer has citations.

    The conversation is stored; `ascertain conversations` lists them, --conversation continues one. Within the chat,
    /sources, /trace, /up, /down, /new, /help and /quit are commands; Ctrl-C stops an answer, Ctrl-D leaves.

    \b
    Examples:
      ascertain chat
      ascertain chat --conversation budget-2026 --source reports/
      ascertain chat --news --time-range week
      ascertain chat --kb papers,notes
    """
    invocation = Invocation(context, shared)
    if invocation.as_json:
        raise UsageError("chat is for people; programs use: ascertain ask --conversation ID --stream --json")
    options = ask_options(filters, retrieval, news)
    if invocation.list_bases():
        if news.news:
            raise UsageError(f"--kb {invocation.options.kb}: news are fetched into one knowledge base; name one")
        with invocation.open_all(retrieval.moment) as bases:
            for base in bases.values():
                base.check_ready()
            ChatWithSeveral(invocation, bases, options, conversation).run()
        return
    with invocation.open(retrieval.moment) as knowledge:
        if news.news:
            knowledge.set_up()
        else:
            knowledge.check_ready()
        Chat(invocation, knowledge, options, conversation).run()


class Chat:
    """Reads lines, answers them, until the end of the input."""

    def __init__(
        self, invocation: Invocation, knowledge: Ascertain, options: AskOptions, conversation: str | None
    ) -> None:
        self._invocation = invocation
        self._knowledge = knowledge
        self._options = options
        self._conversation = conversation or _new_id()

    def run(self) -> None:
        """The loop."""
        with suppress(ImportError):
            import readline as _  # noqa: F401  line editing and history, where the platform has it
        err = self._invocation.err
        earlier = len(self._knowledge.conversation(self._conversation))
        state = f", {earlier} turns so far" if earlier else ""
        err.print(f"Conversation {self._conversation}{state}. /help lists the commands.", style="dim")
        while True:
            try:
                line = input(PROMPT if sys.stdin.isatty() else "").strip()
            except EOFError:
                break
            except KeyboardInterrupt:
                err.print()
                continue
            if line in {"/quit", "/exit"}:
                break
            if line.startswith("/"):
                self._run_command(line)
            elif line:
                self._ask_question(line)
        place = shlex.join(self._invocation.options.name_place())
        err.print(f"Go on with: ascertain chat --conversation {self._conversation} {place}".rstrip(), style="dim")

    def _ask_question(self, question: str) -> None:
        try:
            self._answer(question, {**self._options, "conversation_id": self._conversation})
        except KeyboardInterrupt:
            self._invocation.err.print("stopped", style="yellow")
        except AscertainError as error:
            self._invocation.err.print(f"ascertain: {error}", style="red", markup=False)
        self._invocation.out.print()

    def _answer(self, question: str, options: AskOptions) -> None:
        from ascertain.interfaces.cli.commands.asking.ask import print_stream

        events = self._knowledge.ask_stream(question, **{**options, "drafts": self._invocation.err.is_terminal})
        with closing(events):
            print_stream(self._invocation, events, self._knowledge.document)

    def _run_command(self, line: str) -> None:
        out, err = self._invocation.out, self._invocation.err
        command, _, comment = line.partition(" ")
        if command in {"/up", "/down"}:
            self._judge_answer("up" if command == "/up" else "down", comment.strip())
        elif line == "/new":
            self._conversation = _new_id()
            err.print(f"Conversation {self._conversation}.", style="dim")
        elif line in {"/sources", "/trace"}:
            answer = self._last_answer()
            if answer is None:
                err.print("This conversation has no answer yet.", style="yellow")
            elif line == "/sources":
                from ascertain.interfaces.cli.answers import print_sources

                print_sources(out, answer, self._knowledge.document)
            else:
                from ascertain.interfaces.cli.answers import print_trace

                print_trace(out, answer)
        else:
            if line != "/help":
                err.print(f"{line} is not a command; these are:", style="yellow", markup=False)
            for name, meaning in COMMANDS.items():
                err.print(f"  {name:<10}{meaning}")

    def _judge_answer(self, thumb: Literal["up", "down"], comment: str) -> None:
        answer, err = self._last_answer(), self._invocation.err
        if answer is None:
            err.print("This conversation has no answer yet.", style="yellow")
            return
        try:
            self._knowledge.feedback(answer.id, thumb, comment)
        except AscertainError as error:
            err.print(f"ascertain: {error}", style="red", markup=False)
        else:
            err.print(f"Noted: {thumb}.", style="dim")

    def _last_answer(self) -> Answer | None:
        return self._knowledge.last_answer(self._conversation)


class ChatWithSeveral(Chat):
    """The same over several knowledge bases by name: the surest answer is shown, and judged."""

    def __init__(
        self, invocation: Invocation, bases: Mapping[str, Ascertain], options: AskOptions, conversation: str | None
    ) -> None:
        super().__init__(invocation, next(iter(bases.values())), options, conversation)
        self._bases = bases

    def _answer(self, question: str, options: AskOptions) -> None:
        from ascertain.app.asking.several import ask_each
        from ascertain.interfaces.cli.commands.asking.several import print_answers

        with self._invocation.err.status("searching", spinner="dots"):
            answers = ask_each(self._bases, question, **options)
        self._knowledge = self._bases[answers[0][0]]
        print_answers(self._invocation, answers, self._bases)


def _new_id() -> str:
    return uuid.uuid4().hex[:8]
