"""``ascertain transcribe``: recordings to text, to be added like any other transcript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import format_duration, strip_control

if TYPE_CHECKING:
    from ascertain.core.documents.ingest import Transcribed


@spread_options
def transcribe_recordings(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Recordings (MP3, WAV, M4A, FLAC, OGG, WebM), or folders of them."),
    ],
    shared: SharedOptions,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="moonshine, or openai:NAME, with ?base_url=ADDRESS behind it for a server of your own.",
        ),
    ] = "openai:whisper-1",
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="DIR", help="Where transcripts go.  [default: beside the recording]"),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also if there is a transcript already.")] = False,
) -> None:
    """Write transcripts of recordings. The speech model is on a server or on this machine.

    Each becomes a WebVTT file with the time of every sentence, which you can proofread and correct before you add it; citations
    then name the minute. The recording is sent to the server: OpenAI's, which needs a key in OPENAI_API_KEY and is paid by the
    minute, or one of your own that speaks its API (whisper.cpp, speaches, LocalAI, vLLM). With --model moonshine (experimental, of the
    extra speech) it stays here: English, MP3, WAV, FLAC and Ogg. talk.mp3 becomes talk.vtt; a recording with a transcript is not
    sent again.

    \b
    Examples:
      ascertain transcribe talks/
      ascertain transcribe talks/ --model moonshine
      ascertain transcribe talk.mp3 --model "openai:whisper?base_url=http://localhost:8000/v1"
      ascertain transcribe talks/ --into transcripts/ && ascertain add transcripts/ --profile podcasts
    """
    from ascertain.app.adding.transcribing import find_recordings, transcribe_recordings

    invocation = Invocation(context, shared)
    recordings = find_recordings(paths)
    done: list[Transcribed] = []
    for number, each in enumerate(transcribe_recordings(recordings, model, into, again=again), 1):
        done.append(each)
        if not invocation.as_json:
            invocation.out.print(f"{number} of {len(recordings)}: {_describe(each)}", markup=False)
    if invocation.as_json:
        invocation.emit(done)
    if any(each.failure for each in done):
        raise typer.Exit(1)


def _describe(done: Transcribed) -> str:
    if done.failure:
        return strip_control(f"{done.recording}: failed: {done.failure}")
    if not done.is_new:
        return strip_control(f"{done.transcript} exists already (--again rewrites it)")
    length = f"{format_duration(done.seconds)}, {format_count(done.segments, 'segment')}"
    language = f", {done.language}" if done.language else ""
    return strip_control(f"{done.transcript}: {length}{language}{'; ' + done.gap if done.gap else ''}")
