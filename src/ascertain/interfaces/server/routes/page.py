"""``/``: the page in the browser, static files that are clients of the service like any other.

Files are named below a digest of all of them, so that a browser keeps them until they change. They contain nothing of a knowledge base.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""What the page may do: nothing inline, nothing from other origins, never in a frame."""
FILES = "/page/"
"""The prefix of the addresses of its files."""
START = "app.js"
STYLES = ("tokens", "page", "ask", "read", "documents", "views")
"""Style sheets in their order; they are sent as one."""
MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}
COMPRESSED = frozenset({"css", "html", "js", "json", "svg"})
A_YEAR = 31_536_000
_IMPORT = re.compile(r"""^(?:import|export)\b[^;'"]*["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)
"""A static import of a module; a lazy import is a call, and not one of these."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page, as it is sent; ``compressed`` is empty where that gains nothing."""

    content: bytes
    compressed: bytes
    media_type: str

    def respond(self, request: Request, **headers: str) -> Response:
        """The response to a request, compressed if the client accepts that."""
        known = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.compressed and "gzip" in request.headers.get("accept-encoding", ""):
            known |= {"Content-Encoding": "gzip"}
        content = self.compressed if "Content-Encoding" in known else self.content
        return Response(content, media_type=self.media_type, headers={**known, "Vary": "Accept-Encoding"})


@dataclass(frozen=True, slots=True)
class PageFiles:
    """All files of the page by their paths, and the digest that they are named below."""

    digest: str
    index: PageFile
    by_path: Mapping[str, PageFile]


@cache
def read_page() -> PageFiles:
    """The page as it is installed; read once."""
    contents = dict(_walk_files(files("ascertain.interfaces.server").joinpath("page"), ""))
    contents["style/all.css"] = b"".join(contents[f"style/{name}.css"] for name in STYLES)
    digest = hashlib.sha256(b"\0".join(path.encode() + b"\0" + contents[path] for path in sorted(contents)))
    name = digest.hexdigest()[:16]
    index = contents.pop("index.html").decode()
    loaded = "".join(f'<link rel="modulepreload" href="page/{name}/{path}">' for path in list_modules(contents))
    index = index.replace("{{files}}", f"page/{name}").replace("{{modules}}", loaded)
    return PageFiles(
        name,
        _pack_file("index.html", index.encode()),
        {path: _pack_file(path, each) for path, each in contents.items()},
    )


def list_modules(contents: Mapping[str, bytes], start: str = START) -> list[str]:
    """The modules that ``start`` cannot do without, by their paths: named in the page, they are fetched at once and not one
    after the other.
    """
    order = [start]
    for path in order:
        folder = path.rpartition("/")[0]
        for imported in _IMPORT.findall(contents[path].decode()):
            target = _resolve_path(folder, imported)
            if target not in order:
                order.append(target)
    return order


def _resolve_path(folder: str, imported: str) -> str:
    steps = folder.split("/") if folder else []
    for step in imported.split("/"):
        if step == "..":
            steps.pop()
        elif step != ".":
            steps.append(step)
    return "/".join(steps)


def _walk_files(folder: Traversable, path: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        name = f"{path}{entry.name}"
        if entry.is_dir():
            found += _walk_files(entry, f"{name}/")
        elif name.rpartition(".")[2] in MEDIA_TYPES:
            found.append((name, entry.read_bytes()))
    return found


def _pack_file(path: str, content: bytes) -> PageFile:
    suffix = path.rpartition(".")[2]
    compressed = gzip.compress(content, 9, mtime=0) if suffix in COMPRESSED else b""
    return PageFile(content, compressed if len(compressed) < len(content) else b"", MEDIA_TYPES[suffix])


page_router = APIRouter(include_in_schema=False)


@page_router.api_route("/", methods=["GET", "HEAD"])
def show_page(request: Request) -> Response:
    """The page."""
    return read_page().index.respond(request, Cache_Control="no-cache", Content_Security_Policy=POLICY)


@page_router.api_route("/page/{digest}/{path:path}", methods=["GET", "HEAD"])
def show_page_file(digest: str, path: str, request: Request) -> Response:
    """One of its files; a page that was open during an upgrade gets the current file."""
    page = read_page()
    file = page.by_path.get(path)
    if file is None:
        raise HTTPException(404, "The page has no such file.")
    if digest != page.digest:
        return file.respond(request, Cache_Control="no-store")
    return file.respond(request, Cache_Control=f"public, max-age={A_YEAR}, immutable")
