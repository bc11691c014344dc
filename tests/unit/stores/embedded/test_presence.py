import os
import signal
import subprocess
import sys

from ascertain.stores.embedded.home import Presence

STAY = """
import sys
from pathlib import Path
from ascertain.stores.embedded.home import Presence
presence = Presence(Path(sys.argv[1]))
print(presence.announce(), flush=True)
sys.stdin.readline()
"""


def test_one_token_for_as_long_as_one_stays(tmp_path):
    presence, watcher = Presence(tmp_path / "running"), Presence(tmp_path / "running")
    token = presence.announce()
    assert presence.announce() == token
    assert watcher.is_alive(token)
    assert presence.is_alive(token)
    presence.leave()
    assert not watcher.is_alive(token)
    assert presence.announce() != token
    presence.leave()
    assert list((tmp_path / "running").iterdir()) == []


def test_nobody_is_alive_who_never_came(tmp_path):
    assert not Presence(tmp_path / "running").is_alive("unknown")


def test_a_killed_process_is_no_longer_there_and_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", STAY, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    token = process.stdout.readline().strip()
    watcher = Presence(tmp_path)
    assert watcher.is_alive(token)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert not watcher.is_alive(token)
    assert list(tmp_path.iterdir()) == []
