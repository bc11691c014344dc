"""Speech to text on this machine: Moonshine's small English model, whose weights the package ``moonshine-voice`` 0.0.73 carries (MIT).

Jeffries et al., "Moonshine: Speech Recognition for Live Transcription and Voice Commands", arXiv 2410.15608. ``miniaudio`` (MIT) reads
MP3, WAV, FLAC and Ogg Vorbis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ascertain.core.errors import MissingExtra, ModelError, UsageError
from ascertain.core.system.extras import install_command
from ascertain.models.ports import Segment, Transcription

RATE = 16_000
"""Samples a second that the model hears."""
_PIECE = 60 * RATE
"""Samples that are heard at once: the library takes a whole recording as a list of numbers, 2 GB for an hour."""
_SEARCHED = 10 * RATE
"""Samples at the end of a piece in which the quietest moment is looked for, so that no word is cut."""
_MOMENT = RATE // 5
_SLACK = 0.2
"""Seconds that may be missing from what a recording says it lasts: coders pad (MP3 by up to .05 s)."""
_SHORTEST = 0.15
"""Seconds that any word takes: behind a cut the model may hear "You" in a tenth of a second that holds none."""
_PAGE = 65_307
"""Bytes of the longest page of Ogg (RFC 3533, section 6)."""

Samples = npt.NDArray[np.float32]


class MoonshineTranscriber:
    """Moonshine's model ``tiny-en``: English, 27 million parameters. Nothing is sent anywhere, and nothing downloaded."""

    model = "moonshine:tiny-en"

    def __init__(self) -> None:
        self._audio, self._engine = _load_engine()

    def transcribe(self, file: Path) -> Transcription:
        """The transcript of ``file``. Raises UsageError for a recording that cannot be read here, and ModelError if it has no speech."""
        segments: list[Segment] = []
        heard = 0
        for piece in _cut_pieces(self._read_samples(file)):
            lines = self._engine.transcribe_without_streaming(piece.tolist(), RATE).lines
            segments += _drop_first_tries(_read_lines(lines, heard / RATE))
            heard += len(piece)
        gap = self._find_gap(file, heard / RATE)
        if not segments:
            raise ModelError(f"nothing is said in it that the model understood{'; ' + gap if gap else ''}")
        return Transcription(tuple(segments), "english", gap)

    def _read_samples(self, file: Path) -> Iterator[Samples]:
        if file.stat().st_size == 0:
            raise UsageError("the file is empty")
        try:
            opened = self._audio.stream_file(
                str(file), self._audio.SampleFormat.FLOAT32, nchannels=1, sample_rate=RATE, frames_to_read=RATE
            )
            for read in opened:
                # one NaN sample silences a whole piece for the model
                yield np.nan_to_num(np.asarray(read, np.float32), posinf=0.0, neginf=0.0)
        except self._audio.MiniaudioError as error:
            raise UsageError(
                f"it cannot be read ({error.args[0]}); MP3, WAV, FLAC and Ogg Vorbis can: ffmpeg -i FILE NEW.mp3 makes one of most others"
            ) from error

    def _find_gap(self, file: Path, heard: float) -> str:
        """A note on a damaged recording, shorter than its stated length; empty if nothing is missing."""
        with file.open("rb") as opened:
            head = opened.read(12)
            opened.seek(max(0, file.stat().st_size - _PAGE))
            tail = opened.read()
        if head.startswith(b"OggS") and not _has_last_page(tail):
            return f"it breaks off at {heard:.0f} s, in the middle of the file"
        try:
            stated = float(self._audio.get_file_info(str(file)).duration)
        except self._audio.MiniaudioError:
            stated = 0.0
        size = int.from_bytes(head[4:8], "little") + 8
        # 4 GB and nothing stand for a length that was not known when the file was begun
        if head.startswith(b"RIFF") and 8 < size < 2**32 - 2**16:
            stated = heard * size / file.stat().st_size
        return f"only {heard:.1f} of its {stated:.1f} seconds could be read" if stated - heard > _SLACK else ""


def _has_last_page(tail: bytes) -> bool:
    """Whether the last page of an Ogg file says that it is the last (RFC 3533, section 6: the flag 0x04)."""
    flags = tail[tail.rfind(b"OggS") :][5:6]
    return bool(flags) and bool(flags[0] & 4)


def _read_lines(lines: Iterable[Any], start: float) -> Iterator[Segment]:
    """The lines that have words, ``start`` seconds later than the model says."""
    for line in lines:
        begin, text = start + float(line.start_time), " ".join(str(line.text).split())
        if text and line.duration >= _SHORTEST:
            yield Segment(begin, begin + float(line.duration), text)


def _drop_first_tries(segments: Iterable[Segment]) -> list[Segment]:
    """Without segments that lie within the time of the next: at the cut of a piece the model may hear the first word by itself ("Yeah"), and
    then again in its sentence.
    """
    kept: list[Segment] = []
    for each in segments:
        while kept and each.start <= kept[-1].start and kept[-1].end <= each.end:
            kept.pop()
        kept.append(each)
    return kept


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
        raise ModelError(f"this version of moonshine-voice carries no weights: {install_command('speech')}")
    return audio, inner.Transcriber(str(weights), library.ModelArch.TINY)
