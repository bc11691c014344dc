"""``ascertain eval generate`` and ``ascertain eval validate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import strip_control

if TYPE_CHECKING:
    from ascertain.core.documents.documents import DocumentRecord
    from ascertain.evaluation.golden.questions import GoldenQuestion

KEYS = "[k]eep, [q]uestion, [a]nswers, [g]rade, [u]nanswerable, [d]rop, [s]kip, [e]nd"


@spread_options
def generate_questions(
    context: typer.Context,
    shared: SharedOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the proposals go, as JSON lines.")],
    count: Annotated[int, typer.Option("--count", "-n", metavar="N", min=1, help="Questions to propose.")] = 40,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another number draws other questions.")] = 0,
    source: Annotated[
        Literal["auto", "rules", "model", "feedback"],
        typer.Option(
            "--from", help="Who words them: the chat model where one is set, the rules, or your readers' feedback."
        ),
    ] = "auto",
) -> None:
    """Propose questions for a golden set from your own documents, or from the feedback of your readers.

    By rules, numbers, dates, definitions, causes, abbreviations, who did something, headings that are questions, cells of
    tables and statements of speakers are asked for; a chat model words them as a stranger would, and the rules replace it where
    its reply is unusable. Check each with `ascertain eval validate`: about half are worth keeping.

    \b
    Examples:
      ascertain eval generate golden.jsonl
      ascertain eval generate judged.jsonl --from feedback
      ascertain eval generate more.jsonl --count 100 --seed 2
    """
    from ascertain.evaluation.golden.proposals import (
        MODEL,
        open_proposer,
        propose_by_model,
        propose_from_feedback,
        propose_questions,
    )
    from ascertain.evaluation.golden.questions import write_golden

    invocation = Invocation(context, shared)
    if file.exists():
        raise UsageError(f"{file} already exists; choose another file, so that nothing validated is lost")
    with invocation.open() as knowledge:
        knowledge.check_ready()
        proposer = open_proposer(knowledge.settings) if source in {"auto", "model"} else None
        if source == "model" and proposer is None:
            raise UsageError("no chat model is set; set models.chat.model, or take --from rules")
        documents = (knowledge.documents(), knowledge.document, count, seed)
        if source == "feedback":
            questions = propose_from_feedback(knowledge.service.feedback.judged(knowledge.tenant))[-count:]
        elif proposer is not None:
            questions = propose_by_model(*documents, *proposer)
        else:
            questions = propose_questions(*documents)
    if not questions and source == "feedback":
        raise UsageError("there is no feedback yet: use ascertain feedback, or the thumbs on the page")
    if not questions:
        raise UsageError("no sentence of the documents can be turned into a question; write a golden set by hand")
    by_model = sum(MODEL in question.tags for question in questions)
    if proposer is not None:
        invocation.err.print(f"{by_model} by the chat model, {len(questions) - by_model} by rules", markup=False)
    write_golden(questions, file)
    if invocation.as_json:
        invocation.emit({"file": str(file), "questions": len(questions)})
    else:
        invocation.out.print(
            f"{len(questions)} questions in {file}. Next: ascertain eval validate {file}", markup=False
        )


@spread_options
def validate_questions(
    context: typer.Context,
    shared: SharedOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A golden set.")],
    check: Annotated[
        bool, typer.Option("--check", help="Do not ask: only list what does not agree with the documents.")
    ] = False,
    by: Annotated[
        str, typer.Option("--by", metavar="NAME", help="Who checks them; stored with each accepted question.")
    ] = "",
) -> None:
    """Check each unchecked question of a golden set against its document.

    Accept it, reword it or its answers, or drop it. The file is written after each, so you can stop at any time.
    The command then lists questions whose document or quotation is missing.

    \b
    Examples:
      ascertain eval validate golden.jsonl
      ascertain eval validate golden.jsonl --check
    """
    from ascertain.evaluation.golden.questions import check_golden, locate_golden, open_texts, read_golden

    invocation = Invocation(context, shared)
    path = locate_golden(file)
    questions = read_golden(path)
    with invocation.open() as knowledge:
        knowledge.check_ready()
        records, texts = knowledge.documents(), open_texts(knowledge)
        if not check:
            questions = _walk_questions(invocation.out, questions, path, by, records=records, texts=texts)
        problems = check_golden(questions, records, texts)
    validated = sum(question.validated for question in questions)
    if invocation.as_json:
        invocation.emit({"questions": len(questions), "validated": validated, "problems": problems})
    else:
        for line in problems:
            invocation.out.print(line, markup=False)
        invocation.out.print(f"{validated} of {len(questions)} questions are validated.", markup=False)
    if problems and check:
        raise typer.Exit(1)


def _walk_questions(
    console: Console,
    questions: Sequence[GoldenQuestion],
    path: Path,
    by: str,
    *,
    records: Sequence[DocumentRecord],
    texts: Mapping[str, str],
) -> list[GoldenQuestion]:
    """The questions as the person left them; the file is written after each."""
    from ascertain.evaluation.golden.questions import write_golden

    kept = {question.id: question for question in questions}
    open_ones = [question for question in questions if not question.validated]
    for number, question in enumerate(open_ones, start=1):
        console.print(f"\n{number} of {len(open_ones)}  {', '.join(question.tags)}", style="dim", markup=False)
        try:
            changed = _review_question(console, question, records, texts)
        except typer.Abort:  # Ctrl-C or the end of what is typed: decisions so far are in the file
            console.print()
            break
        if changed is None:
            break
        if not changed:
            del kept[question.id]
        else:
            looked_at = changed[0].validated
            kept[question.id] = changed[0].model_copy(update={"validated_by": by}) if looked_at else changed[0]
        write_golden(kept.values(), path)
    return list(kept.values())


def _review_question(
    console: Console, question: GoldenQuestion, records: Sequence[DocumentRecord], texts: Mapping[str, str]
) -> list[GoldenQuestion] | None:
    """The edited question, nothing if it is dropped, None if the person stops."""
    while True:
        _show_question(console, question, records, texts)
        match typer.prompt(KEYS, default="k").strip().lower()[:1]:
            case "k":
                return [question.model_copy(update={"validated": True})]
            case "q":
                asked = typer.prompt("Question", default=question.question).strip()
                question = question.model_copy(update={"question": asked})
            case "a":
                given = typer.prompt("Answers, with | between alternatives", default=" | ".join(question.answers))
                answers = tuple(part.strip() for part in given.split("|") if part.strip())
                question = question.model_copy(update={"answers": answers})
            case "g":
                grade = typer.prompt("1 helps, 2 answers", type=read_grade, default=2)
                relevant = tuple(one.model_copy(update={"grade": grade}) for one in question.relevant)
                question = question.model_copy(update={"relevant": relevant})
            case "u":
                question = question.model_copy(update={"answerable": False, "answers": (), "relevant": ()})
            case "d":
                return []
            case "s":
                return [question]
            case "e":
                return None
            case _:
                console.print("Please type one of the letters in brackets.", style="yellow")


def read_grade(text: str) -> int:
    """A grade from 1 to 3."""
    grade = int(text)
    if not 1 <= grade <= 3:
        raise ValueError("a grade is 1, 2 or 3")
    return grade


def _show_question(
    console: Console, question: GoldenQuestion, records: Sequence[DocumentRecord], texts: Mapping[str, str]
) -> None:
    from ascertain.evaluation.golden.questions import place_quote

    console.print(Text(strip_control(question.question), style="bold"))
    answers = " | ".join(question.answers) or (
        "none expected" if question.answerable else "the documents do not answer it"
    )
    console.print(f"  Answers: {strip_control(answers)}", markup=False)
    for relevant in question.relevant:
        console.print(f"  {relevant.source} (grade {relevant.grade})", style="dim", markup=False)
        place = place_quote(relevant, records, texts)
        if not place.is_there:
            console.print("    not found in the documents", style="red")
            continue
        quote = Text(strip_control(place.quote), style="green")
        before, after = strip_control(place.before), strip_control(place.after)
        console.print(Text(f"    … {before} ") + quote + Text(f" {after} …"))
