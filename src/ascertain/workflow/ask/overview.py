"""The node for questions about the documents as a whole: their themes, told from the graph's communities (KG-4)."""

from __future__ import annotations

from ascertain.answering.global_answers import Overview, OverviewRequest
from ascertain.core.judgements import RetrievalQuality, Sufficiency
from ascertain.core.passages import Confidence, Level, Strategy
from ascertain.core.results import SearchResult
from ascertain.workflow.ask.context import Context
from ascertain.workflow.ask.nodes import Outcome
from ascertain.workflow.ask.scope import visible
from ascertain.workflow.ask.state import AskState


def survey(state: AskState, context: Context) -> Outcome:
    """Tell the main themes; a second time without what had no support. Where there is no graph, the question is answered as any other."""
    overviewer, asked = context.steps.overviewer, state["plan"].survey
    if overviewer is None or asked is None:
        return Outcome({"overview": None}, "none", "there is no graph to survey")
    again = state["overview"] is not None
    request = state["request"]
    unsupported = _unsupported(state) if again else ()
    made = overviewer.overview(
        OverviewRequest(
            question=state["asked"],
            survey=asked,
            filter=visible(state),
            days_back=request.days_back,
            unsupported=unsupported,
            max_sentences=request.max_chunks,
        ),
        context.run,
    )
    if made is None:
        return Outcome({"overview": None}, "nothing", "the graph holds nothing of what is asked about")
    found = _found(state["query"], made)
    return Outcome(
        {
            "overview": made,
            "found": found,
            "evidence": made.passages,
            "passages": [] if again else list(made.passages),
            "quality": RetrievalQuality(made.sureness, (), made.how),
            "sufficiency": Sufficiency(True, (), made.how),
            "composition": context.steps.warn(made.composition, made.passages),
            "strategy": Strategy.HYBRID,
            "sureness": state["sureness"][:-1] if again else state["sureness"],
            "is_fresh": False,
            "rounds": state["rounds"] + (not again),
            "regenerations": state["regenerations"] + again,
        },
        f"{len(made.composition.sentences)} sentences",
        f"again, without {len(unsupported)} unsupported sentences" if again else made.how,
        dict(made.scores),
        inner=made.composition.decisions,
    )


def _unsupported(state: AskState) -> tuple[str, ...]:
    """The sentences of the draft that hold a claim without support."""
    claims = state["groundedness"].claims
    doubtful = {claim.sentence for claim in claims if claim.text in state["groundedness"].unsupported}
    sentences = state["composition"].sentences
    return tuple(sentences[index].text for index in sorted(doubtful) if index < len(sentences))


def _found(query: str, made: Overview) -> SearchResult:
    sure = Confidence(Level.HIGH, made.sureness)
    return SearchResult(query, Strategy.HYBRID, made.passages, sure, made.filter, (), 0.0)
