"""Looks locked packages up in the database of known advisories with pip-audit, and says plainly where it could not.

    python .ci/advisories.py LOCK ...

The status is 1 where a package has a known advisory. Without the network, or behind a mirror of packages that has no advisories, nothing is
looked up: that is said, and no failure.
"""

import json
import subprocess
import sys


def main() -> None:
    """Look up each lock file."""
    results = [look_up(lock) for lock in sys.argv[1:]]
    sys.exit(1 if any(results) else 0)


def look_up(lock: str) -> bool:
    """Whether a package of the lock has a known advisory; prints what came of it."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", lock, "--disable-pip", "--format", "json"]
    done = subprocess.run([*command, "--progress-spinner", "off"], capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        reason = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        print(f"{lock}: NOT CHECKED, the advisories could not be reached ({reason})")
        return False
    passed_over = [each["name"] for each in packages if "skip_reason" in each]
    affected = [each for each in packages if each.get("vulns")]
    for each in affected:
        for advisory in each["vulns"]:
            mended = ", ".join(advisory["fix_versions"]) or "no version yet"
            print(f"{lock}: {each['name']} {each['version']}: {advisory['id']}, mended in {mended}")
    if len(passed_over) == len(packages):
        print(f"{lock}: NOT CHECKED, the package index answers without advisories for all {len(packages)} packages")
    else:
        looked_up = len(packages) - len(passed_over)
        print(f"{lock}: {looked_up} of {len(packages)} packages looked up, {len(affected)} with known advisories")
        if passed_over:
            print(f"{lock}: not looked up: {', '.join(sorted(passed_over))}")
    return bool(affected)


if __name__ == "__main__":
    main()
