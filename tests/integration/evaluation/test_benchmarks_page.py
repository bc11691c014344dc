import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_the_tables_of_the_pages_are_those_of_the_results():
    checked = subprocess.run(
        [sys.executable, "-m", "bench.tables.report", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", ["benchmarks", "scaling"])
def test_every_image_of_the_page_is_there(name):
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    images = [line.split("](")[1].rstrip(")") for line in page.splitlines() if line.startswith("![")]
    assert images
    assert [image for image in images if not (ROOT / "docs" / image).is_file()] == []


def test_the_command_of_every_results_file_is_named():
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    results = [path.name for path in sorted((ROOT / "bench" / "results").glob("*.json"))]
    assert [name for name in results if f"results/{name}" not in page] == []


def test_every_command_of_the_page_is_there():
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    modules = re.findall(r"^python -m (bench[.\w]+)", page, re.MULTILINE)
    assert len(modules) > 30
    assert [name for name in modules if not (ROOT / name.replace(".", "/")).with_suffix(".py").is_file()] == []
