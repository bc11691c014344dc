import pytest

from ascertain.stores.embedded.change_log import DerivedState, damaged_files, read_fingerprints, read_state, write_state


def test_a_state_is_read_back_as_it_was_written(tmp_path):
    state = DerivedState(1, "record", "build", 7, 9, {"a": (1, 2)}, {"graph": True})
    write_state(tmp_path, state)
    assert read_state(tmp_path) == state


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"files": {}}', '{"files": {"a": 1}}', '{"files": []}'])
def test_a_damaged_state_is_no_state(tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    assert read_state(tmp_path) is None


def test_only_files_that_look_changed_are_read(tmp_path):
    for name in ("same", "changed"):
        (tmp_path / name).write_text("content")
    state = DerivedState(1, "record", "build", 1, 1, read_fingerprints(tmp_path, ["same", "changed"]))
    (tmp_path / "changed").write_text("other content")
    read = []

    def is_whole(path):
        read.append(path.name)
        return False

    assert damaged_files(tmp_path, ["same", "changed", "missing"], state, is_whole) == ["changed", "missing"]
    assert read == ["changed"]
    assert damaged_files(tmp_path, ["same"], state, is_whole, thorough=True) == ["same"]
