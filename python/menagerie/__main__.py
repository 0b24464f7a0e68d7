"""``python -m menagerie`` is the program."""

import sys

from ._native import main as _main


def main() -> int:
    """Runs the program with the arguments of the command line."""
    return _main(["menagerie", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
