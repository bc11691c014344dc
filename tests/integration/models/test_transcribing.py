"""Recordings made text by a server on loopback that answers as OpenAI documents, and asked about."""

from __future__ import annotations

import json

import pytest
from scripted_chat_server import fails, says, sends, silent
from typer.testing import CliRunner

from ascertain.core.documents.ingest import Transcribed
from ascertain.interfaces.cli.application import app

SEGMENTS = [
    {"id": 1, "start": 64.5, "end": 70.25, "text": " The night tram leaves the harbour at 23:40 & stops <twice>."},
    {"id": 0, "start": 0.0, "end": 6.0, "text": " Welcome to the show about trams."},
    {"id": 2, "start": 70.25, "end": 70.25, "text": "  "},
]


def transcription(segments=SEGMENTS, **more):
    body = {"task": "transcribe", "language": "english", "duration": 71.0, "text": "...", "segments": segments, **more}
    return sends(json.dumps(body).encode())


@pytest.fixture
def talks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "trams.mp3").write_bytes(b"ID3 not really sound")
    return folder


@pytest.fixture
def transcribe(scripted_chat_server, talks):
    def run(*arguments, options="&retries=0"):
        model = f"openai:whisper-1?base_url={scripted_chat_server.base_url}{options}"
        return CliRunner().invoke(app, ["transcribe", "talks", "--model", model, *arguments])

    return run


def test_a_recording_becomes_a_transcript_whose_minute_is_cited(transcribe, talks, scripted_chat_server):
    scripted_chat_server.script(transcription())
    done = transcribe("--json")
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)
    assert Transcribed.from_json(row).to_json() == row
    assert (row["segments"], row["seconds"], row["language"], row["is_new"], row["failure"]) == (
        2,
        70.25,
        "english",
        True,
        "",
    )
    (request,) = scripted_chat_server.requests
    assert request.path == "/v1/audio/transcriptions"
    form = request.body["form"].decode()
    for part in ('name="model"', "whisper-1", "verbose_json", 'filename="trams.mp3"', "ID3 not really sound"):
        assert part in form
    assert "authorization" not in request.headers  # the key of OpenAI is for OpenAI alone

    runner = CliRunner()
    assert runner.invoke(app, ["add", "talks"]).exit_code == 0
    answer = json.loads(runner.invoke(app, ["ask", "When does the night tram leave the harbour?", "--json"]).stdout)
    assert "23:40 & stops <twice>" in answer["citations"][0]["quote"]
    assert answer["citations"][0]["place"]["start_time"] == pytest.approx(64.5)


def test_what_has_a_transcript_is_not_sent_again(transcribe, scripted_chat_server):
    scripted_chat_server.script(transcription())
    assert transcribe().exit_code == 0
    done = transcribe()
    assert "exists already" in done.stdout
    assert len(scripted_chat_server.requests) == 1
    assert transcribe("--again").exit_code == 0
    assert len(scripted_chat_server.requests) == 2


def test_a_server_that_is_busy_is_asked_again_after_the_time_it_names(transcribe, scripted_chat_server):
    scripted_chat_server.script(fails(429, retry_after="0"), transcription())
    done = transcribe(options="&retries=1")
    assert done.exit_code == 0, done.output
    assert len(scripted_chat_server.requests) == 2


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (fails(401, "Incorrect API key provided"), "401"),
        (fails(413, "Maximum content size limit exceeded"), "413"),
        (sends(b"<html>"), "not JSON"),
        (sends(b"[1]"), "not of this API"),
        (sends(b'{"text": "Welcome."}'), "gives no times"),
        (sends(b'{"answer": 42}'), "not a transcription"),
        (says("Welcome."), "not a transcription"),
        (transcription([]), "nothing is said"),
        (
            transcription([{"start": "soon", "end": None, "text": 7}, None, {"start": 1e999, "text": "x"}]),
            "nothing is said",
        ),
        (silent, "--model"),
    ],
)
def test_a_recording_that_fails_is_told_and_the_others_go_on(transcribe, talks, scripted_chat_server, behaviour, told):
    (talks / "zebras.wav").write_bytes(b"RIFF")
    scripted_chat_server.script(behaviour, transcription())
    done = transcribe(options="&retries=0&seconds=0.5" if behaviour is silent else "&retries=0")
    assert done.exit_code == 1
    first, second = done.stdout.splitlines()
    assert "trams.mp3: failed" in first
    assert told in first
    assert "zebras.vtt: 1 min 10 s, 2 segments, english" in second
    assert [each.name for each in talks.glob("*.vtt")] == ["zebras.vtt"]


def test_what_cannot_be_sent_is_refused_before(talks, monkeypatch):
    runner = CliRunner()
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused = runner.invoke(app, ["transcribe", "talks"])
    assert refused.exit_code == 1 and "OPENAI_API_KEY is empty" in str(refused.exception)
    unknown = runner.invoke(app, ["transcribe", "talks", "--model", "whisper"])
    assert unknown.exit_code == 1 and "no such kind" in str(unknown.exception)
    assert "does not exist" in str(runner.invoke(app, ["transcribe", "nowhere"]).exception)
    (talks / "trams.mp3").rename(talks / "trams.txt")
    assert "no recordings found" in str(runner.invoke(app, ["transcribe", "talks"]).exception)


def test_a_file_larger_than_openai_takes_or_empty_costs_nothing(talks, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    with (talks / "trams.mp3").open("wb") as out:
        out.truncate(26 * 1024 * 1024)
    (talks / "void.ogg").touch()
    done = CliRunner().invoke(app, ["transcribe", "talks"])
    assert done.exit_code == 1
    assert "26 MB, and OpenAI takes 25" in done.stdout
    assert "void.ogg: failed: the file is empty" in done.stdout


def test_recordings_that_are_added_are_told_how_to_read(talks):
    (talks / "notes.md").write_text("The tram was painted green in 1931.")
    done = CliRunner().invoke(app, ["add", "talks"])
    assert done.exit_code == 0
    assert "ascertain transcribe" in " ".join(done.output.split())
