import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.citations import shown_text

SOURCE = "See https://oakford.example/bridge for details."


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Ada\nbuilt  it.", "Ada built it."),
        ("\x1b[31mAda\x1b[0m built\x07 it.", "Ada built it."),
        ("\x1b]8;;http://evil.example\x07Ada\x1b]8;;\x07 built it.", "Ada built it."),
        ("Ada \u202ebuilt\u200b it.", "Ada built it."),
        ("Ada built it [S1, S2].", "Ada built it."),
        ("Ada built it (S3).", "Ada built it."),
        ("Ada built it. [1]", "Ada built it."),
        ("The list a[1] has it.", "The list a[1] has it."),
        ("Ada built it, see https://evil.example/x?q=1.", "Ada built it, see"),
        ("See https://oakford.example/bridge.", "See https://oakford.example/bridge."),
        ("See [the page](https://oakford.example/bridge).", "See the page (https://oakford.example/bridge)."),
        ("See [the page](https://evil.example/x).", "See the page."),
        ("Ada ![x](https://evil.example/p.png?d=1) built it.", "Ada built it."),
        ('Ada <img src="https://evil.example/p"> built it.', "Ada built it."),
        ("Ada <script>alert(1)</script> built it.", "Ada alert(1) built it."),
        ("Go to evil.example/path now.", "Go to now."),
        ("Run javascript:alert(1) now.", "Run now."),
        ("Version 1.5/2 and and/or stay.", "Version 1.5/2 and and/or stay."),
        ("A List<int> stays.", "A List<int> stays."),
    ],
)
def test_shows_words_and_nothing_else(written, shown):
    assert shown_text(written, [SOURCE]) == shown


@given(st.text(max_size=200))
def test_never_shows_what_steers_a_terminal(text):
    shown = shown_text(text, [])
    assert all(character == " " or character.isprintable() or ord(character) > 0x9F for character in shown)
