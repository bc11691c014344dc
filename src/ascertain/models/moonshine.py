"""Speech made text on this machine: Moonshine's small English model, whose weights the package ``moonshine-voice`` 0.0.73 carries (MIT).

Jeffries et al., "Moonshine: Speech Recognition for Live Transcription and Voice Commands", arXiv 2410.15608. ``miniaudio`` (MIT) reads
MP3, WAV, FLAC and Ogg Vorbis.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ascertain.core.errors import MissingExtra, ModelError, UsageError
from ascertain.models.transcribe import Segment, Transcription

RATE = 16_000
"""Samples a second that the model hears."""
_PIECE = 60 * RATE
"""Samples that are heard at once: the library takes a whole recording as a list of numbers, 2 GB for an hour."""
_SEARCHED = 10 * RATE
"""Samples at the end of a piece in which the quietest moment is looked for, so that no word is cut."""
_MOMENT = RATE // 5

Samples = npt.NDArray[np.float32]


class MoonshineTranscriber:
    """Moonshine's model ``tiny-en``: English, 27 million parameters. Nothing is sent anywhere, and nothing downloaded."""

    model = "moonshine:tiny-en"

    def __init__(self) -> None:
        self._audio, self._engine = _load_engine()

    def transcribe(self, file: Path) -> Transcription:
        """What is said in ``file``. Raises UsageError for a recording that cannot be read here, and ModelError where nothing is said."""
        segments: list[Segment] = []
        start = 0
        for piece in _cut_pieces(self._read_samples(file)):
            heard = self._engine.transcribe_without_streaming(piece.tolist(), RATE)
            for line in heard.lines:
                begin = start / RATE + float(line.start_time)
                if text := " ".join(str(line.text).split()):
                    segments.append(Segment(begin, begin + float(line.duration), text))
            start += len(piece)
        if not segments:
            raise ModelError("nothing is said in it that the model understood")
        return Transcription(tuple(segments), "english")

    def _read_samples(self, file: Path) -> Iterator[Samples]:
        if file.stat().st_size == 0:
            raise UsageError("the file is empty")
        try:
            opened = self._audio.stream_file(
                str(file), self._audio.SampleFormat.FLOAT32, nchannels=1, sample_rate=RATE, frames_to_read=RATE
            )
            for read in opened:
                yield np.asarray(read, np.float32)
        except self._audio.MiniaudioError as error:
            raise UsageError(
                f"it cannot be read ({error}); MP3, WAV, FLAC and Ogg Vorbis can: ffmpeg -i FILE NEW.mp3 makes one of most others"
            ) from error


def _cut_pieces(read: Iterator[Samples]) -> Iterator[Samples]:
    """A recording in pieces of a minute at most, cut where it is quietest."""
    waiting = np.zeros(0, np.float32)
    for samples in read:
        waiting = np.concatenate([waiting, samples])
        if len(waiting) >= _PIECE:
            cut = _find_quiet(waiting)
            yield waiting[:cut]
            waiting = waiting[cut:]
    if len(waiting):
        yield waiting


def _find_quiet(samples: Samples) -> int:
    """The middle of the quietest fifth of a second among the last ten of ``samples``."""
    searched = samples[-_SEARCHED:]
    moments = searched[: len(searched) // _MOMENT * _MOMENT].reshape(-1, _MOMENT)
    quietest = int(np.argmin(np.square(moments).mean(axis=1)))
    return len(samples) - len(searched) + quietest * _MOMENT + _MOMENT // 2


def _load_engine() -> tuple[Any, Any]:
    """The library that reads recordings, and the model; raises MissingExtra."""
    try:
        audio: Any = import_module("miniaudio")
        library: Any = import_module("moonshine_voice")
        inner: Any = import_module("moonshine_voice.transcriber")
    except ImportError as error:
        raise MissingExtra("--model moonshine", "speech") from error
    weights = Path(str(library.__file__)).parent / "assets" / "tiny-en"
    if not list(weights.glob("*.ort")):
        raise ModelError("this version of moonshine-voice carries no weights: pip install 'ascertain[speech]'")
    return audio, inner.Transcriber(str(weights), library.ModelArch.TINY)
