import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files

import pytest
from streamlit import config

from ascertain.core.errors import MissingExtra
from ascertain.core.settings import UiSettings
from ascertain.ui import launch
from ascertain.ui.launch import PageSettings, page_environment


def test_page_gets_its_settings_by_the_environment():
    settings = UiSettings(api_url="http://10.0.0.7:9000")
    page = PageSettings.of({**page_environment(settings), "ASCERTAIN_API_KEY": "secret"})
    assert page == PageSettings("http://10.0.0.7:9000", "secret")


def test_page_without_any_environment_talks_to_this_machine():
    assert PageSettings.of({}) == PageSettings("http://127.0.0.1:8000", None)


def test_streamlit_knows_every_option_and_sends_nothing():
    options = launch.streamlit_options(UiSettings())
    assert set(options) <= set(config.get_config_options())
    assert options["browser.gatherUsageStats"] is False
    assert options["logger.hideWelcomeMessage"] is True


def test_missing_streamlit_names_the_extra(monkeypatch):
    monkeypatch.setattr(launch, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"ascertain\[ui\]"):
        launch.check_streamlit()


def test_streamlits_document_still_has_the_place_where_its_server_is_named():
    document = (files("streamlit") / "static" / "index.html").read_text(encoding="utf-8")
    named = launch.name_place(document)
    assert named.index("BACKEND_BASE_URL") < named.index('<script type="module"')
    assert len(named) > len(document)


def test_answering_service_is_told_from_an_empty_port(closed_port):
    assert launch.is_answering(f"http://127.0.0.1:{closed_port}") is False
    server = HTTPServer(("127.0.0.1", 0), Healthy)
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    assert launch.is_answering(f"http://127.0.0.1:{server.server_port}/") is True
    thread.join()
    server.server_close()


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, *_):
        pass
