"""The nodes: each reads the state, calls one step, and reports its result.

``Outcome`` is what a node returns; ``graph`` turns it into the state's update and the decision record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from ascertain.answering.composition import CheckedDraft, Composition, WritingRequest, drop_unsupported, with_origins
from ascertain.core.asking.answers import Decision
from ascertain.core.asking.judgements import RULES_SIGNAL, Shortfall, Sufficiency
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import Complexity, Plan
from ascertain.core.asking.requests import AskRequest, SearchResult, Standalone, Turn
from ascertain.core.documents.documents import DocumentKind
from ascertain.language.languages import ENGLISH, KNOWN, NAMES
from ascertain.questions.conversation.follow_ups import names_thing
from ascertain.questions.conversation.rewriting import question_to_answer, without_topics
from ascertain.questions.decomposition import needs_iteration
from ascertain.questions.parts import list_parts, list_sides
from ascertain.questions.reading.respelling import respell_question
from ascertain.questions.timeframe import drop_time_words
from ascertain.retrieval.judging import LOW_SCORE
from ascertain.retrieval.model_judging import JUDGED_SIGNAL, RELEVANT, is_judged_by_model
from ascertain.retrieval.search.retriever import RetrievalRequest
from ascertain.workflow.ask.routes import Course, choose_course, next_strategy
from ascertain.workflow.ask.state import AskState, Lookup, Retrieval, Update, Web
from ascertain.workflow.ask.steps import Context, Researcher

FETCHED_AS = "news"
"""Profile of what is fetched."""


def visible_filter(state: AskState) -> Filter:
    """The filter of the question's searches: in news mode the conversation's own articles, else the request's and what
    was fetched for it.
    """
    request = state["request"]
    if request.mode == "news":
        return replace(request.filter, conversation_id=request.material_id, within=None)
    within, own = request.filter.within, request.material_id
    if state["web"] is Web.SEARCHED and within is not None and own not in within:
        return replace(request.filter, within=(*within, own))
    return request.filter


def search_filter(state: AskState) -> Filter:
    """The same, held to the documents that a follow-up is looked up in."""
    visible = visible_filter(state)
    return replace(visible, document_ids=state["documents"]) if state["documents"] else visible


def web_at_first(request: AskRequest, researcher: Researcher | None) -> Web:
    """What a question may do on the web before anything was looked up."""
    if researcher is None:
        return Web.CLOSED
    if request.mode != "news" and (not researcher.is_fallback or _keeps_out(request.filter)):
        return Web.CLOSED
    return Web.OPEN if researcher.providers else Web.UNSET


def _keeps_out(filter: Filter) -> bool:
    """Whether no fetched article could pass the filter."""
    return bool(
        filter.document_ids
        or filter.chunk_ids
        or filter.sources
        or filter.tags
        or filter.topics
        or filter.conversation_id
        or (filter.kinds and DocumentKind.ARTICLE not in filter.kinds)
        or (filter.profiles and FETCHED_AS not in filter.profiles)
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a node changes in the state, and its decision in words. ``inner`` are the decisions of the step itself."""

    update: Update
    outcome: str
    reason: str = ""
    scores: dict[str, float] = field(default_factory=dict[str, float])
    inner: tuple[Decision, ...] = ()


Body = Callable[[AskState, Context], Outcome]


def rewrite_question(state: AskState, context: Context) -> Outcome:
    """Read the question with its conversation: make a follow-up self-contained, and say what it wants; a greeting before a
    question is no part of it.
    """
    request = state["request"]
    update = _understand(state, context)
    standalone = cast(Standalone, update["standalone"])
    return Outcome(
        update,
        standalone.text if standalone.text != request.question else "as asked",
        standalone.reason,
        inner=_note_language(state["language"]),
    )


def _understand(state: AskState, context: Context) -> Update:
    request = state["request"]
    return read_question(state, context, request.question, request.history)


def read_question(state: AskState, context: Context, question: str, history: Sequence[Turn]) -> Update:
    """What ``question`` means after ``history``: the question as it would be asked alone, and what it wants."""
    understood = context.steps.reading.understander.understand(
        question, state["language"], history, context.run, visible_filter(state)
    )
    text = understood.standalone.text
    return {
        "standalone": understood.standalone,
        "plan": replace(understood.plan, wording=text),
        "query": text,
        "asked": context.steps.reading.read(question_to_answer(understood.standalone), state["language"]),
    }


def _understand_again(state: AskState, context: Context) -> Update:
    """What the rules make of the question, once the chat model that read it is no longer trusted; empty before, and for the
    wording if theirs is the same, since that may have changed.
    """
    if not context.run.is_distrusted:
        return {}
    update = _understand(state, context)
    if cast(Standalone, update["standalone"]).text != state["standalone"].text:
        return update
    return {"plan": replace(cast(Plan, update["plan"]), wording=state["plan"].wording)}


def _note_language(code: str) -> tuple[Decision, ...]:
    """What the rules know of a question's language; nothing is noted for English."""
    if code == ENGLISH:
        return ()
    if code in KNOWN:
        support = "stop words, stems, sentences, times and kinds of answer by its own lists"
    else:
        support = "there are no word lists of it"
    aside = "the reader, spelling, wordings, parts and entity questions know English only and are skipped"
    return (Decision("language", code, f"{NAMES.get(code, code)}: {support}; {aside}"),)


def plan_question(state: AskState, context: Context) -> Outcome:
    """Choose the course by what the question wants."""
    made, tables = state["plan"], context.steps.side.table_answerer
    may_compute = made.searches and tables is not None and state["request"].mode != "news"
    may_compute = may_compute and tables is not None and tables.may_answer(made.wording, visible_filter(state))
    parts = f", {len(made.sub_queries)} parts" if made.sub_queries else ""
    course, why = choose_course(state)
    supervised = (Decision("supervise", course, why),) if made.searches or course is Course.RESEARCH else ()
    outcome = f"{made.intent}, {made.type}, {made.complexity}{parts}"
    several = has_parts(state, context)
    lookups = () if several else list_lookups(state, context)
    update: Update = {"may_be_computed": may_compute, "has_parts": several}
    if lookups:
        update |= {"documents": lookups[0].documents, "lookups": lookups[1:]}
    return Outcome(update, outcome, made.reason, inner=supervised)


def list_lookups(state: AskState, context: Context) -> tuple[Lookup, ...]:
    """How a question of a conversation is looked up, one way after the other until one is sure: as it was understood in the documents that
    were quoted last, as it was asked there, then everywhere. What names its thing is looked up everywhere first. Empty where a
    chat model reads and writes, or where a period or the request says which documents are meant.
    """
    request, plan, standalone = state["request"], state["plan"], state["standalone"]
    is_plain = plan.searches and not any(
        (plan.document_question, plan.global_question, plan.digest_question, plan.analysis_question)
    )
    is_open = request.mode != "news" and not (request.filter.document_ids or request.filter.chunk_ids)
    if not request.shown or state["act"] or not is_plain or not is_open or state["web"] is Web.OPEN:
        return ()
    if context.steps.writing.rewords or context.steps.reading.timeframe(standalone.text, state["language"]) is not None:
        return ()
    everywhere, here = Lookup(standalone, ()), Lookup(standalone, request.shown)
    asked = Standalone(request.question, standalone.is_follow_up, reason="as it was asked")
    as_asked = (Lookup(asked, request.shown),) if asked.text != standalone.text else ()
    is_named = names_thing(without_topics(standalone.text))
    return (everywhere, here, *as_asked) if is_named else (here, *as_asked, everywhere)


def has_parts(state: AskState, context: Context) -> bool:
    """Whether the question is answered part by part: a chat model reads and writes it whole."""
    is_plain = (
        not state["is_part"]
        and state["request"].mode != "news"
        and not context.steps.writing.rewords
        and state["language"] == ENGLISH
    )
    text = state["standalone"].text
    return is_plain and bool(list_parts(text, state["language"]) or list_sides(text))


def choose_strategy(state: AskState, context: Context) -> Outcome:
    """Choose how to search; a strategy set by the user stays."""
    fixed = state["request"].strategy
    if fixed is not None:
        return Outcome({"strategy": fixed}, fixed, "set by the user")
    choice = context.steps.searching.strategist.choose(state["query"], state["language"], state["plan"], context.run)
    return Outcome({"strategy": choice.strategy}, choice.strategy, choice.reason, {"confidence": choice.confidence})


def expand_question(state: AskState, context: Context) -> Outcome:
    """Word the question in other ways, again for each wording and strategy; a chat model that reads what is found does so once."""
    update = _understand_again(state, context)
    now = cast(AskState, {**state, **update})
    is_worded = "quality" in state and is_judged_by_model(state["quality"]) and not context.run.is_distrusted
    variants = (
        ()
        if is_worded
        else context.steps.searching.expander.expand(
            now["query"], now["language"], now["plan"], now["strategy"], context.run
        )
    )
    return Outcome({**update, "variants": variants}, f"{len(variants)} variants", "; ".join(v.text for v in variants))


def retrieve_passages(state: AskState, context: Context) -> Outcome:
    """Search for the present wording with the present strategy; again, where words of it are misspelt."""
    asked, query = state["asked"], state["query"]
    found, gathered = _search_passages(state, context, query, asked.text)
    decisions = found.decisions
    texts = [passage.chunk.indexed_text for passage in gathered]
    respelt = respell_question(asked.text, texts, state["language"])
    if respelt != asked.text:
        outcome = "misspelt" if state["language"] == ENGLISH else "compound"
        decisions = (*decisions, Decision("retrieve", outcome, f"read as “{respelt}”"))
        asked, query = (
            context.steps.reading.read(respelt, state["language"]),
            respell_question(query, texts, state["language"]),
        )
        found, gathered = _search_passages(state, context, query, respelt)
        decisions = (*decisions, *found.decisions)
    decisions = (*decisions, *_tell_topics(found, state["request"].filter), *_tell_languages(state["request"].filter))
    seen = {passage.chunk.id for passage in state["passages"]}
    return Outcome(
        {
            "asked": asked,
            "query": query,
            "found": found,
            "gathered": gathered,
            "passages": [p for p in found.passages if p.chunk.id not in seen],
            "tried": (*state["tried"], (query, state["strategy"])),
            "report": None,
            "global_answer": None,
            "is_fresh": True,
        },
        f"{len(found.passages)} passages",
        f"{state['strategy']} search, {len(gathered)} kept as evidence",
        inner=decisions,
    )


_TOPICS_SHOWN = 5


def _tell_topics(found: SearchResult, filter: Filter) -> Iterator[Decision]:
    """What the passages are about, the most frequent first, and the topics that the request requires."""
    counts = Counter(topic for passage in found.passages for topic in passage.chunk.topics)
    only = f"only passages on {', '.join(f'“{topic}”' for topic in filter.topics)}" if filter.topics else ""
    if counts or only:
        counted = ", ".join(f"{topic} ({count})" for topic, count in counts.most_common(_TOPICS_SHOWN))
        yield Decision("topics", counted or "none", only or "what the passages found are about")


def _tell_languages(filter: Filter) -> Iterator[Decision]:
    """The languages that the request requires."""
    if filter.languages:
        languages = ", ".join(NAMES.get(code, code) for code in filter.languages)
        yield Decision("languages", ", ".join(filter.languages), f"only documents in {languages}")


def _search_passages(
    state: AskState, context: Context, query: str, asked: str
) -> tuple[SearchResult, tuple[Passage, ...]]:
    """What is found, and those passages of it that may answer."""
    request, made = state["request"], state["plan"]
    found = context.steps.searching.retriever.retrieve(
        RetrievalRequest(
            question=query,
            strategy=state["strategy"],
            k=context.depth_for(request.max_chunks),
            filter=search_filter(state),
            days_back=request.days_back,
            sub_queries=made.sub_queries,
            variants=state["variants"],
            iterate=made.complexity is Complexity.COMPLEX or needs_iteration(asked, state["language"]),
            graph_query=made.graph_query,
            asked=asked,
            language=state["language"],
        ),
        context.run,
    )
    return found, tuple(
        context.steps.searching.evidence(asked, state["language"], found.passages, request.max_chunks, context.run)
    )


def judge_retrieval(state: AskState, context: Context) -> Outcome:
    """Judge what was found, and whether it can hold an answer; a chat model is not asked again about what it has read."""
    gathered, was_read = state["gathered"], frozenset(state["read"])
    is_known = bool(was_read) and was_read.issuperset(p.chunk.id for p in gathered) and not context.run.is_distrusted
    if is_known:
        quality, sufficiency = state["quality"], state["sufficiency"]
        reason = "the same passages as before; they are not judged again"
        return Outcome({"finds_new": False}, f"quality {quality.score}", reason, {"quality": float(quality.score)})
    judgement = context.steps.searching.passage_judge.judge(
        state["asked"].text,
        state["plan"],
        gathered,
        state["found"].filter,
        context.run,
        read=was_read,
        language=state["language"],
    )
    update = _understand_again(state, context)
    if update:
        now = cast(AskState, {**state, **update})
        judgement = context.steps.searching.passage_judge.judge(
            now["asked"].text, now["plan"], gathered, state["found"].filter, context.run, language=now["language"]
        )
    evidence, quality, sufficiency = judgement.evidence, judgement.quality, judgement.sufficiency
    is_by_model = is_judged_by_model(quality)
    is_answered = any(_is_relevant(p) and p.chunk.id not in was_read for p in evidence)
    finds_new = is_answered or not is_by_model or not was_read
    refusals = 0 if is_answered or not is_by_model else state["refusals"]
    if is_by_model and not was_read and not is_answered and quality.score < LOW_SCORE:
        refusals += 1
    retrieval = Retrieval(state["found"], evidence, quality, sufficiency, gathered)
    # evidence is not written from twice
    is_spent = bool(state["attempts"]) and not finds_new
    issues = ", ".join(quality.issues)
    return Outcome(
        {
            **update,
            "evidence": evidence,
            "quality": quality,
            "sufficiency": sufficiency,
            "unused": state["unused"] if is_spent else (*state["unused"], retrieval),
            "read": (*state["read"], *(p.chunk.id for p in gathered)) if is_by_model else (),
            "finds_new": finds_new,
            "refusals": refusals,
        },
        f"quality {quality.score}{f': {issues}' if issues else ''}",
        "; ".join(filter(None, (quality.reason, _describe_gaps(sufficiency)))),
        {"quality": float(quality.score), **quality.signals, **sufficiency.signals},
    )


def _is_relevant(passage: Passage) -> bool:
    return passage.scores.get(JUDGED_SIGNAL, 0.0) >= RELEVANT


def switch_strategy(state: AskState, _: Context) -> Outcome:
    """Search the same wording with another strategy."""
    chosen = next_strategy(state) or state["strategy"]
    issues = ", ".join(state["quality"].issues) or "the answer was not good enough"
    return Outcome({"strategy": chosen}, chosen, issues)


def refine_question(state: AskState, context: Context) -> Outcome:
    """Reword the question, guided by what was wrong."""
    shortfall = Shortfall(
        state["query"], state["language"], state["strategy"], state["evidence"], state["quality"], state["sufficiency"]
    )
    refined = context.steps.searching.refiner.refine(shortfall, context.run)
    query = refined.query.strip() or state["query"]
    return Outcome({"query": query, "rewrites": state["rewrites"] + 1}, query, refined.reason)


def drop_dates(state: AskState, context: Context) -> Outcome:
    """Search again without the dates that the question's words asked for; the answer will say so."""
    what = "no answer in" if state["evidence"] else "nothing found in"
    plan = state["plan"]
    texts = (state["asked"].text, state["query"], plan.wording)
    asked, query, wording = (_without_dates(text, state["language"], context) for text in texts)
    read = context.steps.reading.read(asked, state["language"])
    update: Update = {"asked": read, "query": query, "plan": replace(plan, wording=wording), "is_undated": True}
    return Outcome(
        update | {"withheld": (), "had_dated": bool(state["evidence"])}, query, f"{what} the period asked about"
    )


def generate_answer(state: AskState, context: Context) -> Outcome:
    """Write an answer from the best evidence found since the last one; a second time more strictly, a third time by
    leaving out what has no support.
    """
    again = not state["is_fresh"]
    source = _last_retrieval(state) if again else max(state["unused"], key=rate_retrieval)
    gathered = source.gathered if again else max(state["unused"], key=_rate_by_rules).gathered
    source = replace(source, gathered=gathered, evidence=source.evidence if again else _join_evidence(source, state))
    draft = state["composition"] if again and state["regenerations"] else None
    if draft is not None and draft.quoted is not None:
        composition = _leave_out_unsupported(draft, draft.quoted, state)
    else:
        composition = _write_answer(state, context, source, again=again)
    count = len(composition.sentences)
    reason = f"again, without {len(state['groundedness'].unsupported)} unsupported claims" if again else ""
    if source.quality.score > state["quality"].score:
        reason = f"from an earlier search, quality {source.quality.score}"
    return Outcome(
        {
            "found": source.found,
            "evidence": source.evidence,
            "gathered": gathered,
            "quality": source.quality,
            "sufficiency": source.sufficiency,
            "composition": composition,
            "is_fresh": False,
            "unused": (),
            "regenerations": state["regenerations"] + again,
            "refusals": state["refusals"] + composition.is_doubted,
        },
        f"{count} sentence{'' if count == 1 else 's'}",
        reason,
        inner=composition.decisions,
    )


MOST_JOINED = 6
"""Passages that are written from after several searches: half as many again as after one."""


def _join_evidence(source: Retrieval, state: AskState) -> tuple[Passage, ...]:
    """The evidence of ``source``, and what a chat model found relevant in the other searches for the same question."""
    if not is_judged_by_model(source.quality):
        return source.evidence
    others = [each.evidence for each in (*state["unused"], *state["attempts"])]
    relevant = [passage for evidence in (source.evidence, *others) for passage in evidence if _is_relevant(passage)]
    if not relevant:
        return source.evidence
    distinct: dict[str, Passage] = {}
    for passage in relevant:
        distinct.setdefault(passage.chunk.id, passage)
    return tuple(sorted(distinct.values(), key=lambda passage: -passage.scores[JUDGED_SIGNAL])[:MOST_JOINED])


def _write_answer(state: AskState, context: Context, source: Retrieval, *, again: bool) -> Composition:
    request = WritingRequest(
        question=state["asked"],
        passages=source.evidence,
        quality=source.quality.score,
        unsupported=state["groundedness"].unsupported if again else (),
        searched=context.steps.searching.searched(source.found.filter),
        report=state["report"],
        speaker=state["plan"].entity_question.speaker if state["plan"].entity_question else "",
        gathered=source.gathered,
        wording=state["plan"].wording,
        language=state["act"].language if state["act"] else "",
        draft=CheckedDraft(state["composition"], state["groundedness"]) if again else None,
    )
    written = context.steps.writing.composer.compose(request, context.run)
    # the places of a report are narrowed to what is quoted; what stands around them counts too
    around = source.found.passages if request.report else ()
    passages = (*request.passages, *request.gathered)

    def add_details(made: Composition) -> Composition:
        return with_origins(context.steps.writing.warn(made, (*passages, *around)), passages)

    return replace(add_details(written), quoted=add_details(written.quoted) if written.quoted else None)


def _leave_out_unsupported(draft: Composition, quoted: Composition, state: AskState) -> Composition:
    """The sentences of a draft that have support; the quotations behind it where none has, or where its text is laid
    out as a report.
    """
    left = drop_unsupported(draft, state["groundedness"]) if state["report"] is None else None
    return left or replace(quoted, decisions=(Decision("compose", "quoted", "no written sentence has support"),))


def _last_retrieval(state: AskState) -> Retrieval:
    return Retrieval(state["found"], state["evidence"], state["quality"], state["sufficiency"], state["gathered"])


def rate_retrieval(retrieval: Retrieval) -> tuple[bool, float]:
    """The better of two searches is the one with evidence, then with the better quality."""
    return bool(retrieval.evidence), retrieval.quality.score


def _rate_by_rules(retrieval: Retrieval) -> tuple[bool, float]:
    """As the rules judge it, whatever a chat model thinks."""
    return bool(retrieval.gathered), retrieval.quality.signals.get(RULES_SIGNAL, retrieval.quality.score)


def _without_dates(text: str, language: str, context: Context) -> str:
    frame = context.steps.reading.timeframe(text, language)
    return drop_time_words(frame.phrase, text) if frame else text


def _describe_gaps(sufficiency: Sufficiency) -> str:
    if sufficiency.is_sufficient:
        return ""
    missing = ", ".join(gap.what for gap in sufficiency.gaps)
    return f"missing: {missing}" if missing else sufficiency.reason
