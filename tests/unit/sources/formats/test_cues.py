import pytest

from ascertain.core.errors import SourceError
from ascertain.sources.files import read_path

VTT = """WEBVTT

NOTE made by hand

1
00:00:01.000 --> 00:00:04.000 align:start
<v Ann Lee>Hello there &amp; welcome.

00:00:04.500 --> 00:00:06.000
<v Bob>Hi <i>Ann</i>.</v>

00:06.500 --> 00:08.000
I am late.
"""


def places(document):
    return [
        (region.place.speaker, region.place.start_time, region.place.end_time, region.span.of(document.text))
        for region in document.regions
    ]


def test_reads_voices_of_webvtt(read_one):
    assert places(read_one("a.vtt", VTT)) == [
        ("Ann Lee", 1, 4, "Ann Lee: Hello there & welcome."),
        ("Bob", 4.5, 8, "Bob: Hi Ann. I am late."),
    ]


def test_reads_srt_with_names(read_one):
    content = "1\r\n00:00:01,000 --> 00:00:04,000\r\nAnn: Hello\r\nthere.\r\n\r\n2\r\n00:00:05,500 --> 00:00:07,000\r\nBob: Hi.\r\n"
    assert places(read_one("a.srt", content)) == [("Ann", 1, 4, "Ann: Hello there."), ("Bob", 5.5, 7, "Bob: Hi.")]


def test_joins_cues_without_speakers_until_a_pause(read_one):
    content = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:02.000 --> 00:03.000\ntwo.\n\n00:30.000 --> 00:31.000\nThree.\n"
    )
    assert places(read_one("a.vtt", content)) == [(None, 1, 3, "One two."), (None, 30, 31, "Three.")]


def test_recognises_subtitles_in_a_text_file(read_one):
    assert read_one("a.txt", VTT).author == "Ann Lee, Bob"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("WEBVTT\n\n00:05.000 --> 00:03.000\nx\n", r"^talk\.vtt:3: cue ends before it starts \(00:03 < 00:05\)$"),
        ("WEBVTT\n\n00:05 -> --> 00:03.000\nx\n", r"^talk\.vtt:3: not a time line"),
        ("WEBVTT\n\n", r"^talk\.vtt: no cues with text"),
    ],
)
def test_names_the_line_of_a_bad_cue(write, content, message):
    with pytest.raises(SourceError, match=message):
        list(read_path(write("talk.vtt", content)))
