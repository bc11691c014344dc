import importlib.util

import pytest

from ascertain import Ascertain, Settings
from ascertain.app.access.api_keys import check_reach, create_key
from ascertain.core.errors import MissingExtra, UsageError
from ascertain.interfaces import mcp
from ascertain.interfaces.mcp.server import http_app
from ascertain.interfaces.mcp.tools import Reach


def test_other_addresses_need_a_key_before_anything_is_served(tmp_path):
    with Ascertain(Settings(home=tmp_path / "kb")) as knowledge:
        with pytest.raises(UsageError, match="ascertain keys add"):
            http_app(knowledge, Reach(), "0.0.0.0")
        create_key(knowledge.service, "agents")
        assert not check_reach(knowledge.container, "0.0.0.0")


def test_without_the_sdk_the_extra_is_named(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(mcp, "find_spec", lambda name: None if name == "mcp" else found(name))
    with pytest.raises(MissingExtra, match=r"pip install .*\[mcp\]"):
        mcp.check_mcp_sdk()
