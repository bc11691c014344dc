import pytest

from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.registry import open_store
from ascertain.testing.store_documents import a_document, sign_words


@pytest.fixture
def count_steps(monkeypatch):
    """Runs a call; how many times SQLite's machine did 10 steps for it."""
    steps = 0

    def count():
        nonlocal steps
        steps += 1

    execute = RecordConnection.execute

    def execute_counted(self, *given):
        self.set_progress_handler(count, 10)
        return execute(self, *given)

    monkeypatch.setattr(RecordConnection, "execute", execute_counted)

    def run(call):
        nonlocal steps
        steps = 0
        call()
        return steps

    return run


def test_near_duplicates_are_looked_up_and_not_searched_for_among_all_documents(tmp_path, count_steps):
    store = open_store(StoreSettings(), tmp_path / "home", "model-a", 8, create=True)
    wanted = sign_words(range(100))
    counted = []
    try:
        for first in (0, 50):
            store.upsert(
                [
                    a_document(f"/{n}.md", signature=sign_words(range(1000 * n + 1000, 1000 * n + 1100)))
                    for n in range(first, 7 * first + 50)
                ]
            )
            counted.append(count_steps(lambda: store.near_duplicates(wanted, 0.8)))
    finally:
        store.close()
    few, many = counted
    assert many < few + 20  # of 400 documents, eight times as many
