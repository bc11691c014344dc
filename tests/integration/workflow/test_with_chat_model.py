"""The whole workflow with a chat model behind a real HTTP server: one that plays a script, and a real small one."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from scripted_chat_server import cuts, drips, fails, hangs_up, says, silent, stops_after_headers

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import AnswerType, VerdictLabel
from ascertain.core.asking.passages import Level
from ascertain.core.asking.requests import AnswerText, NodeFinished, Turn
from ascertain.core.asking.runs import FELL_BACK, FixedClock
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.settings import BudgetSettings, ChatSettings, ModelSettings, Settings

FACT = "Ether moved to proof of stake on 15 September 2022, which cut its energy use by more than 99 percent."
TEXTS = {
    "merge": f"The event is called the Merge. {FACT} Miners with graphics cards no longer play a part.",
    "fees": "A gas fee pays for the work that a transaction causes. Fees rise when many people use the network at once.",
    "halving": "The reward for a bitcoin block is halved every 210,000 blocks, which is about every four years.",
}
QUESTION = "When did Ether move to proof of stake?"


def a_reply(request):
    """What a good model would say, by the kind of reply it is asked for."""
    keys = re.findall(r'(?:key|id)="([A-Z]\d+)"', request.text)
    key = next((k for k in keys if FACT[:20] in request.text), "S1")
    replies = {
        "UnderstandingReply": {
            **{"is_follow_up": True, "standalone": QUESTION},
            **{"intent": "knowledge", "type": "factual", "complexity": "simple", "expand": False},
        },
        "ExpansionReply": {"technical": "Ether consensus switch", "simple": "Ether change", "aspect": "Ether energy"},
        "JudgementReply": {
            "passages": [{"key": k, "score": 90 if k == key else 40, "note": "On it."} for k in dict.fromkeys(keys)],
            **{"score": 85, "issues": [], "missing": [], "reason": "they answer it"},
        },
        "WritingReply": {
            "sentences": [
                {
                    "text": "Ether moved to proof of stake on 15 September 2022.",
                    "quotes": [{"key": key_of_fact(request.text), "text": FACT}],
                }
            ]
        },
        "ExaminationReply": {
            "verdicts": [{"claim": 1, "verdict": "supported", "reason": "stated"}],
            **{"relevance": 95, "completeness": 90, "issues": [], "other": 0, "comment": "good"},
        },
        "EvaluationReply": {"relevance": 95, "completeness": 90, "issues": [], "other": 0, "comment": "good"},
    }
    return replies[request.schema]


def key_of_fact(prompt: str) -> str:
    """The key of the source that holds the fact."""
    before = prompt.partition("Ether moved to proof")[0]
    found = re.findall(r"S\d+", before)
    return found[-1] if found else "S1"


@pytest.fixture
def ask(tmp_path, scripted_chat_server):
    """Asks a small knowledge base through a chat model at the scripted server."""

    def with_settings(question: str = QUESTION, *, budget: BudgetSettings = BudgetSettings(), **chat):
        address = {"model": "openai:tiny", "base_url": scripted_chat_server.base_url, "retries": 0}
        return answered(tmp_path, ChatSettings(**{**address, **chat}), question, budget)

    return with_settings


@contextmanager
def opened(home, chat: ChatSettings, budget: BudgetSettings = BudgetSettings()):
    """The small knowledge base, below ``home``."""
    settings = Settings(home=home / "kb", models=ModelSettings(chat=chat), budget=budget)
    with Ascertain(settings) as knowledge:
        knowledge.add_documents(
            Document(name, text, name, DocumentKind.PROSE, f"{name}.md") for name, text in TEXTS.items()
        )
        yield knowledge


def answered(home, chat: ChatSettings, question: str, budget: BudgetSettings, history=()):
    with opened(home, chat, budget) as knowledge:
        answer = knowledge.ask(question, history=history)
        for citation in answer.citations:
            document = knowledge.document(citation.document_id)
            assert document is not None
            assert citation.span.of(document.text) == citation.quote
    return answer


def fallbacks(answer) -> set[str]:
    return {decision.node for decision in answer.decisions if decision.outcome == FELL_BACK}


def test_a_model_that_answers_well_writes_the_answer(ask, scripted_chat_server):
    scripted_chat_server.reply_by(a_reply)
    answer = ask()
    assert answer.text == "Ether moved to proof of stake on 15 September 2022."
    assert answer.citations[0].document_id == "merge"
    assert answer.sentences[0].verdict.label is VerdictLabel.SUPPORTED
    assert not fallbacks(answer)
    assert {task.task for task in answer.usage.tasks} == {"judge", "write", "verify"}
    assert answer.usage.calls == 3
    assert answer.usage.calls == len(scripted_chat_server.requests)
    assert answer.usage.input_tokens > 0


def test_a_model_reads_the_question_as_it_was_asked_and_knows_what_day_it_is(tmp_path, scripted_chat_server):
    scripted_chat_server.reply_by(a_reply)
    chat = ChatSettings(model="openai:tiny", base_url=scripted_chat_server.base_url, retries=0)
    settings = Settings(home=tmp_path / "kb", profile="news", models=ModelSettings(chat=chat))
    with Ascertain(settings, clock=FixedClock(datetime(2025, 6, 15, 18, tzinfo=UTC))) as knowledge:
        knowledge.add_documents([Document("merge", TEXTS["merge"], "merge", DocumentKind.ARTICLE, "merge.md")])
        knowledge.ask("did eth pump after the merge?")
    by_schema = {request.schema: request.text for request in scripted_chat_server.requests}
    assert {"JudgementReply", "WritingReply", "ExaminationReply"} <= by_schema.keys()
    for text in by_schema.values():
        assert "Today is Sunday, 15 June 2025." in text
    for schema in by_schema.keys() & {"JudgementReply", "WritingReply", "ExaminationReply"}:
        assert "did eth pump after the merge?" in by_schema[schema]
        assert "price increase" not in by_schema[schema]


@pytest.mark.parametrize(
    "behaviour",
    [
        says("{not json at all"),
        says('{"something": "else"}'),
        says(""),
        says("As an AI I would rather talk about the weather."),
        fails(500),
        cuts({"score": 1}),
        hangs_up,
    ],
    ids=["malformed", "wrong schema", "empty", "prose", "500 for ever", "cut", "hangs up"],
)
def test_whatever_the_server_does_the_rules_answer_and_the_record_says_so(ask, scripted_chat_server, behaviour):
    scripted_chat_server.script(behaviour)
    answer = ask()
    assert answer.type is AnswerType.SUMMARY
    assert "15 September 2022" in answer.text
    assert {"judge", "generate"} <= fallbacks(answer)


def test_a_model_slower_than_its_limit_is_not_waited_for(ask, scripted_chat_server):
    scripted_chat_server.script(silent)
    answer = ask(timeout_seconds=0.3, budget=BudgetSettings(seconds=20))
    assert "15 September 2022" in answer.text
    assert "generate" in fallbacks(answer)


HANGS = [silent, drips({"score": 1}, seconds_a_byte=1.0), stops_after_headers]


@pytest.mark.parametrize("behaviour", HANGS, ids=["silent", "drips", "headers"])
def test_a_server_that_hangs_holds_up_one_question_once_and_the_next_not_at_all(
    ask, tmp_path, scripted_chat_server, behaviour
):
    scripted_chat_server.script(behaviour)
    first, second = ask(timeout_seconds=0.5), ask(timeout_seconds=0.5)
    assert len(scripted_chat_server.requests) == 1
    reasons = {d.node: d.reason for d in first.decisions if d.outcome == FELL_BACK}
    assert re.search(r"judge: no complete reply within 0.5 s; the rules answer until \d\d:\d\d$", reasons["judge"])
    for reason in (reasons["generate"], *(d.reason for d in second.decisions if d.outcome == FELL_BACK)):
        assert "is left alone (no complete reply within 0.5 s); the rules answer until" in reason
    assert fallbacks(first) == fallbacks(second) >= {"judge", "generate"}
    assert (first.usage.calls, second.usage.calls) == (1, 0)
    by_rules = answered(tmp_path, ChatSettings(), QUESTION, BudgetSettings())
    assert first.text == second.text == by_rules.text
    assert first.confidence == second.confidence == by_rules.confidence


@pytest.mark.parametrize("behaviour", [silent, fails(500)], ids=["hangs", "500"])
def test_a_server_that_fails_from_the_second_call_on_leaves_the_rest_to_the_rules(ask, scripted_chat_server, behaviour):
    def reply(request):
        return a_reply(request) if len(scripted_chat_server.requests) <= 1 else behaviour

    scripted_chat_server.reply_by(reply)
    answer = ask(timeout_seconds=2)
    assert len(scripted_chat_server.requests) == 2
    assert "judge" not in fallbacks(answer)
    assert "generate" in fallbacks(answer)
    assert "15 September 2022" in answer.text
    ask(timeout_seconds=2)
    assert len(scripted_chat_server.requests) == 2


def test_events_of_a_question_arrive_although_the_server_hangs(tmp_path, scripted_chat_server):
    scripted_chat_server.script(silent)
    chat = ChatSettings(model="openai:tiny", base_url=scripted_chat_server.base_url, timeout_seconds=0.5)
    with opened(tmp_path, chat) as knowledge:
        events = list(knowledge.ask_stream(QUESTION))
    told = [d for event in events if isinstance(event, NodeFinished) for d in event.decisions]
    assert "the rules answer until" in next(d.reason for d in told if d.outcome == FELL_BACK)
    assert any(isinstance(event, AnswerText) and "15 September 2022" in event.text for event in events)
    assert len(scripted_chat_server.requests) == 1


def test_questions_at_the_same_time_wait_for_a_server_that_hangs_once_each_and_then_no_more(
    tmp_path, scripted_chat_server
):
    scripted_chat_server.script(silent)
    chat = ChatSettings(model="openai:tiny", base_url=scripted_chat_server.base_url, timeout_seconds=0.5)
    with opened(tmp_path, chat) as knowledge, ThreadPoolExecutor(4) as threads:
        for _ in range(2):
            answers = list(threads.map(lambda _: knowledge.ask(QUESTION, use_cache=False), range(4)))
            assert all("15 September 2022" in answer.text for answer in answers)
            assert 1 <= len(scripted_chat_server.requests) <= 4


def test_a_rate_limit_is_waited_out(ask, scripted_chat_server):
    refused = iter([fails(429, **{"Retry-After": "0"})])
    scripted_chat_server.reply_by(lambda request: next(refused, None) or a_reply(request))
    answer = ask(retries=1)
    assert not fallbacks(answer)
    assert answer.text == "Ether moved to proof of stake on 15 September 2022."


def test_the_budget_of_a_question_holds_and_the_rules_finish(ask, scripted_chat_server):
    scripted_chat_server.reply_by(a_reply)
    answer = ask(budget=BudgetSettings(calls=2))
    assert len(scripted_chat_server.requests) == answer.usage.calls == 2
    assert any("budget.calls" in decision.reason for decision in answer.decisions)
    assert "15 September 2022" in answer.text


def test_an_invented_claim_is_never_shown_as_supported(ask, scripted_chat_server):
    def lies(request):
        if request.schema == "WritingReply":
            quote = {"key": key_of_fact(request.text), "text": "Ether doubled in price that day."}
            return {"sentences": [{"text": "Ether doubled in price that day.", "quotes": [quote]}]}
        if request.schema == "ExaminationReply":
            return a_reply(request) | {"verdicts": [{"claim": 1, "verdict": "not_in_sources", "reason": "not there"}]}
        return a_reply(request)

    scripted_chat_server.reply_by(lies)
    answer = ask()
    told = [s for s in answer.sentences if "doubled" in s.text]
    assert all(s.verdict.label is not VerdictLabel.SUPPORTED for s in told)
    assert answer.type is AnswerType.REJECTION or told != list(answer.sentences) or not told


def test_a_writer_is_told_what_had_no_support(ask, scripted_chat_server):
    written = []

    def lies_once(request):
        if request.schema == "WritingReply":
            written.append(request.text)
            if len(written) == 1:
                quote = {"key": key_of_fact(request.text), "text": FACT}
                return {"sentences": [{"text": "The Merge doubled the price of Ether.", "quotes": [quote]}]}
        if request.schema == "ExaminationReply" and len(written) == 1:
            return a_reply(request) | {"verdicts": [{"claim": 1, "verdict": "not_in_sources", "reason": "not there"}]}
        return a_reply(request)

    scripted_chat_server.reply_by(lies_once)
    answer = ask()
    assert len(written) >= 2
    assert "doubled the price" in written[1]
    assert "doubled" not in answer.text
    assert answer.groundedness == 1.0


@pytest.mark.slow
def test_a_real_small_model_is_survived(tmp_path, small_chat_server):
    chat = ChatSettings(
        model="openai:smollm2", base_url=small_chat_server.base_url, max_output_tokens=80, timeout_seconds=60
    )
    history = (Turn("user", "What is the Merge?"), Turn("assistant", "An event in the life of Ether."))
    answer = answered(tmp_path, chat, QUESTION, BudgetSettings(calls=12, seconds=180), history)
    assert answer.usage.calls <= 12
    assert answer.usage.calls >= 1
    assert answer.text
    if answer.type not in {AnswerType.REJECTION, AnswerType.GREETING}:
        assert answer.citations
        assert answer.confidence.level is not Level.NONE


MATTERS = ["energy", "rewards", "miners", "validators", "fees", "clients", "forks", "history", "security", "finality"]


@pytest.fixture
def ask_many(tmp_path, scripted_chat_server):
    """Asks a knowledge base in which other words and other strategies find other passages."""
    chat = ChatSettings(model="openai:tiny", base_url=scripted_chat_server.base_url, retries=0)
    with Ascertain(Settings(home=tmp_path / "kb", models=ModelSettings(chat=chat))) as knowledge:
        names = [f"{matter}-{number}" for matter in MATTERS for number in range(4)]
        knowledge.add_documents(
            Document(
                name,
                f"On {name}: Ether and its {name.partition('-')[0]} in year {2000 + n}. {FACT if n == 17 else ''}",
                name,
                DocumentKind.PROSE,
                f"{name}.md",
            )
            for n, name in enumerate(names)
        )
        yield lambda question: knowledge.ask(question, use_cache=False)


def test_a_full_correction_with_a_change_of_strategy_fits_the_defaults(ask_many, scripted_chat_server):
    searches = iter([55, 55, 90])
    drafts = iter(["The Merge doubled the price of Ether.", "It doubled the price of Ether."])

    def corrects(request):
        keys = dict.fromkeys(re.findall(r'key="(P\d+)"', request.text))
        other = list(keys)[-1:]
        if request.schema == "JudgementReply":
            score = next(searches, 90)
            passages = [{"key": key, "score": 0 if [key] == other else score + 5, "note": ""} for key in keys]
            return {"passages": passages, "score": score, "issues": [], "missing": [], "reason": ""}
        if request.schema == "RefinementReply":
            return {"query": "Ether proof of stake validators rewards energy", "reason": "more words"}
        if request.schema == "WritingReply" and (made := next(drafts, None)):
            return {"sentences": [{"text": made, "quotes": [{"key": "S1", "text": "Ether and its"}]}]}
        if request.schema == "ExaminationReply" and "doubled" in request.text:
            return a_reply(request) | {"verdicts": [{"claim": 1, "verdict": "not_in_sources", "reason": "no price"}]}
        return a_reply(request)

    scripted_chat_server.reply_by(corrects)
    answer = ask_many(QUESTION)
    nodes = [decision.node for decision in answer.decisions]
    assert "switch" in nodes[nodes.index("check") :]
    assert not fallbacks(answer) - {"check"}
    assert answer.usage.calls <= BudgetSettings().calls
    assert "doubled" not in answer.text
