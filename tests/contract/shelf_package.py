"""The package whose modules docs/extending.md shows."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
_MODULE = re.compile(r"^```py\n# (\S+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROJECT = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODULES = dict(_MODULE.findall(PAGE.read_text("utf-8")))


def write_package(folder):
    """Its files, with the tests that the page shows beside it."""
    (folder / "shelf").mkdir(parents=True)
    (folder / "shelf" / "__init__.py").touch()
    for name, text in MODULES.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "pyproject.toml").write_text(_PROJECT.search(PAGE.read_text("utf-8"))[1], "utf-8")


def install_package(folder):
    """Where it is installed, built from its files by pip, without any network."""
    write_package(folder / "source")
    where = ["--target", str(folder / "installed"), str(folder / "source")]
    alone = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", *alone, *where], check=True, timeout=120)
    return folder / "installed"
