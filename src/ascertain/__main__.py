"""``python -m ascertain``."""

from ascertain.cli.main import run_cli

if __name__ == "__main__":
    run_cli()
