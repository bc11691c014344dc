import json

import pytest

from ascertain.core.documents.documents import DocumentKind, LeftOut
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import read_path

SEGMENTS = [
    {"speaker": "A", "start": 0.0, "end": 2.5, "text": " Hi there."},
    {"speaker": "A", "start": 2.5, "end": 4, "text": "Still me."},
    {"speaker": "B", "start": "00:01:05", "end": 70, "text": "Me now."},
]


@pytest.mark.parametrize("value", [SEGMENTS, {"segments": SEGMENTS, "title": "Talk"}, {"results": SEGMENTS}])
def test_reads_segments_in_their_usual_wrappings(read_one, value):
    document = read_one("x.json", json.dumps(value))
    assert document.kind is DocumentKind.TRANSCRIPT
    assert document.text == "A: Hi there. Still me.\n\nB: Me now."
    assert [(r.place.speaker, r.place.start_time, r.place.end_time) for r in document.blocks] == [
        ("A", 0, 2.5),
        ("A", 2.5, 4),
        ("B", 65, 70),
    ]


def test_reads_whisper_output_without_speakers(read_one):
    value = {"text": "Hi all.", "language": "en", "segments": [{"id": 0, "start": 0, "end": 1, "text": " Hi all."}]}
    assert read_one("x.json", json.dumps(value)).text == "Hi all."


def test_refuses_a_segment_that_ends_before_it_starts(write):
    path = write("x.json", json.dumps([{"start": 5, "end": 3, "text": "x"}]))
    with pytest.raises(SourceError, match=r"^x\.json: segment 1 ends before it starts"):
        list(read_path(path))


def test_reads_a_transcript_in_each_line(write):
    lines = [
        json.dumps({"title": f"Talk {n}", "turns": [{"speaker": "A", "time": "04:20", "text": "Hi."}]}) for n in (1, 2)
    ]
    first, second = read_path(write("x.jsonl", "\n".join(lines)))
    assert (first.title, first.kind, first.text) == ("Talk 1", DocumentKind.TRANSCRIPT, "A: Hi.")
    assert first.blocks[0].place.start_time == 260
    assert second.source.endswith("x.jsonl#2")


def test_every_text_of_a_transcript_is_stored_or_named(read_one):
    first = {"start": 0, "end": 1, "text": "w001", "speaker": "w002", "note": "two words"}
    value = {"title": "w003", "text": "w001 w004", "language": "de", "segments": [first, {"start": 1, "text": "w004"}]}
    document = read_one("a.json", json.dumps(value))
    assert document.title == "w003"
    assert "w002: w001" in document.text and "w004" in document.text
    assert document.completeness.left_out == (
        LeftOut("other fields of the transcript", 2, 3, names=("language", "note")),
    )
