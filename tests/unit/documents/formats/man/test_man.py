import gzip

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.errors import SourceError
from ascertain.documents.formats.man.reader import read_page
from ascertain.documents.sources.files import read_path

MAN = r"""'\" t
.\" A comment that nobody is shown: w000
.de Sh
.br
\\$1 w090
..
.ds Nm w091
.ie n .ds X w092
.el .ds X w999
.if t \{\
w998
.\}
.TH BOAT 1 2024-03-01 "w003 2.1" "w004 Commands"
.SH NAME
boat \- w010 the \fBhull\fR\(em\*(Nm \*X
.SH SYNOPSIS
.B boat
[\fIoptions\fR]
.RI [ file ]
.SH OPTIONS
w011 first
line.
.TP
.BR \-x ", " \-\-long " \fIFILE\fR"
w012 reads the file.
.IP
w013 A second paragraph.
.TP
.B \-\-one
.TQ
.B \-1
w014
.RS
.IP \(bu 2
w015
.IP 2. 3
w016
.RE
.PP
w017 \" w997
.Sh w018
.SS "Exit status w019"
.EX
boat  \-x w020 \\n
    indented
.EE
.TS
tab(:) allbox;
lb lb
l r
l s.
Name w021:Size
w022:12
w023
.TE
.EQ
w024 over 2
.EN
.SH "SEE ALSO"
.BR oar (1),
.UR https://example.org
w025
.UE .
.so man1/w026.1
"""


def test_every_word_of_a_page_is_stored_or_named():
    page = read_page(MAN)
    assert page.title == "boat(1)"
    assert page.published_at is not None and page.published_at.year == 2024
    assert (
        page.text
        == """\
NAME

boat - w010 the hull—w091 w092

SYNOPSIS

boat [options] [file]

OPTIONS

w011 first line.

-x, --long FILE: w012 reads the file.

w013 A second paragraph.

--one, -1: w014

- w015
2. w016

w017
w018 w090

Exit status w019

boat  -x w020 \\n
    indented

Name w021 | Size
w022 | 12
w023 | w023

SEE ALSO

oar(1), w025 ⟨https://example.org⟩.

BOAT(1) · 2024-03-01 · w003 2.1 · w004 Commands"""
    )
    assert [(each.what, each.count, each.words) for each in page.left_out] == [
        ("pages to be included", 1, 0),
        ("equations", 1, 3),
    ]
    kinds = {each.kind for each in page.blocks}
    assert kinds >= {BlockKind.DEFINITION, BlockKind.CODE, BlockKind.TABLE, BlockKind.LIST, BlockKind.FURNITURE}
    assert [each.label for each in page.blocks if each.kind is BlockKind.DEFINITION] == ["-x, --long FILE", "--one, -1"]


MDOC = r""".Dd March 1, 2024
.Dt BOAT 1
.Os
.Sh NAME
.Nm boat
.Nd row it
.Sh SYNOPSIS
.Nm
.Op Fl x Ar file
.Op Fl -long Ns = Ns Ar when
.Sh DESCRIPTION
The
.Nm
utility rows
.Pq see Xr oar 1 ,
and
.Dq quotes it .
.Bl -tag -width indent
.It Fl x Ar file
Reads
.Pa /etc/boat .
.Bl -bullet
.It
inner
.El
.It Xo
.Fl v |
.Fl vv
.Xc
Says more.
.El
.Bd -literal -offset indent
boat -x   a
.Ed
.Dl boat -v
.Bl -enum
.It
one
.It
two
.El
.Bl -column a b
.It Name Ta Size
.It hull Ta 12
.El
.Fn row "int times" "char *who"
.Ex -std
.Sh SEE ALSO
.Xr oar 1 ,
.Xr sail 6
"""


def test_a_page_of_bsd():
    page = read_page(MDOC)
    assert page.title == "boat(1)"
    assert (
        page.text
        == """\
NAME

boat – row it

SYNOPSIS

boat [-x file] [--long=when]

DESCRIPTION

The boat utility rows (see oar(1)), and “quotes it”.

-x file: Reads /etc/boat.

- inner

-v | -vv: Says more.

boat -x   a

boat -v

1. one
2. two

Name | Size
hull | 12

row(int times, char *who) The boat utility exits 0 on success, and >0 if an error occurs.

SEE ALSO

oar(1), sail(6)

March 1, 2024 · BOAT 1"""
    )


def test_a_page_is_known_by_its_macros_whatever_it_is_called(write):
    for name in ("boat.1", "boat.3pm", "boat", "boat.man"):
        ((document,), _) = (list(read_path(write(name, MAN))), None)
        assert document.title == "boat(1)"
    (document,) = read_path(write("boat.8.gz", gzip.compress(MAN.encode())))
    assert document.text.startswith("NAME")


def test_a_log_with_the_suffix_of_a_page_is_text(write):
    (document,) = read_path(write("syslog.1", "12:00 boat left\n12:10 boat back\n"))
    assert document.text == "12:00 boat left\n12:10 boat back"


def test_a_page_that_only_names_another_is_refused(write):
    with pytest.raises(SourceError, match=r"^b\.1: only points to man1/boat\.1; add that page$"):
        list(read_path(write("b.1", ".so man1/boat.1\n")))


@pytest.mark.parametrize(
    "source",
    [
        ".TH A 1\n.de X\n.X\n.X\n..\n.X\nEnd\n",
        ".TH A 1\n" + ".RS\n" * 5000 + "w\n",
        ".TH A 1\n" + ".TP\n" * 20_000,
        ".TH A 1\n" + "\\f" * 50_000,
        ".TH A 1\n" + "\\*[" * 30_000,
        ".TH A 1\n" + ".if n \\{\\\n" * 5000 + "w\n",
        ".TH A 1\n.ds A " + "b" * 9000 + "\n" + ".as A \\*A\\*A\n" * 200 + "\\*A\n",
        ".TH A 1\n.B " + '"' * 50_000 + "\n",
        ".TH A 1\n.TS\n" + "l " * 20_000 + ".\na\tb\n.TE\n",
        ".TH A 1\n.if '" + "a" * 50_000 + "\nw\n",
        ".Dd 1\n.Dt A 1\n.Sh X\n" + ".Bl -tag\n.It x\n" * 5000 + "w\n",
        ".Dd 1\n.Dt A 1\n.Sh X\n.Op " + "Op " * 20_000 + "w\n",
    ],
)
def test_hostile_pages_end(source):
    read_page(source)


def test_a_circle_is_a_bullet_and_no_term():
    page = read_page('.TH JQ 1\n.SH OPTIONS\n.IP "○" 4\n\\-e / \\-\\-exit\\-status: sets the exit status of jq.\n')

    assert [block.kind for block in page.blocks if block.kind in (BlockKind.ITEM, BlockKind.DEFINITION)] == [
        BlockKind.ITEM
    ]


def test_an_option_before_a_line_behind_a_tab_is_a_term():
    page = read_page(
        ".TH FORGET 1\n.SH OPTIONS\n.PP\n\\fB-l\\fP, \\fB--keep-last\\fP=0\n\tkeep the last n snapshots\n.PP\nAll \\fB-x\\fP are\n\tkept.\n"
    )

    assert [block.label for block in page.blocks if block.kind is BlockKind.DEFINITION] == ["-l, --keep-last=0"]
    assert "-l, --keep-last=0: keep the last n snapshots" in page.text


@pytest.mark.parametrize(
    ("header", "name", "title"),
    [
        ("restic backup", "restic-forget \\- Remove snapshots", "restic-forget(1)"),
        ("GIT\\-LOG", "git-log \\- Show logs", "git-log(1)"),
        ("ZGREP", "zegrep, zgrep \\- search files", "zgrep(1)"),
    ],
)
def test_a_page_has_the_name_that_it_names_first_where_its_header_has_another(header: str, name: str, title: str):
    assert read_page(f'.TH "{header}" 1\n.SH NAME\n.PP\n{name}\n').title == title
