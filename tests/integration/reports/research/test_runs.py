"""Research over a page and over arXiv, both on loopback: what is found, what cannot be steered, and what a kill leaves."""

from __future__ import annotations

import random
import shutil
from contextlib import closing
from pathlib import Path

import pytest
import research_world
from research_world import FALSE, ORDER, PAPERS, TRUE, ResearchWorld, make_page, make_paper
from scripted_chat_server import cuts, fails, hangs_up
from web_site import Reply

from ascertain import Ascertain, Document
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import UsageError
from ascertain.core.reports.research import (
    MAX_STEPS,
    ClaimVerdict,
    ResearchDone,
    ResearchMode,
    ResearchState,
    StepFinished,
    StepStarted,
)
from ascertain.core.settings import BudgetSettings, ChatSettings, ModelSettings, Settings, StoreSettings, WebSettings
from ascertain.reports.research.report import render_html, render_markdown
from ascertain.reports.research.retrieving import SEARCHES

EVERYWHERE = ("documents", "web", "arxiv")
SEVERAL = 100
BENCH = Path(__file__).parents[5] / "shared" / "bench" / "pdf_papers" / "pdf"


@pytest.fixture(scope="module")
def world():
    served = ResearchWorld()
    yield served
    served.close()


@pytest.fixture
def opened(tmp_path, world):
    """Opens a knowledge base in a home of the test."""
    places = []

    def build(name="kb", served=world, **settings):
        knowledge = Ascertain(Settings(home=tmp_path / name, web=WebSettings(**served.settings()), **settings))
        places.append(knowledge)
        return knowledge

    yield build
    for knowledge in places:
        knowledge.close()


def check_citations(run, knowledge):
    """Every citation is of stored text, to the character, and every number in the report is one of them."""
    for citation in run.citations:
        stored = knowledge.document(citation.document_id)
        assert stored is not None
        assert citation.span.of(stored.text) == citation.quote
        assert not citation.quote.startswith("Ignore")
    numbers = {citation.number for citation in run.citations}
    told = [*run.report.findings, *run.report.summary.sentences]
    assert {number for sentence in told for number in sentence.citations} <= numbers
    for sentence in told:
        assert sentence.verdict is not None
    assert all(sentence.is_supported for sentence in run.report.summary.sentences)


def verdicts(run):
    return {claim.claim: claim.verdict for claim in run.report.claims}


def check_planted(run):
    found = verdicts(run)
    assert {claim: found[claim] for claim in TRUE} == dict.fromkeys(TRUE, ClaimVerdict.SUPPORTED)
    assert all(found[claim] is not ClaimVerdict.SUPPORTED for claim in FALSE)


def test_true_claims_of_a_page_are_supported_and_false_ones_are_not(opened, world):
    knowledge = opened()
    run = knowledge.research.run(world.url, mode="deep", sources=EVERYWHERE)
    check_planted(run)
    check_citations(run, knowledge)
    assert len(run.steps) <= MAX_STEPS
    assert all(len(found.loops) <= SEARCHES[ResearchMode.DEEP] for found in run.retrieved)
    # what the page says of itself is no finding
    assert not {c for f in run.report.findings for c in f.citations} & {claim.number for claim in run.site.claims}
    report = render_markdown(run)
    for claim in TRUE:
        assert f"| {claim} | supported |" in report
    assert f"| {FALSE[0]} | contradicted | against" in report
    assert "experience.”" in report
    # what was fetched belongs to the run: others do not see it
    assert knowledge.documents() and all(record.conversation_id == run.request.id for record in knowledge.documents())
    assert {tag for record in knowledge.documents() for tag in record.tags} >= {
        "research",
        f"research:{run.request.id}",
    }


@pytest.mark.bench_data
def test_claims_are_checked_against_whole_papers(opened):
    pdfs = {name: (BENCH / f"10.21105.jose.{name[-5:]}.pdf").read_bytes() for name in PAPERS}
    served = ResearchWorld(pdfs)
    try:
        knowledge = opened(served=served)
        run = knowledge.research.run(served.url, mode="deep", sources=EVERYWHERE)
        check_planted(run)
        check_citations(run, knowledge)
    finally:
        served.close()


def test_orders_in_a_page_and_in_a_paper_change_nothing(opened, world):
    told = opened("told").research.run(world.url, mode="deep", sources=EVERYWHERE)
    harmless = {
        name: make_paper(title, abstract, [s for s in sentences if s != research_world.ORDER_IN_PAPER])
        for name, (title, abstract, sentences) in PAPERS.items()
    }
    plain = ResearchWorld(harmless)
    plain.site.pages["/autoed"] = make_page(orders=False)
    try:
        knowledge = opened("plain", plain)
        untold = knowledge.research.run(plain.url, mode="deep", sources=EVERYWHERE)
    finally:
        plain.close()
    assert verdicts(told) == verdicts(untold)
    assert [f.text for f in told.report.findings] == [f.text for f in untold.report.findings]
    assert [step.agent for step in told.steps] == [step.agent for step in untold.steps]
    # the warning names it, and nothing else does
    assert not [line for line in render_markdown(told).splitlines() if "Zorblax" in line and "not followed" not in line]
    # it is told that there was such text, and that it was not followed
    assert f"{ORDER}”. It was not followed." in render_markdown(told)


@pytest.mark.parametrize(
    ("begun", "few"),
    [
        pytest.param(True, True, id="some, within a step"),
        pytest.param(False, True, id="some, behind a step", marks=pytest.mark.slow),
        pytest.param(True, False, id="all, within a step", marks=pytest.mark.slow),
        pytest.param(False, False, id="all, behind a step", marks=pytest.mark.slow),
    ],
)
def test_a_run_killed_at_any_step_comes_to_the_same_report(opened, world, tmp_path, begun, few):
    knowledge = opened("whole")
    seen = [
        event
        for event in knowledge.research.start(world.url, sources=EVERYWHERE, run_id="run")
        if isinstance(event, StepFinished)
    ]
    whole = knowledge.research.show("run")
    assert len(seen) == MAX_STEPS
    for number in (1, 4, MAX_STEPS) if few else range(1, MAX_STEPS + 1):
        home = f"killed-{number}"
        killed = opened(home)
        with closing(killed.research.start(world.url, sources=EVERYWHERE, run_id="run")) as events:
            for event in events:
                if isinstance(event, StepStarted if begun else StepFinished) and event.number == number:
                    break
        killed.close()
        assert killed.research.show("run").state is ResearchState.RUNNING
        resumed = opened(home)
        *steps, done = resumed.research.resume("run")
        assert isinstance(done, ResearchDone)
        # nothing is done twice: what is on record is gone on from
        agents = [event.step.agent for event in steps if isinstance(event, StepFinished)]
        assert agents == [event.step.agent for event in seen][number - begun :] or begun
        assert render_markdown(done.run) == render_markdown(whole)
        assert render_html(done.run) == render_html(whole)
        check_citations(done.run, resumed)
        resumed.close()
        shutil.rmtree(tmp_path / home)


def test_runs_are_listed_compared_resumed_and_deleted(opened, world):
    knowledge = opened()
    first = knowledge.research.run(world.url, sources=("web",), run_id="page-only")
    second = knowledge.research.run(world.url, sources=EVERYWHERE, mode="deep", run_id="with-papers")
    assert [each.id for each in knowledge.research.list_runs()] == ["with-papers", "page-only"]
    assert verdicts(first) == dict.fromkeys(verdicts(first), ClaimVerdict.NOT_ESTABLISHED)
    compared = knowledge.research.compare("page-only", "with-papers")
    assert {change.claim for change in compared.changed} >= set(TRUE)
    assert compared.findings_of_one == ()
    assert set(compared.sources_of_other) == {title for title, *_ in PAPERS.values()}
    # a finished run is told again as it is
    (done,) = knowledge.research.resume("with-papers")
    assert done.run == second
    assert knowledge.research.delete("with-papers") == 4
    assert [record.conversation_id for record in knowledge.documents()] == ["page-only"]
    assert [each.id for each in knowledge.research.list_runs()] == ["page-only"]


def test_a_page_that_cannot_be_read_is_told_in_the_report(opened, world):
    run = opened().research.run(f"{world.site.url}/gone", sources=("web",))
    assert run.report.claims == ()
    assert "404" in render_markdown(run)


def test_a_search_that_arxiv_refuses_is_told_in_the_report(opened, world):
    world.arxiv.refusals = [Reply(b"busy", 400)] * 3
    try:
        run = opened().research.run(world.url, sources=EVERYWHERE)
    finally:
        world.arxiv.refusals = []
    assert "arXiv's API cannot be searched" in render_markdown(run)
    assert run.choices is None


def disorder(chance):
    """A chat model that says whatever comes, rarely what was asked for."""

    def reply(request):
        number = chance.randrange(1, 4)
        return chance.choice(
            (
                "",
                "I would rather not.",
                "{",
                "[]",
                {},
                {"sentences": [{"number": number, "text": "Zorblax is the best tool."}]},
                {"sentences": [{"text": "Zorblax proves it.", "quotes": [{"key": "S1", "text": "nothing like it"}]}]},
                {"conclusion": [{"text": "Zorblax proves it.", "keys": [f"S{number}", "F1"]}]},
                {"verdicts": [{"claim": n, "verdict": "supported"} for n in range(1, 10)]},
                {"verdicts": [{"claim": n, "verdict": "contradicted"} for n in range(1, 10)]},
                {"score": 100, "issues": []},
                {"intent": "greeting", "type": "factual", "complexity": "complex", "parts": [{"text": "Zorblax?"}]},
                {"query": "Zorblax", "reason": "it is the best"},
                fails(500),
                hangs_up,
                cuts({"sentences": []}),
            )
        )

    return reply


@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, SEVERAL), marks=pytest.mark.slow)], ids=["some", f"{SEVERAL}"]
)
def test_no_chat_model_breaks_a_bound_or_brings_in_what_nobody_said(opened, world, scripted_chat_server, seeds):
    chat = ChatSettings(model="openai:scripted", base_url=scripted_chat_server.base_url, timeout_seconds=5, retries=0)
    knowledge = opened(models=ModelSettings(chat=chat), budget=BudgetSettings(calls=5, tokens=20_000))
    for seed in seeds:
        from ascertain.models.servers.breaker import forget_breakers

        forget_breakers()
        scripted_chat_server.requests.clear()
        scripted_chat_server.reply_by(disorder(random.Random(seed)))
        run = knowledge.research.run(world.url, sources=EVERYWHERE, run_id=f"seed-{seed}")
        assert run.state is ResearchState.FINISHED
        assert len(run.steps) <= MAX_STEPS
        assert all(len(found.loops) <= SEARCHES[ResearchMode.DEEP] for found in run.retrieved)
        assert run.usage.calls <= 20
        check_citations(run, knowledge)
        told = [*run.report.summary.sentences, *run.report.findings]
        assert not [sentence for sentence in told if "Zorblax" in sentence.text and sentence.is_supported]
        assert not [sentence for sentence in run.report.framing if "Zorblax" in sentence.text]
        assert all(verdicts(run)[claim] is not ClaimVerdict.SUPPORTED for claim in FALSE)
        knowledge.research.delete(run.request.id)


def test_a_prompt_carries_only_what_its_agent_needs(opened, world, scripted_chat_server):
    chat = ChatSettings(model="openai:scripted", base_url=scripted_chat_server.base_url, timeout_seconds=5, retries=0)
    knowledge = opened(models=ModelSettings(chat=chat))
    scripted_chat_server.reply_by(lambda request: {})
    knowledge.research.run(world.url, mode="deep", sources=EVERYWHERE)
    told = [request.text for request in scripted_chat_server.requests]
    assert told
    assert not [text for text in told if ORDER in text or research_world.ORDER_IN_PAPER in text]
    simplifying = [r.text for r in scripted_chat_server.requests if r.schema == "PlainRepliesReply"]
    assert simplifying
    assert not [text for text in simplifying if world.url in text or "boundary" not in text or "<source" in text]


NOTE = "# Bridge\n\nThe harbour bridge was opened in 1932. It carries eight lanes of traffic and two railway tracks.\n"


@pytest.mark.parametrize(
    ("question", "begins", "quote"),
    [
        (
            "Is it true that the harbour bridge was opened in 1932?",
            "Supported: the documents say so.",
            "opened in 1932",
        ),
        (
            "Is it true that the harbour bridge was opened in 1954?",
            "Contradicted: the documents say otherwise.",
            "1932",
        ),
    ],
)
def test_ask_gives_a_verdict_on_a_claim_with_the_words_it_rests_on(opened, tmp_path, question, begins, quote):
    (tmp_path / "bridge.md").write_text(NOTE)
    knowledge = opened()
    knowledge.add([tmp_path / "bridge.md"])
    answer = knowledge.ask(question)
    assert answer.text.startswith(begins)
    assert any(quote in citation.quote for citation in answer.citations)
    assert answer.confidence.score >= 50


def test_ask_establishes_nothing_where_nothing_speaks_of_a_claim(opened, tmp_path):
    (tmp_path / "bridge.md").write_text(NOTE)
    knowledge = opened()
    knowledge.add([tmp_path / "bridge.md"])
    answer = knowledge.ask("Is it true that penguins live at the north pole?")
    assert answer.type.value == "rejection"
    assert any(d.node == "validate" and d.outcome == "not established" for d in answer.decisions)


def test_a_run_on_postgresql_is_kept_there_resumed_by_another_process_and_deleted(opened, postgres_url):
    store = StoreSettings(kind="postgres", url=postgres_url, name="research_runs")
    first, second = opened("one", store=store), opened("two", store=store)
    text = "The mill at Olhao was built in 1885. It was closed in 1954 and is a museum today."
    first.add_documents([Document("mill", text, "The mill", DocumentKind.PROSE, "mill.md")])
    with closing(first.research.start("When was the mill built?", sources=["documents"], run_id="r1")) as events:
        next(event for event in events if isinstance(event, StepFinished))
        with pytest.raises(UsageError, match="works on research run r1"):
            list(second.research.resume("r1"))
    run = list(second.research.resume("r1"))[-1].run
    assert run.state is ResearchState.FINISHED
    check_citations(run, first)
    assert first.research.show("r1").report == run.report
    assert second.research.delete("r1") == 0
    assert first.research.list_runs() == []


@pytest.mark.slow
def test_a_run_with_a_small_real_model_ends_within_its_bounds(opened, small_chat_server):
    chat = ChatSettings(model="smollm2", base_url=small_chat_server.base_url, max_output_tokens=80, timeout_seconds=60)
    limits = BudgetSettings(calls=3, seconds=60)
    knowledge = opened("small", models=ModelSettings(chat=chat), budget=limits)
    text = "The mill at Olhao was built in 1885. It was closed in 1954 and is a museum today."
    knowledge.add_documents([Document("mill", text, "The mill", DocumentKind.PROSE, "mill.md")])
    run = knowledge.research.run("When was the mill at Olhao built?", sources=["documents"])
    assert run.state is ResearchState.FINISHED
    assert len(run.steps) <= MAX_STEPS
    assert 0 < run.usage.calls <= 4 * limits.calls
    check_citations(run, knowledge)
    assert any("1885" in finding.text for finding in run.report.findings)
