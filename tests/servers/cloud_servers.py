"""More real servers on loopback that sources are read from: storage of Azure and Google, and a Windows share."""

import os
import subprocess
import threading
from base64 import b64encode
from contextlib import closing, contextmanager
from pathlib import Path

from source_servers import PASSWORD, FolderPlace, Place, await_port, free_port

# read when gcsfs is imported: it would ask what kind of bucket it is over gRPC, which the emulator does not speak
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"
AZURITE = Path(__file__).parents[2] / "build" / "npm" / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob"
ACCOUNT_KEY = b64encode(PASSWORD.encode() * 3).decode()


class BucketPlace(Place):
    """One whose server keeps objects; ``files`` is a file system of fsspec that goes around the line."""

    kind = "files"

    def __init__(self, port, files):
        super().__init__(port)
        self._files = files

    def put(self, name, text):
        self._files.pipe_file(f"handbook/texts/{name}", text.encode())

    def delete(self, name):
        self._files.rm_file(f"handbook/texts/{name}")

    def rename(self, name, other):
        self._files.pipe_file(f"handbook/texts/{other}", self._files.cat_file(f"handbook/texts/{name}"))
        self.delete(name)


@contextmanager
def azure_place(folder):
    """Azurite, which `.ci/azurite` installs."""
    import adlfs

    port = free_port()
    command = ["node", AZURITE / "main.js", "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck"]
    environment = {**os.environ, "AZURITE_ACCOUNTS": f"ann:{ACCOUNT_KEY}"}
    with (
        (folder / "azurite.log").open("wb") as log,
        subprocess.Popen([*command, "--blobPort", str(port)], env=environment, stdout=log, stderr=log) as server,
    ):
        try:
            await_port(port)

            def login(at, key=ACCOUNT_KEY):
                where = f"DefaultEndpointsProtocol=http;BlobEndpoint=http://127.0.0.1:{at}/ann"
                return f"{where};AccountName=ann;AccountKey={key};"

            files = adlfs.AzureBlobFileSystem(connection_string=login(port), skip_instance_cache=True)
            files.mkdir("handbook")
            with closing(BucketPlace(port, files)) as place:
                place.secret = login(place.line.port)
                place.wrong = login(place.line.port, b64encode(place.wrong.encode() * 3).decode())
                place.address = "abfs://handbook/texts"
                place.options = {"connection_string": "env:SOURCE_SECRET"}
                yield place
        finally:
            server.terminate()


@contextmanager
def google_place(folder):
    """It takes whoever comes: there is no secret to be wrong."""
    import gcsfs
    from gcp_storage_emulator.server import create_server

    port = free_port()
    server = create_server("127.0.0.1", port, in_memory=True, default_bucket="handbook")
    server.start()
    try:
        given = {"token": "anon", "skip_instance_cache": True}
        files = gcsfs.GCSFileSystem(endpoint_url=f"http://127.0.0.1:{port}", **given)
        with closing(BucketPlace(port, files)) as place:
            place.address = "gs://handbook/texts"
            place.options = {"endpoint_url": f"http://127.0.0.1:{place.line.port}", "token": "env:SOURCE_SECRET"}
            place.secret = "anon"
            yield place
    finally:
        server.stop()


@contextmanager
def share_place(folder):
    """A Windows share, by the server of impacket."""
    from impacket.ntlm import compute_lmhash, compute_nthash
    from impacket.smbserver import SimpleSMBServer

    root = folder / "smb"
    (root / "reports").mkdir(parents=True)
    port = free_port()
    server = SimpleSMBServer("127.0.0.1", port)
    server.addShare("files", str(root))
    server.addCredential("ann", 0, compute_lmhash(PASSWORD), compute_nthash(PASSWORD))
    server.setSMB2Support(True)
    threading.Thread(target=server.start, daemon=True).start()
    await_port(port)
    try:
        with closing(FolderPlace(port, root / "reports")) as place:
            place.kind = "files"
            place.address = f"smb://127.0.0.1:{place.line.port}/files/reports"
            place.options = {"username": "ann", "password": "env:SOURCE_SECRET"}
            yield place
    finally:
        server.getServer().shutdown()
        server.stop()


CLOUD_PLACES = {"azure": azure_place, "google": google_place, "smb": share_place}
