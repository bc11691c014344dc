import threading

import pytest

from ascertain.core.errors import StoreBusy
from ascertain.stores.embedded.home import WriterLock


@pytest.fixture
def path(tmp_path):
    return tmp_path / "writer.lock"


def test_is_released_once_after_nested_holders(path):
    lock, released = WriterLock(path, 1), []
    lock.before_release = released.append
    with lock.hold():
        with lock.hold():
            pass
        assert released == []
    assert released == [False]


def test_tells_whether_an_error_ended_the_hold(path):
    lock, released = WriterLock(path, 1), []
    lock.before_release = released.append
    with pytest.raises(KeyError), lock.hold():
        raise KeyError
    assert released == [True]


def test_another_holder_is_kept_out_and_let_in_afterwards(path):
    one, other = WriterLock(path, 1), WriterLock(path, 0.1)
    with one.hold():
        with other.try_hold() as held:
            assert not held
        with pytest.raises(StoreBusy, match="pid"), other.hold():
            pass
    with other.try_hold() as held:
        assert held


def test_a_failure_while_releasing_still_frees_the_lock(path):
    one, other = WriterLock(path, 1), WriterLock(path, 0.1)

    def fail(_):
        raise OSError("no space")

    one.before_release = fail
    with pytest.raises(OSError, match="no space"), one.hold():
        pass
    with other.try_hold() as held:
        assert held


def test_threads_of_one_store_share_the_hold(path):
    lock, inside = WriterLock(path, 5), []
    with lock.hold():
        thread = threading.Thread(target=lambda: inside.append(lock.hold().__enter__()))
        thread.start()
        thread.join(timeout=5)
        assert len(inside) == 1
        assert not thread.is_alive()
