"""Twelve files as an office has them, written for ``document_questions``: an invented housing cooperative that puts new
windows into its houses.

They are DOCX, PDF, XLSX, Markdown, WebVTT, e-mail and plain text, a page or two each. What stands in them is the project's own.
"""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

from docx import Document as Docx
from openpyxl import Workbook

LETTING = [
    ("Tenancy Agreement, Flat 12, Weaver Row", 0, []),
    (
        "1 Parties",
        1,
        [
            "This agreement is made on 14 January 2026 between Tidewell Housing Cooperative (the Landlord) and Noor Haddad (the Tenant)."
        ],
    ),
    (
        "2 Term",
        1,
        [
            "The tenancy begins on 1 February 2026 and runs for three years.",
            "Either side may end it with two months' notice in writing after the first year.",
        ],
    ),
    (
        "3 Rent",
        1,
        [
            "The rent is 940 pounds a month, payable in advance by the third working day.",
            "It may be raised once a year, by no more than 3 percent.",
        ],
    ),
    (
        "4 Deposit",
        1,
        [
            "A deposit of 1,880 pounds is held in a protected scheme and returned within 14 days of the end of the tenancy."
        ],
    ),
    (
        "5 Obligations of the Tenant",
        1,
        [
            "The Tenant shall keep the flat clean and aired.",
            "The Tenant shall report damp within seven days.",
            "The Tenant must not sublet without written consent.",
        ],
    ),
    (
        "6 Repairs",
        1,
        [
            "The Landlord repairs the structure, the heating and the windows.",
            "Small repairs up to 80 pounds are paid by the Tenant.",
        ],
    ),
    ("7 Pets", 1, ["One cat or one small dog is allowed. Other animals need consent."]),
]
MINUTES = [
    ("Minutes of the Board Meeting of 9 March 2026", 0, []),
    ("Present", 1, ["Ines Albright (chair), Samir Okafor, Petra Lund, Joel Marsh (secretary)."]),
    (
        "Windows",
        1,
        [
            "Three offers were compared.",
            "It was resolved to give the contract to Halden Glass for 212,000 pounds.",
            "Petra Lund asked for a penalty for late delivery, which Halden accepts.",
        ],
    ),
    (
        "Reserve fund",
        1,
        [
            "The fund stands at 148,000 pounds.",
            "The board agreed to take 60,000 pounds from it and to borrow the rest from Mercer Bank.",
            "A proposal to raise the service charge was rejected.",
        ],
    ),
    (
        "Action items",
        1,
        [
            "- Samir Okafor signs the contract by 20 March 2026.",
            "- Petra Lund informs the tenants before 1 April 2026.",
            "- Joel Marsh applies for the energy grant by 30 April 2026.",
        ],
    ),
    (
        "Open points",
        1,
        ["Whether the stairwell windows are included is still to be clarified. The colour of the frames is undecided."],
    ),
]
TENDER = [
    ("Window Replacement: Statement of Work", 0, []),
    (
        "Scope",
        1,
        [
            "The contractor replaces 184 windows in four houses at Weaver Row and Cooper Lane.",
            "Triple glazing with a U-value of at most 0.9 is required.",
        ],
    ),
    (
        "Schedule",
        1,
        [
            "Work begins on 4 May 2026 at Weaver Row.",
            "House 2 is finished by 30 June 2026 and Cooper Lane by 15 September 2026.",
            "Final acceptance takes place on 2 October 2026.",
        ],
    ),
    (
        "Duties of the contractor",
        1,
        [
            "The contractor must protect floors and furniture.",
            "Rubble has to be removed every day.",
            "The contractor shall carry liability insurance of 5 million pounds.",
        ],
    ),
    (
        "Payment",
        1,
        ["Thirty percent is paid on delivery, sixty percent by progress, and ten percent after acceptance."],
    ),
    (
        "Risks",
        1,
        [
            "Asbestos may be found in the old putty.",
            "Delivery of glass takes up to eleven weeks.",
            "Scaffolding could be delayed by the nesting of swifts until August.",
        ],
    ),
]
REPORT = [
    ("Damp survey of Weaver Row", 0, []),
    (
        "Summary",
        1,
        [
            "Of 46 flats inspected in November 2025, 17 show condensation and 6 show mould.",
            "The cause is poor glazing together with blocked air bricks.",
        ],
    ),
    (
        "Method",
        1,
        [
            "Moisture was measured at three points in each flat with a resistance meter.",
            "Tenants were interviewed about heating and airing.",
        ],
    ),
    (
        "Findings",
        1,
        [
            "The north side is worst affected: 5 of the 6 flats with mould lie there.",
            "In 9 flats the extractor fan did not work.",
            "Flat 31 has a leaking gutter.",
        ],
    ),
    (
        "Recommendations",
        1,
        [
            "Replace the windows on the north side first.",
            "Clear the air bricks before winter.",
            "Repair the extractor fans at a cost of about 130 pounds each.",
        ],
    ),
]
HANDBOOK = """# Caretaker handbook

Tidewell Housing Cooperative, edition of February 2026.

## Keys

Every key is signed out in the book. A lost key is reported to the office on the same day.

## Heating

The boiler in house 1 is serviced in September. If the pressure falls below 1.2 bar, refill to 1.8 bar.

## Emergencies

1. Close the main valve.
2. Call the plumber on duty, 0117 555 0142.
3. Write the time into the log.

## Tools

- ladder of six metres
- moisture meter
- drain snake
- bolt cutter

## Waste

Bins go out on Tuesday evening; glass is collected every second Friday.
"""
NEWSLETTER = """# Tidewell News, spring 2026

## New windows

From May on 184 windows are replaced. Each flat needs one day; you get a letter two weeks before.

## Garden day

On 18 April 2026 we plant twelve fruit trees in the yard of Cooper Lane. Bring gloves.

## Laundry

The laundry room in house 3 gets two new machines. A wash costs 1.80 pounds from June on.

## Welcome

We welcome Noor Haddad in flat 12 and the Brandt family in flat 27.
"""
CALL = [
    ("Petra Lund", "Thanks for calling. Can you deliver the glass in the last week of April?"),
    ("Rolf Halden", "Not all of it. Ninety windows in the last week of April, the other ninety-four in June."),
    ("Petra Lund", "Then we start with Weaver Row and do Cooper Lane in July."),
    ("Rolf Halden", "Agreed. I will send the revised schedule by Friday."),
    ("Petra Lund", "What about the asbestos?"),
    ("Rolf Halden", "We have to test the putty first, that is 45 pounds a sample. I am worried about house 2."),
    ("Petra Lund", "Please take six samples. I will tell the board."),
]
WORKSHOP = [
    ("Ines Albright", "Welcome to the residents' evening. Tonight it is about the windows and the noise."),
    ("Noor Haddad", "Who pays when my curtains do not fit any more?"),
    ("Ines Albright", "The cooperative pays up to 120 pounds a flat."),
    ("Samir Okafor", "Work is only from eight to five, and never on a Saturday."),
    ("Agnes Brandt", "My mother is ill. Can our flat be done last?"),
    ("Samir Okafor", "Yes, we put flat 27 at the end of the list."),
    ("Ines Albright", "Then that is decided: quiet hours at noon, and flat 27 last."),
]
MAIL = (
    "Joel Marsh <joel@tidewell.example>",
    "Ines Albright <ines@tidewell.example>",
    "Energy grant: what they still need",
    "Tue, 24 Mar 2026 09:12:00 +0000",
    """Dear Ines,

the agency has answered. They grant up to 25 percent of the cost, at most 50,000 pounds.

By 17 April they need the three offers and a drawing of each house. The energy certificate must not be older than two years; ours is of 2022, so we have to order a new one, which costs 610 pounds.

It is still open whether the stairwells count. Could you ask Petra?

Kind regards
Joel
""",
)
COMPLAINT = (
    "Agnes Brandt <agnes.brandt@post.example>",
    "office@tidewell.example",
    "Noise and dust in house 2",
    "Mon, 18 May 2026 18:40:00 +0000",
    """Dear Sir or Madam,

since 11 May the fitters have begun at seven every morning, although eight was promised. The stairs are full of dust.

I ask you to keep to the hours, to have the stairs swept every evening and to repay 10 percent of the rent for May.

Please answer by 29 May 2026.

Yours faithfully
Agnes Brandt
""",
)
BUDGET = {
    "Budget": [
        ["Item", "Budget (GBP)", "Spent (GBP)", "Status"],
        ["Windows", 212000, 63600, "ordered"],
        ["Scaffolding", 18500, 0, "planned"],
        ["Asbestos tests", 270, 270, "done"],
        ["Energy certificate", 610, 610, "done"],
        ["Curtains", 5520, 0, "planned"],
    ],
    "Loan": [["Bank", "Amount (GBP)", "Rate", "Until"], ["Mercer Bank", 152000, "4.1 %", "2036-04-30"]],
}
CONTACTS = {
    "Contacts": [
        ["Name", "Company", "Trade", "Phone"],
        ["Rolf Halden", "Halden Glass", "glazier", "0117 555 0110"],
        ["Mina Costa", "Costa Scaffolds", "scaffolder", "0117 555 0123"],
        ["Ted Lowe", "Lowe Plumbing", "plumber", "0117 555 0142"],
        ["Dr Uma Rao", "Rao Labs", "asbestos laboratory", "0117 555 0177"],
    ]
}

QUESTIONS: list[tuple[str, list[list[str]]]] = [
    ("Summarise the tenancy agreement", [["three years"], ["940"], ["1,880"], ["two months"]]),
    ("What does the tenancy agreement say?", [["940"], ["1,880"], ["sublet"], ["cat"]]),
    (
        "What are the obligations of the tenant in the tenancy agreement?",
        [["clean"], ["damp within seven days"], ["sublet"]],
    ),
    ("Give me an overview of the lease for flat 12", [["Noor Haddad"], ["940"], ["three years"]]),
    ("What deadlines are in the tenancy agreement?", [["third working day"], ["seven days"], ["14 days"]]),
    ("What was decided at the board meeting?", [["Halden Glass"], ["60,000"], ["rejected"]]),
    (
        "Who has to do what by when according to the minutes?",
        [["Samir Okafor", "20 March"], ["Petra Lund", "1 April"], ["Joel Marsh"], ["30 April"]],
    ),
    ("Which points are still open in the minutes?", [["stairwell"], ["colour"]]),
    ("List the action items of the board meeting", [["signs the contract"], ["informs the tenants"], ["energy grant"]]),
    ("Who attended the board meeting?", [["Ines Albright"], ["Samir Okafor"], ["Petra Lund"], ["Joel Marsh"]]),
    ("Summarize the minutes of 9 March", [["212,000"], ["148,000"], ["20 March", "Samir"]]),
    ("What is in the statement of work?", [["184"], ["4 May"], ["Thirty percent", "ten percent"]]),
    ("What are the risks of the window replacement?", [["Asbestos"], ["eleven weeks"], ["swifts"]]),
    (
        "Give me a timeline of the window replacement",
        [["4 May 2026"], ["30 June 2026"], ["15 September 2026"], ["2 October 2026"]],
    ),
    ("What must the contractor do?", [["protect floors"], ["Rubble"], ["insurance"]]),
    ("What does the damp survey say?", [["17"], ["glazing"], ["north side"]]),
    ("What does the damp survey recommend?", [["north side first"], ["air bricks"], ["extractor fans"]]),
    ("What are the findings of the survey?", [["5 of the 6"], ["9 flats"], ["gutter"]]),
    ("tl;dr of the damp report", [["17"], ["6 show mould", "mould"], ["blocked air bricks"]]),
    ("What is the caretaker handbook about?", [["Key", "key"], ["boiler"], ["valve"], ["Bins"]]),
    ("List all tools in the caretaker handbook", [["ladder"], ["moisture meter"], ["drain snake"], ["bolt cutter"]]),
    ("What are the steps in an emergency in the handbook?", [["main valve"], ["plumber"], ["log"]]),
    ("What's in the spring newsletter?", [["184"], ["fruit trees"], ["1.80"], ["flat 12"]]),
    ("summarise tidewell news", [["184"], ["18 April"], ["laundry", "wash"]]),
    ("What was agreed in the call with Halden?", [["Weaver Row"], ["schedule by Friday"]]),
    ("What is said in the supplier call?", [["Ninety"], ["45 pounds"], ["six samples"]]),
    ("Sum up the residents' evening", [["120 pounds"], ["eight to five"], ["flat 27"]]),
    ("What was decided at the residents evening?", [["quiet hours"], ["flat 27"]]),
    ("Who spoke at the residents' evening?", [["Ines Albright"], ["Noor Haddad"], ["Samir Okafor"], ["Agnes Brandt"]]),
    ("What does Joel's mail say about the grant?", [["25 percent", "50,000"], ["17 April"], ["610"]]),
    ("Summarise the email about the energy grant", [["50,000"], ["17 April"], ["stairwells"]]),
    ("What is still open in the mail on the energy grant?", [["stairwells"]]),
    ("What does Agnes Brandt's complaint ask for?", [["hours"], ["swept"], ["10 percent"]]),
    ("Summarise the complaint about noise", [["seven"], ["dust"], ["29 May"]]),
    ("What is in the budget?", [["212"], ["18"], ["Curtains"], ["Mercer"]]),
    ("List all items in the budget", [["Windows"], ["Scaffolding"], ["Asbestos tests"], ["Energy certificate"]]),
    ("Who is in the contact list?", [["Rolf Halden"], ["Mina Costa"], ["Ted Lowe"], ["Uma Rao"]]),
    ("What are these files about?", [["window", "Window"], ["Caretaker", "caretaker"], ["Damp", "damp"]]),
    ("What are the mails about?", [["grant"], ["Noise", "noise"]]),
    ("Which people are mentioned in the newsletter?", [["Noor Haddad"], ["Brandt"]]),
]
"""Questions with what their answers must hold: each list in full, one of its strings each. Written before anything was run."""


def write_corpus(folder: Path) -> Path:
    """The files in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_docx(folder / "tenancy-flat-12.docx", LETTING)
    _write_docx(folder / "board-minutes-2026-03-09.docx", MINUTES)
    _write_docx(folder / "statement-of-work.docx", TENDER)
    _write_pdf(folder / "damp-survey.pdf", REPORT)
    (folder / "caretaker-handbook.md").write_text(HANDBOOK, "utf-8")
    (folder / "newsletter-spring.md").write_text(NEWSLETTER, "utf-8")
    _write_vtt(folder / "supplier-call-halden-2026-03-30.vtt", CALL)
    _write_vtt(folder / "residents-evening-2026-04-02.vtt", WORKSHOP)
    _write_mail(folder / "energy-grant.eml", MAIL)
    _write_mail(folder / "complaint-brandt.eml", COMPLAINT)
    _write_sheets(folder / "budget-windows.xlsx", BUDGET)
    _write_sheets(folder / "contacts.xlsx", CONTACTS)
    return folder


def _write_docx(path: Path, parts: list[tuple[str, int, list[str]]]) -> None:
    made = Docx()
    for heading, level, paragraphs in parts:
        made.add_heading(heading, level)
        for each in paragraphs:
            if each.startswith("- "):
                made.add_paragraph(each[2:], style="List Bullet")
            else:
                made.add_paragraph(each)
    made.save(str(path))


def _write_vtt(path: Path, turns: list[tuple[str, str]]) -> None:
    lines = ["WEBVTT", ""]
    for number, (speaker, text) in enumerate(turns):
        start, end = 12 * number, 12 * number + 11
        lines += [
            f"00:{start // 60:02d}:{start % 60:02d}.000 --> 00:{end // 60:02d}:{end % 60:02d}.000",
            f"<v {speaker}>{text}",
            "",
        ]
    path.write_text("\n".join(lines), "utf-8")


def _write_mail(path: Path, mail: tuple[str, str, str, str, str]) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"], message["Date"] = mail[:4]
    message.set_content(mail[4])
    path.write_bytes(bytes(message))


def _write_sheets(path: Path, sheets: dict[str, list[list[object]]]) -> None:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)


def _write_pdf(path: Path, parts: list[tuple[str, int, list[str]]]) -> None:
    """One page with the headings in a larger face, written by hand: the file needs nothing that a reader of PDF may lack."""
    lines: list[str] = []
    at = 800
    for heading, level, paragraphs in parts:
        size = 18 if level == 0 else 14
        at -= 14
        lines.append(f"BT /F2 {size} Tf 60 {at} Td ({_escape(heading)}) Tj ET")
        at -= 22
        for each in paragraphs:
            lines.append(f"BT /F1 10 Tf 60 {at} Td ({_escape(each)}) Tj ET")
            at -= 14
    content = "\n".join(lines).encode("latin-1")
    fonts = [b"<< /Type /Font /Subtype /Type1 /BaseFont /%s >>" % name for name in (b"Helvetica", b"Helvetica-Bold")]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream",
        *fonts,
    ]
    out = bytearray(b"%PDF-1.4\n")
    starts: list[int] = []
    for number, each in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n" % number + each + b"\nendobj\n"
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % start for start in starts)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    path.write_bytes(bytes(out))


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
