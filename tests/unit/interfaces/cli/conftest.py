import pytest


@pytest.fixture(autouse=True)
def as_in_a_terminal(heard_interrupts):
    """Commands expect to be told of an interrupt."""
