"""The commands of tutorials and how-to guides work in the order in which a page has them, over stand-ins for a reader's own files.

Those that need a server, the internet, an answer at the terminal or a name to fill in are only parsed (``tests/unit/project/test_site.py``).
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from docx import Document

ROOT = Path(__file__).parents[2]
PAGES = ("tutorials/your-files", "tutorials/podcasts-and-papers", "how-to/back-up", "security")
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_HERE = re.compile(r"^(ui|serve|watch|demo|transcribe|validate)\b|://|arxiv:|\b(ID|NAME)\b")
# Every command is a process of its own.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def commands(page: str) -> list[list[str]]:
    blocks = "\n".join(BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8")))
    lines = re.findall(r"^ascertain (.+)$", blocks, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines if not NOT_HERE.search(line)]


@pytest.fixture
def folder(tmp_path, demo):
    """A folder with what the pages name."""
    shutil.copytree(demo.folder / "demo.kb", tmp_path / "demo.kb")
    shutil.copytree(demo.folder / "demo.kb", tmp_path / "team.kb")
    for name, text in (
        ("handbook/refunds.md", "# Refunds\n\nRefunds are paid within five working days.\n"),
        ("papers/retrieval.md", "# Retrieval\n\nWe compare BM25 with dense retrieval on ten sets.\n"),
        ("episodes/time.vtt", "WEBVTT\n\n00:00.000 --> 00:09.000\n<v Ines>A leap second is added at midnight.\n"),
    ):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, "utf-8")
    contract = Document()
    contract.add_paragraph("The notice period is three months.")
    contract.save(str(tmp_path / "handbook" / "contract.docx"))
    return tmp_path


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.sample if page == PAGES[0] else ()) for page in PAGES]
)
def test_commands_of_a_page_work_in_their_order(page, folder, run_ascertain):
    lines = commands(page)
    assert lines
    for line in lines:
        done = run_ascertain(*line, cwd=folder, HOME=str(folder))
        assert done.code == 0, f"{shlex.join(line)}: {done.err}{done.out}"
