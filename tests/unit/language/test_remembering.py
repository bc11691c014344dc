from __future__ import annotations

from ascertain.language.remembering import LONGEST_REMEMBERED, remember_texts


def counted(most: int):
    seen: list[str] = []

    @remember_texts(most)
    def measure(text: str, unit: str = "") -> str:
        """How long a text is."""
        seen.append(text)
        return f"{len(text)}{unit}"

    return measure, seen


def test_a_text_is_worked_on_once():
    measure, seen = counted(10)
    assert [measure("abc"), measure("abc"), measure("abc", "cm")] == ["3", "3", "3cm"]
    assert seen == ["abc", "abc"]


def test_no_more_texts_are_kept_than_asked_for():
    measure, seen = counted(2)
    for text in ("a", "b", "c", "a"):
        measure(text)
    assert seen == ["a", "b", "c", "a"]


def test_a_long_text_is_not_kept():
    measure, seen = counted(10)
    long = "x" * (LONGEST_REMEMBERED + 1)
    measure(long)
    measure(long)
    assert len(seen) == 2


def test_the_function_keeps_its_name():
    measure, _ = counted(1)
    assert measure.__name__ == "measure"
    assert measure.__doc__ == "How long a text is."
