import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind, LeftOut

BRACKETS = """[12/05/2024, 10:31:22] Ada: Where is the key?
Not on its hook.
[12/05/2024, 10:32:00] Bo Berg: <Media omitted>
[13/05/2024, 09:00:00] Messages are encrypted
[13/05/2024, 09:01:00] Ada: Found: behind the door
"""


def test_a_conversation_has_speakers_days_and_times(read_one):
    document = read_one("chat.txt", BRACKETS)
    assert document.kind is DocumentKind.TRANSCRIPT
    assert document.author == "Ada, Bo Berg"
    assert document.text == (
        "12/05/2024\n\nAda (10:31:22): Where is the key?\nNot on its hook.\n\nBo Berg (10:32:00): <Media omitted>\n\n"
        "13/05/2024\n\n(09:00:00) Messages are encrypted\n\nAda (09:01:00): Found: behind the door"
    )
    turns = [block.place.speaker for block in document.blocks_of(BlockKind.TURN)]
    assert turns == [None, "Ada", "Bo Berg", None, None, "Ada"]
    assert [block.place.section for block in document.blocks_of(BlockKind.SECTION)] == [
        ("12/05/2024",),
        ("13/05/2024",),
    ]
    assert document.completeness.left_out == (LeftOut("pictures and recordings", 1),)


@pytest.mark.parametrize(
    "text",
    [
        "12.05.24, 10:31 - Ada: One\n12.05.24, 10:32 - Bo: Two\n",
        "5/12/24, 10:31 AM - Ada: One\n5/12/24, 10:32 AM - Bo: Two\n",
    ],
)
def test_the_other_form(read_one, text):
    document = read_one("chat.txt", text)
    assert [block.place.speaker for block in document.blocks_of(BlockKind.TURN)] == [None, "Ada", "Bo"]


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-12 10:31:22 INFO: started\n2024-05-12 10:31:23 INFO: stopped\n",
        "Notes\n[12/05/2024, 10:31:22] Ada: hello\n[12/05/2024, 10:31:25] Bo: hello\n",
        "12.05.24, 10:31 - Ada: only one\n",
        "[" * 20_000 + "\n" + "1" * 20_000,
    ],
)
def test_other_texts_are_no_conversations(read_one, text):
    assert read_one("notes.txt", text).kind is not DocumentKind.TRANSCRIPT
