"""Running services over each kind of store; every test is a tenant of its own, and sees nothing of the others."""

import sys
import uuid
from itertools import count
from pathlib import Path

import openai
import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[3] / "servers"))

from material import GEARBOX, REFUNDS
from round_robin import RoundRobin
from running_service import PATIENCE, RunningService, client_of, new_key, settings_of, upload

from ascertain.app.access.sign_in import passwords

_numbers = count(1)
KINDS = ["embedded", "postgres", pytest.param("replicas", marks=pytest.mark.slow)]

SAMPLES = (
    "test_an_answer_rests_on_the_exact_words_of_a_document",
    "test_a_follow_up_is_understood_with_the_turns_before_it",
    "test_the_same_question_is_answered_from_the_cache_unless_that_is_declined",
)
"""Of the tests on replicas, those that stand for the rest where all cannot be run."""


ON_ONE_STORE = {
    "test_chat_completions",
    "test_connections",
    "test_description",
    "test_examples",
    "test_figures_of_answers",
    "test_identity",
    "test_notebooks",
    "test_page",
    "test_problems",
    "test_responses",
    "test_streaming",
    "test_strange_requests",
}
"""Files about the form of requests and replies, which no store changes: on PostgreSQL they are slow tests."""


def pytest_collection_modifyitems(items):
    for item in items:
        is_here = hasattr(item, "callspec") and item.path.parent == Path(__file__).parent
        if is_here and item.path.stem in ON_ONE_STORE and item.callspec.params.get("place") == "postgres":
            item.add_marker("slow")
        if item.originalname in SAMPLES and item.get_closest_marker("slow"):
            item.add_marker("sample")


@pytest.fixture(scope="session", autouse=True)
def cost_of_passwords():
    """What it is to the product; these tests take a hundredth of it."""
    cost = passwords.COST
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "COST", 2**8)
        yield cost


class Place:
    """Where clients of a service find it, and its knowledge base for what no client can do."""

    def __init__(self, services, url):
        self.services = services
        self.url = url
        self.knowledge = services[0].knowledge

    @property
    def first(self):
        return self.services[0]


@pytest.fixture(scope="session", params=KINDS)
def place(request, tmp_path_factory):
    """One service, or two replicas over one PostgreSQL behind a balancer; it has keys, so nobody comes in without one."""
    kind, home = request.param, tmp_path_factory.mktemp("service") / "kb"
    store = {}
    if kind != "embedded":
        url = request.getfixturevalue("postgres_url")
        store = {"store__kind": "postgres", "store__url": url, "store__name": f"service{next(_numbers)}"}
    services = [RunningService(settings_of(home, **store)) for _ in range(2 if kind == "replicas" else 1)]
    new_key(services[0].knowledge, "somebody")
    balancer = RoundRobin(*(service.port for service in services)) if kind == "replicas" else None
    yield Place(services, balancer.url if balancer else services[0].url)
    if balancer:
        balancer.close()
    for service in services:
        service.close()


@pytest.fixture
def tenant():
    return f"tenant-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def new_client(place):
    """Makes clients with keys of tenants."""
    clients = []

    def make(tenant, **fields):
        clients.append(client_of(place.url, new_key(place.knowledge, tenant, **fields)))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(new_client, tenant):
    """A client with a key of the test's tenant, which has no documents."""
    return new_client(tenant)


@pytest.fixture
def filled(client):
    """The same, with two documents."""
    job = upload(client, {"refunds.md": REFUNDS, "manuals/gearbox.md": GEARBOX}, tags="house")
    assert job["state"] == "finished", job
    return client


@pytest.fixture
def open_service(tmp_path):
    """Starts services on loopback without any key; settings by keyword."""
    started = []

    def start(**settings):
        started.append(RunningService(settings_of(tmp_path / f"kb{len(started)}", **settings)))
        return started[-1]

    yield start
    for service in started:
        service.close()


@pytest.fixture
def connect(place):
    """Makes clients of OpenAI's with a key of a tenant, which try nothing twice."""
    made = []

    def make(tenant, key=None, **options):
        key = key or new_key(place.knowledge, tenant)
        http = openai.DefaultHttpxClient(trust_env=False)
        made.append(
            openai.OpenAI(
                base_url=f"{place.url}/v1", api_key=key, max_retries=0, timeout=PATIENCE, http_client=http, **options
            )
        )
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def chat(filled, connect, tenant):
    """OpenAI's client of the tenant that has the two documents, with the key of ``filled``, whose conversations are its own."""
    return connect(tenant, filled.headers["Authorization"].removeprefix("Bearer "))
