"""Ascertain as ``ask`` searches, by default and without a chat model: planned, names followed, the graph walked where that pays."""

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import Complexity
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings import Settings
from ascertain.language.languages import ENGLISH
from ascertain.questions.decomposition import needs_iteration
from ascertain.retrieval.search.retriever import RetrievalRequest
from ascertain.workflow.ask.steps import Steps

READS = "documents"


def search_as_asked(steps: Steps, question: str, k: int, filter: Filter = Filter()) -> tuple[Passage, ...]:
    """What the nodes of the workflow do to a first question, up to what they find."""
    run = Run(Budget(0, 0, 600, 0))
    asked = steps.canonical(question)
    plan = steps.reading.planner.plan(question, ENGLISH, run)
    strategy = steps.searching.strategist.choose(question, ENGLISH, plan, run).strategy
    request = RetrievalRequest(
        question,
        ENGLISH,
        strategy,
        k,
        filter=filter,
        sub_queries=plan.sub_queries,
        variants=steps.searching.expander.expand(question, ENGLISH, plan, strategy, run),
        iterate=plan.complexity is Complexity.COMPLEX or needs_iteration(asked, ENGLISH),
        graph_query=plan.graph_query,
        asked=asked,
    )
    return tuple(steps.searching.retriever.retrieve(request, run).passages)


def build_index(texts, embed, folder):
    import ascertain_peer

    embed.embed_documents, embed.embed_query = (
        embed.embed_all,
        embed.embed_any,
    )  # parts, wordings and names are asked for too
    app = Ascertain(Settings(home=folder), embedder=embed)
    ids = ascertain_peer.add_texts(app, texts)

    def search(question, k):
        return [ids[passage.chunk.document_id] for passage in search_as_asked(app.view.steps, question, k)]

    return search
