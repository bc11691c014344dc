"""The page that the service itself gives, in place of the one that is a process of its own."""

import pytest


@pytest.fixture(scope="session")
def address(api_url):
    """Where the page is."""
    return api_url
