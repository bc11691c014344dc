"""Two tenants at the same time, through every endpoint: nothing of one is ever visible to the other.

Every word that a tenant sends carries its marker. Both use the same names of files, conversations and tags, and ask the same questions, so that
whatever is kept under such a name alone would show; and each tries the ids of the other.
"""

import random
import threading
import time
import uuid

import pytest
from bombs import one_page_many_times
from running_service import PATIENCE, ended, upload

QUESTIONS = ["What is the code word of the house?", "Who keeps the spare key?", "When is the gate closed?"]


class Resident:
    """One tenant's client; every response is looked through for the marker of the other."""

    def __init__(self, client, seed):
        self.marker = f"zq{uuid.uuid4().hex[:10]}"
        self.other = None
        self.ids = {"document": [], "job": [], "answer": [], "conversation": [], "entity": []}
        self.failures = []
        self._client = client
        self._random = random.Random(seed)

    def live(self, operations):
        try:
            self.upload()
            for _ in range(operations):
                name = self._random.choice(OPERATIONS)
                getattr(self, name)()
        except BaseException as error:
            self.failures.append(repr(error))

    def send(self, method, path, allowed=(200, 202), **options):
        response = self._client.request(method, path, **options)
        seen = f"{response.headers} {response.text}"
        if self.other.marker in seen:
            self.failures.append(f"{method} {path} shows {self.other.marker}")
        if response.status_code not in allowed:
            self.failures.append(f"{method} {path}: {response.status_code} {response.text[:300]}")
        return response

    def upload(self):
        number = self._random.randrange(4)
        text = (
            f"# Notes {number} of {self.marker}\n\nThe code word of the house is {self.marker}. "
            f"The spare key is kept by {self.marker} the caretaker. The gate is closed at {number + 6} o'clock.\n"
        )
        files = [("files", (f"notes{number}.md", text))]
        response = self.send("POST", "/v1/documents", files=files, data={"tags": "house"})
        job = ended(self._client, response.json()["job"])
        self.ids["job"].append(job["id"])
        assert job["state"] == "finished", job

    def ask(self, **body):
        question = self._random.choice(QUESTIONS)
        response = self.send("POST", "/v1/ask", json={"question": question, **body}, allowed=(200, 409))
        if response.status_code == 200:
            answer = response.json()
            self.ids["answer"].append(answer["id"])
            for cited in answer["citations"]:
                assert self.marker in cited["title"] + cited["quote"]

    def ask_in_a_conversation(self):
        name = self._random.choice(["house", "garden"])
        self.ids["conversation"].append(name)
        self.ask(conversation_id=name)

    def ask_about_the_other(self):
        body = {"question": f"What does {self.marker} say about the code word?", "cache": False}
        self.send("POST", "/v1/ask", json=body, allowed=(200, 409))

    def stream(self):
        body = {"question": self._random.choice(QUESTIONS)}
        response = self.send("POST", "/v1/ask/stream", json=body, allowed=(200, 409))
        if response.status_code == 200:
            answer_id = response.text.partition('"answer_id": "')[2].partition('"')[0]
            self.ids["answer"].append(answer_id)
            self.send("GET", f"/v1/ask/stream/{answer_id}")

    def search(self):
        body = {"query": "code word", "k": 20, "filter": {"tags": ["house"]}}
        self.send("POST", "/v1/search", json=body, allowed=(200, 409))

    def list(self):
        listed = self.send("GET", "/v1/documents", params={"limit": 1000}).json()
        self.ids["document"] += [record["id"] for record in listed["documents"]]
        assert all(self.marker in record["title"] for record in listed["documents"])
        for path in ("/v1/jobs", "/v1/conversations", "/v1/stats", "/rag/stats", "/v1/feedback/summary"):
            self.send("GET", path)
        assert self.send("GET", "/v1/stats").json()["documents"] <= 4

    def look(self):
        for document_id in self.ids["document"][-2:]:
            for path in ("", "/text", "/tree", "/pages/1.png", f"/figures/{'0' * 64}"):
                self.send("GET", f"/v1/documents/{document_id}{path}", allowed=(200, 400, 404))

    def explore(self):
        self.send("GET", "/v1/graph/communities")
        stats = self.send("GET", "/v1/graph").json()
        assert stats["documents"] <= 4
        for query in ({}, {"q": self.marker}, {"q": self.other.marker[:6]}, {"q": "gate"}):
            found = self.send("GET", "/v1/graph/entities", params=query).json()["entities"]
            self.ids["entity"] += [entity["id"] for entity in found]
        for entity in self.ids["entity"][-2:]:
            self.send("GET", f"/v1/graph/entities/{entity}", allowed=(200, 404))
        # a name is told back in the path of a problem, so it is asked for where it is not
        for entity in self.other.ids["entity"][-2:]:
            self.send("GET", "/v1/graph/path", params={"from": entity, "to": entity}, allowed=(200, 404))

    def delete(self):
        for document_id in self.ids["document"][-1:]:
            self.send("DELETE", f"/v1/documents/{document_id}", allowed=(200, 404))

    def converse(self):
        name = self._random.choice(["house", "garden"])
        for base in ("/v1/conversations", "/rag/conversation"):
            self.send("GET", f"{base}/{name}/sources", allowed=(200, 404))
        self.send("GET", f"/v1/conversations/{name}", allowed=(200, 404))
        if self._random.random() < 0.3:
            self.send("DELETE", f"/v1/conversations/{name}", allowed=(200, 404))

    def judge(self):
        for answer_id in self.ids["answer"][-1:]:
            body = {"answer_id": answer_id, "thumb": "up", "comment": f"{self.marker} says so"}
            # gone with its conversation, where that was deleted since
            self.send("POST", "/v1/feedback", json=body, allowed=(200, 404))

    def read_news(self):
        body = {"message": self._random.choice(QUESTIONS), "user_id": self.marker, "include_debug": True}
        given = self.send("POST", "/rag/query", json=body).json()
        self.ids["conversation"].append(given["conversation_id"])

    def err(self):
        self.send("POST", "/v1/ask", json={"question": self.marker, "nonsense": self.marker}, allowed=(422,))
        self.send("GET", f"/v1/{self.marker}", allowed=(404,))
        self.send("POST", "/v1/documents", files=[("files", (f"{self.marker}/..", "x"))], allowed=(400,))

    def try_ids_of_the_other(self):
        theirs = self.other.ids
        for document_id in theirs["document"][-2:]:
            for method, path in (
                ("GET", ""),
                ("GET", "/text"),
                ("GET", "/tree"),
                ("GET", "/pages/1.png"),
                ("GET", f"/figures/{'0' * 64}"),
                ("DELETE", ""),
            ):
                self.send(method, f"/v1/documents/{document_id}{path}", allowed=(404,))
            body = {"query": "code word", "filter": {"document_ids": [document_id]}}
            found = self.send("POST", "/v1/search", json=body, allowed=(200, 409))
            assert found.status_code == 409 or found.json()["results"] == []
        for job_id in theirs["job"][-1:]:
            self.send("GET", f"/v1/jobs/{job_id}", allowed=(404,))
            self.send("DELETE", f"/v1/jobs/{job_id}", allowed=(404,))
            self.send("POST", f"/v1/jobs/{job_id}/retry", allowed=(404,))
        for answer_id in theirs["answer"][-1:]:
            self.send("GET", f"/v1/ask/stream/{answer_id}", allowed=(404,))
            body = {"answer_id": answer_id, "thumb": "down", "comment": self.marker}
            self.send("POST", "/v1/feedback", json=body, allowed=(404,))
        for conversation in theirs["conversation"][-1:]:
            self.send("GET", f"/v1/conversations/{conversation}", allowed=(200, 404))
            self.ask(conversation_id=conversation)


OPERATIONS = [
    "upload",
    "ask",
    "ask",
    "ask_in_a_conversation",
    "ask_about_the_other",
    "stream",
    "search",
    "list",
    "look",
    "explore",
    "delete",
    "converse",
    "judge",
    "read_news",
    "err",
    "try_ids_of_the_other",
]


def live_side_by_side(new_client, operations):
    first, second = (Resident(new_client(f"tenant-{uuid.uuid4().hex[:8]}"), seed) for seed in (1, 2))
    first.other, second.other = second, first
    threads = [threading.Thread(target=each.live, args=(operations,)) for each in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first.failures == []
    assert second.failures == []


def test_two_tenants_see_nothing_of_each_other(new_client):
    live_side_by_side(new_client, 60)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_tenants_see_nothing_of_each_other_in_a_thousand_operations(new_client):
    live_side_by_side(new_client, 1000)


def test_a_file_that_never_ends_holds_up_no_other_tenant(new_client):
    """The other's upload is accepted and its job is done while the bomb is still being read."""
    first, second = new_client(f"bomber-{uuid.uuid4().hex}"), new_client(f"neighbour-{uuid.uuid4().hex}")
    bomb = first.post("/v1/documents", files=[("files", ("bomb.pdf", one_page_many_times()))])
    assert bomb.status_code == 202, bomb.text
    address = f"/v1/jobs/{bomb.json()['job']['id']}"
    until_state(first, address, "running")
    done = upload(second, {"gate.md": "The gate is closed at six o'clock."})
    assert (done["state"], done["report"]["added"]) == ("finished", 1), done
    assert first.get(address).json()["state"] == "running", "the bomb ended first, so nothing is shown"
    assert second.get("/v1/documents").json()["total"] == 1
    assert first.delete(address).status_code == 200
    assert ended(first, first.get(address).json())["state"] == "cancelled"
    assert first.get("/v1/documents").json()["total"] == 0


def until_state(client, address, state):
    until = time.monotonic() + PATIENCE
    while client.get(address).raise_for_status().json()["state"] != state:
        assert time.monotonic() < until, f"{address} is never {state}"
        time.sleep(0.05)
