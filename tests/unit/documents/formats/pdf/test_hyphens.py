import pytest

from ascertain.documents.formats.pdf.words import SOFT_HYPHEN, Hyphens

SPELLED = [
    "an open-source tool",
    "the source is open",
    "long words",
    "a term here",
    "the language",
    "ten of them",
    "they went to Ten-",
    "nessee by car",
]


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("an exam-", "ple of", "an example of"),
        (f"an exam{SOFT_HYPHEN}", "ple of", "an example of"),
        ("the open-", "source one", "the open-source one"),
        (f"a long{SOFT_HYPHEN}", "term plan", "a long-term plan"),
        ("state-of-", "the-art", "state-of-the-art"),
        ("state-of-the-", "art", "state-of-the-art"),
        ("in German-lan-", "guage books", "in German-language books"),
        ("a project-", "based course", "a project-based course"),
        ("a DVB-", "compliant box", "a DVB-compliant box"),
        ("went to Ten-", "nessee by car", "went to Tennessee by car"),
        ("the Franco-", "German war", "the Franco-German war"),
        ("pre-", "and post-war", "pre- and post-war"),
        ("in 2019-", "2020 it", "in 2019-2020 it"),
        ("a dash -", "here", "a dash - here"),
        ("no hyphen", "here", "no hyphen here"),
        ("see https://doi.org/", "10.1000/1", "see https://doi.org/10.1000/1"),
        ("see https:", "//doi.org/1", "see https://doi.org/1"),
        ("see https://doi.org/10.1016/j.", "2021.04", "see https://doi.org/10.1016/j.2021.04"),
        ("see https://a.org.", "The next", "see https://a.org. The next"),
        ("see https://a.org/", "2https://b.org", "see https://a.org/ 2https://b.org"),
    ],
)
def test_joins_lines_as_the_author_wrote_them(before, after, joined):
    start, between = Hyphens(SPELLED).join(before, after)
    assert start + between + after == joined
