"""What the workflow itself costs a question, all models excluded, into ``results/workflow_overhead.json``.

    python -m bench.speed.workflow_overhead [--turns N]

Every step answers at once with something made beforehand, so what is left is LangGraph, the routing, the decision record and
the conversation on disk (begun, finished, its history read). One conversation grows to N turns. The target is 30 ms a question
in the median. Beside it, in the same run: the same without a conversation, and a longer way through the graph (two rewrites, a
regeneration and three rounds).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ascertain.answering.citations import cite_span
from ascertain.answering.composition import Composition
from ascertain.app.ascertain import Ascertain
from ascertain.app.asking.asking import Asking
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Verdict, VerdictLabel
from ascertain.core.asking.judgements import (
    CheckedClaim,
    Evaluation,
    Groundedness,
    RetrievalIssue,
    RetrievalQuality,
    Sufficiency,
)
from ascertain.core.asking.passages import Confidence, Filter, Level, Passage, Strategy
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType, Refinement, StrategyChoice
from ascertain.core.asking.requests import AskRequest, SearchResult, Standalone
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind
from ascertain.core.settings import Settings
from ascertain.questions.reading.question import read_question
from ascertain.questions.understanding import RuleUnderstander
from ascertain.retrieval.model_judging import RulePassageJudge
from ascertain.workflow.ask.steps import CheckingSteps, ReadingSteps, SearchingSteps, Steps, WritingSteps
from bench.setting import circumstances, save

WANTED_MS = 30.0
PASSAGES = 8
TEXT = "Ether moved to proof of stake in September 2022. " * 15


class ReadySteps:
    """Every step of the workflow, with an answer made beforehand."""

    def __init__(self, is_long_way: bool) -> None:
        self._is_long_way = is_long_way
        document = Document("d1", TEXT, "Ether", DocumentKind.PROSE, "ether.md")
        span = Span(0, len("Ether moved to proof of stake in September 2022."))
        sentence = AnswerSentence(span.of(TEXT), Verdict(VerdictLabel.SUPPORTED, 1.0), (1,))
        self._passages = tuple(_passage(number) for number in range(PASSAGES))
        self._composition = Composition(
            sentence.text,
            (sentence,) * 3,
            tuple(cite_span(n, document, span) for n in range(1, 4)),
            Confidence(Level.HIGH, 90),
            (),
            AnswerType.SUMMARY,
        )
        label = VerdictLabel.NOT_IN_SOURCES if is_long_way else VerdictLabel.SUPPORTED
        self._groundedness = Groundedness(tuple(CheckedClaim(sentence.text, n, Verdict(label, 1.0)) for n in range(3)))

    def standalone(self, question, language, history, run, filter=None):
        return Standalone(question, False)

    def plan(self, question, language, run):
        return Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "made beforehand")

    def choose(self, question, language, plan, run):
        return StrategyChoice(Strategy.HYBRID, 1.0, "made beforehand")

    def expand(self, question, language, plan, strategy, run):
        return ()

    def retrieve(self, request, run):
        sure = Confidence(Level.HIGH, 90)
        return SearchResult(request.question, request.strategy, self._passages, sure, Filter(), (), 0.0)

    def judge(self, question, language, plan, passages, run):
        if self._is_long_way:
            return RetrievalQuality(40, (RetrievalIssue.PARTIAL_COVERAGE,), "made beforehand")
        return RetrievalQuality(90, (), "made beforehand")

    def check(self, question, plan, passages, filter, run, *, language):
        return Sufficiency(True, (), "made beforehand")

    def refine(self, shortfall, run):
        return Refinement(f"{shortfall.question} again", "made beforehand")

    def compose(self, request, run):
        return self._composition

    def verify(self, composition, passages, question, language, run):
        return self._groundedness

    def evaluate(self, plan, answer, run):
        score = 10 if self._is_long_way else 90
        return Evaluation(score, score, score, score, (), "made beforehand")

    def steps(self) -> Steps:
        return Steps(
            reading=ReadingSteps(RuleUnderstander(self, self), self, read_question, lambda question: None),
            searching=SearchingSteps(
                *(self, self, self, self),
                evidence=lambda question, passages, most, run: passages,
                passage_judge=RulePassageJudge(self, self),
                retrieval_judge=self,
                sufficiency=self,
                searched=lambda filter: "1 document",
            ),
            writing=WritingSteps(
                composer=self,
                reject=lambda question, passages, searched: "I could not find it.",
                warn=lambda composition, passages: composition,
                present_again=lambda wanted, answer, filter: answer,
            ),
            checking=CheckingSteps(
                *(self, self, self, self, self), assess=lambda assessment: Confidence(Level.HIGH, 90)
            ),
        )


def _passage(number: int) -> Passage:
    span = Span(0, len(TEXT))
    chunk = Chunk(f"d{number}:0-1", f"d{number}", 0, span, TEXT, "Ether", "Ether", DocumentKind.PROSE, "e.md")
    return Passage(chunk, 0.8, {"dense": 0.7})


def measure(turns: int, *, is_long_way: bool, in_conversation: bool) -> dict[str, float]:
    """Milliseconds a question."""
    with tempfile.TemporaryDirectory(prefix="ascertain-overhead-") as folder:
        home = Path(folder)
        settings = Settings(home=home)
        with Ascertain(settings) as app:
            app.add_documents([Document("d1", TEXT, "Ether", DocumentKind.PROSE, "ether.md")])
            steps = ReadySteps(is_long_way).steps()
            asking = Asking(app.container, app.tenant, lambda: steps)
            request = AskRequest("When did Ether move to proof of stake?", use_cache=False)
            if in_conversation:
                request = replace(request, conversation_id="overhead")
            asking.ask(request)  # compiles the graph
            spent = [_milliseconds(lambda: asking.ask(request)) for _ in range(turns)]
        size = sum(file.stat().st_size for file in home.rglob("*") if file.is_file())
    spent.sort()
    return {
        "median_ms": round(statistics.median(spent), 2),
        "p95_ms": round(spent[int(0.95 * len(spent))], 2),
        "home_mb": round(size / 1e6, 1),
    }


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--turns", type=int, default=200)
    turns = arguments.parse_args().turns
    rows = {
        "in a conversation on disk": measure(turns, is_long_way=False, in_conversation=True),
        "without a conversation": measure(turns, is_long_way=False, in_conversation=False),
        "the longest way, in a conversation": measure(turns, is_long_way=True, in_conversation=True),
    }
    found = rows["in a conversation on disk"]["median_ms"]
    result = {
        "circumstances": circumstances(),
        "turns": turns,
        "ways": rows,
        "target": {"wanted_ms": WANTED_MS, "found_ms": found, "met": found < WANTED_MS},
    }
    save("workflow_overhead", result)
    print(result)


if __name__ == "__main__":
    main()
