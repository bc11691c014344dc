"""A home is its owner's, whatever the umask of whoever makes it."""

import stat
import subprocess
import sys

WORK = """
import os, sys
os.umask(0)
from pathlib import Path
from ascertain import Ascertain
from ascertain.app.access.api_keys import create_key
home, notes = Path(sys.argv[1]), Path(sys.argv[2])
with Ascertain.open(home) as knowledge:
    knowledge.add([notes])
    create_key(knowledge.service, "laptop")
    knowledge.ask("When was the mill built?", conversation_id="c")
    knowledge.jobs.submit_files([("more.md", [b"# More\\n\\nThe mill has two wheels.\\n"])])
    knowledge.service.leases.take("x")
Path(sys.argv[2]).with_name("report.md").write_text("for others")
"""


def test_whatever_is_in_a_home_is_its_owners_alone(tmp_path):
    notes, home = tmp_path / "notes.md", tmp_path / "kb"
    notes.write_text("# The mill\n\nThe mill was built in 1885.\n")
    subprocess.run([sys.executable, "-c", WORK, str(home), str(notes)], check=True)
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in (home, *home.rglob("*"))}
    assert {path for path, mode in found.items() if mode & 0o077} == set()
    assert any(path.suffix == ".lock" for path in found)
    assert any(path.parent.name == "uploads" for path in found)
    # what is made beside it is as the umask says
    assert stat.S_IMODE((tmp_path / "report.md").stat().st_mode) == 0o666
