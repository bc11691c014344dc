"""Speech made text on this machine by the real model; its package carries the recordings: Beckett and the beginning of A Tale of Two Cities."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ascertain.core.errors import ModelError, UsageError
from ascertain.interfaces.cli.application import app
from ascertain.models.speech import moonshine
from ascertain.models.speech.moonshine import RATE, MoonshineTranscriber

if sys.platform != "linux":
    pytest.skip("moonshine-voice 0.0.73 is there for Linux alone", allow_module_level=True)

import soundfile

BECKETT = [(0.1, "ever"), (1.6, "failed"), (3.3, "no matter"), (4.6, "again"), (6.4, "again"), (7.9, "better")]
"""When each sentence begins, seconds, and words of it that the model hears in every form."""
FORMS = {"wav": "PCM_16", "flac": "PCM_16", "ogg": "VORBIS", "mp3": "MPEG_LAYER_III"}


@pytest.fixture(scope="module")
def transcriber():
    return MoonshineTranscriber()


@pytest.fixture(scope="module")
def beckett():
    return read_recording("beckett.wav")


def read_recording(name):
    import moonshine_voice

    samples, rate = soundfile.read(Path(moonshine_voice.__file__).parent / "assets" / name)
    assert rate % RATE == 0
    return samples[:: rate // RATE]


def write(path, samples, rate=RATE):
    soundfile.write(path, samples, rate, subtype=FORMS[path.suffix[1:]])
    return path


def assert_heard(found, wanted=BECKETT):
    assert len(found.segments) == len(wanted), found
    for segment, (start, words) in zip(found.segments, wanted, strict=True):
        assert segment.start == pytest.approx(start, abs=0.3)
        assert words in segment.text.lower()
    assert all(one.end <= other.start + 0.3 for one, other in zip(found.segments, found.segments[1:], strict=False))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_heard_with_the_time_of_each_sentence(transcriber, beckett, tmp_path, form):
    found = transcriber.transcribe(write(tmp_path / f"talk.{form}", beckett))
    assert_heard(found)
    assert found.gap == ""


def test_channels_are_mixed_and_rates_changed(transcriber, beckett, tmp_path):
    stereo = np.stack([np.repeat(beckett, 3), np.zeros(len(beckett) * 3)], 1)
    assert_heard(transcriber.transcribe(write(tmp_path / "talk.wav", stereo, RATE * 3)))


def test_times_run_on_where_a_long_recording_is_cut(transcriber, beckett, tmp_path, monkeypatch):
    monkeypatch.setattr(moonshine, "_PIECE", 6 * RATE)
    monkeypatch.setattr(moonshine, "_SEARCHED", 2 * RATE)
    length = len(beckett) / RATE
    found = transcriber.transcribe(write(tmp_path / "talk.flac", np.tile(beckett, 2)))
    assert_heard(found, [(start + each * length, words) for each in range(2) for start, words in BECKETT])


def test_a_sample_that_is_no_number_costs_no_more_than_itself(transcriber, beckett, tmp_path):
    broken = beckett.copy()
    broken[::9999] = np.nan
    soundfile.write(tmp_path / "talk.wav", broken, RATE, subtype="FLOAT")
    assert_heard(transcriber.transcribe(tmp_path / "talk.wav"))


@pytest.mark.parametrize("form", FORMS)
def test_what_a_recording_that_breaks_off_holds_is_kept_and_the_rest_is_told(transcriber, beckett, tmp_path, form):
    path = write(tmp_path / f"talk.{form}", beckett)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    found = transcriber.transcribe(path)
    assert_heard(found, BECKETT[:3])
    assert "breaks off at 4 s" in found.gap if form == "ogg" else "of its 10.0 seconds could be read" in found.gap


@pytest.mark.parametrize("form", ["flac", "mp3", "ogg"])
def test_a_hole_in_a_recording_is_told(transcriber, beckett, tmp_path, form):
    path = write(tmp_path / f"talk.{form}", beckett)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 3000] = bytes(np.random.default_rng(1).integers(0, 256, 3000, dtype=np.uint8))
    path.write_bytes(content)
    found = transcriber.transcribe(path)
    assert found.segments[0].text.startswith("Ever")
    assert "of its 10.0 seconds could be read" in found.gap


@pytest.mark.parametrize(
    ("samples", "told"),
    [
        (np.zeros(5 * RATE), "nothing is said"),
        (np.zeros(20), "nothing is said"),
        (np.zeros(0), "nothing is said"),
        (np.random.default_rng(0).normal(0, 0.05, 5 * RATE), "nothing is said"),
        (0.3 * np.sin(np.arange(5 * RATE) / 12), "nothing is said"),
    ],
    ids=["silence", "a moment", "no sample", "noise", "a tone"],
)
def test_where_nothing_is_said_that_is_told(transcriber, tmp_path, samples, told):
    with pytest.raises(ModelError, match=told):
        transcriber.transcribe(write(tmp_path / "talk.wav", samples))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the file is empty"),
        (b"This is no sound.\n" * 500, r"cannot be read \(failed to init decoder\); MP3, WAV"),
        (bytes(range(256)) * 40, "MP3, WAV, FLAC and Ogg Vorbis can: ffmpeg"),
        (b"fLaC", "MP3, WAV"),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_recording_is_refused(transcriber, tmp_path, form, content, told):
    path = tmp_path / f"talk.{form}"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=told):
        transcriber.transcribe(path)


def test_ogg_with_another_coder_than_vorbis_is_refused_with_the_remedy(transcriber, beckett, tmp_path):
    soundfile.write(tmp_path / "talk.ogg", beckett, RATE, format="OGG", subtype="OPUS")
    with pytest.raises(UsageError, match=r"Ogg Vorbis can: ffmpeg -i FILE NEW\.mp3"):
        transcriber.transcribe(tmp_path / "talk.ogg")


def test_what_is_said_is_cited_by_its_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    talks = tmp_path / "talks"
    talks.mkdir()
    tale = read_recording("two_cities.wav")
    write(talks / "tale.mp3", tale[20 * RATE : 30 * RATE])
    (talks / "void.mp3").touch()
    runner = CliRunner()
    done = runner.invoke(app, ["transcribe", "talks", "--model", "moonshine", "--json"])
    assert done.exit_code == 1
    heard, void = json.loads(done.stdout)
    assert (heard["failure"], heard["gap"], heard["is_new"]) == ("", "", True)
    assert void["failure"] == "the file is empty"
    assert runner.invoke(app, ["add", "talks"]).exit_code == 0
    answer = json.loads(runner.invoke(app, ["ask", "Where were we all going direct to?", "--json"]).stdout)
    (citation, *_) = answer["citations"]
    assert "heaven" in citation["quote"]
    assert citation["place"]["start_time"] == pytest.approx(4.4, abs=0.3)
