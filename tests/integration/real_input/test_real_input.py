"""Twelve papers as PDF and thirty podcast transcripts, as they are, and twenty questions about them.

``questions.jsonl`` holds questions written after reading the files, each with the file, short answers of which one must
appear, and where it stands: a page, or the speaker and the seconds between the timestamps around it.
"""

import json
import os
from pathlib import Path

import pytest

from ascertain import Ascertain
from ascertain.core.settings import Settings
from ascertain.evaluation.matching import contains_any

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ASCERTAIN_BENCH") or HERE.parents[3] / "shared" / "bench")
PAPERS = DATA / "pdf_papers" / "pdf"
EPISODES = DATA / "podcast_changelog" / "episodes"
QUESTIONS = [json.loads(line) for line in (HERE / "questions.jsonl").read_text("utf-8").splitlines()]

# embedding the 30 episodes takes minutes
pytestmark = [pytest.mark.bench_data, pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def ingested(tmp_path_factory):
    settings = Settings(home=tmp_path_factory.mktemp("real") / "home")
    with Ascertain(settings) as knowledge:
        papers = knowledge.add([PAPERS], profile="papers")
        episodes = knowledge.add([EPISODES], profile="podcasts")
        yield knowledge, papers, episodes


def test_every_paper_is_ingested(ingested):
    _, papers, _ = ingested
    assert (papers.added, papers.failures) == (12, ())


def test_every_episode_is_ingested(ingested):
    _, _, episodes = ingested
    assert (episodes.added, episodes.failures) == (30, ())


def test_adding_everything_again_changes_nothing(ingested):
    knowledge, _, _ = ingested
    again = knowledge.add([EPISODES], profile="podcasts")
    assert (again.added, again.changed, again.unchanged) == (0, 0, 30)


def stands_where_expected(citation, expected):
    if Path(citation.source).resolve() != (DATA / expected["file"]).resolve():
        return False
    if "page" in expected:
        return citation.place.page == expected["page"]
    start, end = expected["between"]
    time = citation.place.start_time
    return citation.place.speaker in expected["speakers"] and (time is None or start <= time <= end)


@pytest.mark.parametrize("expected", QUESTIONS, ids=lambda expected: expected["question"])
def test_answers_from_the_right_place(ingested, expected):
    knowledge, _, _ = ingested
    answer = knowledge.ask(expected["question"])
    holding = [citation for citation in answer.citations if contains_any(citation.quote, expected["answers"])]
    assert any(stands_where_expected(citation, expected) for citation in holding), (
        f"{answer.type}: {answer.text!r} from {[(c.source, c.place.label) for c in answer.citations]}"
    )
