"""What a question names as manuals list it leads to what stands there: entries, questions as headings, versions."""

import pytest

from ascertain import Ascertain

MANUAL = """# boatd.conf

boatd.conf is the configuration file of the boat daemon.

## Parameters

lock file
:   This parameter specifies the file that supports the max connections parameter. It is shared by all modules that use it. The default
    is /var/run/boatd.lock.

max connections
:   This parameter specifies how many clients may be connected at once. Any client beyond that is told to try later. The default is 0,
    which means no limit.

## Exit values

- 0 - Success
- 10 - Error in socket I/O
- 12 - Error in the data stream of the protocol
- 25 - The limit stopped deletions
"""
FAQ = """# Frequently asked questions

## Can I keep the boats of many clubs in a single shed?

Yes, this is possible from the technical standpoint, but we do not recommend it.

Also, the daemon needs to keep a list of every boat that lies in the shed of the club, and several clubs that change one shed would have
to make that list again each time.

## How do I shut the lock?

1. Turn the wheel to the left.
2. Press **DOWN** and wait.
3. Hang the key on its hook.

## Can I copy a shed to another place?

Copy it while nobody rows.
"""
CHANGES = """# Change log

## Version 1.2.3 (2022-12-24)

- create: fix the output for folders of boats
- the daemon no longer works with oars made before the year 2000

## Version 1.2.2 (2022-08-20)

- list: show the boats of all clubs
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual")
    files = {"boatd.conf.md": MANUAL, "faq.md": FAQ, "changes.md": CHANGES}
    for name, text in files.items():
        (folder / name).write_text(text)
    with Ascertain.open(folder / "kb") as opened:
        opened.add([folder / name for name in files])
        yield opened


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what is the default of max connections in boatd.conf", "The default is 0"),
        ("What does exit code 12 mean?", "Error in the data stream"),
        ("Can I store boats from several clubs in one shed?", "Yes, this is possible"),
        ("When was version 1.2.3 released?", "2022-12-24"),
        ("In which version did the daemon stop working with old oars?", "1.2.3"),
    ],
)
def test_the_answer_begins_with_what_stands_under_the_name(knowledge, question, said):
    answer = knowledge.ask(question)
    assert said in answer.text.split("\n\n")[0], answer.text


def test_names_of_manual_pages_are_no_answer(tmp_path):
    page = ".TH TIDY 1\n.SH NAME\ntidy \\- remove old files\n.SH DESCRIPTION\nThe tidy command removes what nobody opened.\n.SH SEE ALSO\ntidy-up(1), tidy-all(1), tidyd(8)\n"
    (tmp_path / "tidy.1").write_text(page)
    with Ascertain.open(tmp_path / "kb") as opened:
        opened.add([tmp_path / "tidy.1"])
        assert "tidyd(8)" not in opened.ask("What does tidy do?").text


def test_steps_under_a_question_are_shown_whole(knowledge):
    text = knowledge.ask("How do I shut the lock?").text

    assert all(step in text for step in ("wheel to the left", "DOWN", "on its hook"))


HOUSE = """# House rules

## Capsize

1. Stay with the boat.
2. Get as much of your body out of the water as you can.
3. Report the capsize in the logbook, even if nothing happened.

## Options of the watcher

- `usePolling` (default: `false`). Whether files are polled, which costs a lot of time on a slow machine and is seldom what people want where
  the system tells of changes by itself, as most of those that are sold nowadays do. It is typically necessary to set this to `true` to watch
  files over a network, and it may be necessary in other situations that are not usual, of which nobody has ever made a list.
- `interval` (default: `100`). How often files are polled.
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    folder = tmp_path_factory.mktemp("house")
    (folder / "house.md").write_text(HOUSE)
    with Ascertain.open(folder / "kb") as opened:
        opened.add([folder / "house.md"])
        yield opened


def test_a_step_is_shown_with_all_of_them_where_it_is_asked_what_to_do(house):
    first = house.ask("What do I do when I capsize?").sentences[0].text
    assert "1. Stay with the boat." in first
    assert "3. Report the capsize" in first


def test_a_sentence_of_a_long_item_is_shown_with_the_name_of_the_item(house):
    answer = house.ask("What is necessary to watch files over a network?")
    assert answer.sentences[0].text.startswith("usePolling (default: false): It is typically necessary")
