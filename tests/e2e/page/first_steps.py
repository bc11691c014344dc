"""The walk of docs/tutorials/team.md: from an empty folder to a shared answer, with its pictures and the seconds it takes.

    python tests/e2e/page/first_steps.py docs/images

Ten office files, written here, are chosen in the real page of `ascertain serve` over an empty home, with keys of two people.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "servers"))

import sample_files
from docx import Document
from playwright.sync_api import Page
from running_page import DESKTOP, chromium, free_port, service, visit
from served_page import ask
from small_pdf import small_pdf

QUESTION = "Who pays for the hotel when a training is cancelled?"
COMPUTED = "What was the total amount by supplier?"
SETTLED_MS = 600


def office_files() -> dict[str, bytes]:
    """What lies in the folder of a small office."""
    deck = sample_files.build_pptx(
        {
            "title": "Plan for the year",
            "lines": ["Two trainings in spring and one in autumn.", "The budget is 24,000 euros."],
        },
        {"title": "Who does what", "lines": ["Mira Holm books the rooms. Jonas Reuter writes to the participants."]},
    )
    rows = [
        ["date", "supplier", "amount_eur"],
        ["2026-01-12", "Seehof Hotel", "2140.00"],
        ["2026-02-03", "Print Shop Lenz", "310.50"],
    ]
    rows += [
        ["2026-02-20", "Seehof Hotel", "980.00"],
        ["2026-03-05", "Nordbahn", "415.20"],
        ["2026-03-19", "Print Shop Lenz", "128.00"],
    ]
    pdf = small_pdf(
        [
            [
                (60, 740, 16, "bold", "Contract with the Seehof Hotel"),
                (60, 700, 12, "plain", "Rooms can be cancelled free of charge until 21 days before arrival."),
            ]
        ],
        "Contract with the Seehof Hotel",
    )
    mail = sample_files.build_mail("Dear Mira, the training of 14 May is cancelled. The speaker is ill. Best, Jonas")
    policy = _write_docx(
        "Travel policy",
        "When a training is cancelled, the organiser pays for the hotel. Participants pay for their own trains.",
        "Receipts are handed in within 30 days.",
    )
    minutes = _write_docx("Minutes of 2 March", "It was decided that Mira Holm signs contracts of up to 5,000 euros.")
    return {
        "plan.pptx": deck,
        "invoices.xlsx": sample_files.build_xlsx({"Invoices": rows}),
        "hotel-contract.pdf": pdf,
        "training-cancelled.eml": mail if isinstance(mail, bytes) else mail.encode(),
        "travel-policy.docx": policy,
        "minutes.docx": minutes,
        "participants.csv": b"name,city,paid\nAnna Lund,Kiel,yes\nPeer Voss,Bremen,no\nIda Brandt,Kiel,yes\n",
        "house-rules.md": b"# House rules\n\n## Keys\n\nThe key of the seminar room hangs beside the door. It is returned by 18:00.\n",
        "welcome.html": b"<h1>Welcome</h1><p>The wireless network is called Seminar. Ask at the desk for its password.</p>",
        "phone-list.txt": b"Phone list\n\nMira Holm: extension 12\nJonas Reuter: extension 15\n",
    }


def _write_docx(title: str, *paragraphs: str) -> bytes:
    document = Document()
    document.add_heading(title)
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _new_key(home: Path, user: str, role: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [
        sys.executable,
        "-m",
        "ascertain",
        "keys",
        "add",
        user,
        "--user",
        user,
        "--role",
        role,
        "--home",
        str(home),
        "--json",
    ]
    return json.loads(subprocess.run(command, check=True, env=kept, capture_output=True, text=True).stdout)["key"]


def _sign_in(page: Page, address: str, key: str) -> None:
    page.goto(address)
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Use this key").click()
    page.get_by_role("link", name="New conversation").wait_for()


def walk(images: Path) -> float:
    """Take the pictures; the seconds from the first command to the answer that somebody else reads."""
    images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        folder, home = Path(made) / "office", Path(made) / "office.kb"
        folder.mkdir()
        for name, content in office_files().items():
            (folder / name).write_bytes(content)

        def picture(page: Page, name: str) -> None:
            page.wait_for_timeout(SETTLED_MS)
            page.screenshot(path=images / f"first-steps-{name}.png")

        began = time.perf_counter()
        mira, jonas = _new_key(home, "mira", "admin"), _new_key(home, "jonas", "read")
        with service(home, free_port(), Path(made) / "log") as address, visit(browser, DESKTOP) as hers:
            _sign_in(hers, address, mira)
            picture(hers, "empty")
            hers.get_by_role("link", name="Add documents").click()
            hers.get_by_test_id("files").set_input_files([str(path) for path in sorted(folder.iterdir())])
            hers.locator(".uploads .badge.good").nth(9).wait_for()
            picture(hers, "added")
            hers.get_by_role("link", name="Chat").click()
            ask(hers, QUESTION)
            hers.locator(".chip").first.click()
            hers.locator("mark").first.wait_for()
            picture(hers, "answer")
            hers.keyboard.press("Escape")
            ask(hers, COMPUTED)
            picture(hers, "computed")
            hers.get_by_role("button", name="More about").first.click()
            hers.get_by_role("menuitem", name="Share by link").click()
            hers.get_by_text("The link is").wait_for()
            with visit(browser, DESKTOP, "dark") as his:
                _sign_in(his, address, jonas)
                his.goto(hers.url)
                his.locator(".answer").first.wait_for()
                took = time.perf_counter() - began
                picture(his, "shared")
    return took


if __name__ == "__main__":
    print(f"{walk(Path(sys.argv[1])):.0f} s")  # noqa: T201  the figure for the page
