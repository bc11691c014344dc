"""Keys for visitors of a service that asks for one."""

import os
import subprocess
import sys


def new_key(home, user, *arguments):
    """The text of a key, made on the command line."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [sys.executable, "-m", "ascertain", "keys", "add", user, "--user", user, "--home", str(home), "--json"]
    made = subprocess.run([*command, *arguments], check=True, env=kept, capture_output=True, text=True)
    return next(part for part in made.stdout.split('"') if part.startswith("ask_") and len(part) > 20)


def sign_in(page, url, key):
    """Give the key to the page; on a desk, where the side is seen."""
    page.goto(url)
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Use this key").click()
    page.get_by_role("link", name="New conversation").wait_for()
