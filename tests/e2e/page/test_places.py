"""Where a quotation stands, for files of every kind: the document beside the answer names the place, and shows the picture of a scan."""

import json
import os
import subprocess
import sys

import pytest
import running_page
import sample_files
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import expect
from running_page import PATIENCE, visit
from served_page import ask

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)

PLACES = [
    ("Which colour does the Oslo harbour crane have?", "painted orange", "slide 2"),
    ("What does a Velmar valve cost?", "Velmar valve", "sheet Prices, A3:B3"),
    ("What does the Turlock notebook measure?", "tidal range", "cell 2"),
    ("Who keeps the lighthouse of Brandesund?", "Ingrid Solheim", "chapter Brandesund"),
    ("What does load_calibration return?", "offsets of the gyroscope", "line 5"),
    ("When does the Quillon boiler inspection take place?", "inspection of the Quillon boiler", "message"),
    ("How long is the Karlstad ferry out of service?", "Karlstad ferry", "p. 1"),
]


def write_files(folder):
    deck = sample_files.build_pptx(
        {"title": "The harbour", "lines": ["Ships of every size land here."]},
        {"title": "Cranes", "lines": ["The Oslo harbour crane is painted orange so that pilots see it."]},
    )
    rows = [["item", "price"], ["Turlock hose", "12 euros"], ["Velmar valve", "48 euros"]]
    notebook = sample_files.build_notebook(
        ("markdown", "# Tides"),
        ("markdown", "The Turlock notebook measures the tidal range of the bay."),
        ("code", "x = 1", []),
    )
    book = sample_files.build_epub(
        ("Foreword", "<p>Lighthouses of the north.</p>"),
        ("Brandesund", "<h1>Brandesund</h1><p>Ingrid Solheim keeps the lighthouse of Brandesund.</p>"),
    )
    code = 'import json\n\n\ndef load_calibration(path):\n    """The function load_calibration returns the offsets of the gyroscope."""\n    return 1\n'
    mail = sample_files.build_mail("The inspection of the Quillon boiler takes place on 3 May.")
    for name, data in {
        "deck.pptx": deck,
        "prices.xlsx": sample_files.build_xlsx({"Prices": rows}),
        "tides.ipynb": notebook,
        "north.epub": book,
        "gyro.py": code.encode(),
        "boiler.eml": mail,
    }.items():
        (folder / name).write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    image = Image.new("L", (1200, 500), 255)
    font = ImageFont.load_default(34)
    for number, line in enumerate(
        ["Notice to passengers", "The Karlstad ferry is out of service for nine days.", "Buses run every hour."]
    ):
        ImageDraw.Draw(image).text((60, 60 + 80 * number), line, font=font, fill=0)
    image.save(folder / "ferry.png")


@pytest.fixture(scope="module")
def places_address(tmp_path_factory):
    folder, home = tmp_path_factory.mktemp("places"), tmp_path_factory.mktemp("places_home") / "kb"
    write_files(folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [sys.executable, "-m", "ascertain", "add", str(folder), "--home", str(home)]
    subprocess.run(command, check=True, env={**kept, "OMP_NUM_THREADS": "1"}, capture_output=True)
    log = tmp_path_factory.mktemp("places_logs") / "service.log"
    with running_page.service(home, running_page.free_port(), log) as address:
        yield address


@pytest.mark.parametrize(("question", "words", "place"), PLACES, ids=[place for _, _, place in PLACES])
def test_the_document_opens_at_the_place_with_the_words_marked(browser, places_address, question, words, place):
    with visit(browser) as page:
        page.goto(places_address)
        ask(page, question)
        page.locator(".sentence", has_text=words).locator(".chip").last.click()
        expect(page.locator(".cited-place")).to_contain_text(place)
        if place == "p. 1":
            picture = page.get_by_role("img", name="Page 1 with the quoted words marked")
            expect(picture).to_be_visible()
            assert picture.evaluate("image => image.naturalWidth") == 1200
            page.get_by_role("button", name="Text", exact=True).click()
        expect(page.locator("mark").first).to_contain_text(words)
