"""Evaluations in the folder ``evaluation`` of the home: runs, which are listed and compared, and golden sets, which are validated.

They contain questions and words of documents and belong to the operator, so where keys are used they need an admin key.
"""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from filelock import FileLock

from ascertain.app.wire.evaluation import (
    ComparisonJson,
    GoldenQuestionJson,
    GoldenQuestionsJson,
    JudgedQuestionBody,
    KeptEvaluationsJson,
    KeptGoldenJson,
    KeptRunJson,
)
from ascertain.core.errors import AscertainError
from ascertain.evaluation.comparison.differences import compare_runs, shape_comparison
from ascertain.evaluation.experiments.sweeps import find_main_score
from ascertain.evaluation.golden.questions import GoldenQuestion, open_texts, place_quote, read_golden, write_golden
from ascertain.evaluation.measures.significance import estimate_intervals
from ascertain.evaluation.runs import EvaluationRun, average_scores, read_run
from ascertain.interfaces.server.identity import Known
from ascertain.interfaces.server.problems import describe_problems, missing_error
from ascertain.interfaces.server.service import Running

FOLDER = "evaluation"
evaluating_router = APIRouter(prefix="/v1/evaluation", tags=["evaluation"])


def find_folder(service: Running) -> Path:
    """Where runs and golden sets are stored; it may be missing."""
    return service.knowledge.settings.home / FOLDER


Folder = Annotated[Path, Depends(find_folder)]


@evaluating_router.get("", responses=describe_problems())
def list_evaluations(folder: Folder) -> KeptEvaluationsJson:
    """List the stored runs and golden sets."""
    runs = [run for path in sorted(folder.glob("*.json")) if (run := _read_run(path)) is not None and run.results]
    runs.sort(key=lambda run: run.started, reverse=True)
    golden = [_summarise_golden(path) for path in sorted(folder.glob("*.jsonl"))]
    return KeptEvaluationsJson(runs=[_summarise_run(run) for run in runs], golden=[one for one in golden if one])


@evaluating_router.get("/comparison", responses=describe_problems(400, 404))
def compare_kept(
    folder: Folder,
    before: Annotated[str, Query(description="The name of a run.")],
    after: Annotated[str, Query(description="That of another over the same questions.")],
) -> ComparisonJson:
    """Compare two runs, question by question, with what could be chance."""
    found = [_find_file(folder, name, ".json") for name in (before, after)]
    return shape_comparison(compare_runs(read_run(found[0]), read_run(found[1])))


@evaluating_router.get("/golden/{name}", responses=describe_problems(404))
def show_golden(name: str, who: Known, folder: Folder) -> GoldenQuestionsJson:
    """Show the questions of a golden set, each beside what the documents say."""
    questions = read_golden(_find_file(folder, name, ".jsonl"))
    records, texts = who.knowledge.documents(), open_texts(who.knowledge)
    shown = [
        GoldenQuestionJson(
            places=[place_quote(relevant, records, texts) for relevant in question.relevant],
            **question.model_dump(exclude={"relevant", "history", "as_of"}),
        )
        for question in questions
    ]
    return GoldenQuestionsJson(questions=shown)


@evaluating_router.put("/golden/{name}/{question_id}", responses=describe_problems(400, 404))
def judge_question(name: str, question_id: str, body: JudgedQuestionBody, folder: Folder) -> KeptGoldenJson:
    """Store a question as a person left it: it is validated then."""

    def judge(question: GoldenQuestion) -> GoldenQuestion:
        grade = {} if body.grade is None else {"grade": body.grade}
        relevant = tuple(one.model_copy(update=grade) for one in question.relevant) if body.answerable else ()
        answers = tuple(answer.strip() for answer in body.answers if answer.strip()) if body.answerable else ()
        given = {"question": body.question, "answers": answers, "answerable": body.answerable, "relevant": relevant}
        return question.model_copy(update={**given, "validated": True, "validated_by": body.validated_by})

    path = _find_file(folder, name, ".jsonl")
    with FileLock(path.with_suffix(".lock")):
        questions = {question.id: question for question in read_golden(path)}
        if question_id not in questions:
            raise missing_error("question of this id")
        questions[question_id] = judge(questions[question_id])
        write_golden(questions.values(), path)
    return _count_golden(name, list(questions.values()))


@evaluating_router.delete("/golden/{name}/{question_id}", responses=describe_problems(404))
def drop_question(name: str, question_id: str, folder: Folder) -> KeptGoldenJson:
    """Drop a question of a golden set; the last one stays."""
    path = _find_file(folder, name, ".jsonl")
    with FileLock(path.with_suffix(".lock")):
        questions = read_golden(path)
        left = [question for question in questions if question.id != question_id]
        if len(left) == len(questions) or not left:
            raise missing_error("question with this id beside others")
        write_golden(left, path)
    return _count_golden(name, left)


def _find_file(folder: Path, name: str, suffix: str) -> Path:
    """The existing file with that name: a name never leads out of the folder."""
    file = next((path for path in folder.glob(f"*{suffix}") if path.stem == name), None)
    if file is None:
        raise missing_error("run or golden set with this name")
    return file


def _read_run(path: Path) -> EvaluationRun | None:
    try:
        return read_run(path)
    except AscertainError:
        return None  # other files in the folder


def _summarise_run(run: EvaluationRun) -> KeptRunJson:
    main = find_main_score(run)
    return KeptRunJson(
        name=run.name,
        kind=run.kind,
        started=run.started.isoformat(),
        questions=len(run.results),
        main=main,
        mean=average_scores(run.results, main) or 0.0,
        interval=estimate_intervals([{main: result.scores.get(main)} for result in run.results])[main],
    )


def _summarise_golden(path: Path) -> KeptGoldenJson | None:
    try:
        return _count_golden(path.stem, read_golden(path))
    except AscertainError:
        return None


def _count_golden(name: str, questions: list[GoldenQuestion]) -> KeptGoldenJson:
    return KeptGoldenJson(
        name=name, questions=len(questions), validated=sum(question.validated for question in questions)
    )
