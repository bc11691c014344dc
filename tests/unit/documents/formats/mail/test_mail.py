import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_files import build_mail, build_pptx, zip_files

from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.documents.documents import LeftOut
from ascertain.core.errors import SourceError
from ascertain.documents.formats.mail import reader as mail
from ascertain.documents.sources.files import ReadOptions, read_path
from ascertain.testing.documents import check_document


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
    assert documents[0].completeness.left_out == (LeftOut("attachments", 1, names=("logo.psd",)),)
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


def test_a_message_of_too_many_parts_is_refused_and_the_others_of_its_mailbox_are_read(write, monkeypatch):
    monkeypatch.setattr(mail, "MAX_FILES", 3)
    content = build_mail("See.\n", attachments=[(f"{n}.txt", b"Words.") for n in range(3)])
    with pytest.raises(
        SourceError, match=r"^a\.eml: more than 3 parts in it; save what is attached and add the folder$"
    ):
        next(read_path(write("a.eml", content)))
    path = write("all.mbox", b"".join(b"From a\n" + each + b"\n" for each in (content, build_mail("We win.\n"))))
    bad = []
    (document,) = read_path(path, ReadOptions(on_bad_row=lambda source, reason: bad.append((source, reason))))
    assert "We win." in document.text
    assert bad == [(f"{path}#1", "more than 3 parts in it; save what is attached and add the folder")]


def test_damaged_headers_do_not_stop_a_message(read_one):
    content = b"From: \xff\xfe <<>\nTo: =?bad?x?=\nDate: yesterday\nSubject: =?utf-8?b?!!?=\n\nStill readable words.\n"
    assert "Still readable words." in read_one("a.eml", content).text


@pytest.mark.parametrize("name", ["From", "Cc", "Content-Type", "References"])
def test_a_header_without_end_is_cut_and_reported(write, name):
    endless = ", ".join(f"Person {number} <p{number}@example.org>" for number in range(50_000))
    path = write("endless.eml", f"Subject: Tides\n{name}: {endless}\n\nThe tide turns at four.\n")
    left_out = []
    (document,) = read_path(path, ReadOptions(on_bad_row=lambda *row: left_out.append(row)))
    assert "The tide turns at four." in document.text
    assert len(document.text) < 3_000
    ((source, told),) = left_out
    assert source == str(path)
    assert told.startswith(f"the header {name} is longer than 20,000 characters")


def a_message(*lines, **headers):
    given = {"From": "Ana <ana@example.org>", "Subject": "Keys", "MIME-Version": "1.0", **headers}
    return "\n".join([*(f"{name}: {value}" for name, value in given.items()), "", *lines, ""])


def test_flowed_lines_are_put_together(read_one):
    kind = {"Content-Type": 'text/plain; charset=utf-8; format="flowed"; delsp=yes'}
    text = read_one("a.eml", a_message("The keys hang in the mid ", "dle of the wall.", "", "> a quo ", "> ted line", "> another", "-- ", "Ana", **kind)).text  # fmt: skip
    assert "The keys hang in the middle of the wall.\n\na quoted line\nanother\n\nAna" in text
    spaced = read_one("b.eml", a_message("The keys hang ", "here.", " > stuffed", **{"Content-Type": "text/plain; format=flowed"})).text  # fmt: skip
    assert "The keys hang here.\n" in spaced


def test_quotations_lie_in_each_other_as_deep_as_they_are_quoted(read_one):
    document = read_one("a.eml", a_message("New.", "", "> Older.", ">> Oldest.", "> Older again."))
    quotations = [(block.depth, block.span.of(document.text)) for block in document.blocks_of(BlockKind.QUOTATION)]
    assert quotations == [(0, "Older.\n\nOldest.\n\nOlder again."), (1, "Oldest.")]


def test_headers_are_fields(read_one):
    document = read_one("a.eml", build_mail("Words.\n", Cc="Cy <cy@example.org>"))
    fields = {block.label: block.span.of(document.text) for block in document.blocks_of(BlockKind.FIELD)}
    assert fields["To"] == "To: Bo <bo@example.org>"
    assert fields["Cc"] == "Cc: Cy <cy@example.org>"


PARTS = """--M
Content-Type: multipart/alternative; boundary=A

--A
Content-Type: text/plain

{plain}
--A
Content-Type: text/html

<table><tr><td><h2>News of the docks</h2><p>All ships are in port this week, says the harbour master.</p></td></tr></table>
<table><tr><th>Port</th><th>High water</th></tr><tr><td>Bergen</td><td>04:10</td></tr></table>
<p>First answer.</p><blockquote><p>What of the second?</p></blockquote><p>Second answer.</p>
<div class="gmail_signature">Ana, sales</div>
--A
Content-Type: text/calendar; method=REQUEST

BEGIN:VCALENDAR
BEGIN:VEVENT
SUMMARY:Hull inspection
DTSTART;TZID=Europe/Oslo:20240617T130000
END:VEVENT
END:VCALENDAR
--A--
--M
Content-Type: text/plain

Words between the pictures.
--M
Content-Type: image/png
Content-Disposition: inline
Content-Transfer-Encoding: base64

AAAA
--M
Content-Type: text/plain; name=notes.txt
Content-Disposition: inline; filename=notes.txt

Words of the notes.
--M
Content-Type: text/plain
Content-Disposition: attachment; filename=notes.txt

Words of other notes.
--M
Content-Type: application/pgp-signature; name=signature.asc
Content-Disposition: attachment; filename=signature.asc

xx
--M--"""


def read_parts(write, plain):
    path = write("parts.eml", a_message(PARTS.format(plain=plain), **{"Content-Type": "multipart/mixed; boundary=M"}))
    documents = list(read_path(path))
    return documents[0], {document.source.removeprefix(f"{path}#"): document for document in documents[1:]}


def test_every_part_is_stored_or_named(write, check):
    message, attached = read_parts(write, "Your program shows no HTML.")
    check(message)
    assert "News of the docks\n\nAll ships are in port" in message.text
    assert "Port | High water\nBergen | 04:10" in message.text
    order = ["First answer.", "What of the second?", "Second answer.", "Words between the pictures.", "Ana, sales"]
    assert sorted(order, key=message.text.index) == order
    assert label_of(message, "What of the second?") == "Quoted from an earlier message, message"
    assert "shows no HTML" not in message.text
    assert {name: document.text for name, document in attached.items() if name.startswith("notes")} == {
        "notes.txt": "Words of the notes.",
        "notes (2).txt": "Words of other notes.",
    }
    (invitation,) = (document for name, document in attached.items() if name.endswith(".ics"))
    assert "When: 17 June 2024 13:00 Europe/Oslo" in invitation.text
    assert message.completeness.left_out == (LeftOut("pictures", 1), LeftOut("digital signatures", 1))


def test_the_plain_version_is_read_where_it_says_as_much(write):
    message, _ = read_parts(write, "In plain words. " * 12)
    assert "In plain words." in message.text
    assert "News of the docks" not in message.text


ELSEWHERE = """\
--M
Content-Type: text/plain

The draft is out.
--M
Content-Type: message/external-body; access-type="mail-server"; server="post.example.org"; name="draft.txt"

Content-Type: text/plain

SEND draft.txt
--M
Content-Type: message/news

Subject: From a group

Words of the group.
--M--
"""


def test_bodies_that_lie_elsewhere_are_named_and_messages_of_other_kinds_read(write):
    content = a_message(ELSEWHERE, **{"Content-Type": "multipart/mixed; boundary=M"})
    message, news = read_path(write("a.eml", content))
    assert message.completeness.left_out == (
        LeftOut("bodies that lie elsewhere", 1, 3, ("post.example.org draft.txt",)),
    )
    assert "Words of the group." in news.text


@pytest.mark.parametrize(
    ("other", "named"), [("All other words than these.", 1), ("The draft is out now.", 0), ("See HTML.", 0)]
)
def test_an_alternative_that_is_no_version_of_the_text_is_named(write, other, named):
    parts = "".join(
        f"--M\nContent-Type: text/plain\n\n{text}\n" for text in (other, "The long awaited draft is out now.")
    )
    content = a_message(f"{parts}--M--\n", **{"Content-Type": "multipart/alternative; boundary=M"})
    (message,) = read_path(write("a.eml", content))
    assert [loss.count for loss in message.completeness.left_out] == [1] * named


def test_a_message_that_breaks_off_says_so(write):
    broken = PARTS.format(plain="Plain.").partition("Words of the notes")[0]
    content = a_message(broken, **{"Content-Type": "multipart/mixed; boundary=M"})
    document = next(iter(read_path(write("cut.eml", content))))
    assert any("damaged or cut off" in note for note in document.completeness.notes)


def test_text_that_looks_like_the_mark_of_a_quotation_brings_nothing_back(read_one):
    marks = "&#xE000;0&#xE001;" * 500
    document = read_one("a.eml", build_mail(html=f"<p>{marks} own</p><blockquote>{'quoted ' * 50}</blockquote>"))
    assert document.text.count("quoted") == 50


@pytest.mark.parametrize(
    "content",
    [
        build_mail(html="<blockquote>" * 100 + "words" + "</blockquote>" * 100),
        build_mail(">" * 5000 + " words\n"),
        build_mail("> " * 5000 + " words\n"),
    ],
)
def test_deep_quotations_are_read(read_one, content):
    assert "words" in read_one("deep.eml", content).text


LINES = st.lists(st.tuples(st.integers(0, 4), st.text(st.sampled_from("ab "), max_size=5)), min_size=1, max_size=15)


@given(LINES, st.booleans())
def test_no_line_of_a_body_is_lost(tmp_path_factory, lines, is_flowed):
    words = [f"w{number}{text.replace(' ', '')}" for number, (_, text) in enumerate(lines)]
    body = [f"{'>' * depth} {word}{' ' * is_flowed}" for (depth, _), word in zip(lines, words, strict=True)]
    kind = "text/plain; format=flowed" if is_flowed else "text/plain"
    path = tmp_path_factory.mktemp("mail") / "a.eml"
    path.write_text(a_message(*body, **{"Content-Type": kind}))
    (document,) = read_path(path)
    check_document(document)
    assert document.text.partition("Subject: Keys")[2].split() == words


def blocks_of(document, *kinds):
    return [
        (block.kind.value, block.depth, block.span.of(document.text))
        for block in document.blocks
        if block.kind in kinds
    ]


def test_the_html_of_a_mail_is_read_as_blocks(read_one, check):
    document = read_one(
        "br.eml",
        build_mail(
            html="<h1>Tides</h1><table><tr><th>Port</th><th>Units</th></tr><tr><td>Bergen<br>Quay 2</td><td>10<sup>6</sup></td></tr></table>"
            "<ol><li>Sign.<ul><li>In ink</li></ul></li><li>Send.</li></ol><p>Ana Flores<br>Strandgaten 4</p>"
            "<table><tr><td><p>One column</p><p>of layout</p></td></tr></table>"
        ),
    )
    check(document)
    assert document.text.endswith(
        "Tides\n\nPort | Units\nBergen / Quay 2 | 10⁶\n\n1. Sign.\n  - In ink\n2. Send.\n\n"
        "Ana Flores\nStrandgaten 4\n\nOne column\n\nof layout"
    )
    (table,) = document.blocks_of(BlockKind.TABLE)
    assert table.header_rows == 1
    assert [depth for _, depth, _ in blocks_of(document, BlockKind.LIST)] == [0, 2]
    assert label_of(document, "Bergen") == "Tides, message"


GMAIL = (
    "<h2>Offer</h2><p>Yes.</p><ul><li>As asked: <blockquote>In May?</blockquote></li></ul>"
    '<div class="gmail_quote"><div class="gmail_attr">On Monday Bo wrote:</div><blockquote class="gmail_quote"><h1>Question</h1><p>When?</p>'
    '<div class="gmail_quote">Cy wrote: <blockquote class="gmail_quote"><p>Oldest.</p></blockquote></div></blockquote></div>'
    '<p>Behind.</p><div class="moz-signature">Ana, sales</div>Tail.'
    '<div id="divRplyFwdMsg"><b>From:</b> Cy</div><div><p>Older body.</p></div>'
)


def test_quotations_of_html_lie_in_each_other_and_in_a_section_of_their_own(read_one, check):
    document = read_one("gmail.eml", build_mail(html=GMAIL))
    check(document)
    assert blocks_of(document, BlockKind.QUOTATION) == [
        ("quotation", 2, "In May?"),
        ("quotation", 0, "On Monday Bo wrote:\n\nQuestion\n\nWhen?\n\nCy wrote:\n\nOldest."),
        ("quotation", 1, "Cy wrote:\n\nOldest."),
        ("quotation", 0, "From: Cy\n\nOlder body."),
    ]
    for words in ("In May?", "On Monday Bo wrote:", "Oldest.", "Older body."):
        assert label_of(document, words).startswith("Quoted from an earlier message"), words
    for words in ("Yes.", "As asked:", "Behind.", "Tail."):
        assert label_of(document, words) == "Offer, message", words
    assert document.text.endswith("Older body.\n\nAna, sales")
    assert blocks_of(document, BlockKind.FURNITURE) == [("furniture", 0, "Ana, sales")]


def test_plain_text_of_a_mail_is_read_as_blocks(read_one, check):
    document = read_one(
        "a.eml",
        a_message(
            "Agenda", "======", "", "We bring:", "", "- two ropes", "- a lamp", "", "On Monday, Bo wrote:",
            "> 1. Who comes?", "> 2. And when?", ">> - Oldest", ">> - of all", "", "Ana",
        ),
    )  # fmt: skip
    check(document)
    assert blocks_of(document, BlockKind.LIST, BlockKind.QUOTATION, BlockKind.HEADING) == [
        ("heading", 0, "Agenda"),
        ("list", 0, "- two ropes\n- a lamp"),
        ("quotation", 0, "On Monday, Bo wrote:\n\n1. Who comes?\n2. And when?\n\n- Oldest\n- of all"),
        ("list", 1, "1. Who comes?\n2. And when?"),
        ("quotation", 1, "- Oldest\n- of all"),
        ("list", 2, "- Oldest\n- of all"),
    ]
    assert label_of(document, "a lamp") == "Agenda, message"
    assert label_of(document, "Oldest") == "Quoted from an earlier message, message"


def test_html_nested_too_deeply_keeps_its_words_and_says_so(read_one):
    document = read_one("deep.eml", build_mail(html="<blockquote>own " * 5000 + "words" + "</blockquote>" * 5000))
    assert document.text.count("own") == 5000
    assert document.text.endswith("words")
    assert any("read as paragraphs" in note for note in document.completeness.notes)


def test_a_picture_of_the_html_that_is_attached_is_one_picture(read_one):
    parts = (
        "--M\nContent-Type: text/html\n\n<p>Words.</p><img src='cid:a'><img src='https://x.example/b.png' alt='A ship'>\n"
        "--M\nContent-Type: image/png\nContent-ID: <a>\nContent-Disposition: inline\n\nAAAA\n--M--\n"
    )
    document = read_one("a.eml", a_message(parts, **{"Content-Type": "multipart/related; boundary=M"}))
    assert document.completeness.left_out == (LeftOut("pictures", 2, names=("A ship",)),)


def test_what_may_be_wrong_with_the_text_of_a_part_is_noted(read_one):
    head = a_message(**{"Content-Type": "text/plain; charset=shift_jis"}).encode()
    document = read_one("a.eml", head + "港の船は金曜日に出ます。".encode("shift_jis") * 3 + b"\x85\x20 ok")
    assert "港の船は金曜日に出ます。" in document.text
    assert document.completeness.notes == ("some characters could not be read as Shift_JIS",)
    binary = read_one("b.eml", a_message(**{"Content-Type": "text/plain"}).encode() + bytes(range(9)) * 40)
    assert binary.completeness.notes == ("a part of its text (360 bytes) was left out: it holds binary data, not text",)


def test_messages_too_deep_in_each_other_are_left_out_of_the_one_they_lie_in(write):
    content = build_mail("Words at 0.\n", Subject="No. 0")
    for number in range(1, 6):
        content = build_mail(f"Words at {number}.\n", Subject=f"No. {number}", attachments=[("m.eml", content)])
    told = []
    documents = list(read_path(write("deep.eml", content), ReadOptions(on_bad_row=lambda *row: told.append(row[1]))))
    assert [document.title[:5] for document in documents] == ["No. 5", "No. 4", "No. 3", "No. 2"]
    assert [document.completeness.left_out for document in documents[:-1]] == [()] * 3
    assert documents[-1].completeness.left_out == (LeftOut("attachments", 1, names=("m.eml",)),)
    assert told == ["lies in others more than 3 deep; what is attached to it was not read"]


BROKEN = """--M
Content-Type: text/plain

Words of the body.
--M
Content-Type: application/pdf; name=a.pdf
Content-Transfer-Encoding: base64

JVBERi0xLjQKJ%%%%%x
--M
Content-Type: text/plain
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=b.txt

aGVsbG8gd29ybGQ
--M--"""


def test_a_part_of_broken_base64_is_left_out_of_its_message(write):
    told = []
    path = write("a.eml", a_message(BROKEN, **{"Content-Type": "multipart/mixed; boundary=M"}))
    message, attached = read_path(path, ReadOptions(on_bad_row=lambda *row: told.append(row[0])))
    assert message.completeness.left_out == (LeftOut("attachments", 1, names=("a.pdf",)),)
    assert any("base64 is not whole" in note for note in message.completeness.notes)
    assert attached.text == "hello world"
    assert told == [f"{path}#a.pdf"]


MARKUP = st.recursive(
    st.sampled_from(["text", "<br>", "<p>para</p>", "<h2>head</h2>"]),
    lambda inner: st.tuples(
        st.sampled_from(
            ["blockquote", "div", "ul", "li", "td", 'div class="gmail_quote"', 'div class="gmail_signature"']
        ),
        st.lists(inner, max_size=4),
    ).map(lambda made: f"<{made[0]}>{' '.join(made[1])}</{made[0].split()[0]}>"),
    max_leaves=12,
)


@given(st.lists(MARKUP, min_size=1, max_size=4))
def test_any_html_makes_a_sound_document_with_all_its_words(tmp_path_factory, pieces):
    markup = "<p>start</p>" + "".join(pieces)
    path = tmp_path_factory.mktemp("mail") / "a.eml"
    path.write_text(a_message(markup, **{"Content-Type": "text/html"}))
    (document,) = read_path(path)
    check_document(document)
    for word in ("text", "para", "head"):
        # a signature that stands there twice is stored once
        assert (word in document.text) == (word in markup)
    if "gmail_signature" not in markup:
        assert all(document.text.count(word) == markup.count(word) for word in ("text", "para", "head"))
