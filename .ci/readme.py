"""Runs every command of README.md from top to bottom, in a fresh clone and a fresh environment: with all extras, then without any.

Where a command says that an extra is missing, what it says to run is run, and then the command again: no message may lead nowhere.
Needs the network for pip. ``python .ci/readme.py all`` or ``plain`` runs one of the two.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALL = re.compile(r"(?:\S+ -m )?pip install \S.*")
TYPED = {"ascertain chat": "how do refunds work?\n/sources\n/quit\n"}
SERVES = {"ascertain ui"}
NEEDS_A_MODEL = {"ascertain models try"}
"""There is no Ollama here: these say so in one line."""
APART = "ragas"
"""The extra that holds others back, for an environment of its own."""
HANDBOOK = "# Refunds\n\nA refund is granted within 30 days of the purchase. The receipt must be shown.\n"
PATIENCE = 900


def read_commands() -> list[str]:
    """The lines of the blocks, without comments."""
    lines = "\n".join(BLOCK.findall((ROOT / "README.md").read_text("utf-8"))).splitlines()
    return [line.split(" #")[0].strip() for line in lines if line.strip()]


def write_files(folder: Path) -> None:
    """What the README takes for granted: a handbook and a paper."""
    spec = importlib.util.spec_from_file_location("read_every_format", ROOT / ".ci" / "read_every_format.py")
    assert spec
    assert spec.loader
    formats = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(formats)
    for name in ("handbook", "papers"):
        (folder / name).mkdir()
    (folder / "handbook" / "refunds.md").write_text(HANDBOOK)
    (folder / "papers" / "retrieval.pdf").write_bytes(formats.write_pdf("We compare BM25 with dense retrieval."))


class Reader:
    """Somebody who types what the README says."""

    def __init__(self, folder: Path, is_plain: bool) -> None:
        self._is_plain = is_plain
        self._clone = folder / "ascertain"
        self._folder = folder / "documents"
        self._folder.mkdir()
        write_files(self._folder)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASCERTAIN", "PYTHON"))}
        quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_QUIET": "1", "PIP_NO_COMPILE": "1"}
        path = f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**kept, **quiet, "PATH": path, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}

    def type(self, line: str) -> None:
        """One line; ends the program where it does not work."""
        if line.startswith("git clone"):
            subprocess.run(["git", "clone", "--quiet", ROOT, self._clone], check=True)
        elif line.startswith("pip install"):
            self._run("pip install ." if self._is_plain else line, self._clone)
        elif line in SERVES:
            self._serve(line)
        else:
            self._run(line, self._folder)

    def try_extras(self) -> None:
        """What installs the extras that go together can be carried out, as far as pip tells without doing so."""
        project = tomllib.loads((self._clone / "pyproject.toml").read_text("utf-8"))["project"]
        extras = sorted(project["optional-dependencies"].keys() - {"dev", "bench", APART})
        code = "import sys; from ascertain.core.system.extras import install_command; print(install_command(*sys.argv[1:]))"
        told = self._call(f'python -c "{code}" {" ".join(extras)}', self._folder).stdout.strip()
        self._run(told.replace("pip install", "pip install --dry-run", 1), self._folder)

    def _run(self, line: str, folder: Path) -> None:
        done = self._call(line, folder)
        print(f"$ {line}  ({done.returncode})", flush=True)
        if done.returncode and (command := INSTALL.search(done.stderr)):
            self._install(command[0])
            done = self._call(line, folder)
        if "Traceback" in done.stderr or bool(done.returncode) is not (line in NEEDS_A_MODEL):
            sys.exit(f"{line}\n{done.stdout}{done.stderr}")

    def _install(self, command: str) -> None:
        if not self._is_plain:
            sys.exit(f"an extra is missing although all were installed: {command}")
        self._run(command, self._folder)

    def _serve(self, line: str) -> None:
        """Start it, fetch the page, end it."""
        probe = self._call(f"{line} --help", self._folder)
        assert probe.returncode == 0, probe.stderr
        command = f"exec {line} --no-browser --port 0"
        for _ in range(2):
            with subprocess.Popen(
                command,
                shell=True,
                cwd=self._folder,
                env=self._environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as serving:
                assert serving.stdout
                assert serving.stderr
                started = re.search(r"http://\S+", serving.stdout.readline())
                if started:
                    page = urllib.request.urlopen(started[0], timeout=60).read()
                    serving.terminate()
                    serving.communicate(timeout=120)
                    print(f"$ {line}  ({len(page):,} bytes of a page)", flush=True)
                    return
                said = serving.stderr.read()
            if not (told := INSTALL.search(said)):
                break
            self._install(told[0])
        sys.exit(f"{line}\n{said}")

    def _call(self, line: str, folder: Path) -> subprocess.CompletedProcess[str]:
        given = TYPED.get(line, "")
        environment = self._environment
        return subprocess.run(
            line,
            shell=True,
            cwd=folder,
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


def main(kinds: list[str]) -> None:
    """Both kinds, or those that are named."""
    for kind in kinds or ["all", "plain"]:
        started = time.monotonic()
        folder = Path(tempfile.mkdtemp(prefix="ascertain-readme-"))
        try:
            reader = Reader(folder, is_plain=kind == "plain")
            commands = read_commands()
            for line in commands:
                reader.type(line)
            if kind == "plain":
                reader.try_extras()
            print(f"README, {kind}: {len(commands)} commands work ({time.monotonic() - started:.0f} s).", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
