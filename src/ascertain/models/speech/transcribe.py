"""Speech to text by a model on a server: ``openai:NAME``, on OpenAI's server or, with ``base_url``, on any other that speaks its API;
``moonshine`` is a small one on this machine (``models.moonshine``).

whisper.cpp, faster-whisper-server, speaches, LocalAI and vLLM answer ``POST /audio/transcriptions`` with ``response_format=verbose_json``,
which brings the times of what is said (OpenAI API reference, Create transcription).
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ascertain.core.errors import ConfigurationError, ModelError, UsageError
from ascertain.models.embed.cards import read_card, read_key
from ascertain.models.ports import Segment, Transcriber, Transcription
from ascertain.models.servers.breaker import SPEECH
from ascertain.models.servers.server import PATIENCE, ModelServer
from ascertain.models.speech.moonshine import MoonshineTranscriber

OPENAI = "https://api.openai.com/v1"
OPENAI_BYTES = 25 * 1024 * 1024
"""Of a file that OpenAI takes (its speech to text guide)."""
RECORDINGS = frozenset("flac m4a mp3 mp4 mpeg mpga oga ogg wav webm".split())
"""Suffixes of what OpenAI takes (its speech to text guide)."""
LONGEST = 900.0
"""Seconds for one recording unless the options say otherwise: models on a processor take about as long as what they hear (by judgement)."""
_SETTING = "--model"


class HostedTranscriber:
    """A speech model on a server."""

    def __init__(self, model: str, server: ModelServer, most_bytes: int | None) -> None:
        self.model = model
        self._server = server
        self._most_bytes = most_bytes

    def transcribe(self, file: Path) -> Transcription:
        """The transcript of ``file``. Raises ModelError if the server does not answer or its reply is unusable, OSError, and UsageError for
        a file that is empty or larger than the server takes.
        """
        size = file.stat().st_size
        if size == 0:
            raise UsageError("the file is empty")
        if self._most_bytes is not None and size > self._most_bytes:
            raise UsageError(
                f"the file has {size / 1024**2:.0f} MB, and OpenAI takes {self._most_bytes / 1024**2:.0f}; "
                "cut it or compress it, as with ffmpeg -i FILE -b:a 32k SMALLER.mp3"
            )
        fields = {"model": self.model, "response_format": "verbose_json", "timestamp_granularities[]": "segment"}
        with self._server.admit_call():
            return read_transcription(self._server.post_file("/audio/transcriptions", fields, file, PATIENCE))


def open_transcriber(name: str) -> Transcriber:
    """The model of ``openai:NAME?options`` or ``moonshine``; raises ConfigurationError for another kind, an unknown option or a key that is
    missing, and MissingExtra.
    """
    if name in ("moonshine", "moonshine:tiny-en"):
        return MoonshineTranscriber()
    kind, _, rest = name.partition(":")
    if kind != "openai":
        raise ConfigurationError(
            f"{_SETTING} {name!r}: no such kind of model; moonshine runs on this machine, and your own server is "
            "openai:NAME?base_url=http://HOST/v1"
        )
    card = read_card(kind, rest, _SETTING)
    if "seconds" not in card.given:
        card = replace(card, options=card.options.model_copy(update={"seconds": LONGEST}))
    key = read_key(card, "OPENAI_API_KEY", _SETTING)
    server = ModelServer(card, card.options.base_url or OPENAI, key, _SETTING, SPEECH)
    return HostedTranscriber(card.model, server, None if card.options.base_url else OPENAI_BYTES)


def read_transcription(reply: Mapping[str, Any]) -> Transcription:
    """The segments of a ``verbose_json`` reply, in the order of time. Raises ModelError without times, or without speech."""
    listed = reply.get("segments")
    if not isinstance(listed, list):
        if "text" in reply:
            raise ModelError("the server gives no times; use a model that supports verbose_json, such as whisper-1")
        raise ModelError("the server's reply is not a transcription")
    found = [segment for each in cast("list[object]", listed) if (segment := _read_segment(each))]
    if not found:
        raise ModelError("nothing is said in it that the model understood")
    language = reply.get("language")
    return Transcription(tuple(sorted(found, key=lambda one: one.start)), language if isinstance(language, str) else "")


def _read_segment(value: object) -> Segment | None:
    """None for one without words or without times."""
    if not isinstance(value, dict):
        return None
    table = cast("dict[str, object]", value)
    text, start, end = table.get("text"), table.get("start"), table.get("end")
    if not isinstance(text, str) or not text.strip() or not isinstance(start, int | float) or not math.isfinite(start):
        return None
    until = float(end) if isinstance(end, int | float) and math.isfinite(end) else start
    start = max(0.0, float(start))
    return Segment(start, max(start, until), " ".join(text.split()))
