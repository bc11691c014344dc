"""Commands for messages, which work as they are: to install an extra, to run a module.

Each names Ascertain as it was installed (a clone, a wheel, a repository), since an index may not have it, and the pip of this
environment, since the one on the path may be another's.
"""

import json
import shlex
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PACKAGE = "ascertain"


def install_command(*extras: str) -> str:
    """The command that installs these extras."""
    return f"{_find_installer()} {_name_source(','.join(dict.fromkeys(extras)))}"


def install_packages_command(*packages: str) -> str:
    """The command that installs packages of others."""
    return f"{_find_installer()} {shlex.join(packages)}"


def module_command(*arguments: str) -> str:
    """The command that runs a module with the Python of this environment."""
    python = "python" if _is_active("python") else sys.executable
    return shlex.join([python, "-m", *arguments])


def _find_installer() -> str:
    """``pip install`` if the shell finds the pip of this environment."""
    python = Path(sys.executable)
    if find_spec("pip") is None:  # as uv makes environments
        return f"uv pip install --python {shlex.quote(str(python))}"
    return "pip install" if _is_active("pip") else f"{shlex.quote(str(python))} -m pip install"


def _is_active(program: str) -> bool:
    """Whether the shell finds a program in this environment first."""
    found = shutil.which(program)
    return found is not None and Path(found).parent == Path(sys.executable).parent


def _name_source(extras: str) -> str:
    """What pip is given: Ascertain with these extras, from where it came; its bare name where that is not known or gone."""
    named = f"{PACKAGE}[{extras}]"
    origin = _read_origin()
    url = str(origin.get("url", ""))
    path = _find_path(url) if url.startswith("file:") else None
    if path and path.is_dir():
        editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
        return f"{editable}'{path}[{extras}]'"
    if path and path.is_file():
        return f"'{named} @ {url}'"
    if (repository := origin.get("vcs_info")) and url:
        return f"'{named} @ {repository['vcs']}+{url}@{repository['commit_id']}'"
    return f"'{named}'"


def _find_path(url: str) -> Path:
    from urllib.request import url2pathname

    return Path(url2pathname(urlsplit(url).path))


def _read_origin() -> Mapping[str, Any]:
    """Where the installer took Ascertain from, as it recorded (PEP 610); empty where it came from an index."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        installed = distribution(PACKAGE)
    except PackageNotFoundError:  # run from its source
        return {}
    return json.loads(installed.read_text("direct_url.json") or "{}")
