import pytest

from ascertain.language.tokens import may_name


@pytest.mark.parametrize(
    ("name", "asked", "is_so"),
    [
        ("Tyler Cowen", "Tyler Cowen", True),
        ("Tyler Cowen", "tyler", True),
        ("Tyler Cowen", "Cowen's", True),
        ("Tyler", "Tyler Cowen", True),
        ("Lucía Ferran", "Lucia Ferran", True),
        ("Tyler Cowen", "Ana Flores", False),
        ("Tyler Cowen", "Tyler Durden", False),
        ("", "Tyler", False),
        ("Tyler", "", False),
        ("…", "?", False),
    ],
)
def test_a_part_of_a_name_may_stand_for_it(name, asked, is_so):
    assert may_name(name, asked) is is_so
