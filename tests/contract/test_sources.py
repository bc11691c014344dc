"""The sources in the tree that need no server pass the suite for those of others; tests/integration/documents/sources has the servers."""

import json
import subprocess
import zipfile

import pytest

from ascertain.core.settings import WebSettings
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.connectors.ports import SourceGiven, open_source
from ascertain.testing import SourceContract

TEXTS = {"otters.md": "# Otters\n\nThey live in rivers.", "sub/moles.txt": "Moles dig tunnels."}


def given(address, **options):
    return SourceGiven("shelf", str(address), options, WebSettings(), ReadOptions(), None)


@pytest.fixture
def folder(tmp_path):
    for name, text in TEXTS.items():
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "texts"


class TestFolder(SourceContract):
    @pytest.fixture
    def source(self, folder):
        return open_source("folder", given(folder))


class TestZip(SourceContract):
    @pytest.fixture
    def source(self, folder, tmp_path):
        with zipfile.ZipFile(tmp_path / "texts.zip", "w") as packed:
            for name, text in TEXTS.items():
                packed.writestr(name, text)
        source = open_source("files", given(f"zip://::file://{tmp_path / 'texts.zip'}"))
        assert [item.id for item in source.list_items()] == list(TEXTS)
        return source


class TestRepository(SourceContract):
    @pytest.fixture
    def source(self, folder, tmp_path):
        as_ann = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        for command in (["init", "-q"], ["add", "-A"], [*as_ann, "commit", "-qm", "Texts"]):
            subprocess.run(["git", *command], cwd=folder, check=True)
        (folder / "later.md").write_text("Not committed.")
        issue = {"number": 7, "title": "Otters bite", "body": "They do.", "user": {"login": "bob"}, "comments": []}
        moment = {
            "created_at": "2024-12-05T10:00:00Z",
            "updated_at": "2024-12-06T10:00:00Z",
            "labels": [{"name": "bug"}],
        }
        (tmp_path / "issues.json").write_text(json.dumps([{**issue, **moment}]))
        source = open_source("git", given(folder, issues=str(tmp_path / "issues.json")))
        assert [item.id for item in source.list_items()] == [*TEXTS, "issues/7"]
        return source


class TestLlamaHub(SourceContract):
    @pytest.fixture
    def source(self, tmp_path):
        (tmp_path / "animals.json").write_text(json.dumps({"animal": "otter", "food": "fish"}))
        return open_source("llamahub", given("llamahub:json.JSONReader", input_file=str(tmp_path / "animals.json")))
