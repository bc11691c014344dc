"""A site on loopback, and clients that may reach it."""

import pytest
from web_site import WebSite

from ascertain.core.settings import WebSettings
from ascertain.documents.sources.web.guarded_client import GuardedClient


@pytest.fixture
def site():
    served = WebSite()
    yield served
    served.close()


@pytest.fixture
def client_for():
    """Builds a client from settings; what it would sleep is in its ``slept``."""

    def build(*allowed, resolver=None, tls=None, **settings):
        slept = []
        given = {"resolver": resolver} if resolver else {}
        client = GuardedClient(
            WebSettings(allowed_hosts=allowed, **{"timeout_seconds": 10, **settings}),
            sleep=slept.append,
            tls=tls,
            **given,
        )
        client.slept = slept
        return client

    return build


@pytest.fixture
def client(site, client_for):
    return client_for(site.host)
