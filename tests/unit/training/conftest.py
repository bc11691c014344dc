"""The scripts of ``training``, which are no package; those that need torch are not imported here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "training"))
