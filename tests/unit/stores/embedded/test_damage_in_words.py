import sqlite3

import pytest

from ascertain.core.errors import StoreDamaged
from ascertain.stores.embedded.faults import translate_errors


def test_damage_is_described_in_letters_that_can_be_shown(tmp_path):
    error = sqlite3.DatabaseError('malformed database schema: unrecognized token: "\x15\x1b]0;x"')
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    with pytest.raises(StoreDamaged) as damaged, translate_errors(tmp_path):
        raise error
    assert str(damaged.value).isprintable()
    assert "unrecognized token" in str(damaged.value)
