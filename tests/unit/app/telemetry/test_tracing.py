import importlib.util
import subprocess
import sys

import pytest

from ascertain.app.telemetry import tracing
from ascertain.app.telemetry.tracing import incoming_trace, trace_events, trace_headers
from ascertain.core.asking.requests import NodeStarted
from ascertain.core.errors import MissingExtra
from ascertain.core.settings import Settings

EVENTS = (NodeStarted("rewrite"), NodeStarted("plan"))


def test_without_the_setting_events_pass_untouched():
    events = iter(EVENTS)
    assert trace_events(events, question="q", settings=Settings()) is events


def test_without_the_setting_opentelemetry_is_not_even_imported():
    code = (
        "import sys; from ascertain.core.settings import Settings; from ascertain.app.telemetry.tracing import trace_events;"
        "list(trace_events(iter(()), question='q', settings=Settings()));"
        "print([name for name in sys.modules if name.startswith(('opentelemetry', 'openinference', 'prometheus'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


def test_the_setting_without_the_packages_names_the_extra(monkeypatch):
    monkeypatch.setattr(tracing, "_provider", None)
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name.startswith("openinference") else found(name)
    )
    with pytest.raises(MissingExtra, match=r"telemetry.traces needs .*\[tracing\]"):
        trace_events(iter(EVENTS), question="q", settings=Settings(telemetry={"traces": True}))


def test_the_trace_of_a_request_is_known_inside_it_only():
    with incoming_trace({"traceparent": "00-1-2-01", "cookie": "x"}):
        assert trace_headers() == {"traceparent": "00-1-2-01"}
    assert trace_headers() == {}
