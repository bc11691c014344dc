"""Several threads and processes on one graph; any of them may be killed."""

import threading

import pytest

from ascertain.core.errors import StoreBusy
from ascertain.testing.stores import a_graph, comparable_columns, expected_columns

MANY = tuple(f"name {number}" for number in range(300))

WRITE_THE_SAME = """
me = sys.argv[3]
for round in range(6):
    names = tuple(f"{me} {round} {place}" for place in range(20)) + ("shared",)
    graph.upsert([a_graph(f"d{number}", names, 3, version=f"{me} {round}") for number in range(4)])
graph.close()
"""

WRITE_FOR_EVER = """
import itertools
for number in itertools.count():
    names = tuple(f"name {place} of {number}" for place in range(300)) + ("shared",)
    graph.upsert([a_graph(f"d{document}", names, 3, version=str(number)) for document in range(2)])
    print(number, flush=True)
"""


def together(*works):
    """Run each in a thread of its own; raises what one of them raised."""
    errors = []

    def run(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def check_whole(graph, document):
    """Every document is one of the versions that ``document`` (id, version) gives."""
    known = graph.known("default")
    whole = [document(document_id, version) for document_id, version in known.items()]
    assert comparable_columns(graph.columns("default")) == expected_columns(whole)
    assert graph.counts("default").mentions == sum(len(one.mentions) for one in whole)
    return known


def test_two_threads_that_write_the_same_documents_leave_each_once(graph):
    def version(document_id, name):
        return a_graph(document_id, (name, "shared", f"{name} of {document_id}"), version=name)

    def write(me):
        for turn in range(8):
            graph.upsert([version(f"d{number}", f"{me} {turn}") for number in range(3)])

    together(lambda: write("one"), lambda: write("other"))
    known = check_whole(graph, version)
    assert set(known) == {"d0", "d1", "d2"}
    assert set(known.values()) <= {"one 7", "other 7"}


def test_two_processes_that_write_the_same_documents_leave_each_once(graph, process):
    writers = [process(WRITE_THE_SAME, name) for name in ("one", "other")]
    assert [writer.wait() for writer in writers] == [0, 0]

    def version(document_id, said):
        names = tuple(f"{said} {place}" for place in range(20))
        return a_graph(document_id, (*names, "shared"), 3, version=said)

    known = check_whole(graph, version)
    assert set(known) == {"d0", "d1", "d2", "d3"}
    assert set(known.values()) <= {"one 5", "other 5"}
    assert graph.delete("default", list(known)) == 4
    assert graph.counts("default").names == 0


def test_a_name_survives_when_one_document_takes_it_up_while_another_lets_it_go(graph, reopen):
    other = reopen()

    def come_and_go(place, document_id):
        for _ in range(10):
            place.upsert([a_graph(document_id, ("shared", document_id))])
            place.delete("default", [document_id])
        place.upsert([a_graph(document_id, ("shared", document_id))])

    together(lambda: come_and_go(graph, "d1"), lambda: come_and_go(other, "d2"))
    assert comparable_columns(graph.columns("default")) == expected_columns(
        [a_graph(document_id, ("shared", document_id)) for document_id in ("d1", "d2")]
    )


def test_columns_are_of_one_moment_while_documents_come_and_go(graph, reopen):
    writer, states = reopen(), []
    whole = {number: [a_graph(f"d{place}", MANY[: 50 + number], 3) for place in range(3)] for number in range(2)}
    possible = [expected_columns(some) for some in ([], whole[0], whole[1])]
    is_over = threading.Event()

    def write():
        try:
            for turn in range(6):
                writer.upsert(whole[turn % 2])
                writer.delete("default", [f"d{place}" for place in range(3)])
        finally:
            is_over.set()

    def read():
        while not is_over.is_set():
            columns = graph.columns("default")
            states.append(possible.index(comparable_columns(columns)))
            assert len(graph.mentions("default", MANY[:1])) in {0, 3}

    together(write, read)
    assert states


def test_the_generation_never_lags_behind_what_columns_hold(graph, reopen):
    writer = reopen()
    seen = {}

    def write():
        for turn in range(12):
            writer.upsert([a_graph("d", (f"name {turn}",), version=str(turn))])

    def read():
        for _ in range(12):
            try:
                columns = graph.columns("default")
            except StoreBusy:  # beside a writer that never rests a reader may be told to come back
                continue
            state = tuple(name.key for name in columns.names)
            assert seen.setdefault(columns.generation, state) == state

    together(write, read)
    assert graph.columns("default").generation == writer.generation("default")


@pytest.mark.parametrize("moment", [1, 2, 4])
def test_a_writer_killed_at_any_moment_leaves_the_old_version_or_the_new_one(moment, graph, process):
    writer = process(WRITE_FOR_EVER)
    acknowledged = [int(writer.stdout.readline()) for _ in range(moment)][-1]
    writer.kill()
    writer.wait()

    def version(document_id, number):
        names = tuple(f"name {place} of {number}" for place in range(300))
        return a_graph(document_id, (*names, "shared"), 3, version=number)

    known = check_whole(graph, version)
    assert set(known) == {"d0", "d1"}
    assert all(int(number) >= acknowledged for number in known.values())
    graph.upsert([version("d0", "0")])
    assert graph.known("default")["d0"] == "0"
