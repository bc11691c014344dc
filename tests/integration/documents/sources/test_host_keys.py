"""A source over SSH is read only from a server whose key is known; a real server of OpenSSH's protocol."""

import pytest
from source_servers import PASSWORD, sftp_place

from ascertain.core.errors import SourceError
from ascertain.core.settings import WebSettings
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.connectors.ports import SourceGiven, open_source

OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO0Zr2DzKWMM6bqCkaURsWKPAH8vQ4mPA5nLz4cPZzRF"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with sftp_place(tmp_path_factory.mktemp("sftp")) as place:
        place.put("otters.txt", "Otters live in rivers.")
        yield place


@pytest.fixture
def list_names(place):
    def list_names(**options):
        without = {name: value for name, value in place.options.items() if name != "fingerprint"}
        given = without | {"password": PASSWORD} | options
        source = open_source("files", SourceGiven("shelf", place.address, given, WebSettings(), ReadOptions(), None))
        try:
            return [item.id for item in source.list_items()]
        finally:
            source.close()

    return list_names


def test_a_server_that_nobody_knows_gets_no_password(list_names, place, tmp_path):
    fingerprint = place.host_key.get_fingerprint()
    with pytest.raises(SourceError, match=r"is not in .*nothing") as raised:
        list_names(known_hosts=str(tmp_path / "nothing"))
    assert f"--option fingerprint={fingerprint}" in str(raised.value)


def test_a_server_of_known_hosts_is_read(list_names, place, tmp_path):
    known = tmp_path / "known_hosts"
    key = place.host_key.export_public_key().decode().strip()
    known.write_text(f"[127.0.0.1]:{place.line.port} {key}\n")
    assert list_names(known_hosts=str(known)) == ["otters.txt"]


def test_a_server_whose_key_changed_is_refused(list_names, place, tmp_path):
    known = tmp_path / "known_hosts"
    known.write_text(f"[127.0.0.1]:{place.line.port} {OTHER_KEY}\n")
    with pytest.raises(SourceError, match="has another key than"):
        list_names(known_hosts=str(known))


def test_a_fingerprint_decides_whatever_known_hosts_says(list_names, place):
    assert list_names(fingerprint=place.host_key.get_fingerprint()) == ["otters.txt"]
    with pytest.raises(SourceError, match="not the one given as fingerprint"):
        list_names(fingerprint="SHA256:" + "A" * 43)
