"""The demo corpus is complete, dated no later than the demo's moment, and in forms the sources read."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.documents.sources.files import ReadOptions, discover_files, read_path
from ascertain.evaluation.golden.questions import find_quote, locate_golden, read_golden

CORPUS = Path(__file__).parents[2] / "src" / "ascertain" / "data" / "demo_corpus"


def manifest() -> dict[str, Any]:
    return tomllib.loads((CORPUS / "demo.toml").read_text(encoding="utf-8"))


def refuse_row(row: str, reason: str) -> None:
    raise AssertionError(f"{row}: {reason}")


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [
        document
        for folder in manifest()["folder"]
        for path in discover_files([CORPUS / folder["path"]]).files
        for document in read_path(path, ReadOptions(profile=folder["profile"], on_bad_row=refuse_row))
    ]


def five_word_shingles(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {tuple(words[start : start + 5]) for start in range(len(words) - 4)}


def test_manifest_names_a_moment_four_folders_and_six_questions():
    found = manifest()
    assert found["now"] == datetime.fromisoformat("2024-12-05T18:00:00+00:00")
    assert {folder["profile"] for folder in found["folder"]} == {"news", "papers", "podcasts", "docs"}
    assert len(found["question"]) == 6
    assert all(question["text"] and question["shows"] for question in found["question"])
    assert found["question"][0]["text"] == "how is crypt doing today?"


def test_every_file_is_taken_by_a_reader():
    skipped = [discover_files([CORPUS / folder["path"]]).skipped for folder in manifest()["folder"]]
    assert skipped == [()] * 4


def test_there_are_forty_documents_of_four_profiles(documents: list[Document]):
    counts = Counter(document.profile for document in documents)
    assert counts == {"news": 24, "papers": 10, "podcasts": 8, "docs": 14}


def test_sources_are_told_apart(documents: list[Document]):
    assert len({document.id for document in documents}) == len(documents)
    assert len({document.title for document in documents}) == len(documents)


def test_transcripts_have_speakers_and_times_in_every_turn(documents: list[Document]):
    transcripts = [document for document in documents if document.profile == "podcasts"]
    assert {document.kind for document in transcripts} == {DocumentKind.TRANSCRIPT}
    for transcript in transcripts:
        turns = transcript.blocks_of(BlockKind.TURN)
        assert len(turns) >= 15, transcript.title
        assert all(turn.place.speaker and turn.place.start_time is not None for turn in turns), transcript.title


def test_papers_in_markdown_have_sections(documents: list[Document]):
    papers = [document for document in documents if document.profile == "papers" and document.source.endswith(".md")]
    assert len(papers) == 8
    for paper in papers:
        names = {block.place.section[-1].lower() for block in paper.blocks_of(BlockKind.SECTION)}
        assert any("abstract" in name for name in names), paper.title
        assert any("references" in name for name in names), paper.title


def test_nothing_is_dated_after_the_moment_of_the_demo(documents: list[Document]):
    dated = [document.published_at for document in documents if document.published_at]
    assert len(dated) >= 18
    assert max(dated) <= manifest()["now"]


def test_today_has_several_articles(documents: list[Document]):
    today = manifest()["now"].date()
    assert sum(1 for d in documents if d.published_at and d.published_at.date() == today) >= 4


def test_articles_are_valid_lines_with_every_field():
    lines = (CORPUS / "news" / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    articles = [json.loads(line) for line in lines]
    assert len(articles) >= 10
    for article in articles:
        assert set(article) == {"title", "summary", "content", "url", "source", "published_at"}
        assert 120 <= len(article["content"].split()) <= 260, article["title"]
        assert article["url"].startswith("https://example.org/news/")


def test_exactly_one_pair_of_articles_is_nearly_the_same():
    lines = (CORPUS / "news" / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    shingles = [five_word_shingles(json.loads(line)["content"]) for line in lines]
    similar = [
        (first, second)
        for first in range(len(shingles))
        for second in range(first + 1, len(shingles))
        if len(shingles[first] & shingles[second]) / len(shingles[first] | shingles[second]) > 0.8
    ]
    assert similar == [(0, 1)]


def test_the_corpus_stays_small():
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < 250_000


def test_what_the_golden_set_quotes_stands_in_the_documents_it_names(documents: list[Document]):
    questions = read_golden(locate_golden(Path("demo")))
    missing = [
        (question.id, relevant.source)
        for question in questions
        for relevant in question.relevant
        if not any(
            (document.source.endswith("/" + relevant.source) or document.title == relevant.source)
            and (not relevant.quote or find_quote(relevant.quote, document.text))
            for document in documents
        )
    ]
    assert missing == []
