from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

from ascertain.app.ascertain import Ascertain
from ascertain.core.settings import StoreSettings

STARTS = 4
"""Attempts to start a cluster."""
PARTS = Path(__file__).with_name("worker_parts.py")

sys.path.insert(0, str(Path(__file__).parents[4] / "contract"))


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory):
    import backend_postgres

    with backend_postgres.backend(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture
def place(postgres, request: pytest.FixtureRequest) -> Callable[[str], StoreSettings]:
    """Settings of a store of one's own on the server."""
    name = f"{request.node.originalname[:30]}"

    def settings(suffix: str = "", **fields: object) -> StoreSettings:
        return postgres.settings(f"{name}{suffix}", **fields)

    return settings


@pytest.fixture(scope="session")
def parts() -> ModuleType:
    from ray import cloudpickle

    spec = util.spec_from_file_location("worker_parts", PARTS)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules["worker_parts"] = module
    spec.loader.exec_module(module)
    cloudpickle.register_pickle_by_value(module)
    return module


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One cluster for all tests of a module, which the runs join: starting one takes longer than what they do."""
    with ExitStack() as running:
        enter_cluster(running)
        yield


def enter_cluster(running: ExitStack) -> None:
    """Start a cluster; again where Ray gives up, as it does when a busy machine takes more than 30 s for it."""
    import ray

    from ascertain.core.settings import RaySettings
    from ascertain.documents.ingest.cluster.ray_data import RayCluster

    for attempt in range(1, STARTS + 1):
        try:
            running.enter_context(RayCluster(RaySettings(workers=2)).crew())
        except Exception:
            if attempt == STARTS:
                raise
            ray.shutdown()
        else:
            return


@pytest.fixture
def opened(parts: ModuleType, tmp_path: Path) -> Iterator[Callable[..., Ascertain]]:
    """Knowledge bases with cheap vectors, closed at the end."""
    open_: list[Ascertain] = []

    def open_knowledge(store: StoreSettings, engine: str, pause: float = 0.0, **ray: object) -> Ascertain:
        settings = parts.settings_of(store, tmp_path / "home", engine, **ray)
        open_.append(Ascertain(settings, embedder=parts.CheapEmbedder(pause)))
        return open_[-1]

    yield open_knowledge
    for knowledge in open_:
        knowledge.close()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(60):
        words = f"Note {number} is about the fox that saw hen number {number}. "
        (folder / f"note{number:03}.txt").write_text(words * (1 + 23 * (number % 5)) + "\n")
    story = " ".join(f"word{n} of the story about a fox" for n in range(60))
    for number in (7, 21, 55):
        (folder / f"note{number:03}.txt").write_text(f"{story} {number}")
    (folder / "empty.txt").write_text("")
    return folder


@pytest.fixture
def places(place) -> tuple[StoreSettings, StoreSettings]:
    """A store for the cluster and one to compare it with."""
    return place("_ray"), place("_local")
