"""The node for questions that every place that names something answers: who said what and when, what is known of a thing (KG-2)."""

from __future__ import annotations

from ascertain.core.accounts import Account
from ascertain.core.judgements import RetrievalQuality, Sufficiency
from ascertain.core.passages import Confidence, Level, Strategy
from ascertain.core.results import SearchResult
from ascertain.workflow.ask.context import Context
from ascertain.workflow.ask.nodes import Outcome
from ascertain.workflow.ask.scope import visible
from ascertain.workflow.ask.state import AskState, Retrieval


def gather(state: AskState, context: Context) -> Outcome:
    """Gather every place that names what is asked about; where that is nothing, the question is answered as any other."""
    keeper, inquiry = context.steps.accounts, state["plan"].inquiry
    if keeper is None or inquiry is None:
        return Outcome({"account": None}, "none", "nobody keeps accounts")
    account = keeper.gather(state["query"], inquiry, visible(state), state["request"].days_back)
    if account is None:
        return Outcome(
            {"account": None}, "nothing", f"no place names “{inquiry.subject or inquiry.speaker}” so"
        )
    if not account.groups:
        return Outcome({"account": None, "missed": account.how}, "nothing", account.how)
    found = _found(state["query"], account)
    quality = RetrievalQuality(account.sureness, (), account.how)
    sufficiency = Sufficiency(True, (), account.how)
    return Outcome(
        {
            "account": account,
            "found": found,
            "evidence": account.passages,
            "passages": list(account.sources),
            "quality": quality,
            "sufficiency": sufficiency,
            "unused": (Retrieval(found, account.passages, quality, sufficiency),),
            "strategy": Strategy.KEYWORD,
            "is_fresh": True,
        },
        f"{account.places} place{'' if account.places == 1 else 's'}",
        account.how,
        {
            "shown": float(account.shown),
            "documents": float(account.documents),
            "speakers": float(account.speakers),
        },
    )


def _found(query: str, account: Account) -> SearchResult:
    sure = Confidence(Level.HIGH, account.sureness)
    return SearchResult(query, Strategy.KEYWORD, account.sources, sure, account.filter, (), 0.0)
