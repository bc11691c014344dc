import pytest

from ascertain.language.validity import says_superseded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Historical version of the Constitution (v1.0)\n\nVersion 1.0", True),
        ("Travel policy\n\nSuperseded by the policy of 2025.", True),
        ("Request for Comments: 822\nObsoleted by: 2822", True),
        ("Title\nStatus: withdrawn\n", True),
        ("This policy is no longer in force.", True),
        ("This document has been replaced by part 2.", True),
        # it is itself in force, or tells of others
        ("Rules, version 2\n\nSupersedes version 1.", False),
        ("How to find out that a package was replaced by another", False),
        ("Historical notes\nThe status of the lake was low.", False),
        ("x\n" * 600 + "Superseded by version 2.", False),
        ("", False),
    ],
)
def test_the_first_lines_say_whether_another_text_holds(text, expected):
    assert says_superseded(text) is expected
