"""The four measures of RAGAS over a saved run, judged by the chat model of the settings and the current embedding model.

Es, Anke, Espinosa-Anke & Schockaert, "RAGAS: Automated Evaluation of Retrieval Augmented Generation", EACL 2024; computed by the
package ``ragas`` (extra ``ragas``), not by us: prompts and formulas are theirs. Ours is who judges: every call goes through the port
``Chat``, so any model that answers questions can judge too, with the same retries, limits and ledger.
"""

from __future__ import annotations

import asyncio
import importlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from ascertain.app.wire.evaluation import MeasuredJson, TimingsJson
from ascertain.app.wire.shape import JsonObject
from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import AscertainError, ConfigurationError, MissingExtra, UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.measures.metrics import find_percentile
from ascertain.evaluation.runs import EvaluationRun, Journal, Result, average_scores, choose_every, measure_intervals
from ascertain.evaluation.sets.knowledge import Listener
from ascertain.models.chat.structured import open_chat
from ascertain.models.ports import Chat, Embedder, Message
from ascertain.models.registry import open_embedder

MEASURES = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
SECONDS = 3600.0
"""For all judgements of one question: many calls, each with the time limit of the settings, and no one waits for an answer."""
_UNLIMITED = 10**9

AnswerT = TypeVar("AnswerT", bound=BaseModel)
Ask = Callable[[str, type[AnswerT]], AnswerT]
Measure = Callable[..., Any]
"""What ``ragas`` calls a metric: ``ascore`` of one."""


def measure_ragas(
    run: EvaluationRun,
    settings: Settings,
    journal: Journal,
    out: Callable[[JsonObject], None],
    *,
    listener: Listener,
    every: int = 1,
) -> None:
    """Judge every ``every``-th question of ``run``; ``out`` gets one row a set, each question goes into ``journal``.

    Raises MissingExtra without the package, ConfigurationError without a chat model and UsageError for a run that holds no
    answers with the passages they were written from.
    """
    judged = choose_every([result for result in run.results if "contexts" in result.facts], every)
    if not judged:
        raise UsageError(
            f"{run.name}: holds no answers with their passages; measure again: ascertain eval answers --golden FILE --save FILE"
        )
    chat = open_chat(settings.models)
    if chat is None:
        raise ConfigurationError("ragas needs a chat model that judges; set models.chat.model")
    judge = Judge(chat, open_embedder(settings.models))
    for done, result in enumerate(judged):
        listener.progress(f"judging {done:,} of {len(judged):,}")
        journal.measure(result.set, result.id, partial(judge.judge_result, result))
    for name in dict.fromkeys(result.set for result in judged):
        rows = [result for result in journal.results if result.set == name]
        failed = sum(bool(result.facts.get("failed")) for result in rows)
        if failed:
            listener.remark(
                f"{name}: {failed} of {len(rows)} questions could not be judged in full; see 'failed' in the run"
            )
        out(_summarise_rows(name, rows).to_json())


def _summarise_rows(name: str, rows: Sequence[Result]) -> MeasuredJson:
    metrics = {measure: average_scores(rows, measure) for measure in MEASURES}
    seconds = [row.seconds for row in rows]
    return MeasuredJson(
        set=name,
        documents=0,
        queries=len(rows),
        metrics={**metrics, "calls": _sum_fact(rows, "calls"), "dollars": _sum_fact(rows, "dollars")},
        intervals=dict(measure_intervals(rows, metrics)),
        seconds=TimingsJson(
            index=0.0,
            query_p50=round(find_percentile(seconds, 0.5), 4),
            query_p95=round(find_percentile(seconds, 0.95), 4),
        ),
    )


def _sum_fact(rows: Sequence[Result], name: str) -> float:
    return sum(row.read_number(name) or 0.0 for row in rows)


class Judge:
    """Asks ``chat`` what the measures need. Belongs to one thread."""

    def __init__(self, chat: Chat, embedder: Embedder) -> None:
        """Raises MissingExtra without the package ``ragas``."""
        self._chat = chat
        self._run = _open_run()
        self._measures = open_measures(self._ask_chat, embedder)

    def judge_result(self, result: Result) -> Result:
        """The measures of one question that apply to it, None for the others; ``failed`` tells those that the model left open."""
        self._run = _open_run()
        began = self._run.seconds_left
        scores: dict[str, float | None] = dict.fromkeys(MEASURES)
        failed: dict[str, str] = {}
        for name, given in choose_inputs(result).items():
            try:
                score = float(asyncio.run(self._measures[name](**given)).value)
            except (AscertainError, ValueError) as error:
                failed[name] = f"{type(error).__name__}: {error}"
            else:
                # their NaN says that there was nothing to divide by; sums of floats may end a little above 1
                scores[name] = None if math.isnan(score) else min(1.0, max(0.0, score))
        usage = self._run.usage
        facts = {
            "failed": failed,
            "calls": usage.calls,
            "dollars": usage.cost_usd,
            "answer": result.facts.get("answer"),
        }
        return Result(result.set, result.id, result.question, began - self._run.seconds_left, scores, facts)

    def _ask_chat(self, prompt: str, reply: type[AnswerT]) -> AnswerT:
        return self._chat.ask(Task.EVALUATE, [Message("user", prompt)], reply, self._run)


def choose_inputs(result: Result) -> Mapping[str, Mapping[str, object]]:
    """What each measure that applies is given. What was declined claims nothing; without a right answer none is compared."""
    contexts = [str(text) for text in cast("Sequence[object]", result.facts.get("contexts") or ())]
    answer, reference = str(result.facts.get("answer") or ""), str(result.facts.get("reference") or "")
    asked = {"user_input": result.question}
    inputs: dict[str, Mapping[str, object]] = {}
    if answer and not result.facts.get("declined"):
        inputs["answer_relevancy"] = {**asked, "response": answer}
        if contexts:
            inputs["faithfulness"] = {**asked, "response": answer, "retrieved_contexts": contexts}
    if reference and contexts:
        inputs["context_precision"] = {**asked, "reference": reference, "retrieved_contexts": contexts}
        inputs["context_recall"] = {**asked, "reference": reference, "retrieved_contexts": contexts}
    return inputs


def open_measures(ask: Ask[Any], embedder: Embedder) -> dict[str, Measure]:
    """The measures by name, from the package; ``ask`` answers their prompts and ``embedder`` compares questions."""
    # the package reports its use to a server of its makers unless disabled before the import
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    try:
        collections: Any = importlib.import_module("ragas.metrics.collections")
        models: Any = importlib.import_module("ragas.llms.base")
        embeddings: Any = importlib.import_module("ragas.embeddings.base")
    except ModuleNotFoundError as error:
        raise MissingExtra("eval ragas", "ragas") from error

    class AskingModel(models.InstructorBaseRagasLLM):
        def generate(self, prompt: str, response_model: type[AnswerT]) -> AnswerT:
            return ask(prompt, response_model)

        async def agenerate(self, prompt: str, response_model: type[AnswerT]) -> AnswerT:
            return ask(prompt, response_model)

    class OwnEmbedding(embeddings.BaseRagasEmbedding):
        def embed_text(self, text: str, **_: object) -> list[float]:
            return embedder.embed_query(text).tolist()

        async def aembed_text(self, text: str, **_: object) -> list[float]:
            return self.embed_text(text)

    model: Any = AskingModel()
    return {
        "faithfulness": collections.Faithfulness(llm=model).ascore,
        "answer_relevancy": collections.AnswerRelevancy(llm=model, embeddings=OwnEmbedding()).ascore,
        "context_precision": collections.ContextPrecision(llm=model).ascore,
        "context_recall": collections.ContextRecall(llm=model).ascore,
    }


def _open_run() -> Run:
    return Run(Budget(_UNLIMITED, _UNLIMITED, SECONDS, float(_UNLIMITED)))
