"""A balancer on loopback: every connection goes to the next of its services, as a round-robin in front of replicas does."""

import itertools
import select
import socket
import threading


class RoundRobin:
    """Forwards bytes; a client that opens a connection for each request has each answered by another service."""

    def __init__(self, *ports):
        self._ports = itertools.cycle(ports)
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self):
        # a blocked accept is not woken by closing its socket
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()

    def _accept(self):
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._forward, args=(client,), daemon=True).start()

    def _forward(self, client):
        with self._lock:
            port = next(self._ports)
        with client:
            try:
                service = socket.create_connection(("127.0.0.1", port))
            except OSError:
                return
            with service:
                self._shovel(client, service)

    @staticmethod
    def _shovel(client, service):
        other = {client: service, service: client}
        try:
            while True:
                readable, _, _ = select.select(list(other), [], [])
                for end in readable:
                    data = end.recv(65_536)
                    if not data:
                        return
                    other[end].sendall(data)
        except OSError:
            return


class Gate(RoundRobin):
    """One service behind a gate: what is sent while it is shut waits; while the service is gone, connections break."""

    def __init__(self, port):
        self._is_open = threading.Event()
        self._is_open.set()
        self._is_gone = False
        super().__init__(port)

    def shut(self):
        self._is_open.clear()

    def open(self):
        self._is_open.set()

    def take_away(self):
        self._is_gone = True

    def bring_back(self):
        self._is_gone = False

    def _forward(self, client):
        if self._is_gone:
            client.close()
        else:
            super()._forward(client)

    def _shovel(self, client, service):
        other = {client: service, service: client}
        while not self._is_gone:
            readable, _, _ = select.select(list(other), [], [], 0.05)
            for end in readable:
                try:
                    data = end.recv(65_536)
                    self._is_open.wait()
                    other[end].sendall(data)
                except OSError:
                    return
                if not data:
                    return
