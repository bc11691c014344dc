"""Writes the size and the newest release of every direct dependency into docs/dependencies.md.

    make dependencies

What a package is for and what would replace it is written by hand; a test wants a row for each one. uv looks the newest versions up, and
installs those that pyproject.toml allows, each without its own dependencies, into a folder that is thrown away.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
TOOLS = ("dev", "bench")
"""Extras of people who work on Ascertain; users install none of them."""


def main() -> None:
    """Write the two columns of each row."""
    uv = Path(sys.executable).with_name("uv")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names, allowed, lock, target = (
            folder / "names.txt",
            folder / "allowed.txt",
            folder / "pylock.toml",
            folder / "target",
        )
        direct = find_direct()
        names.write_text("\n".join(sorted(map(name_package, direct))), encoding="utf-8")
        allowed.write_text("\n".join(direct), encoding="utf-8")
        subprocess.run(
            [uv, "pip", "compile", "--quiet", "--no-deps", "--format", "pylock.toml", "-o", lock, names], check=True
        )
        subprocess.run([uv, "pip", "install", "--quiet", "--no-deps", "--target", target, "-r", allowed], check=True)
        locked = tomllib.loads(lock.read_text(encoding="utf-8"))["packages"]
        released = {each["name"]: find_release(each) for each in locked}
        sizes = {name_package(each.name): measure_size(each) for each in distributions(path=[str(target)])}
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        re.sub(r"^\| `([\w.-]+)` \|.*$", lambda row: update_row(row, sizes, released), text, flags=re.MULTILINE),
        encoding="utf-8",
    )


def find_direct() -> list[str]:
    """What a user's installation asks for itself, the extras among it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [each for name, listed in project["optional-dependencies"].items() if name not in TOOLS for each in listed]
    return sorted({each for each in [*project["dependencies"], *extras] if name_package(each) != "ascertain"})


def name_package(requirement: str) -> str:
    """The name that a requirement begins with, as indexes write it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


def find_release(package: dict[str, Any]) -> str:
    """The month in which the first file of the version was uploaded."""
    files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
    return min(each["upload-time"] for each in files).strftime("%Y-%m")


def measure_size(package: Distribution) -> str:
    """Megabytes of its own files."""
    size = (
        sum(
            Path(str(file.locate())).stat().st_size
            for file in package.files or ()
            if Path(str(file.locate())).is_file()
        )
        / 1e6
    )
    return f"{size:.0f}" if size >= 10 else f"{size:.1f}"


def update_row(row: re.Match[str], sizes: dict[str, str], released: dict[str, str]) -> str:
    """The row with its two columns."""
    cells = [cell.strip() for cell in row[0].strip("|").split("|")]
    cells[-3:-1] = [sizes[row[1]], released[row[1]]]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
