"""The large reader of Ascertain, one ONNX file."""

from pathlib import Path


def find_file() -> Path:
    """The file of the model."""
    return Path(__file__).with_name("reader.onnx")
