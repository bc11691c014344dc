"""Transcripts of recordings, written as WebVTT files that can be proofread, corrected and added like any other file."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ascertain.core.documents.ingest import Transcribed
from ascertain.core.errors import AscertainError, UsageError
from ascertain.documents.formats.speech.cues import write_cues
from ascertain.documents.formats.speech.turns import Turn
from ascertain.models.ports import Transcriber, Transcription
from ascertain.models.speech.transcribe import RECORDINGS, open_transcriber


def find_recordings(paths: Sequence[Path]) -> list[Path]:
    """The recordings among ``paths``, folders walked. Raises UsageError for a missing path, or if there are no recordings."""
    recordings: list[Path] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
        within = sorted(each for each in path.rglob("*") if _is_recording(each)) if path.is_dir() else [path]
        recordings += within
    if not recordings:
        raise UsageError(f"no recordings found; supported formats: {', '.join(sorted(RECORDINGS))}")
    return recordings


def _is_recording(path: Path) -> bool:
    return path.is_file() and path.suffix.lower().removeprefix(".") in RECORDINGS


def transcribe_recordings(
    recordings: Sequence[Path], model: str, folder: Path | None = None, *, again: bool = False
) -> Iterator[Transcribed]:
    """Each recording with its transcript by ``model``, beside it or in ``folder``; an existing one is left alone, unless ``again``.

    A failure is reported, and the others continue. Raises ConfigurationError for a model that cannot be opened.
    """
    return _transcribe_each(recordings, open_transcriber(model), folder, again=again)


def _transcribe_each(
    recordings: Sequence[Path], transcriber: Transcriber, folder: Path | None, *, again: bool
) -> Iterator[Transcribed]:
    names = Counter((folder or each.parent, each.stem) for each in recordings)
    for recording in recordings:
        place = folder or recording.parent
        # two recordings of one name (talk.mp3, talk.wav) keep their suffixes
        name = recording.stem if names[place, recording.stem] == 1 else recording.name
        target = place / f"{name}.vtt"
        if target.exists() and not again:
            yield Transcribed(str(recording), str(target))
            continue
        try:
            found = transcriber.transcribe(recording)
            remark = f"transcribed from {recording.name} by {transcriber.model}{'; ' + found.gap if found.gap else ''}"
            _write_whole(target, write_cues(_list_turns(found), remark))
        except (AscertainError, OSError) as error:
            yield Transcribed(str(recording), failure=str(error))
            continue
        seconds = max(each.end for each in found.segments)
        yield Transcribed(
            str(recording), str(target), len(found.segments), seconds, found.language, is_new=True, gap=found.gap
        )


def _list_turns(found: Transcription) -> Iterator[Turn]:
    for each in found.segments:
        yield Turn(None, each.start, each.end, each.text)


def _write_whole(target: Path, text: str) -> None:
    """Move the file into place once all of it is written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
