"""Names of entries, as manuals list them, in what is asked."""

import pytest

from ascertain.language.languages import ENGLISH
from ascertain.questions.reading.names import find_named, name_entry, read_asked_names


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("- 24 - Partial transfer due to vanished source files", "24"),
        ("--fuzzy, -y: This option tells rsync", "--fuzzy, -y"),
        ("  --verbose, -v            increase verbosity", "--verbose, -v"),
        ("E03 | Battery low | Tell the desk", "E03"),
        ("A sentence that names nothing.", ""),
    ],
)
def test_a_line_names_what_it_tells(line: str, name: str):
    assert name_entry(line) == name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What does rsync -y do?", "--fuzzy, -y"),
        ("How do I use restic forget --keep-within?", "--keep-within="),
        ("what does the dry-run option do", "-n, --dry-run[=false]"),
        ("what is the default of max connections in rsyncd.conf", "max connections"),
        ("What does exit code 24 mean?", "24"),
        ("rsync exit status 30", "30"),
        ("What is the history-limit option of tmux?", "history-limit lines"),
        ("How do I rename a window?", "rename-window [-t target-window] new-name"),
        ("default of BORG_FILES_CACHE_TTL", "BORG_FILES_CACHE_TTL"),
    ],
)
def test_a_question_names_an_entry(question: str, name: str):
    assert find_named(name, read_asked_names(question, ENGLISH))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the history-limit option of tmux?", "prompt-history-limit number"),
        ("What does rsync -y do?", "-x, --one-file-system"),
        ("How do I keep 24 snapshots?", "24"),
        ("Is the dog fuzzy?", "--fuzzy, -y"),
        ("max number of connections", "max connections"),
    ],
)
def test_a_question_does_not_name_its_neighbour(question: str, name: str):
    assert not find_named(name, read_asked_names(question, ENGLISH))
