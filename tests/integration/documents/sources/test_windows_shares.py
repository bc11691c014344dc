"""Whoever names a user of a share has to know the password, whoever else of this process is connected as that user."""

import pytest
from cloud_servers import share_place
from source_servers import PASSWORD

from ascertain.core.errors import SourceError
from ascertain.core.settings import WebSettings
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.connectors.ports import SourceGiven, open_source

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with share_place(tmp_path_factory.mktemp("smb")) as place:
        place.put("otters.txt", "Otters live in rivers.")
        yield place


def opened(place, password):
    given = {**place.options, "password": password}
    return open_source("files", SourceGiven("shelf", place.address, given, WebSettings(), ReadOptions(), None))


def test_a_wrong_password_is_refused_while_somebody_is_connected(place):
    source = opened(place, PASSWORD)
    try:
        assert [item.id for item in source.list_items()] == ["otters.txt"]
        with pytest.raises(SourceError, match="logon is invalid"):
            opened(place, "wrong staple")
    finally:
        source.close()


def test_what_is_gone_since_it_was_listed_is_no_failure(place):
    from ascertain.documents.sources.connectors.ports import ItemGone

    place.put("moles.txt", "Moles dig.")
    source = opened(place, PASSWORD)
    try:
        with pytest.raises(ItemGone):
            for item in source.list_items():
                place.delete("moles.txt")
                source.read(item)
    finally:
        source.close()
