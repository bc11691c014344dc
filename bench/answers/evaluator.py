"""Does the evaluation of an answer tell right answers from wrong ones? Offline, into ``results/evaluator.json``.

    python -m bench.answers.evaluator [--cases FOLDER] [--homes FOLDER] [--show]

Every question of ``asked`` and ``wild`` (dev) and every tenth of ``xquad_en`` is asked as a user would ask it; of each answer that is
shown the evaluation is looked at. Right is what ``asked.py`` calls right, and on ``xquad_en`` an answer that holds the
expected words; an answer to a question that nothing answers is wrong. On ``xquad_en`` each question is asked again with
the texts that answer it shut out, which leaves their neighbours to be fooled by. Nonsense is made of what was collected:
the answer to another question, sentences of the passages at random, a heading, the question echoed, empty words.

An answer fails when its score is below what the workflow wants after such a retrieval.

What was collected is kept in ``--cases`` and evaluated again by the rules as they are now; give an empty folder to ask
anew.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pickle
import random
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from ascertain.answering.checking.evaluation import RuleEvaluator
from ascertain.answering.confidence import Assessment
from ascertain.app.ascertain import Ascertain
from ascertain.app.asking.asking import Asking
from ascertain.core.asking.answers import Answer, AnswerSentence, AnswerType, Citation, Verdict, VerdictLabel
from ascertain.core.asking.judgements import CheckedClaim, Evaluation, Groundedness, wanted_score
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.plans import Plan
from ascertain.core.asking.requests import AskRequest
from ascertain.core.asking.runs import Budget, FixedClock, Run
from ascertain.core.settings import Settings
from ascertain.evaluation.answers import contains_any
from ascertain.evaluation.measures.calibration import compute_auroc
from ascertain.evaluation.sets.datasets import read_set
from ascertain.evaluation.sets.knowledge import Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences
from ascertain.questions.reading.facts import read_asked
from bench.setting import circumstances, data_folder, save, show_remark, show_status

RUN = Run(Budget(0, 0, float("inf"), 0))
EVERY = 10
"""Of the questions of xquad_en."""
EMPTY = (
    "There is a lot to say about this.",
    "It depends on many things.",
    "This is an interesting subject, and opinions on it differ widely.",
    "More details can be found in the documentation.",
)
NONSENSE = (
    "answer of another question",
    "answer of another document",
    "random quotes",
    "heading",
    "echo",
    "empty words",
)


@dataclass(frozen=True, slots=True)
class Case:
    """An answer with what it was evaluated from; ``group`` is the corpus or document that it belongs to."""

    set: str
    id: str
    group: str
    type: str
    plan: Plan
    assessment: Assessment
    right: bool
    shown: bool
    """Whether it was given; a draft that was withheld is kept to look at."""
    expected: list[Any]
    """Words of a right answer, as the set has them; empty where nothing answers the question."""

    @property
    def question(self) -> str:
        """As it was understood."""
        return self.assessment.question


@dataclass
class Recorder:
    """An evaluator that remembers what it was asked."""

    seen: list[tuple[Plan, Assessment]] = field(default_factory=list)

    def evaluate(self, plan: Plan, answer: Assessment, run: Run) -> Evaluation:
        self.seen.append((plan, answer))
        return RuleEvaluator().evaluate(plan, answer, run)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=Path, default=Path("/tmp/evaluator_cases"))
    arguments.add_argument(
        "--homes", type=Path, default=Path("/tmp/asked-homes"), help="where asked.py and wild.py keep their homes"
    )
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"), help="folder for document vectors")
    arguments.add_argument("--show", action="store_true", help="print each answer that is judged amiss")
    given = arguments.parse_args()
    cases = read_cases(given.cases, given.homes, given.cache)
    results: dict[str, object] = {"circumstances": circumstances()}
    for name in dict.fromkeys(case.set for case in cases):
        own = [case for case in cases if case.set == name]
        results[name] = measure_cases(own)
    print(json.dumps(results, indent=1))
    save("evaluator", results)
    if given.show:
        show_amiss(cases)


def read_cases(folder: Path, homes: Path, vectors: Path) -> list[Case]:
    """What an earlier run left in ``folder``, or all questions asked anew."""
    found: list[Case] = []
    collectors: dict[str, Callable[[], Iterable[Case]]] = {
        "asked": lambda: collect_asked("asked", homes),
        "wild": lambda: collect_asked("wild", homes),
        "xquad_en": lambda: collect_xquad(vectors),
    }
    for name, collect in collectors.items():
        path = folder / f"{name}.pickle"
        if not path.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pickle.dumps(list(collect())))
        found += pickle.loads(path.read_bytes())
    return found


def collect_asked(name: str, homes: Path) -> Iterator[Case]:
    """The answers to the dev questions of ``asked`` or ``wild``, in the homes that their own scripts build."""
    asked, folder = import_asked(), data_folder() / name / "dev"
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    run = uuid.uuid4().hex[:8]
    for corpus in dict.fromkeys(question["corpus"] for question in questions):
        own = [question for question in questions if question["corpus"] == corpus]
        today = next((datetime.fromisoformat(q["as_of"]) for q in own if q.get("as_of")), None)
        clock = FixedClock(today.replace(tzinfo=UTC)) if today else None
        home = next(path for path in homes.glob(f"dev-{corpus}-*") if path.is_dir())
        with Ascertain.open(home, profile=asked.PROFILE.get(corpus, "docs"), clock=clock) as app:
            for done, question in enumerate(own):
                show_status(f"{name}, {corpus}: {done} of {len(own)}")
                conversation = question.get("conversation") and f"evaluator-{run}-{question['conversation']}"
                request = AskRequest.of(question["question"], conversation_id=conversation, use_cache=False)
                answer, seen = ask_question(app, request)
                if seen is None:
                    continue
                plan, assessment = seen
                right, shown = label_asked(asked, question, answer, assessment)
                expected = question.get("must") or []
                yield Case(name, question["id"], corpus, question["type"], plan, assessment, right, shown, expected)


@cache
def import_asked() -> Any:
    """The script of the data set, which lies beside it."""
    spec = importlib.util.spec_from_file_location("asked", data_folder() / "asked" / "asked.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def label_asked(asked: Any, question: dict[str, Any], answer: Answer, assessment: Assessment) -> tuple[bool, bool]:
    """Whether the answer is right, and whether it was shown; of one that was withheld, whether its draft is."""
    shown = answer.type is not AnswerType.REJECTION
    row = asked.score(question, (answer if shown else show_draft(answer, assessment)).to_json())
    return bool(row["right"]), shown


def show_draft(answer: Answer, assessment: Assessment) -> Answer:
    made = assessment.composition
    return replace(answer, text=made.text, type=made.type, sentences=made.sentences, citations=made.citations)


def collect_xquad(vectors: Path) -> Iterator[Case]:
    """Every tenth question, once of all texts and once without those that answer it."""
    data = read_set(data_folder() / "xquad_en")
    with open_knowledge(data, Settings(), vectors, Listener(show_status, show_remark)) as knowledge:
        for query in data.queries[::EVERY]:
            show_status(f"xquad_en: {query.id}")
            gold = [text for text, gain in data.judgements[query.id].items() if gain > 0]
            without = Filter(document_ids=tuple(i for text, i in knowledge.document_ids.items() if text not in gold))
            for condition, filter in (("xquad_en", Filter()), ("xquad_en without", without)):
                answer, seen = ask_question(knowledge.app, AskRequest.of(query.text, filter=filter, use_cache=False))
                if seen is None:
                    continue
                shown = answer.type is not AnswerType.REJECTION
                plan, assessment = seen
                told = answer if shown else show_draft(answer, assessment)
                right = contains_any(told.text, query.answers)
                yield Case(condition, query.id, gold[0], "fact", plan, assessment, right, shown, list(query.answers))


def ask_question(app: Ascertain, request: AskRequest) -> tuple[Answer, tuple[Plan, Assessment] | None]:
    """The answer and what its evaluation was given; None where nothing was evaluated, or nothing said."""
    recorder = Recorder()
    steps = app.view.steps
    steps = replace(steps, checking=replace(steps.checking, evaluator=recorder, rule_evaluator=recorder))
    answer = Asking(app.container, app.tenant, lambda: steps).ask(request)
    seen = [each for each in recorder.seen if each[1].composition.sentences]
    shown = [each for each in seen if each[1].composition.citations == answer.citations]
    return answer, (shown or seen or [None])[-1]


def measure_cases(cases: Sequence[Case]) -> dict[str, object]:
    """How often right, wrong and nonsensical answers fail, and how well the score orders the first two."""
    shown = [case for case in cases if case.shown]
    right, wrong = ([case for case in shown if case.right is wanted] for wanted in (True, False))
    scores = [[evaluate_case(case).score for case in chosen] for chosen in (right, wrong)]
    drafts = [case for case in cases if not case.shown]
    nonsense = {kind: list(make_nonsense(cases, kind)) for kind in NONSENSE}
    return {
        "answers": len(shown),
        "failed_of_right": describe_failed(right),
        "failed_of_wrong": describe_failed(wrong),
        "auroc": compute_auroc(*scores),
        "failed_of_right_drafts": describe_failed([case for case in drafts if case.right]),
        "failed_of_wrong_drafts": describe_failed([case for case in drafts if not case.right]),
        "failed_of_nonsense": {kind: describe_failed(made) for kind, made in nonsense.items()},
    }


def describe_failed(cases: Sequence[Case]) -> dict[str, object]:
    failed = sum(is_failed(case) for case in cases)
    return {"failed": failed, "of": len(cases), "percent": round(100 * failed / len(cases), 1) if cases else None}


def evaluate_case(case: Case) -> Evaluation:
    return RuleEvaluator().evaluate(case.plan, case.assessment, RUN)


def is_failed(case: Case) -> bool:
    return evaluate_case(case).score < wanted_score(case.assessment.quality)


def make_nonsense(cases: Sequence[Case], kind: str) -> Iterator[Case]:
    """Each case with an answer that cannot be one, said to be fully supported and trusted as the real one is."""
    for at, case in enumerate(cases):
        made = write_nonsense(cases, at, kind)
        if made is not None and not is_right(case, " ".join(made)):
            assessment = answer_instead(case.assessment, made, case.assessment.composition.citations)
            yield replace(case, right=False, shown=True, assessment=assessment)


def write_nonsense(cases: Sequence[Case], at: int, kind: str) -> list[str] | None:
    """The sentences; None where there is nothing to make them of."""
    case, dice = cases[at], random.Random(at)
    passages = case.assessment.passages
    if kind.startswith("answer of another"):
        elsewhere = kind.endswith("document")
        others = [other for other in cases if (other.group != case.group) is elsewhere and other.id != case.id]
        return [s.text for s in dice.choice(others).assessment.composition.sentences] if others else None
    if kind == "random quotes":
        taken = case.assessment.composition.text
        sentences = [
            passage.chunk.text[span.start : span.end]
            for passage in passages
            for span in split_sentences(passage.chunk.text)
        ]
        left = [text for text in sentences if text not in taken]
        return dice.sample(left, 2) if len(left) > 1 else None
    if kind == "heading":
        headings = [passage.chunk.heading or passage.chunk.title for passage in passages]
        return [next(filter(None, headings))] if any(headings) else None
    return [read_asked(case.question, ENGLISH).text.rstrip("?") + "."] if kind == "echo" else [EMPTY[at % len(EMPTY)]]


def answer_instead(assessment: Assessment, texts: Sequence[str], citations: tuple[Citation, ...]) -> Assessment:
    """``assessment`` of an answer of ``texts``, quoted from what the real one cites."""
    supported = Verdict(VerdictLabel.SUPPORTED, 1.0)
    sentences = tuple(AnswerSentence(text, supported, (1,)) for text in texts)
    cited = tuple(replace(citation, number=1, quote=" ".join(texts)) for citation in citations[:1])
    made = replace(assessment.composition, text=" ".join(texts), sentences=sentences, citations=cited)
    claims = tuple(CheckedClaim(text, at, supported) for at, text in enumerate(texts))
    return replace(assessment, composition=made, groundedness=Groundedness(claims))


def is_right(case: Case, text: str) -> bool:
    """Whether ``text`` holds by chance what the question expects."""
    if case.set != "asked":
        return contains_any(text, case.expected)
    asked = import_asked()
    return bool(case.expected) and asked.satisfied(case.expected, asked.norm(text))


def show_amiss(cases: Sequence[Case]) -> None:
    """Right answers that fail, and wrong ones that pass."""
    for case in cases:
        found = evaluate_case(case)
        if case.shown and is_failed(case) is case.right:
            print(f"{'RIGHT' if case.right else 'WRONG'} {case.set} {case.id} {case.type}: {case.question}")
            print(f"  expected {json.dumps(case.expected)}; quality {case.assessment.quality.score}")
            print(f"  {found.score} = {found.relevance} {found.completeness} {found.accuracy}: {found.reason}")
            print(f"  {case.assessment.composition.text[:600]!r}")


if __name__ == "__main__":
    # what is kept names the classes of this module, which has another name as a script
    from bench.answers.evaluator import main as run_module

    run_module()
