import pytest

from ascertain.core.errors import UsageError
from ascertain.interfaces.mcp.tools import Reach


@pytest.fixture
def folders(tmp_path):
    """``open`` with a file, a folder and links; ``closed`` beside it."""
    inside, outside = tmp_path / "open", tmp_path / "closed"
    (inside / "more").mkdir(parents=True)
    outside.mkdir()
    (inside / "a.md").write_text("a")
    (outside / "secret.md").write_text("s")
    (inside / "within.md").symlink_to(inside / "a.md")
    return inside, outside


def test_files_and_folders_inside_are_in_reach(folders):
    inside, _ = folders
    reach = Reach.of([inside])
    for given in (str(inside), str(inside / "a.md"), "a.md", "more", "./more/../a.md", "within.md"):
        assert reach.resolve_target(given).is_relative_to(inside)


@pytest.mark.parametrize(
    "given",
    ["/etc/passwd", "../closed/secret.md", "{out}/secret.md", "{out}", "missing.md", "..", "~", "{in}2", "a.md\0/etc"],
)
def test_everything_else_is_not(given, folders):
    inside, outside = folders
    inside.with_name("open2").mkdir()
    with pytest.raises(UsageError, match="no such file or folder in the allowed ones"):
        Reach.of([inside]).resolve_target(given.replace("{out}", str(outside)).replace("{in}", str(inside)))


def test_a_link_leads_nowhere_else(folders):
    inside, outside = folders
    (inside / "way-out.md").symlink_to(outside / "secret.md")
    with pytest.raises(UsageError, match="no such file or folder in the allowed ones"):
        Reach.of([inside]).resolve_target("way-out.md")


@pytest.mark.parametrize("target", ["secret.md", "."])
def test_a_link_further_down_leads_nowhere_else(target, folders):
    inside, outside = folders
    (inside / "more" / "way-out").symlink_to(outside / target)
    with pytest.raises(UsageError, match="a link out of the allowed folders"):
        Reach.of([inside]).resolve_target(".")


def test_a_link_from_one_allowed_folder_to_another_is_fine(folders):
    inside, outside = folders
    (inside / "way-out.md").symlink_to(outside / "secret.md")
    assert Reach.of([inside, outside]).resolve_target(str(inside)) == inside


def test_the_folder_may_itself_be_reached_by_a_link(folders, tmp_path):
    inside, _ = folders
    (tmp_path / "link").symlink_to(inside)
    assert Reach.of([tmp_path / "link"]).resolve_target(str(tmp_path / "link" / "a.md")) == inside / "a.md"


def test_without_a_folder_no_file_is_in_reach(folders):
    with pytest.raises(UsageError, match="without --allow-folder"):
        Reach().resolve_target(str(folders[0] / "a.md"))


@pytest.mark.parametrize("address", ["https://example.org/a.html", "arxiv:1706.03762"])
def test_addresses_are_in_reach_unless_forbidden(address):
    assert Reach().resolve_target(address) == address
    with pytest.raises(UsageError, match="--no-addresses"):
        Reach(with_addresses=False).resolve_target(address)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://example.org/x", "arxiv:../../etc/passwd"])
def test_addresses_of_other_kinds_are_not(address):
    with pytest.raises(UsageError):
        Reach().resolve_target(address)


def test_a_folder_that_is_not_there_is_an_error_at_once(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        Reach.of([tmp_path / "none"])
