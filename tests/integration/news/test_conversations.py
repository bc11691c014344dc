"""Conversations about the news as people have them: how many turns are answered rightly, and how often a provider is asked."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from news_service import Story

CONVERSATIONS = tomllib.loads((Path(__file__).parent / "conversations.toml").read_text("utf-8"))


def story_of(each) -> Story:
    return Story(each["title"], f"https://ledger.example/{each['id']}", each["text"].strip(), each["published"])


def hold_conversations(with_tavily, tavily, aside: bool):
    """The turns that were answered wrongly, each with what was said, and the requests to the provider, a list a conversation."""
    tavily.stories = [story_of(each) for each in CONVERSATIONS["story"]]
    tavily.least = 0.5
    knowledge = with_tavily()
    wrong, requests = [], []
    chosen = [each for each in CONVERSATIONS["conversation"] if each.get("aside", False) is aside]
    for number, conversation in enumerate(chosen):
        before = len(tavily.requests)
        for question, said, cited in conversation["turns"]:
            answer = knowledge.ask(question, mode="news", conversation_id=f"c{number}")
            urls = {citation.url.rsplit("/", maxsplit=1)[-1] for citation in answer.citations}
            if cited not in urls or not any(each.strip() in answer.text for each in said.split("|")):
                wrong.append((question, answer.text[:200]))
        requests.append([request.json["query"] for request in tavily.requests[before:]])
    return wrong, requests


@pytest.mark.parametrize(("aside", "most_wrong", "most_requests"), [(False, 2, 14), (True, 8, 19)])
def test_turns_are_answered_and_a_provider_is_seldom_asked(with_tavily, tavily, aside, most_wrong, most_requests):
    # of ten conversations: each first turn is fetched for, and three or four that are about what no article at hand tells of
    wrong, requests = hold_conversations(with_tavily, tavily, aside)
    assert len(wrong) <= most_wrong, wrong
    assert sum(map(len, requests)) <= most_requests, requests
    assert not any(mark in query for queries in requests for query in queries for mark in "(?")
