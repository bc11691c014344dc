"""Conversations at the command line: kept, isolated, streamed, and clean after a kill."""

from __future__ import annotations

import json
import signal

import pytest


@pytest.mark.slow
def test_a_follow_up_in_another_process_is_understood(shell, own):
    first = shell("ask", "How are refunds paid?", "--home", own, "--conversation", "c1", "--json")
    assert first.json["type"] == "summary", first.json
    second = shell("ask", "How long does it take?", "--home", own, "--conversation", "c1", "--json")
    assert second.json["standalone"], second.json
    assert "refund" in second.json["standalone"].lower()
    assert "five working days" in second.json["answer"]
    assert second.json["type"] == "followup_answer"
    alone = shell("ask", "How long does it take?", "--home", own, "--conversation", "c2", "--json")
    assert alone.json["standalone"] is None


@pytest.mark.slow
def test_conversations_are_listed_shown_and_deleted(shell, own):
    assert "no conversations yet" in shell("conversations", "--home", own).err
    for name in ("tea ☕", "x' OR 1=1"):
        assert shell("ask", "How are refunds paid?", "--home", own, "--conversation", name).code == 0
    listed = shell("conversations", "--home", own, "--json").json
    assert {row["id"] for row in listed} == {"tea ☕", "x' OR 1=1"}
    assert all(row["turns"] == 1 and row["first_question"] == "How are refunds paid?" for row in listed)
    shown = shell("conversations", "tea ☕", "--home", own)
    assert "How are refunds paid?" in shown.out
    assert shell("conversations", "tea ☕", "--delete", "--home", own, "--json").json == {"deleted": 1}
    assert shell("conversations", "tea ☕", "--home", own).code == 2
    assert len(shell("conversations", "--home", own, "--json").json) == 1
    assert shell("conversations", "--delete", "--home", own).code == 2


def test_a_stream_of_events_ends_with_the_answer(inline, own):
    lines = inline("ask", "How are refunds paid?", "--home", own, "--stream", "--json").lines
    kinds = [line["event"] for line in lines]
    assert kinds[0] == "node_started"
    assert kinds[-1] == "done"
    answer = lines[-1]["answer"]
    assert "".join(line["text"] for line in lines if line["event"] == "answer_text") == answer["answer"]
    told = [d for line in lines if line["event"] == "node_finished" for d in line["decisions"]]
    assert told == answer["decisions"]


def test_the_way_is_shown_to_people(inline, own):
    shown = inline("ask", "How are refunds paid?", "--home", own, "--stream", "--trace")
    assert "· plan: knowledge" in shown.err
    assert "search found" in shown.out
    assert " → " in shown.out


def test_a_chat_answers_follows_up_and_shows_sources_and_trace(shell, own):
    said = "How are refunds paid?\n/sources\n/trace\nHow long does it take?\n/nonsense\n/new\n/trace\n/quit\n"
    outcome = shell("chat", "--home", own, "--conversation", "talk", stdin=said)
    assert outcome.code == 0, outcome.err
    assert "Refunds are **paid to the card that was used for the purchase**. [1]" in outcome.out
    assert outcome.out.count("refunds.md") >= 2
    assert "search found" in outcome.out
    assert "understood as:" in outcome.out
    assert "/nonsense is not a command" in outcome.err
    assert "This conversation has no answer yet" in outcome.err
    again = shell("chat", "--home", own, "--conversation", "talk", stdin="/sources\n")
    assert "2 turns so far" in again.err
    assert "refunds.md" in again.out


def test_a_chat_survives_a_question_that_cannot_be_asked(inline, own):
    outcome = inline("chat", "--home", own, stdin="?!\nHow are refunds paid?\n")
    assert outcome.code == 0
    assert "no words to look up" in outcome.err
    assert "Refunds are **paid to the card that was used for the purchase**. [1]" in outcome.out


@pytest.mark.sample
@pytest.mark.slow
def test_a_kill_between_two_nodes_leaves_no_trace_in_the_history(shell, start, own):
    process = start("ask", "How are refunds paid?", "--home", own, "--conversation", "c", "--stream", "--json")
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "node_finished" and event["node"] == "retrieve":
            process.send_signal(signal.SIGKILL)
            break
    process.communicate()
    turns = shell("conversations", "c", "--home", own, "--json").json["turns"]
    assert [turn["answer"] for turn in turns] == [None]
    answer = shell("ask", "How are refunds paid?", "--home", own, "--conversation", "c", "--json").json
    assert answer["type"] == "summary"
    turns = shell("conversations", "c", "--home", own, "--json").json["turns"]
    assert [turn["state"] for turn in turns] == ["interrupted", "finished"]


def test_lines_of_a_batch_are_turns_of_their_conversations(inline, own):
    lines = [
        {"question": "How are refunds paid?", "conversation_id": "a"},
        {"question": "How long does it take?", "conversation_id": "a"},
        {"question": "How long does it take?", "conversation_id": "b"},
    ]
    stdin = "".join(json.dumps(line) + "\n" for line in lines)
    answers = inline("ask", "--batch", "-", "--home", own, stdin=stdin).lines
    assert answers[1]["standalone"]
    assert answers[2]["standalone"] is None
    assert inline("ask", "--batch", "-", "--conversation", "a", "--home", own, stdin=stdin).code == 2


def test_a_greeting_is_greeted_without_a_search(inline, own):
    answer = inline("ask", "Hello!", "--home", own, "--json").json
    assert answer["type"] == "greeting"
    assert "retrieve" not in {decision["node"] for decision in answer["decisions"]}
