"""A collector on loopback that the process sends its traces to."""

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[3]
sys.path.insert(0, str(TESTS / "servers"))
sys.path.insert(0, str(TESTS / "unit" / "workflow" / "ask"))


@pytest.fixture
def collector(monkeypatch):
    """Where the traces of this process go; ``stop_tracing()`` makes sure that they have arrived."""
    from otlp_collector import OtlpCollector

    from ascertain.app.telemetry.tracing import stop_tracing

    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    collecting = OtlpCollector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collecting.url)
    yield collecting
    stop_tracing()
    collecting.close()
