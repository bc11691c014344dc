from pathlib import Path

import pytest

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings.profiles import read_toml


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"a = 1\nb =\n", ":2: not valid TOML"),
        (b"a = 1\n[b\n", ":2: not valid TOML"),
        (b'a = """\nnever closed\n', ":3: not valid TOML"),
        (b"a = 1\na = 2\n", ":2: not valid TOML"),
        (b"a = '\xff'\n", ": not UTF-8 (byte 5)"),
    ],
)
def test_faults_name_file_and_line(tmp_path: Path, content: bytes, place: str):
    path = tmp_path / "x.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        read_toml(path)
    assert str(caught.value).startswith(f"{path}{place}")
    assert "(at " not in str(caught.value)


def test_byte_order_mark_is_accepted(tmp_path: Path):
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml(path) == {"a": 1}


def test_folder_in_place_of_a_file_is_refused(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_toml(tmp_path)
