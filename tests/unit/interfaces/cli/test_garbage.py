"""Collections of garbage while a command runs, and its end."""

import subprocess
import sys

ENDING = """
import gc, sys, threading
class Lasting:
    def __del__(self):
        print("freed")
lasting = Lasting()
def show_thresholds():
    threading.main_thread().join()
    print(gc.get_threshold()[:2])
threading.Thread(target=show_thresholds).start()
sys.argv = ["ascertain", *sys.argv[1:]]
from ascertain.interfaces.cli.main import run_cli
run_cli()
"""


def end_command(*words):
    return subprocess.run([sys.executable, "-c", ENDING, *words], check=False, capture_output=True, text=True)


def test_a_command_says_all_and_ends_without_freeing_its_objects():
    done = end_command("--version")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("ascertain")
    assert done.stdout.splitlines()[1:] == ["(50000, 100)"]


def test_a_command_ends_with_its_code():
    done = end_command("no-such-command")
    assert (done.returncode, done.stdout) == (2, "(50000, 100)\n")
    assert "no-such-command" in done.stderr
