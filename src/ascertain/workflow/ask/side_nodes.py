"""The nodes beside the search: entity reports (KG-2), global answers (KG-4), digests, analyses (AZ-2), figures over tables, and the web in news mode (NW-2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from ascertain.answering.overviews.global_answers import GlobalAnswer, GlobalRequest
from ascertain.core.asking.judgements import RetrievalQuality, Sufficiency
from ascertain.core.asking.passages import Confidence, Filter, Level, Strategy
from ascertain.core.asking.plans import DocumentQuestion
from ascertain.core.asking.requests import SearchResult
from ascertain.language.word_lists import compile_pattern, load_word_set
from ascertain.questions.conversation.rewriting import question_to_answer, show_topics
from ascertain.questions.timeframe import BEGINNING, drop_time_words
from ascertain.retrieval.query.strategy import extract_keywords
from ascertain.workflow.ask.nodes import Outcome, search_filter, visible_filter
from ascertain.workflow.ask.routes import find_asked_claim, find_digest_question, find_order
from ascertain.workflow.ask.state import AskState, Retrieval, Update, Web
from ascertain.workflow.ask.steps import Context, WebRequest


def gather_report(state: AskState, context: Context) -> Outcome:
    """Gather every place that names the subject; where there is none, the question is answered as any other."""
    reporter, entity_question = context.steps.side.entity_reporter, state["plan"].entity_question
    if reporter is None or entity_question is None:
        return Outcome({"report": None}, "none", "nobody keeps accounts")
    report = reporter.gather(
        state["query"], state["language"], entity_question, search_filter(state), state["request"].days_back
    )
    if report is None:
        return Outcome(
            {"report": None}, "nothing", f"no place names “{entity_question.subject or entity_question.speaker}” so"
        )
    if not report.groups:
        return Outcome({"report": None, "missed": report.how}, "nothing", report.how)
    sure = Confidence(Level.HIGH, report.confidence)
    found = SearchResult(state["query"], Strategy.KEYWORD, report.sources, sure, report.filter, (), 0.0)
    quality = RetrievalQuality(report.confidence, (), report.how)
    sufficiency = Sufficiency(True, (), report.how)
    return Outcome(
        {
            "report": report,
            "found": found,
            "evidence": report.passages,
            "gathered": (),
            "passages": list(report.sources),
            "quality": quality,
            "sufficiency": sufficiency,
            "unused": (Retrieval(found, report.passages, quality, sufficiency),),
            "strategy": Strategy.KEYWORD,
            "is_fresh": True,
        },
        f"{report.places} place{'' if report.places == 1 else 's'}",
        report.how,
        {"shown": float(report.shown), "documents": float(report.documents), "speakers": float(report.speakers)},
    )


def classify_question(state: AskState, context: Context) -> Outcome:
    """Decide whether the question opens a subject or continues with the articles at hand."""
    request, researcher = state["request"], context.steps.side.researcher
    place = request.material_id, request.filter.tenant
    count = researcher.count(*place) if researcher else 0
    if researcher is None or not count:
        return Outcome({"is_initial": True}, "initial", "no article was fetched for this conversation yet")
    standalone = state["standalone"]
    asked = request.question if standalone.is_follow_up else standalone.text
    # "and who leads the company?"
    leans = standalone.is_follow_up or _JOINING.match(asked.lstrip()) is not None
    reason = opens_subject(asked, state["language"], leans, lambda words: researcher.find_held(words, *place))
    if reason is None:
        known = f"{count} article{'' if count == 1 else 's'} of the conversation"
        return Outcome({"is_initial": False}, "follow-up", f"goes on with the {known}")
    return Outcome({"is_initial": True}, "initial", reason)


def opens_subject(
    question: str, language: str, leans: bool, find_held: Callable[[Sequence[str]], Collection[str]]
) -> str | None:
    """Why a question opens a subject; None when it goes on with the articles at hand (NW-3), of whose words ``find_held`` gives those
    that they hold. ``leans``: it cannot be understood without what was said.

    It goes on when they hold one of its names or, where it has none, any of its other words: they are looked at first then, and the web
    is asked where they do not answer.
    """
    words = extract_keywords(question, language)
    exact = (*words.exact, *words.names)
    asked = exact or tuple(word for word in words.others if word.lower() not in _OF_NEWS)
    if not asked or (leans and not exact):
        return None
    return None if find_held(asked) else f"a new subject: {_list_words(asked)}"


def search_web(state: AskState, context: Context) -> Outcome:
    """Search outside, add what is found as material of the conversation, and go back to the question as asked."""
    researcher = context.steps.side.researcher
    if researcher is None:
        return Outcome({"web": Web.CLOSED}, "not searched", "no provider to ask")
    text = state["standalone"].text
    findings = researcher.fetch(_build_web_request(state, context), context.run)
    found = len(findings.document_ids)
    update: dict[str, object] = {"web": Web.SEARCHED, "web_report": findings.report, "fetched": findings.document_ids}
    if found:
        plan = replace(state["plan"], wording=text)
        again: Update = {
            "query": text,
            "asked": context.steps.reading.read(question_to_answer(state["standalone"]), state["language"]),
            "plan": plan,
        }
        again |= {"is_undated": False, "withheld": ()}
        # what is found now is chosen among more than what was found before
        update |= again | {"unused": (), "first_search": len(state["tried"])}
    return Outcome(update, f"{found} new article{'' if found == 1 else 's'}", findings.report, inner=findings.decisions)


def _build_web_request(state: AskState, context: Context) -> WebRequest:
    request, standalone = state["request"], state["standalone"]
    text = standalone.text.removesuffix(show_topics(standalone.added))
    match = _CHANGING.match(text)
    text = text[match.end() :] if match else text
    nearest = state["found"].passages[:1] if request.mode == "news" and not state["is_initial"] else ()
    about = tuple(passage.chunk.title for passage in nearest) or standalone.added
    wanted = WebRequest(
        query=text,
        conversation_id=request.material_id,
        tenant=request.filter.tenant,
        since=request.filter.published_from,
        until=request.filter.published_before,
        days_back=request.days_back,
        time_range=request.time_range,
        max_articles=request.max_articles,
        is_passing=request.conversation_id is None,
        about=about,
    )
    frame = context.steps.reading.timeframe(text, state["language"])
    if frame is None:
        return wanted
    # words about time are dates for the search, not words that articles would hold
    wanted = replace(wanted, query=drop_time_words(frame.phrase, text))
    if request.sets_dates:
        return wanted
    return replace(wanted, since=frame.start if frame.start > BEGINNING else None, until=frame.end)


_JOINING = re.compile(r"(?:and|but|so|also|or|then)\b", re.IGNORECASE)
_CHANGING = compile_pattern("conversation", "changing")
_OF_NEWS = load_word_set("asking", "news")


def _list_words(words: Sequence[str]) -> str:
    return ", ".join(words[:5])


def answer_globally(state: AskState, context: Context) -> Outcome:
    """Present the main themes; the second time without unsupported sentences. Where there is no graph, the question is
    answered as any other.
    """
    answerer, asked = context.steps.side.global_answerer, state["plan"].global_question
    if answerer is None or asked is None:
        return Outcome({"global_answer": None}, "none", "there is no graph to survey")
    again = state["global_answer"] is not None
    request = state["request"]
    unsupported = _unsupported_sentences(state) if again else ()
    made = answerer.answer(
        GlobalRequest(
            question=state["plan"].wording,
            global_question=asked,
            filter=visible_filter(state),
            days_back=request.days_back,
            unsupported=unsupported,
            max_sentences=request.max_chunks,
            language=state["language"],
        ),
        context.run,
    )
    if made is None:
        return Outcome({"global_answer": None}, "nothing", "the graph holds nothing of what is asked about")
    reason = f"again, without {len(unsupported)} unsupported sentences" if again else made.how
    return _keep_global_answer(state, context, made, reason, again=again)


def write_digest(state: AskState, context: Context) -> Outcome:
    """Present the stories of a period; where nothing dated is on the subject, the question is answered as any other."""
    writer, asked = context.steps.side.digest_writer, find_digest_question(state)
    if writer is None or asked is None:
        return Outcome({"global_answer": None}, "none", "there is no digest writer")
    visible = visible_filter(state)
    if state["is_initial"] and state["fetched"]:
        visible = replace(visible, document_ids=state["fetched"])
    made = writer.write(
        state["plan"].wording, asked, state["request"], visible, context.run, language=state["language"]
    )
    if made is None:
        return Outcome({"global_answer": None}, "nothing", "nothing dated is on the subject")
    return _keep_global_answer(state, context, made, made.how, again=False)


def present_document(state: AskState, context: Context) -> Outcome:
    """Present the documents that the question means as wholes; where there are none, the question is answered as any other."""
    presenter, asked = context.steps.side.document_presenter, state["plan"].document_question
    if presenter is None or asked is None:
        return Outcome({"global_answer": None}, "none", "there is no document presenter")
    question = state["plan"].wording or state["standalone"].text
    made = presenter.present(question, state["language"], asked, _find_visible(state, asked), context.run)
    if made is None:
        return Outcome({"global_answer": None}, "nothing", "no document that the question means as a whole was found")
    outcome = _keep_global_answer(state, context, made, made.how, again=False)
    return replace(outcome, update=outcome.update | {"is_of_document": True})


def _find_visible(state: AskState, asked: DocumentQuestion) -> Filter:
    """What may be seen; of a time without a recording the one that the last answer quotes, where it quotes one alone."""
    visible, previous = visible_filter(state), state["request"].previous
    if asked.stretch is None or asked.name or previous is None or visible.document_ids:
        return visible
    cited = {each.document_id for each in previous.citations if each.place.start_time is not None}
    return replace(visible, document_ids=tuple(cited)) if len(cited) == 1 else visible


def analyse_documents(state: AskState, context: Context) -> Outcome:
    """Read every document of the period and report what all of them say; where nothing is on the subject, the question is
    answered as any other.
    """
    analyst, asked = context.steps.side.analyst, state["plan"].analysis_question
    if analyst is None or asked is None:
        return Outcome({"global_answer": None}, "none", "there is no analyst")
    question = state["plan"].wording or state["standalone"].text
    made = analyst.answer(
        question, asked, state["request"], visible_filter(state), context.run, language=state["language"]
    )
    if made is None:
        return Outcome({"global_answer": None}, "nothing", "nothing that was read is on the subject")
    return _keep_global_answer(state, context, made, made.how, again=False)


def validate_claim(state: AskState, context: Context) -> Outcome:
    """Give a verdict on the claim that the question asks about; where nothing speaks for it or against it, the question is
    answered as any other.
    """
    validator, claim = context.steps.side.claim_validator, find_asked_claim(state)
    if validator is None or not claim:
        return Outcome({"global_answer": None}, "none", "there is no claim validator")
    made = validator.validate(claim, state["language"], visible_filter(state), context.run)
    if made is None:
        return Outcome({"global_answer": None}, "not established", f"nothing speaks for or against “{claim}”")
    return _keep_global_answer(state, context, made, made.how, again=False)


def compute_answer(state: AskState, context: Context) -> Outcome:
    """Compute the answer over a table; where none is asked about, the question is answered as any other."""
    answerer = context.steps.side.table_answerer
    if answerer is None:
        return Outcome({"global_answer": None}, "none", "there is no table answerer")
    made = answerer.answer(state["plan"].wording, state["language"], visible_filter(state), context.run)
    if made is None:
        return Outcome({"global_answer": None}, "nothing", "no table is asked about in a way that can be computed")
    return _keep_global_answer(state, context, made, made.how, again=False)


def research_subject(state: AskState, context: Context) -> Outcome:
    """Send the agents of research over the documents; where they find nothing, the subject is answered as any other."""
    writer, subject = context.steps.side.report_writer, find_order(state)
    if writer is None or not subject:
        return Outcome({"global_answer": None}, "none", "there is no report writer")
    made = writer.write(subject, state["language"], state["request"].days_back, visible_filter(state), context.run)
    if made is None:
        return Outcome({"global_answer": None}, "nothing", f"the documents say nothing sure of “{subject}”")
    return _keep_global_answer(state, context, made, made.how, again=False)


def _keep_global_answer(state: AskState, context: Context, made: GlobalAnswer, reason: str, *, again: bool) -> Outcome:
    sure = Confidence(Level.HIGH, made.confidence)
    found = SearchResult(state["query"], Strategy.HYBRID, made.passages, sure, made.filter, (), 0.0)
    return Outcome(
        {
            "global_answer": made,
            "found": found,
            "evidence": made.passages,
            "gathered": (),
            "passages": [] if again else list(made.passages),
            "quality": RetrievalQuality(made.confidence, (), made.how),
            "sufficiency": Sufficiency(True, (), made.how),
            "composition": context.steps.writing.warn(made.composition, made.passages),
            "strategy": Strategy.HYBRID,
            "is_fresh": False,
            "regenerations": state["regenerations"] + again,
        },
        f"{len(made.composition.sentences)} sentences",
        reason,
        dict(made.scores),
        inner=made.composition.decisions,
    )


def _unsupported_sentences(state: AskState) -> tuple[str, ...]:
    """The sentences of the draft that hold a claim without support."""
    claims = state["groundedness"].claims
    doubtful = {claim.sentence for claim in claims if claim.text in state["groundedness"].unsupported}
    sentences = state["composition"].sentences
    return tuple(sentences[index].text for index in sorted(doubtful) if index < len(sentences))
