"""``python -m ascertain``."""

from ascertain.interfaces.cli.main import run_cli

if __name__ == "__main__":
    run_cli()
