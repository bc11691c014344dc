"""The one rule for encodings."""

import codecs
import unicodedata
from contextlib import suppress

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ascertain.documents.formats.files.encodings import (
    Basis,
    LineDecoder,
    decode_head,
    decode_names,
    decode_text,
    known_codec,
)
from tests.growth import assert_linear

WORDS = "Größe: 5 € – “naïve” Ελληνικά"
RUSSIAN = "Ключ от эллинга хранится у сторожа, который живёт у моста."
CHINESE = "码头仓库的钥匙由仓库管理员保管，每周三下午盘点库存。"
TAIWAN = "碼頭倉庫的鑰匙由倉庫管理員保管，每週三下午盤點庫存。"
JAPANESE = "灯台は岬の先にあり、灯台守の田中花子が毎晩明かりをともします。"
KOREAN = "등대는 곶 끝에 있으며 등대지기 김민수가 매일 밤 불을 켭니다."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_recognises_unicode(encoding):
    text = WORDS if "-le" not in encoding and "-be" not in encoding else "Plain words without a mark."
    found = decode_text(text.encode(encoding))
    assert found.text == text
    assert found.note is None


@pytest.mark.parametrize("data", [bytes(range(256)) * 4, b"\x7fELF\x02\x01\x01" + bytes(50), b"\xff\xfe\x00\xd8\x00"])
def test_refuses_binary(data):
    with pytest.raises(ValueError, match=r"binary|not valid"):
        decode_text(data)


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "KOI8-R"),
        (RUSSIAN, "iso8859-5", "ISO-8859-5"),
        (RUSSIAN, "cp866", "CP866"),
        (CHINESE, "gbk", "GB18030"),
        (TAIWAN, "big5", "Big5"),
        (JAPANESE, "cp932", "Shift_JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        (JAPANESE, "iso2022_jp", "ISO-2022-JP"),
        (KOREAN, "euc_kr", "EUC-KR"),
        ("Zażółć gęślą jaźń, a potem wróć do przystani.", "iso8859-2", "ISO-8859-2"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy u přístavu.", "cp1250", "windows-1250"),
        ("Größe: 5 € – “naïve”", "cp1252", "windows-1252"),
        ("Le bateau est amarré à côté du café, près de la forêt.", "cp1252", "windows-1252"),
        ("The harbour’s own “berth” – no other – costs £5.", "cp1252", "windows-1252"),
        ("Το κλειδί του λεμβοστασίου το κρατά ο φύλακας.", "cp1253", "windows-1253"),
        ("İskelenin anahtarı köprünün yanında yaşayan bekçide.", "cp1254", "windows-1254"),
        ("המפתח של בית הסירות נמצא אצל השומר.", "cp1255", "windows-1255"),
        ("مفتاح المرسى عند الحارس الذي يسكن قرب الجسر.", "cp1256", "windows-1256"),
        ("Laevasilla võti on valvuri käes, kes elab silla kõrval.", "cp1257", "windows-1257"),
        ("กุญแจของโรงเรืออยู่กับยามเฝ้าท่าเรือ", "cp874", "windows-874"),
    ],
)
def test_detects_the_encoding_of_a_single_line(text, encoding, name):
    found = decode_text(text.encode(encoding))
    assert (found.text, found.encoding) == (text, name)
    if found.basis is not Basis.VALID:
        assert f"encoding not declared: read as {name}" in str(found.note)


def test_says_where_it_is_not_sure():
    assert (
        decode_text("Zürich".encode("cp1252")).note == "encoding not declared: read as windows-1252, which may be wrong"
    )
    assert decode_text((RUSSIAN * 3).encode("cp1251")).note == "encoding not declared: read as windows-1251"


@pytest.mark.parametrize(
    ("head", "text", "encoding"),
    [
        (b'<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">', "ÅÄÖ “quoted” – dash", "cp1252"),
        (b"<html><head><meta charset=Shift_JIS>", JAPANESE, "cp932"),
        (b"<html><head><meta charset=x-sjis>", "ページ", "cp932"),
        (b"<?xml version='1.0' encoding='EUC-JP'?>", "日本語", "euc_jp"),
        (b"<META CHARSET='ks_c_5601-1987'>", "한국어", "cp949"),
        (b'<meta content="text/html; charset=windows-1251" http-equiv=content-type>', "мы", "cp1251"),
        (b'<meta charset="gb2312">', "中文", "gbk"),
        (b"#!/usr/bin/python\n# -*- coding: koi8-r -*-\n", "имя", "koi8-r"),
        (b"# vim: set fileencoding=cp1251 :\n", "имя", "cp1251"),
        (b".. -*- coding: latin-2 -*-\n", "źdźbło", "iso8859-2"),
        (b"\\documentclass{book}\n\\usepackage[cp1251]{inputenc}\n", "да", "cp1251"),
        (b"= Title\n:encoding: ISO-8859-2\n", "źdźbło", "iso8859-2"),
        (b'@charset "koi8-r";\n', "имя", "koi8-r"),
    ],
)
def test_believes_what_a_file_says_of_itself(head, text, encoding):
    found = decode_text(head + text.encode(encoding))
    assert text in found.text
    assert (found.basis, found.note) == (Basis.DECLARED, None)


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        (WORDS.encode(), "iso-8859-1"),
        (WORDS.encode(), "utf-16"),
        (WORDS.encode(), "no-such-encoding"),
        (WORDS.encode(), "hex"),
        (WORDS.encode(), "idna"),
        (WORDS.encode(), "utf-7"),
        (codecs.BOM_UTF8 + WORDS.encode(), "iso-8859-1"),
        (codecs.BOM_UTF16_LE + WORDS.encode("utf-16-le"), "utf-8"),
        (b'<meta charset="koi8-r">' + WORDS.encode(), None),
        (b"<?xml version='1.0' encoding='UTF-16'?>" + WORDS.encode(), None),
        (WORDS.encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_distrusts_a_declaration_that_the_bytes_speak_against(data, charset):
    assert WORDS in decode_text(data, charset).text


def test_a_header_is_believed_before_the_page():
    assert "русский" in decode_text(b'<meta charset="windows-1251">' + "русский".encode("koi8-r"), "koi8-r").text


def test_a_declaration_that_does_not_fit_is_left_to_detection():
    assert decode_text(RUSSIAN.encode("cp1251"), "utf-8").text == RUSSIAN
    assert (
        decode_text("Le café est à côté de la forêt.".encode("cp1252"), "utf-8").text
        == "Le café est à côté de la forêt."
    )
    assert decode_text((RUSSIAN * 2).encode("cp1251"), "euc-jp").text == RUSSIAN * 2


def test_a_few_damaged_characters_change_no_encoding():
    japanese = decode_text((JAPANESE * 5).encode("cp932") + b"\x81\n", "shift_jis")
    assert japanese.text.startswith(JAPANESE)
    assert japanese.note == "some characters could not be read as Shift_JIS"
    utf8 = decode_text((RUSSIAN * 5).encode() + b" caf\xe9 " + (RUSSIAN * 5).encode())
    assert utf8.text == f"{RUSSIAN * 5} café {RUSSIAN * 5}"
    assert utf8.note == "some bytes are not valid UTF-8: read as windows-1252"
    assert decode_text((RUSSIAN * 5).encode()[:-1]).text.startswith(RUSSIAN)


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("latin-1", "cp1252"),
        ("ISO8859-1", "cp1252"),
        ("us-ascii", "cp1252"),
        ("gb2312", "gb18030"),
        ("x-gbk", "gb18030"),
        ("shift_jis", "cp932"),
        ("windows-31j", "cp932"),
        ("ks_c_5601-1987", "cp949"),
        ("x-mac-cyrillic", "mac-cyrillic"),
        ("windows-874", "cp874"),
        ("ISO-8859-8-I", "iso8859-8"),
        (' "utf8" ', "utf-8"),
        ("utf-7", None),
        ("hex", None),
        ("rot13", None),
        ("unicode_escape", None),
        ("\0", None),
    ],
)
def test_names_mean_what_browsers_take_them_for(name, codec):
    assert known_codec(name) == codec


LEGACY = [
    *(f"cp125{number}" for number in range(9)),
    *"cp866 koi8-r koi8-u iso8859-2 iso8859-5 iso8859-7 iso8859-15 cp932 cp949 cp950 gb18030 euc_jp mac-cyrillic".split(),
]


@given(st.sampled_from(LEGACY), st.data())
def test_a_declared_text_is_exact_unless_it_is_valid_utf8(encoding, data):
    letters = bytes(range(0xA1, 0xFF)).decode(encoding, "ignore") if encoding != "gb18030" else "中文字"
    # what Python has for bytes that are no characters in Shift_JIS
    letters = "".join(each for each in letters if unicodedata.category(each) != "Co")
    letters += {"cp932": "ソ表灯台", "cp949": "등대", "cp950": "碼頭", "euc_jp": "灯台"}.get(encoding, "")
    text = data.draw(st.text(st.sampled_from(f"{letters}abc XYZ09.,\n"), max_size=60))
    encoded = text.encode(encoding, "ignore")
    expected = encoded.decode(encoding)
    found = decode_text(encoded, encoding).text
    try:
        valid = encoded.decode("utf-8")
    except UnicodeDecodeError:
        assert found == expected
    else:
        assert found == valid


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff")),
    st.sampled_from([*LEGACY, "utf-8", None]),
)
@example("é", "cp1252")
def test_valid_utf8_always_wins(text, charset):
    assume("\x1b" not in text)
    assert decode_text(text.encode(), charset).text == text


@given(st.binary(max_size=300), st.one_of(st.none(), st.text(max_size=12), st.sampled_from(LEGACY)))
def test_any_bytes_are_text_or_a_reason(data, charset):
    try:
        found = decode_text(data, charset)
    except ValueError as error:
        assert str(error)
    else:
        found.text.encode()
        assert found.encoding


def test_a_long_text_is_detected_in_a_sample():
    data = b"plain words of a licence\n" * 20_000 + (RUSSIAN + "\n").encode("cp1251") * 100_000
    found = decode_text(data)
    assert (found.encoding, found.basis) == ("windows-1251", Basis.DETECTED)
    chinese = decode_text(CHINESE.encode("gbk") * 20_000)
    assert chinese.text == CHINESE * 20_000


@pytest.mark.parametrize(
    "pattern", [b"<meta ", b"<?xml", b"coding", b"\\usepackage[", b"\xd1", b"\xe4\xb8", b"\x1b$", b"~{"]
)
def test_takes_linear_time_whatever_is_repeated(pattern):
    def decode(times):
        with suppress(ValueError):
            decode_text(b"<" + pattern * times)

    assert_linear(decode, 100_000)


def test_a_head_may_end_in_the_middle_of_a_character():
    assert decode_head(RUSSIAN.encode()[:-1]).startswith("Ключ")
    assert decode_head(WORDS.encode("utf-16")[:-1]).startswith("Größe")
    assert decode_head("Words without a mark".encode("utf-16-le")[:-1]).startswith("Words")
    with pytest.raises(ValueError, match="binary"):
        decode_head(bytes(range(256)))


def test_lines_are_read_in_the_encoding_that_the_first_ones_show():
    notes: list[str] = []
    decoder = LineDecoder(notes)
    lines = ["plain", RUSSIAN, RUSSIAN, "мы", "да"]
    assert [decoder.decode(line.encode("cp1251")) for line in lines] == lines
    assert notes == ["encoding not declared: read as windows-1251"]


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        (["Отчёт за год.txt", "Протокол собрания.txt"], "cp866"),
        (["会议记录.txt", "年度报告二零二五.txt"], "gbk"),
        (["議事録2025年.txt", "報告書の一覧.txt"], "cp932"),
        (["Größe.txt", "Öffnungszeiten für Gäste.txt"], "cp437"),
        (["Größe.txt", "файл.txt"], "utf-8"),
    ],
)
def test_names_in_archives_are_told_together(names, encoding):
    assert decode_names([name.encode(encoding) for name in names]) == names
