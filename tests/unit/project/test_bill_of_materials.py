"""What ships is accounted for: NOTICE and requirements/shipped.toml, from which `make bill` writes the bill of materials."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "src" / "ascertain"
SHIPPED = tomllib.loads((ROOT / "requirements" / "shipped.toml").read_text(encoding="utf-8"))["component"]
NOTICE = (ROOT / "NOTICE").read_text(encoding="utf-8")
OF_OTHERS = (
    "interfaces/server/page/vendor/*.js",
    "interfaces/server/page/fonts/*.woff2",
    "models/data/*.onnx",
    "models/data/*.json",
)


def test_every_file_that_others_made_is_accounted_for():
    named = {name for each in SHIPPED for name in each["files"]}
    assert named == {str(path.relative_to(PACKAGE)) for form in OF_OTHERS for path in PACKAGE.glob(form)}


def test_licences_and_model_cards_are_where_they_are_said_to_be():
    for each in SHIPPED:
        assert (PACKAGE / each["text"]).is_file() if "text" in each else "card" in each
        page, _, heading = each.get("card", "README.md#ascertain").partition("#")
        headings = re.findall(r"^#+ (.+)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert heading in {title.lower().replace(" ", "-") for title in headings}


def test_versions_of_the_page_libraries_are_those_that_were_fetched():
    fetched = dict(re.findall(r"^fetch (\S+) (\S+) ", (ROOT / ".ci" / "vendor_page").read_text(), re.MULTILINE))
    assert {each["name"]: each["version"] for each in SHIPPED if "purl" in each} == fetched


def test_the_notice_has_every_locked_package_and_everything_in_the_wheel():
    lock = (ROOT / "requirements" / "plain.txt").read_text(encoding="utf-8")
    for name, version in re.findall(r"^([a-z0-9._-]+)==(\S+)", lock, re.MULTILINE):
        assert re.search(rf"^{name} [^:]*\b{re.escape(version)}\b.*: \S", NOTICE, re.MULTILINE), "run `make bill`"
    for each in SHIPPED:
        assert f"{each['name']} {each['version']}: {each['licence']}" in NOTICE, "run `make bill`"
    assert "NOTICE" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license-files"]


@pytest.mark.parametrize("said", ["sha256:" + "5" * 64, "no such host"])
def test_images_are_pinned_by_the_digest_that_docker_says_or_left_as_they_are(tmp_path, said):
    for name in ("Dockerfile", "compose.yaml", "kubernetes/postgres.yaml", "pin_images"):
        copied = tmp_path / "deploy" / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text((ROOT / "deploy" / name).read_text())
    docker = tmp_path / "docker"
    docker.write_text(f"#!/bin/sh\necho '{said}'\n")
    docker.chmod(0o755)
    before = (tmp_path / "deploy" / "Dockerfile").read_text()
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    for _ in range(2):
        done = subprocess.run(
            ["sh", tmp_path / "deploy" / "pin_images"],
            env={**os.environ, "PATH": path},
            capture_output=True,
            check=False,
        )
    after = (tmp_path / "deploy" / "Dockerfile").read_text()
    if said.startswith("sha256:"):
        assert done.returncode == 0
        assert re.findall(r"^ARG PYTHON.*", after, re.MULTILINE) == [f"ARG PYTHON_IMAGE=python:3.11-slim@{said}"]
        assert f"image: pgvector/pgvector:pg18@{said}\n" in (tmp_path / "deploy" / "compose.yaml").read_text()
    else:
        assert done.returncode == 1
        assert after == before
