"""``ascertain serve`` as a process: how it begins, how it ends, and what survives."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from material import GEARBOX, QUESTION, REFUNDS
from running_service import PATIENCE, client_of, ended, upload


class Process:
    """A service of its own over ``home``, once it answers."""

    def __init__(self, home, *options, **environ):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ascertain", "serve", "--home", str(home), "--port", "0", "--json", *options],
            env={**kept, "OMP_NUM_THREADS": "1", "ASCERTAIN_MODELS__THREADS": "1", **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.told = self._process.stdout.readline()
        assert self.told, self._process.communicate()[1]
        self.url = json.loads(self.told)["url"]
        # or it would stand still once the pipe is full
        self.log = []
        self._reader = threading.Thread(target=lambda: self.log.extend(self._process.stderr), daemon=True)
        self._reader.start()

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self):
        return self._process.wait(PATIENCE)

    def kill(self):
        # all that it started too: they hold the pipes open, and may outlive it
        kill_all(self._process.pid)
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self._process.stdout.close()
        self._process.stderr.close()


@pytest.fixture
def serve(tmp_path):
    started = []

    def start(*options, **environ):
        started.append(Process(tmp_path / "kb", *options, **environ))
        return started[-1]

    yield start
    for process in started:
        process.kill()


def refused(home, *options):
    finished = subprocess.run(
        [sys.executable, "-m", "ascertain", "serve", "--home", str(home), *options],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return finished.returncode, finished.stderr


def test_any_other_address_than_loopback_needs_a_key(tmp_path):
    code, told = refused(tmp_path / "kb", "--host", "0.0.0.0")
    assert code == 2
    assert "ascertain keys add" in told
    assert "0.0.0.0" in told


def test_a_first_key_is_made_once_and_lets_others_in(serve):
    first = serve("--host", "0.0.0.0", "--first-key", "me")
    started = json.loads(first.told)
    assert started["key"].startswith("ask_")
    assert started["open"] is False
    with client_of(first.url.replace("0.0.0.0", "127.0.0.1")) as client:
        assert client.get("/v1/documents").status_code == 401
        assert client.get("/v1/documents", headers={"X-API-Key": started["key"]}).status_code == 200
    first.signal(signal.SIGTERM)
    assert first.wait() == 0
    assert json.loads(serve("--host", "0.0.0.0", "--first-key", "me").told)["key"] is None


def test_an_address_that_is_taken_is_told_at_once(tmp_path):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, told = refused(tmp_path / "kb", "--port", str(taken.getsockname()[1]))
    assert code == 2
    assert "cannot listen on 127.0.0.1" in told


def test_it_begins_empty_and_open_and_ends_when_it_is_told_to(serve):
    service = serve()
    assert json.loads(service.told)["open"] is True
    with client_of(service.url) as client:
        assert client.get("/readyz").status_code == 200
        assert client.get("/v1/documents").json() == {"documents": [], "total": 0}
        assert client.post("/v1/ask", json={"question": QUESTION}).status_code == 409
    service.signal(signal.SIGTERM)
    assert service.wait() == 0
    lines = [json.loads(line) for line in service.log]
    assert {"/v1/documents", "/v1/ask"} <= {line.get("route") for line in lines}
    assert QUESTION not in "".join(service.log)


@pytest.mark.slow
def test_sigterm_under_load_finishes_what_was_asked_and_keeps_what_was_accepted(serve):
    service = serve("--workers", "1")
    with client_of(service.url) as client:
        upload(client, {"refunds.md": REFUNDS})
    outcomes, accepted = [], []

    def ask(number):
        with client_of(service.url) as client:
            body = {"question": QUESTION, "cache": False, "conversation_id": f"c{number}"}
            outcomes.append(client.post("/v1/ask", json=body).status_code)

    def send(number):
        with client_of(service.url) as client:
            files = [("files", (f"gearbox{number}.md", GEARBOX))]
            accepted.append(client.post("/v1/documents", files=files).status_code)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8) for work in (ask, send)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PATIENCE
    while "running 1" not in figures(service.url) and not outcomes and time.monotonic() < until:
        time.sleep(0.01)
    while len(accepted) < 8 and time.monotonic() < until:
        time.sleep(0.01)
    service.signal(signal.SIGTERM)
    for thread in threads:
        thread.join(PATIENCE)
    assert service.wait() == 0
    assert outcomes == [200] * 8
    assert accepted == [202] * 8
    again = serve()
    with client_of(again.url) as client:
        for job in client.get("/v1/jobs").json()["jobs"]:
            assert ended(client, job)["state"] == "finished"
        assert client.get("/v1/documents").json()["total"] == 9
        turns = [client.get(f"/v1/conversations/c{n}").json()["turns"] for n in range(8)]
        assert [turn["state"] for (turn,) in turns] == ["finished"] * 8


def figures(url):
    return httpx.get(f"{url}/metrics", trust_env=False).text


@pytest.mark.sample
@pytest.mark.slow
def test_after_a_kill_uploads_go_on_and_conversations_are_whole(serve):
    service = serve()
    with client_of(service.url) as client:
        upload(client, {"refunds.md": REFUNDS})
        body = {"question": QUESTION, "conversation_id": "shop"}
        before = client.post("/v1/ask", json=body).json()
        files = [("files", (f"gearbox{n}.md", GEARBOX * (n + 1))) for n in range(20)]
        job = client.post("/v1/documents", files=files).json()["job"]
        service.kill()
    again = serve()
    with client_of(again.url) as client:
        assert ended(client, job)["state"] == "finished"
        assert client.get("/v1/documents").json()["total"] == 21
        (turn,) = client.get("/v1/conversations/shop").json()["turns"]
        assert turn["whole"] == before
        body = {"question": "And which card is it paid to?", "conversation_id": "shop"}
        assert client.post("/v1/ask", json=body).json()["type"] == "followup_answer"


def find_processes(**given):
    """Their numbers: those with this ``parent``, or of this ``session``."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                _, parent, _, session, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
                if given.items() <= {"parent": int(parent), "session": int(session)}.items():
                    found.append(int(entry.name))
    return found


def kill_all(session):
    for pid in find_processes(session=session):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def children_of(pid):
    """The processes that answer, of a service with several."""
    return [each for each in find_processes(parent=pid) if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


def wait_until(holds):
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_several_processes_answer_and_one_that_is_killed_is_replaced(serve):
    service = serve("--workers", "2")
    pid = service._process.pid
    wait_until(lambda: len(children_of(pid)) == 2)
    with client_of(service.url) as client:
        upload(client, {"refunds.md": REFUNDS})
        killed = children_of(pid)[0]
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: len(children_of(pid)) == 2 and killed not in children_of(pid))
        answers = [client.post("/v1/ask", json={"question": QUESTION, "cache": False}) for _ in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 6
        assert len({answer.json()["answer"] for answer in answers}) == 1
    service.signal(signal.SIGTERM)
    assert service.wait() == 0
    assert children_of(pid) == []


def test_processes_end_when_the_one_that_started_them_is_killed(serve):
    service = serve("--workers", "2")
    wait_until(lambda: len(children_of(service._process.pid)) == 2)
    children = children_of(service._process.pid)
    assert children
    service.signal(signal.SIGKILL)
    wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in children))


def test_processes_end_when_the_one_that_started_them_is_killed_before_they_answer(tmp_path):
    command = [
        sys.executable,
        "-m",
        "ascertain",
        "serve",
        "--home",
        str(tmp_path / "kb"),
        "--port",
        "0",
        "--workers",
        "2",
    ]
    starting = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_until(lambda: len(children_of(starting.pid)) == 2)
        children = children_of(starting.pid)
        starting.kill()
        starting.wait(PATIENCE)
        wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
    finally:
        kill_all(starting.pid)
