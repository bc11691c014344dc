"""The real files of the evaluation data are read well."""

import json
import os
import re
from pathlib import Path

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind
from ascertain.documents.sources.files import discover_files, read_path

BENCH = Path(os.environ.get("ASCERTAIN_BENCH", Path(__file__).parents[4].parent / "shared" / "bench"))
pytestmark = pytest.mark.bench_data


def only(path):
    (document,) = read_path(path)
    return document


@pytest.fixture(scope="module")
def papers():
    files = discover_files([BENCH / "pdf_papers" / "pdf"]).files
    return {path.name.removesuffix(".pdf"): only(path) for path in files}


def test_papers_have_title_date_sections_and_pages(papers):
    index = [json.loads(line) for line in (BENCH / "pdf_papers" / "index.jsonl").read_text().splitlines()]
    assert len(papers) == len(index) == 12
    for entry in index:
        document = papers[entry["_id"]]
        assert document.kind is DocumentKind.PAPER
        assert document.title == entry["title"]
        assert document.language == "en"
        assert document.published_at is not None
        assert {block.place.page for block in document.blocks_of(BlockKind.PAGE)} == set(range(1, entry["pages"] + 1))
        sections = [block.place.section[-1] for block in document.blocks_of(BlockKind.SECTION)]
        assert sections[-1] == "References"
        assert any(name.lower() in ("summary", "statement of need") for name in sections)


def test_papers_read_as_they_were_written(papers):
    for document in papers.values():
        body = document.text[: document.text.rindex("\n\nReferences\n\n")]
        assert "\u00ad" not in document.text
        assert "\ufffd" not in document.text
        assert not re.search(r"[a-z]-\n", body)
        assert "Journal of Open Source Education, " not in body
    text = papers["10.21105.jose.00139"].text
    assert (
        "creating significant barriers to novices learning these important skills (Teal et al., 2015). This lack of"
    ) in text
    assert "using familiar data and common computational challenges encountered within" in text


def test_episodes_agree_with_their_published_turns():
    missed = total = 0
    for line in (BENCH / "podcast_changelog" / "transcripts.jsonl").read_text().splitlines():
        episode = json.loads(line)
        document = only(BENCH / "podcast_changelog" / "episodes" / (episode["_id"].replace("__", "/") + ".md"))
        assert document.kind is DocumentKind.TRANSCRIPT
        assert {block.place.speaker for block in document.blocks} == {
            turn["speaker"]
            for turn in episode["turns"]
            if turn["text"].strip() and turn["speaker"] not in ("Break", "Jingle")
        }
        assert "\\[" not in document.text
        assert not re.search(r"\[\d+:\d", document.text)
        position = 0
        for turn in episode["turns"]:
            words = re.sub(r"\\", "", turn["text"])[:60]
            found = document.text.find(words, position)
            total += 1
            if found < 0:
                missed += 1
                continue
            position = found
            place = next(block.place for block in document.blocks if block.span.start <= found < block.span.end)
            # The published turns know no marks of more than an hour.
            if (place.start_time or 0) < 3600:
                missed += place.speaker != turn["speaker"] or (place.start_time or 0) != (seconds(turn["time"]) or 0)
    assert total > 6000
    assert missed < 0.04 * total


def seconds(clock):
    if clock is None:
        return None
    parts = [float(part) for part in clock.split(":")]
    return sum(part * 60**power for power, part in enumerate(reversed(parts)))
