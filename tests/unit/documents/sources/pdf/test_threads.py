"""Several threads read and draw PDF files, with a library that can do only one thing at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ascertain.documents.formats.pdf.pictures import opened_page
from ascertain.documents.formats.pdf.words import PDFIUM_LOCK, Unreadable, open_pdf, page_count
from ascertain.documents.sources.files import read_path


@pytest.fixture
def paths(tmp_path, a_pdf):
    made = []
    for number in range(4):
        pages = [
            [(50, 700 - 20 * line, 12, "plain", f"Line {line} of page {page} in book {number}.") for line in range(20)]
            for page in range(1, 9)
        ]
        path = tmp_path / f"book{number}.pdf"
        path.write_bytes(a_pdf(pages))
        made.append(path)
    return made


def test_threads_get_what_one_after_another_gets(paths):
    texts = [next(iter(read_path(path))).text for path in paths]

    def drawn(path, number):
        with opened_page(path, number) as page:
            return "".join(character for _, character in page.characters()), page.pixels().tobytes()

    pictures = [drawn(path, 3) for path in paths]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(2):
            reading = [pool.submit(lambda path=path: next(iter(read_path(path))).text) for path in paths]
            drawing = [pool.submit(drawn, path, 3) for path in paths]
            assert [done.result() for done in reading] == texts
            assert [done.result() for done in drawing] == pictures


def test_a_book_that_is_being_read_keeps_nobody_from_drawing(paths):
    done = threading.Event()

    def draw():
        with opened_page(paths[1], 1) as page:
            page.pixels()
        done.set()

    with open_pdf(paths[0]) as document:
        assert page_count(document) == 8
        thread = threading.Thread(target=draw)
        thread.start()
        assert done.wait(30)
        thread.join()
        assert page_count(document) == 8


def test_the_lock_is_free_after_a_file_that_cannot_be_opened(tmp_path):
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 cut off")
    with pytest.raises(Unreadable), opened_page(broken, 1):
        pass
    free = []

    def take():
        free.append(PDFIUM_LOCK.acquire(blocking=False))
        PDFIUM_LOCK.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    assert free == [True]
