"""Collections of garbage while a command runs and at its end."""

import subprocess
import sys

ENDING = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_threshold()[:2], gc.get_freeze_count() > 0))
sys.argv = ["ascertain", "--version"]
from ascertain.cli.main import run_cli
run_cli()
"""


def test_a_command_leaves_its_objects_alone_when_it_ends():
    done = subprocess.run([sys.executable, "-c", ENDING], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "(50000, 100) True"
