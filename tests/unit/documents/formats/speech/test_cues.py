import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.documents.documents import LeftOut
from ascertain.core.errors import SourceError
from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.speech.cues import write_cues
from ascertain.documents.formats.speech.turns import Turn
from ascertain.documents.sources.files import read_path

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
        (block.place.speaker, block.place.start_time, block.place.end_time, block.span.of(document.text))
        for block in document.blocks_of(BlockKind.TURN)
    ]


def test_reads_voices_of_webvtt(read_one):
    assert places(read_one("a.vtt", VTT)) == [
        ("Ann Lee", 1, 4, "Ann Lee: Hello there & welcome."),
        ("Bob", 4.5, 6.5, "Bob: Hi Ann."),
        ("Bob", 6.5, 8, "I am late."),
    ]


def test_a_sentence_is_cited_by_the_time_it_is_said_at(read_one):
    cues = [
        "00:10.000 --> 00:12.000\nIt was the best of times, it was",
        "00:12.000 --> 00:14.000\nthe worst of times.",
        "00:14.500 --> 00:16.000\nIt was the age of wisdom. It was",
        "00:16.000 --> 00:19.000\nthe age of foolishness.",
        "00:19.000 --> 00:21.000\nIt was the spring of hope.",
    ]
    document = read_one("tale.vtt", "WEBVTT\n\n" + "\n\n".join(cues))
    assert "\n" not in document.text
    starts = [
        document.place_of(Span(document.text.index(words), len(document.text))).start_time
        for words in ("best", "age of f", "spring")
    ]
    assert starts == [10, 14.5, 19]


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


def test_what_is_written_is_read_again_with_its_times(read_one):
    turns = [Turn(None, 0.0, 2.5, "Fish & <chips> --> now."), Turn(None, 3661.0625, 3700.0, "An hour later.")]
    written = write_cues(turns, "by hand --> and eye")
    assert "01:01:01.062 --> 01:01:40.000" in written
    assert places(read_one("a.vtt", written)) == [
        (None, 0, 2.5, "Fish & <chips> --> now."),
        (None, 3661.062, 3700, "An hour later."),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40).filter(clean_line),
        min_size=1,
        max_size=5,
    )
)
def test_no_words_are_lost_whatever_is_said(read_one, texts):
    turns = [Turn(None, 20.0 * place, 20.0 * place + 5, f"So {text}") for place, text in enumerate(texts)]
    read = read_one("a.vtt", write_cues(turns))
    for turn in turns:
        for word in clean_line(turn.text).split():
            assert word in read.text


CARRIERS = """\
WEBVTT - w001

NOTE w002
w003

name of the cue
00:00:01.000 --> 00:00:02.000 align:start
<v.loud W004>w005 <i>w006</i> <c.yellow>w007</c> <lang en>w008</lang> <00:00:01.500>w009 <ruby>w010<rt>w011</rt></ruby> &amp; w012</v>
<v W013>w014</v>

00:00:03.000 --> 00:00:04.000
W015: [w016] (w017)

stray words
"""
SUBTITLES = """\
1
00:00:01,000 --> 00:00:02,000 X1:1
<i>w001</i> {\\an8}w002 <font color="red">w003</font> [w004] ♪ w005 ♪

2
00:00:03,000 --> 00:00:04,000
W006: w007
- w008
"""


@pytest.mark.parametrize(("name", "content", "count"), [("a.vtt", CARRIERS, 17), ("a.srt", SUBTITLES, 8)])
def test_every_carrier_of_text_is_stored_once_or_named(read_one, name, content, count):
    document = read_one(name, content)
    stored = f"{document.title}\n{document.text}".lower()
    for number in range(1, count + 1):
        assert stored.count(f"w{number:03d}") == 1, number
    if name == "a.vtt":
        assert "w010(w011) & w012" in stored
        assert document.completeness.left_out == (LeftOut("lines outside of cues", 1, 2),)


def test_remarks_and_lines_outside_of_cues_are_stored_or_named(read_one):
    content = f"{VTT.replace('WEBVTT', 'WEBVTT - Board meeting')}\nNOTE\nPart two\nis lost\n\nchapter\n00:09.000 --> 00:10.000\nBye.\n\nstray words\n"
    document = read_one("a.vtt", content)
    assert document.title == "Board meeting"
    remarks = [block.span.of(document.text) for block in document.blocks_of(BlockKind.COMMENT)]
    assert remarks == ["made by hand", "Part two is lost"]
    assert "Bye." in document.text
    assert document.completeness.left_out == (LeftOut("lines outside of cues", 1, 2),)
