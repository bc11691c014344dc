"""Real servers on loopback that sources are read from, each over a folder or a bucket, behind a line that can fail."""

import asyncio
import imaplib
import logging
import os
import socket
import subprocess
import sys
import threading
import time
import zlib
from base64 import b64decode
from contextlib import ExitStack, closing, contextmanager, suppress
from email.message import EmailMessage
from pathlib import Path
from urllib.request import Request, urlopen

PASSWORD = "correct horse battery"


def free_port():
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def await_port(port, seconds=30.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), 1)):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on {port}")


class Line:
    """A line to a server that works, is down, never answers, is slow, or is cut once so many bytes have come."""

    def __init__(self, target):
        self._target = target
        self.mode = "works"
        self.cut_after = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._open = set()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self):
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._listening.close()
        self.hang_up()
        for each in list(self._open):
            each.close()

    def hang_up(self):
        for each in list(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if self.mode == "down":
                    near.close()
                    continue
                self._open.add(near)
                if self.mode == "silent":
                    continue
                far = socket.create_connection(("127.0.0.1", self._target))
                self._open.add(far)
                for pair, counted in (((near, far), False), ((far, near), True)):
                    threading.Thread(target=self._pump, args=(*pair, counted), daemon=True).start()

    def _pump(self, source, target, counted):
        sent = 0
        with suppress(OSError):
            while data := source.recv(65_536):
                if counted and self.mode == "slow":
                    time.sleep(0.1)
                if counted and self.mode == "cut" and sent + len(data) > self.cut_after:
                    target.sendall(data[: max(0, self.cut_after - sent)])
                    break
                sent += len(data)
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            self._open.discard(each)
            each.close()


class Place:
    """Somewhere with files. ``options`` say the secret by the variable SOURCE_SECRET."""

    kind = ""
    user = "ann"
    secret = PASSWORD
    wrong = "wrong staple"

    def __init__(self, port):
        self.line = Line(port)
        self.options = {}

    def close(self):
        self.line.close()


class FolderPlace(Place):
    """One whose server shows a folder of this machine."""

    def __init__(self, port, folder):
        super().__init__(port)
        self.folder = folder

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        # some servers tell the time of a change to the second
        moment = path.stat().st_mtime + len(text)
        os.utime(path, (moment, moment))

    def delete(self, name):
        (self.folder / name).unlink()

    def rename(self, name, other):
        (self.folder / name).rename(self.folder / other)


class S3Place(Place):
    kind = "files"

    def __init__(self, port):
        super().__init__(port)
        import boto3

        direct = {"endpoint_url": f"http://127.0.0.1:{port}", "region_name": "us-east-1"}
        root = {"aws_access_key_id": "root", "aws_secret_access_key": "root", **direct}
        people = boto3.client("iam", **root)
        people.create_user(UserName="ann")
        allowed = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'
        people.put_user_policy(UserName="ann", PolicyName="all", PolicyDocument=allowed)
        key = people.create_access_key(UserName="ann")["AccessKey"]
        self.secret = key["SecretAccessKey"]
        self.user = key["AccessKeyId"]
        login = {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": self.secret, **direct}
        self._client = boto3.client("s3", **login)
        self._client.create_bucket(Bucket="handbook")
        # from here on keys are checked
        urlopen(
            Request(f"http://127.0.0.1:{port}/moto-api/reset-auth", data=b"0", headers={"Content-Type": "text/plain"})
        ).close()
        self.options = {"key": "env:SOURCE_USER", "secret": "env:SOURCE_SECRET"}
        self.address = "s3://handbook/texts"
        self.options["client_kwargs"] = (
            f'{{"endpoint_url": "http://127.0.0.1:{self.line.port}", "region_name": "us-east-1"}}'
        )
        self.options["config_kwargs"] = '{"retries": {"max_attempts": 1}, "connect_timeout": 8, "read_timeout": 8}'

    def put(self, name, text):
        self._client.put_object(Bucket="handbook", Key=f"texts/{name}", Body=text.encode())

    def delete(self, name):
        self._client.delete_object(Bucket="handbook", Key=f"texts/{name}")

    def rename(self, name, other):
        self._client.copy_object(Bucket="handbook", Key=f"texts/{other}", CopySource=f"handbook/texts/{name}")
        self.delete(name)

    def close(self):
        super().close()
        self._client.close()


@contextmanager
def s3_place(folder):
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        _, port = server.get_host_and_port()
        with closing(S3Place(port)) as place:
            yield place
    finally:
        server.stop()


@contextmanager
def sftp_place(folder):
    import asyncssh

    class Login(asyncssh.SSHServer):
        def begin_auth(self, username):
            return True

        def password_auth_supported(self):
            return True

        def validate_password(self, username, password):
            return (username, password) == ("ann", PASSWORD)

    root = folder / "sftp"
    (root / "reports").mkdir(parents=True)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    host_key = asyncssh.generate_private_key("ssh-ed25519")

    async def listen():
        return await asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=Login,
            server_host_keys=[host_key],
            sftp_factory=lambda channel: asyncssh.SFTPServer(channel, chroot=str(root).encode()),
        )

    server = asyncio.run_coroutine_threadsafe(listen(), loop).result(30)
    with closing(FolderPlace(server.get_port(), root / "reports")) as place:
        place.kind = "files"
        place.address = "sftp://127.0.0.1/reports"
        place.host_key = host_key.convert_to_public()
        place.options = {
            **{"port": str(place.line.port), "username": "ann", "password": "env:SOURCE_SECRET"},
            **{
                "timeout": "5",
                "banner_timeout": "5",
                "auth_timeout": "5",
                "look_for_keys": "false",
                "allow_agent": "false",
                "fingerprint": place.host_key.get_fingerprint(),
            },
        }
        yield place

    async def end():
        server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    asyncio.run_coroutine_threadsafe(end(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@contextmanager
def webdav_place(folder):
    from cheroot.wsgi import Server
    from wsgidav.wsgidav_app import WsgiDAVApp

    root = folder / "webdav"
    (root / "reports").mkdir(parents=True)
    app = WsgiDAVApp(
        {
            "provider_mapping": {"/": str(root)},
            "simple_dc": {"user_mapping": {"*": {"ann": {"password": PASSWORD}}}},
            "logging": {"enable": False},
            "verbose": 0,
        }
    )
    server = Server(("127.0.0.1", 0), app)
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()
    try:
        with closing(FolderPlace(server.bind_addr[1], root / "reports")) as place:
            place.kind = "files"
            place.address = f"webdav://127.0.0.1:{place.line.port}/reports"
            place.options = {"timeout": "8", "username": "ann", "password": "env:SOURCE_SECRET"}
            yield place
    finally:
        server.stop()


class MailPlace(Place):
    kind = "imap"

    def __init__(self, port):
        super().__init__(port)
        self.address = f"imap://127.0.0.1:{self.line.port}/INBOX"
        self.options = {"user": "ann", "password": "env:SOURCE_SECRET"}
        self._direct = port

    @contextmanager
    def _inbox(self):
        client = imaplib.IMAP4("127.0.0.1", self._direct)
        client.login("ann", PASSWORD)
        client.select("INBOX")
        try:
            yield client
        finally:
            client.logout()

    def put(self, name, text):
        """A message never changes: another text under the same name is another message."""
        with suppress(LookupError):
            self.delete(name)
        message = EmailMessage()
        message["Subject"], message["From"], message["X-Name"] = name, "bob@example.org", name
        message.set_content(text)
        with self._inbox() as client:
            client.append("INBOX", None, None, message.as_bytes())

    def delete(self, name):
        with self._inbox() as client:
            found = client.search(None, "SUBJECT", f'"{name}"')[1][0].split()
            if not found:
                raise LookupError(name)
            client.store(found[0], "+FLAGS", "\\Deleted")
            client.expunge()

    def rename(self, name, other):
        with self._inbox() as client:
            number = client.search(None, "SUBJECT", f'"{name}"')[1][0].split()[0]
            body = client.fetch(number, "(BODY[])")[1][0][1]
            text = body.decode().partition("\n\n")[2] or body.decode().partition("\r\n\r\n")[2]
        self.put(other, text)
        self.delete(name)


@contextmanager
def mail_place(folder):
    port = free_port()
    command = "import sys; from pymap.main import main; sys.argv = ['pymap', *sys.argv[1:]]; main()"
    where = ["--host", "127.0.0.1", "--port", str(port), "--no-tls", "dict"]
    given = ["--demo-data", "--demo-user", "ann", "--demo-password", PASSWORD]
    with (
        (folder / "imap.log").open("wb") as log,
        subprocess.Popen([sys.executable, "-c", command, *where, *given], stdout=log, stderr=log) as server,
    ):
        try:
            await_port(port)
            with closing(MailPlace(port)) as place:
                with place._inbox() as client:
                    client.store("1:*", "+FLAGS", "\\Deleted")
                    client.expunge()
                yield place
        finally:
            server.terminate()


class GitPlace(FolderPlace):
    kind = "git"

    def commit(self):
        for command in (
            ["add", "-A"],
            ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-qm", "More"],
        ):
            subprocess.run(["git", *command], cwd=self.folder, check=True)

    def put(self, name, text):
        super().put(name, text)
        self.commit()

    def delete(self, name):
        super().delete(name)
        self.commit()

    def rename(self, name, other):
        super().rename(name, other)
        self.commit()


def _serve_repository(root):
    """``git http-backend`` behind a password."""
    backend = Path(subprocess.run(["git", "--exec-path"], check=True, capture_output=True, text=True).stdout.strip())

    def answer(environ, start):
        scheme, _, login = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme != "Basic" or b64decode(login).decode() != f"ann:{PASSWORD}":
            start("401 Unauthorized", [("WWW-Authenticate", "Basic"), ("Content-Length", "0")])
            return [b""]
        names = ("REQUEST_METHOD", "QUERY_STRING", "CONTENT_TYPE", "CONTENT_LENGTH", "PATH_INFO", "HTTP_GIT_PROTOCOL")
        given = {name: environ.get(name, "") for name in names} | {
            "GIT_PROJECT_ROOT": str(root),
            "GIT_HTTP_EXPORT_ALL": "1",
        }
        given |= {"REMOTE_USER": "ann", "GIT_PROTOCOL": environ.get("HTTP_GIT_PROTOCOL", "")}
        body = (
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            if environ["REQUEST_METHOD"] == "POST"
            else b""
        )
        if environ.get("HTTP_CONTENT_ENCODING") == "gzip":
            given["HTTP_CONTENT_ENCODING"] = "gzip"
        done = subprocess.run(
            [backend / "git-http-backend"], env={**os.environ, **given}, input=body, capture_output=True, check=False
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [tuple(line.decode().split(": ", 1)) for line in head.split(b"\r\n") if b": " in line]
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        start(status, [field for field in fields if field[0] != "Status"])
        return [content]

    return answer


@contextmanager
def git_place(folder):
    from cheroot.wsgi import Server

    root = folder / "git"
    work = root / "handbook.git"
    work.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=work, check=True)
    server = Server(("127.0.0.1", 0), _serve_repository(root))
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()
    try:
        with closing(GitPlace(server.bind_addr[1], work)) as place:
            place.address = f"http://127.0.0.1:{place.line.port}/handbook.git/.git"
            place.options = {"user": "ann", "token": "env:SOURCE_SECRET"}
            yield place
    finally:
        server.stop()


class SitePlace(Place):
    kind = "site"

    def __init__(self, site):
        super().__init__(site.port)
        self._site = site
        self._dates = {}
        self.address = f"http://127.0.0.1:{self.line.port}/guide/"
        self.options = {"delay": "0"}
        site.pages["/robots.txt"] = (
            b"User-agent: *\nDisallow: /guide/closed\nSitemap: " + f"{self.address}map.xml\n".encode()
        )
        self._show()

    def put(self, name, text):
        from web_site import article

        page = name.replace(".txt", ".html")
        self._site.pages[f"/guide/{page}"] = article(name, text)
        self._dates[page] = (
            f"2024-12-05T10:{len(self._dates):02}:{len(text) % 60:02}.{zlib.crc32(text.encode()) % 1000:03}Z"
        )
        self._show()

    def delete(self, name):
        page = name.replace(".txt", ".html")
        del self._site.pages[f"/guide/{page}"], self._dates[page]
        self._show()

    def rename(self, name, other):
        page, another = (each.replace(".txt", ".html") for each in (name, other))
        self._site.pages[f"/guide/{another}"] = self._site.pages.pop(f"/guide/{page}")
        self._dates[another] = self._dates.pop(page)
        self._show()

    def lock(self):
        """Let nobody in."""
        from web_site import Reply

        for path in [path for path in self._site.pages if path.startswith("/guide/")]:
            self._site.pages[path] = Reply(b"closed", 403)

    def _show(self):
        from web_site import Reply

        entries = "".join(
            f"<url><loc>{self.address}{page}</loc><lastmod>{date}</lastmod></url>" for page, date in self._dates.items()
        )
        body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()
        self._site.pages["/guide/map.xml"] = Reply(body, media_type="application/xml")


@contextmanager
def site_place(folder):
    from web_site import WebSite

    with ExitStack() as stack:
        site = stack.enter_context(closing(WebSite()))
        yield stack.enter_context(closing(SitePlace(site)))


PLACES = {
    "s3": s3_place,
    "sftp": sftp_place,
    "webdav": webdav_place,
    "imap": mail_place,
    "git": git_place,
    "site": site_place,
}
