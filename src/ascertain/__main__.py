"""``python -m ascertain``."""

from ascertain.cli.main import run

if __name__ == "__main__":
    run()
