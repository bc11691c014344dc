"""The node for questions that every place that names something answers: who said what and when, what is known of a thing (KG-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascertain.answering.global_answers import Overview, OverviewRequest
from ascertain.core.accounts import Account
from ascertain.core.judgements import RetrievalQuality, Sufficiency
from ascertain.core.passages import Confidence, Level, Strategy
from ascertain.core.requests import AskRequest, SearchResult, Standalone, Turn
from ascertain.language.tokens import content_terms
from ascertain.retrieval.query.strategy import extract_keywords
from ascertain.retrieval.query.timeframe import BEGINNING
from ascertain.workflow.ask.nodes import Outcome, visible_filter
from ascertain.workflow.ask.state import AskState, Retrieval, Web
from ascertain.workflow.ask.steps import Context, WebRequest
from ascertain.workflow.question_text import drop_time_words


def gather_account(state: AskState, context: Context) -> Outcome:
    """Gather every place that names what is asked about; where that is nothing, the question is answered as any other."""
    keeper, inquiry = context.steps.accounts, state["plan"].inquiry
    if keeper is None or inquiry is None:
        return Outcome({"account": None}, "none", "nobody keeps accounts")
    account = keeper.gather(state["query"], inquiry, visible_filter(state), state["request"].days_back)
    if account is None:
        return Outcome({"account": None}, "nothing", f"no place names “{inquiry.subject or inquiry.speaker}” so")
    if not account.groups:
        return Outcome({"account": None, "missed": account.how}, "nothing", account.how)
    found = _search_result_of_accounts(state["query"], account)
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
        {"shown": float(account.shown), "documents": float(account.documents), "speakers": float(account.speakers)},
    )


def _search_result_of_accounts(query: str, account: Account) -> SearchResult:
    sure = Confidence(Level.HIGH, account.sureness)
    return SearchResult(query, Strategy.KEYWORD, account.sources, sure, account.filter, (), 0.0)


def classify_question(state: AskState, context: Context) -> Outcome:
    """Say whether the question opens a subject or goes on with the articles that are there."""
    request, researcher = state["request"], context.steps.researcher
    count = researcher.count(request.material_id, request.filter.tenant) if researcher else 0
    reason = opens_subject(state["standalone"], request.history, count)
    if reason is None:
        known = f"{count} article{'' if count == 1 else 's'} of the conversation"
        return Outcome({"is_initial": False}, "follow-up", f"goes on with the {known}")
    return Outcome({"is_initial": True}, "initial", reason)


def opens_subject(standalone: Standalone, history: Sequence[Turn], articles: int) -> str | None:
    """Why a question opens a subject; None when it goes on with what was said (NW-3).

    It goes on when it leans on the conversation, or speaks of something that was spoken of: a name that fell, or any telling word of
    an earlier question.
    """
    if not articles:
        return "no article was fetched for this conversation yet"
    if standalone.is_follow_up or not history:
        return None
    words = extract_keywords(standalone.text)
    exact = _question_terms(" ".join((*words.exact, *words.names)))
    said = _question_terms(" ".join(turn.text for turn in history))
    if exact:
        return None if exact & said else f"a new subject: {_list_words(words.exact + words.names)}"
    asked = _question_terms(" ".join(turn.text for turn in history if turn.role == "user"))
    telling = _question_terms(" ".join(words.others))
    if not telling or telling & asked:
        return None
    return f"a new subject: {_list_words(words.others)}"


def search_web(state: AskState, context: Context) -> Outcome:
    """Search outside, add what is found as material of the conversation, and go back to the question as it was asked."""
    researcher = context.steps.researcher
    if researcher is None:
        return Outcome({"web": Web.CLOSED}, "not searched", "there is nobody to ask")
    text = state["standalone"].text
    findings = researcher.fetch(_build_web_request(state["request"], text, context), context.run)
    found = len(findings.document_ids)
    update: dict[str, object] = {"web": Web.SEARCHED, "web_report": findings.report, "fetched": findings.document_ids}
    if found:
        again = {"query": text, "asked": context.steps.canonical(text), "is_undated": False, "sureness": ()}
        # what is found now is chosen among more than what was found before
        update |= again | {"unused": (), "first_search": len(state["tried"])}
    return Outcome(update, f"{found} new article{'' if found == 1 else 's'}", findings.report, inner=findings.decisions)


def _build_web_request(request: AskRequest, text: str, context: Context) -> WebRequest:
    wanted = WebRequest(
        query=text,
        conversation_id=request.material_id,
        tenant=request.filter.tenant,
        since=request.filter.published_from,
        until=request.filter.published_before,
        days_back=request.days_back,
        time_range=request.time_range,
        max_articles=request.max_articles,
    )
    frame = context.steps.timeframe(text)
    if frame is None:
        return wanted
    # words about time are dates for the search, not words that articles would hold
    wanted = replace(wanted, query=drop_time_words(frame.phrase, text))
    if request.sets_dates:
        return wanted
    return replace(wanted, since=frame.start if frame.start > BEGINNING else None, until=frame.end)


def _question_terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))


def _list_words(words: Sequence[str]) -> str:
    return ", ".join(words[:5])


def tell_themes(state: AskState, context: Context) -> Outcome:
    """Tell the main themes; a second time without what had no support. Where there is no graph, the question is answered as any other."""
    overviewer, asked = context.steps.overviewer, state["plan"].survey
    if overviewer is None or asked is None:
        return Outcome({"overview": None}, "none", "there is no graph to survey")
    again = state["overview"] is not None
    request = state["request"]
    unsupported = _unsupported_sentences(state) if again else ()
    made = overviewer.overview(
        OverviewRequest(
            question=state["asked"],
            survey=asked,
            filter=visible_filter(state),
            days_back=request.days_back,
            unsupported=unsupported,
            max_sentences=request.max_chunks,
        ),
        context.run,
    )
    if made is None:
        return Outcome({"overview": None}, "nothing", "the graph holds nothing of what is asked about")
    found = _search_result(state["query"], made)
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


def _unsupported_sentences(state: AskState) -> tuple[str, ...]:
    """The sentences of the draft that hold a claim without support."""
    claims = state["groundedness"].claims
    doubtful = {claim.sentence for claim in claims if claim.text in state["groundedness"].unsupported}
    sentences = state["composition"].sentences
    return tuple(sentences[index].text for index in sorted(doubtful) if index < len(sentences))


def _search_result(query: str, made: Overview) -> SearchResult:
    sure = Confidence(Level.HIGH, made.sureness)
    return SearchResult(query, Strategy.HYBRID, made.passages, sure, made.filter, (), 0.0)
