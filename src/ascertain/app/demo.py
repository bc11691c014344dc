"""The demo: a small corpus that comes with the package, and questions that show what can be done with it."""

import tomllib
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ascertain.app.ascertain import Ascertain
from ascertain.core.documents.ingest import IngestReport
from ascertain.core.errors import UsageError
from ascertain.documents.ingest.report import IngestListener


class DemoQuestion(BaseModel):
    """A question and what it shows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    shows: str


class _Folder(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    profile: str


class _Manifest(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    now: datetime
    folder: tuple[_Folder, ...]
    question: tuple[DemoQuestion, ...]


@dataclass(frozen=True, slots=True)
class Demo:
    """``now`` is the moment the demo pretends it is; ``folders`` are pairs of a folder and its profile."""

    now: datetime
    folders: tuple[tuple[Path, str], ...]
    questions: tuple[DemoQuestion, ...]


def read_demo() -> Demo:
    """The demo that comes with the package."""
    # the package is always installed unpacked: models are memory-mapped from it too
    root = Path(str(files("ascertain"))) / "data" / "demo_corpus"
    manifest = _Manifest.model_validate(tomllib.loads((root / "demo.toml").read_text(encoding="utf-8")))
    folders = tuple((root / folder.path, folder.profile) for folder in manifest.folder)
    return Demo(manifest.now, folders, manifest.question)


def add_demo(knowledge: Ascertain, demo: Demo, listener: IngestListener | None = None) -> list[IngestReport]:
    """Add the demo's documents, one report per folder; UsageError when the home has other documents."""
    if knowledge.exists:
        roots = tuple(str(folder) for folder, _ in demo.folders)
        foreign = next((r for r in knowledge.documents() if not r.source.startswith(roots)), None)
        if foreign is not None:
            raise UsageError(
                f"{knowledge.place} already holds other documents ({foreign.source}); "
                "give the demo a folder of its own: ascertain demo --home demo.kb"
            )
    return [knowledge.add([folder], profile=profile, listener=listener) for folder, profile in demo.folders]
