import pytest

from ascertain.sources.formats.reader import decode_text

WORDS = "Größe: 5 € – “naïve” Ελληνικά"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_recognises_unicode(encoding):
    text = WORDS if "-le" not in encoding and "-be" not in encoding else "Plain words without a mark."
    assert decode_text(text.encode(encoding)) == text


def test_falls_back_to_windows_1252():
    assert decode_text("Größe: 5 € – “naïve”".encode("cp1252")) == "Größe: 5 € – “naïve”"


@pytest.mark.parametrize("data", [bytes(range(256)) * 4, b"\x7fELF\x02\x01\x01" + bytes(50), b"\xff\xfe\x00\xd8\x00"])
def test_refuses_binary(data):
    with pytest.raises(ValueError, match=r"binary|not valid"):
        decode_text(data)
