"""Global answers with a chat model behind a real HTTP server: what it writes is cited, checked and kept; what it botches is quoted instead."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest
from planted_themes import documents, themes_of
from scripted_chat_server import cuts, fails, hangs_up, says, silent

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import AnswerType, VerdictLabel
from ascertain.core.asking.runs import FAILED_A_CONTROL, FELL_BACK
from ascertain.core.settings import BudgetSettings, ChatSettings, ModelSettings, Settings

QUESTION = "What are the main themes?"
ABOUT = {
    "Gotthard|Rhaetian": "Trains climb the Alps on railways such as the Rhaetian Railway.",
    "Buckfast|Langstroth": "Keepers of honey bees breed calm strains and fight the Varroa mite.",
    "Etna|Vesuvius": "Volcanoes such as Mount Etna throw up lava.",
}


def about(prompt: str) -> str:
    """What a good model would write of the theme that a prompt shows."""
    return next(text for names, text in ABOUT.items() if re.search(names, prompt))


def good(request):
    claims = re.findall(r"<claim\b[^\n]*\n\| ([^\n]*)", request.text)
    replies = {
        "ThemeReply": {"sentences": [{"text": about(request.text), "keys": re.findall(r'key="(S\d+)"', request.text)}]},
        "ThemeScoresReply": {
            "scores": [{"key": key, "score": 80} for key in re.findall(r'key="(T\d+)"', request.text)]
        },
        "ClaimsReply": {
            "verdicts": [
                {"claim": number, "verdict": "supported" if claim in ABOUT.values() else "not_in_sources", "reason": ""}
                for number, claim in enumerate(claims, 1)
            ]
        },
    }
    return replies[request.schema]


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """The folder of a knowledge base with the planted corpus."""
    home = tmp_path_factory.mktemp("planted") / "kb"
    with Ascertain(Settings(home=home)) as knowledge:
        knowledge.add_documents(documents())
    return home


@pytest.fixture
def opened(tmp_path, planted, scripted_chat_server):
    """A copy of it, with a chat model at the scripted server."""
    shutil.copytree(planted, tmp_path / "kb")
    entered = []

    def with_settings(*, budget: BudgetSettings = BudgetSettings(), **chat) -> Ascertain:
        address = {"model": "openai:tiny", "base_url": scripted_chat_server.base_url, "retries": 0}
        models = ModelSettings(chat=ChatSettings(**{**address, **chat}))
        knowledge = Ascertain(Settings(home=tmp_path / "kb", models=models, budget=budget))
        entered.append(knowledge)
        return knowledge

    yield with_settings
    for knowledge in entered:
        knowledge.close()


def asked_for(server, schema: str) -> int:
    return sum(request.schema == schema for request in server.requests)


def assert_sound(knowledge, answer) -> None:
    assert answer.type is AnswerType.SUMMARY
    assert themes_of(answer) == {"rail", "bees", "lava"}
    for sentence in answer.sentences:
        assert sentence.citations
    for citation in answer.citations:
        assert citation.span.of(knowledge.document(citation.document_id).text) == citation.quote


def test_a_good_model_words_each_theme_and_every_sentence_is_cited_and_checked(opened, scripted_chat_server):
    scripted_chat_server.reply_by(good)
    knowledge = opened()

    answer = knowledge.ask(QUESTION)

    assert_sound(knowledge, answer)
    assert {sentence.text for sentence in answer.sentences} == set(ABOUT.values())
    assert {sentence.verdict.label for sentence in answer.sentences} == {VerdictLabel.SUPPORTED}
    assert asked_for(scripted_chat_server, "ThemeReply") == 3
    assert asked_for(scripted_chat_server, "UnderstandingReply") == 0


def test_what_was_written_is_kept_and_only_what_changed_is_written_again(opened, scripted_chat_server):
    scripted_chat_server.reply_by(good)
    knowledge = opened()
    knowledge.ask(QUESTION)
    first = asked_for(scripted_chat_server, "ThemeReply")

    again = knowledge.ask(QUESTION, use_cache=False)
    kept = asked_for(scripted_chat_server, "ThemeReply")
    cited = next(one for one in again.citations if one.document_id.startswith("bees"))
    changed = next(document for document in documents() if document.id == cited.document_id)
    text = changed.text.replace(cited.quote, f"As is known since 1999, {cited.quote}")
    knowledge.add_documents([replace(changed, text=text)])
    knowledge.ask(QUESTION, use_cache=False)

    assert (first, kept) == (3, 3)
    assert {sentence.text for sentence in again.sentences} == set(ABOUT.values())
    assert asked_for(scripted_chat_server, "ThemeReply") == 4
    last = [request for request in scripted_chat_server.requests if request.schema == "ThemeReply"][-1]
    assert "Buckfast" in last.text or "Langstroth" in last.text


def test_a_model_weighs_the_themes_where_not_all_can_be_told(opened, scripted_chat_server):
    def weighs(request):
        if request.schema != "ThemeScoresReply":
            return good(request)
        blocks = re.findall(r'key="(T\d+)"[^>]*>(.*?)</', request.text, re.DOTALL)
        return {"scores": [{"key": key, "score": 0 if "Rhaetian" in text else 70} for key, text in blocks]}

    scripted_chat_server.reply_by(weighs)
    knowledge = opened()

    answer = knowledge.ask("What are the two main themes of the documents?")

    assert asked_for(scripted_chat_server, "ThemeScoresReply") == 1
    assert themes_of(answer) == {"bees", "lava"}


NONSENSE = [
    {"sentences": []},
    {"sentences": [{"text": "Gold grows on trees.", "keys": []}]},
    {"sentences": [{"text": "Gold grows on trees.", "keys": ["S99", "X", ""]}]},
    {"sentences": [{"text": "!!! ... ---", "keys": ["S1"]}]},
    {"sentences": [{"text": "", "keys": ["S1"]}]},
    {"sentence": "none"},
    "I am a teapot",
    [],
]


@pytest.mark.parametrize("reply", NONSENSE)
def test_nonsense_is_replaced_by_quotations(opened, scripted_chat_server, reply):
    scripted_chat_server.reply_by(lambda request: reply if request.schema == "ThemeReply" else good(request))
    knowledge = opened()

    answer = knowledge.ask(QUESTION)

    assert_sound(knowledge, answer)
    assert "Gold" not in answer.text
    assert {sentence.verdict.label for sentence in answer.sentences} == {VerdictLabel.SUPPORTED}


@pytest.mark.parametrize("scores", [[], [{"key": "T1", "score": "NaN"}], [{"key": "T9", "score": 100}], "many"])
def test_nonsense_scores_leave_the_largest_themes(opened, scripted_chat_server, scores):
    scripted_chat_server.reply_by(
        lambda request: {"scores": scores} if request.schema == "ThemeScoresReply" else good(request)
    )
    knowledge = opened()

    answer = knowledge.ask("What are the two main themes of the documents?")

    assert themes_of(answer) == {"rail", "bees"}


@pytest.mark.parametrize("behaviour", [fails(500), fails(429), cuts({"sentences": []}), hangs_up, says("no")])
def test_a_model_that_fails_is_asked_once_and_the_themes_are_quoted(opened, scripted_chat_server, behaviour):
    scripted_chat_server.script(behaviour)
    knowledge = opened(structured="prompt")

    answer = knowledge.ask(QUESTION)

    assert_sound(knowledge, answer)
    notes = [decision for decision in answer.decisions if decision.outcome == FELL_BACK]
    assert sum(decision.node == "overview" for decision in notes) == 1


def test_a_model_that_never_answers_takes_no_longer_than_the_question_may(opened, scripted_chat_server):
    scripted_chat_server.script(silent)
    knowledge = opened(timeout_seconds=30, budget=BudgetSettings(seconds=4))

    answer = knowledge.ask(QUESTION)

    assert_sound(knowledge, answer)
    assert answer.seconds < 30


def test_a_budget_that_is_used_up_leaves_the_rest_to_quotations(opened, scripted_chat_server):
    scripted_chat_server.reply_by(good)
    knowledge = opened(budget=BudgetSettings(calls=1))

    answer = knowledge.ask(QUESTION)

    assert_sound(knowledge, answer)
    assert answer.usage.calls == 1


def test_what_the_check_does_not_support_is_quoted_instead_and_struck_out_for_good(opened, scripted_chat_server):
    def lies(request):
        if request.schema == "ThemeReply":
            number = len(about(request.text))
            return {"sentences": [{"text": f"Zeppelins carry {number} cheeses to the Moon.", "keys": ["S1"]}]}
        if request.schema == "ClaimsReply":
            claims = re.findall(r"<claim\b[^\n]*\n\| ([^\n]*)", request.text)
            return {
                "verdicts": [
                    {"claim": number, "verdict": "contradicted", "reason": "not said"}
                    for number in range(1, claims + 1)
                ]
            }
        return good(request)

    scripted_chat_server.reply_by(lies)
    knowledge = opened()

    answer = knowledge.ask(QUESTION)
    written = asked_for(scripted_chat_server, "ThemeReply")
    again = knowledge.ask(QUESTION, use_cache=False)

    for told in (answer, again):
        assert_sound(knowledge, told)
        assert "Zeppelins" not in told.text
        assert told.groundedness == 1.0
    assert asked_for(scripted_chat_server, "ThemeReply") == written == 3


def test_themes_of_a_model_that_believes_a_false_claim_are_checked_by_the_rules_this_time(opened, scripted_chat_server):
    def credulous(request):
        if request.schema not in {"ClaimsReply", "ExaminationReply"}:
            return good(request)
        claims = re.findall(r"<claim\b", request.text)
        verdicts = [{"claim": n, "verdict": "supported"} for n in range(1, len(claims) + 1)]
        return {"verdicts": verdicts, "relevance": 90, "completeness": 90, "other": 0}

    scripted_chat_server.reply_by(credulous)
    knowledge = opened()
    answer = knowledge.ask(QUESTION)
    assert any(each.outcome == FAILED_A_CONTROL for each in answer.decisions)
    assert all(sentence.verdict.label == "supported" and sentence.citations for sentence in answer.sentences)
    assert "75 tunnels" not in answer.text
    scripted_chat_server.reply_by(good)
    assert {each.text for each in knowledge.ask(QUESTION, use_cache=False).sentences} == set(ABOUT.values())


def test_a_theme_with_an_invention_is_told_as_it_is_without_a_model(opened, planted, scripted_chat_server):
    def half_invents(request):
        if request.schema != "ThemeReply":
            return good(request)
        said = re.search(r"<source\b[^\n]*\n\| ([^\n]*)", request.text)[1]
        lie = f"Zeppelins carry {len(said)} cheeses to the Moon."
        return {"sentences": [{"text": said, "keys": ["S1"]}, {"text": lie, "keys": ["S1"]}]}

    scripted_chat_server.reply_by(half_invents)
    knowledge = opened()
    with Ascertain(Settings(home=planted)) as offline:
        quoted = offline.ask(QUESTION)

    answers = [knowledge.ask(QUESTION, use_cache=False) for _ in range(2)]

    assert [answer.text for answer in answers] == [quoted.text] * 2
    assert [answer.confidence for answer in answers] == [quoted.confidence] * 2


def test_what_a_model_writes_is_made_fit_to_be_shown(opened, scripted_chat_server):
    def dressed(request):
        if request.schema != "ThemeReply":
            return good(request)
        text = f"{about(request.text)[:-1]} [S1](http://evil.example/?q=1) <img src=x>."
        return {"sentences": [{"text": text, "keys": ["[s1]"]}]}

    scripted_chat_server.reply_by(dressed)
    knowledge = opened()

    answer = knowledge.ask(QUESTION)

    assert_sound(knowledge, answer)
    assert "evil" not in answer.text
    assert "<img" not in answer.text
