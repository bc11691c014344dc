"""Which readers the settings open: the small one, the one for claims, and the large one where it is installed."""

import shutil
import sys
from pathlib import Path

import pytest

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ModelSettings
from ascertain.core.system.plugins import forget_plugins
from ascertain.models.reader import BUILT_IN, BUILT_IN_CLAIMS, DamagedReader, Reader
from ascertain.models.registry import open_claim_reader, open_reader, open_second_reader

PACKAGE = Path(__file__).parents[3] / "packages" / "reader-large"
LARGE = PACKAGE / "src" / "ascertain_reader_large" / "reader.onnx"
QUESTION, PASSAGE = "Who drew the Elm Bridge?", "The Elm Bridge is of stone. Ada Stone drew it in 1912."


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The package of the large reader, as pip leaves it, but for the model, for which ``weights`` stand."""

    def install(weights: bytes) -> None:
        shutil.copytree(PACKAGE / "src", tmp_path, ignore=shutil.ignore_patterns("*.onnx"), dirs_exist_ok=True)
        (tmp_path / "ascertain_reader_large" / "reader.onnx").write_bytes(weights)
        described = tmp_path / "ascertain_reader_large-0.1.0.dist-info"
        described.mkdir()
        (described / "METADATA").write_text("Metadata-Version: 2.1\nName: ascertain-reader-large\nVersion: 0.1.0\n")
        (described / "entry_points.txt").write_text("[ascertain.readers]\nlarge = ascertain_reader_large:find_file\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        forget_plugins()

    yield install
    sys.modules.pop("ascertain_reader_large", None)
    monkeypatch.undo()
    forget_plugins()


def test_claims_have_a_reader_of_their_own():
    assert open_reader(ModelSettings()).name == str(BUILT_IN)
    assert open_claim_reader(ModelSettings()).name == str(BUILT_IN_CLAIMS)


def test_a_reader_of_your_own_reads_claims_too(tmp_path):
    path = tmp_path / "own.onnx"
    path.write_bytes(BUILT_IN_CLAIMS.read_bytes())
    assert open_claim_reader(ModelSettings(reader=str(path))).name == str(path)


def test_there_is_no_second_reader_unless_it_is_installed():
    assert open_second_reader(ModelSettings()) is None


def test_the_second_reader_is_used_as_soon_as_it_is_installed(installed):
    installed(BUILT_IN.read_bytes())
    assert isinstance(open_second_reader(ModelSettings()), Reader)
    assert open_second_reader(ModelSettings(second_reader="none")) is None
    assert open_second_reader(ModelSettings(reader="none")) is None


def test_a_damaged_second_reader_fails_when_it_reads(installed):
    installed(b"no model")
    assert isinstance(open_second_reader(ModelSettings()), DamagedReader)


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(ConfigurationError, match=r"models\.second_reader = 'large\.onnx': no such file"):
        open_second_reader(ModelSettings(second_reader="large.onnx"))


def test_the_large_reader_of_the_package_finds_the_words_that_answer():
    reader = open_second_reader(ModelSettings(second_reader=str(LARGE)))
    (found,) = reader.read(QUESTION, [PASSAGE])
    assert found.answer.of(PASSAGE) == "Ada Stone"
    (other,) = reader.read("How long is the Elm Bridge?", [PASSAGE])
    assert other.answerable < found.answerable
