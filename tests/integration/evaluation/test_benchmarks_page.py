import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_the_tables_of_the_pages_are_those_of_the_results():
    checked = subprocess.run(
        [sys.executable, "bench/report.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", ["benchmarks", "scaling"])
def test_every_image_of_the_page_is_there(name):
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    images = [line.split("](")[1].rstrip(")") for line in page.splitlines() if line.startswith("![")]
    assert images
    assert [image for image in images if not (ROOT / "docs" / image).is_file()] == []
