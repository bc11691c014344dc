"""A front end of one's own over the HTTP API: a chat in Streamlit, beside a service that runs.

    pip install streamlit httpx
    ascertain serve                       # in another terminal
    streamlit run examples/streamlit_app.py

The service is found at ASCERTAIN_URL, its key, where it asks for one, in ASCERTAIN_API_KEY. Everything below `main` is
plain HTTP and needs no Streamlit.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import httpx

PATIENCE = httpx.Timeout(10, read=300)


class Service:
    """What this front end uses of the service."""

    def __init__(self, url: str, key: str = "") -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.client = httpx.Client(base_url=url, headers=headers, timeout=PATIENCE)

    def ask(self, question: str, conversation_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Ask; yields each event as it comes: `node` for a step, last `answer` with the whole answer.

        Raises RuntimeError with what the service says where it comes to nothing.
        """
        body = {"question": question, "conversation_id": conversation_id}
        with self.client.stream("POST", "/v1/ask/stream", json=body) as response:
            if response.is_error:
                response.read()
                raise RuntimeError(describe_problem(response))
            for name, data in read_events(response.iter_lines()):
                if name == "error":
                    raise RuntimeError(data["problem"]["detail"])
                yield name, data

    def source_text(self, citation: dict[str, Any], around: int = 400) -> tuple[str, str, str]:
        """The text of a document before the quoted words, these, and what follows."""
        start, end = citation["span"]
        query = {"start": start, "end": end, "context": around}
        window = self._get(f"/v1/documents/{citation['document_id']}/text", **query)
        text, first = window["text"], window["start"]
        return text[: start - first], text[start - first : end - first], text[end - first :]

    def documents(self, words: str = "") -> list[dict[str, Any]]:
        """The documents, the last added first."""
        return self._get("/v1/documents", q=words, sort="-added", limit=100)["documents"]

    def upload(self, name: str, content: bytes) -> str:
        """Hand a file over to be read in the background; the id of the job."""
        response = self.client.post("/v1/documents", files={"files": (name, content)})
        if response.is_error:
            raise RuntimeError(describe_problem(response))
        return response.json()["job"]["id"]

    def _get(self, path: str, **query: object) -> dict[str, Any]:
        response = self.client.get(path, params=query)
        if response.is_error:
            raise RuntimeError(describe_problem(response))
        return response.json()


def read_events(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Server-sent events: the name of each and its data."""
    name, data = "message", []
    for line in lines:
        if not line and data:
            yield name, json.loads("\n".join(data))
            name, data = "message", []
        elif line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").strip())


def describe_problem(response: httpx.Response) -> str:
    """What the service says (RFC 9457), or the status where something in between answered."""
    try:
        return response.json()["detail"]
    except (ValueError, KeyError):
        return f"{response.status_code} {response.reason_phrase}"


def main() -> None:
    """The page; Streamlit runs it again at every click."""
    import streamlit as st

    st.set_page_config(page_title="My documents")
    service = Service(os.environ.get("ASCERTAIN_URL", "http://127.0.0.1:8000"), os.environ.get("ASCERTAIN_API_KEY", ""))
    state = st.session_state
    conversation = state.setdefault("conversation", uuid.uuid4().hex)
    turns: list[dict[str, Any]] = state.setdefault("turns", [])
    for file in st.sidebar.file_uploader("Add files", accept_multiple_files=True) or []:
        if file.file_id not in state.setdefault("added", set()):
            state["added"].add(file.file_id)
            service.upload(file.name, file.getvalue())
    for answer in turns:
        show_turn(st, service, answer)
    question = st.chat_input("Ask your documents")
    if not question:
        return
    with st.status("Sending the question") as status:
        try:
            for name, data in service.ask(question, conversation):
                if name == "node":
                    status.update(label=data["node"])
                elif name == "answer":
                    turns.append(data)
        except (RuntimeError, httpx.TransportError) as problem:
            status.update(label=str(problem) or "The service does not answer", state="error")
            return
    st.rerun()


def show_turn(st: Any, service: Service, answer: dict[str, Any]) -> None:
    """A question with its answer; every citation opens its words in their surroundings."""
    st.chat_message("user").text(answer["question"])
    with st.chat_message("assistant"):
        for sentence in answer["sentences"]:
            marks = " ".join(f"[{n}]" for n in sentence["citations"])
            st.text(f"{sentence['text']} {marks}".strip())
        if not answer["sentences"]:
            st.text(answer["answer"])
        for citation in answer["citations"]:
            with st.expander(f"{citation['n']}. {citation['title']}"):
                before, quoted, after = service.source_text(citation)
                st.text(f"{before}»{quoted}«{after}")


if __name__ == "__main__":
    main()
