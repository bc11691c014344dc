"""How recordings are cut and named; the two libraries are doubles here. tests/integration/models/test_speech.py hears real speech."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from ascertain.app.adding.transcribing import transcribe_recordings
from ascertain.core.errors import MissingExtra
from ascertain.models.speech.transcribe import open_transcriber


class DecodeError(Exception):
    pass


@pytest.fixture
def heard(monkeypatch, tmp_path):
    """The lengths of the pieces that the model is given; a file holds seconds of a tone with a pause at 53 seconds."""
    pieces = []

    class Engine:
        def __init__(self, weights, architecture):
            assert architecture == "tiny"

        def transcribe_without_streaming(self, samples, rate):
            pieces.append(len(samples) / rate)
            line = SimpleNamespace(start_time=1.5, duration=2.0, text=f"  piece  {len(pieces)} ")
            return SimpleNamespace(lines=[line, SimpleNamespace(start_time=4.0, duration=0.1, text=" ")])

    def stream_file(path, form, *, nchannels, sample_rate, frames_to_read):
        seconds = int(Path(path).read_text() or 0)
        if seconds < 0:
            raise DecodeError("unknown form")
        for second in range(seconds):
            yield np.full(frames_to_read, 0.0 if second == 53 else 0.5, np.float32)

    audio, library, inner = ModuleType("miniaudio"), ModuleType("moonshine_voice"), ModuleType("transcriber")
    audio.stream_file, audio.MiniaudioError = stream_file, DecodeError
    audio.get_file_info = lambda path: SimpleNamespace(duration=float(Path(path).read_text()))
    audio.SampleFormat = SimpleNamespace(FLOAT32="float32")
    library.__file__, library.ModelArch = str(tmp_path / "package" / "__init__.py"), SimpleNamespace(TINY="tiny")
    inner.Transcriber = Engine
    weights = tmp_path / "package" / "assets" / "tiny-en"
    weights.mkdir(parents=True)
    (weights / "encoder_model.ort").touch()
    for name, module in (("miniaudio", audio), ("moonshine_voice", library), ("moonshine_voice.transcriber", inner)):
        monkeypatch.setitem(sys.modules, name, module)
    return pieces


def test_a_long_recording_is_heard_in_pieces_that_are_cut_where_it_is_quiet(heard, tmp_path):
    (tmp_path / "talk.mp3").write_text("70")
    (done,) = transcribe_recordings([tmp_path / "talk.mp3"], "moonshine")
    assert done.failure == ""
    assert 53 <= heard[0] <= 54
    assert sum(heard) == pytest.approx(70)
    text = (tmp_path / "talk.vtt").read_text()
    assert "transcribed from talk.mp3 by moonshine:tiny-en" in text
    assert "00:00:01.500 --> 00:00:03.500\npiece 1" in text
    assert f"00:00:{heard[0] + 1.5:06.3f} --> " in text


def test_recordings_of_one_name_keep_their_suffixes(heard, tmp_path):
    for name in ("talk.mp3", "talk.wav", "other.mp3"):
        (tmp_path / name).write_text("3")
    done = transcribe_recordings([tmp_path / name for name in ("talk.mp3", "talk.wav", "other.mp3")], "moonshine")
    assert [each.transcript.rpartition("/")[2] for each in done] == ["talk.mp3.vtt", "talk.wav.vtt", "other.vtt"]


@pytest.mark.parametrize(("content", "told"), [("", "empty"), ("-1", "ffmpeg"), ("0", "nothing is said")])
def test_a_recording_that_cannot_be_heard_is_told(heard, tmp_path, content, told):
    (tmp_path / "talk.mp3").write_text(content)
    (done,) = transcribe_recordings([tmp_path / "talk.mp3"], "moonshine")
    assert told in done.failure


def test_without_the_extra_its_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "moonshine_voice", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[speech\]"):
        open_transcriber("moonshine")
