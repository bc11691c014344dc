import time

import pytest
from sample_files import build_mail, build_pptx, zip_files

from ascertain.core.blocks import BlockKind, Span
from ascertain.core.documents import LeftOut
from ascertain.core.errors import SourceError
from ascertain.sources.files import ReadOptions, read_path


def label_of(document, words):
    start = document.text.index(words)
    return document.place_of(Span(start, start + len(words))).label


def test_headers_are_metadata_and_lines_of_the_text(read_one):
    document = read_one("order.eml", build_mail("The order left Bergen on Monday.\n"))
    assert (document.title, document.author) == ("The order", "Ana Flores")
    assert document.published_at.isoformat() == "2025-03-04T09:30:00+01:00"
    assert document.text.startswith("From: Ana Flores <ana@example.org>\nTo: Bo <bo@example.org>\n")
    assert label_of(document, "left Bergen") == "message"


REPLY = """We deliver in May.

On Mon, 3 Mar 2025 at 10:00, Bo Berg
<bo@example.org> wrote:
> Can you deliver in April?
>> Older words.

Thanks,
Ana
--
Ana Flores, sales
"""


def test_a_quoted_reply_is_marked_and_a_signature_stands_at_the_end(read_one):
    document = read_one("reply.eml", build_mail(REPLY, Subject="Re: The order"))
    assert label_of(document, "We deliver in May.") == "message"
    assert label_of(document, "Can you deliver in April?") == "Quoted from an earlier message, message"
    assert label_of(document, "Bo Berg") == "Quoted from an earlier message, message"
    assert label_of(document, "Thanks,") == "message"
    assert "> Can" not in document.text
    (signature,) = document.blocks_of(BlockKind.FURNITURE)
    assert signature.span.of(document.text) == "Ana Flores, sales"
    assert document.text.endswith("Thanks,\nAna\n\nAna Flores, sales")


def test_all_below_an_original_message_is_quoted(read_one):
    body = "Yes, agreed.\n\n-----Original Message-----\nFrom: Bo\nSent: Monday\n\nShall we meet?\n"
    document = read_one("outlook.eml", build_mail(body))
    assert label_of(document, "Yes, agreed.") == "message"
    assert label_of(document, "Shall we meet?") == "Quoted from an earlier message, message"


def test_a_message_of_html_alone(read_one):
    html = "<html><body><p>The price is <b>19 €</b>.</p><blockquote><p>What is the price?</p></blockquote><p>Ana</p></body></html>"
    document = read_one("html.eml", build_mail(html=html))
    assert label_of(document, "The price is 19 €.") == "message"
    assert label_of(document, "What is the price?") == "Quoted from an earlier message, message"
    assert label_of(document, "Ana\n" if "Ana\n" in document.text.partition("€")[2] else "Ana") == "message"


@pytest.mark.parametrize(
    ("charset", "encoding"), [("iso-8859-1", "latin-1"), ("utf-8", "utf-8"), ("x-unknown", "utf-8"), ("", "cp1252")]
)
def test_encodings(read_one, charset, encoding):
    head = (
        f"From: ana@example.org\nSubject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=\nContent-Type: text/plain; charset={charset}\n\n"
    )
    document = read_one("a.eml", head.encode() + "Die Größe ist 40.\n".encode(encoding))
    assert document.title == "Größe"
    assert "Die Größe ist 40." in document.text


def test_attachments_are_documents_of_their_own(write, check):
    deck = build_pptx({"title": "Roadmap", "lines": ["We ship in June."]})
    inner = build_mail("Inner words.\n", Subject="Inner", attachments=[("deep.txt", b"Deep words.")])
    told = []
    content = build_mail(
        "See the files.\n",
        attachments=[("plan.pptx", deck), ("logo.psd", b"\x89PNG1234"), ("more.zip", zip_files({"in/a.txt": "Zipped words."})), ("fwd.eml", inner)],
    )  # fmt: skip
    path = write("all.eml", content)
    documents = list(read_path(path, ReadOptions(on_bad_row=lambda *row: told.append(row))))
    for document in documents:
        check(document)
    names = [document.source.removeprefix(str(path)) for document in documents]
    assert names == ["", "#plan.pptx", "#more.zip#in/a.txt", "#fwd.eml", "#fwd.eml#deep.txt"]
    assert documents[1].title == "Plan, attached to The order"
    assert documents[2].published_at == documents[0].published_at
    assert documents[0].reading.left_out == (LeftOut("attachments", 1, names=("logo.psd",)),)
    assert told == []


def test_a_mailbox_has_a_document_for_each_message(write, check):
    messages = [build_mail(f"Message {n} says {n * 7}.\n", Subject=f"No. {n}") for n in range(1, 4)]
    content = b"".join(b"From ana@example.org Tue Mar  4 09:30:00 2025\n" + each + b"\n" for each in messages)
    path = write("box.mbox", content)
    documents = list(read_path(path))
    assert [document.source for document in documents] == [f"{path}#{n}" for n in (1, 2, 3)]
    assert [document.title for document in documents] == ["No. 1", "No. 2", "No. 3"]
    assert label_of(documents[1], "Message 2 says 14.") == "message 2"
    for document in documents:
        check(document)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.eml", b"no mail at all"),
        ("a.eml", b"\0\1\2" * 50),
        ("a.mbox", b"no mailbox"),
        ("a.eml", b"From: a\nContent-Type: multipart/mixed; boundary=x\n\n--x\n"),
    ],
)
def test_what_is_no_mail_is_refused_in_a_line(write, name, content):
    with pytest.raises(SourceError, match=rf"^{name}: [^\n]+$"):
        list(read_path(write(name, content)))


def test_damaged_headers_do_not_stop_a_message(read_one):
    content = b"From: \xff\xfe <<>\nTo: =?bad?x?=\nDate: yesterday\nSubject: =?utf-8?b?!!?=\n\nStill readable words.\n"
    assert "Still readable words." in read_one("a.eml", content).text


@pytest.mark.parametrize("name", ["From", "Cc", "Content-Type", "References"])
def test_a_header_without_end_costs_no_more_than_a_long_one_and_is_told(write, name):
    endless = ", ".join(f"Person {number} <p{number}@example.org>" for number in range(50_000))
    path = write("endless.eml", f"Subject: Tides\n{name}: {endless}\n\nThe tide turns at four.\n")
    left_out = []
    started = time.process_time()
    (document,) = read_path(path, ReadOptions(on_bad_row=lambda *row: left_out.append(row)))
    assert time.process_time() - started < 3
    assert "The tide turns at four." in document.text
    assert len(document.text) < 3_000
    ((source, told),) = left_out
    assert source == str(path)
    assert told.startswith(f"the header {name} is longer than 20,000 characters")
