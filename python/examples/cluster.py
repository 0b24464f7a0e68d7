"""Converts, validates and draws a folder, a pattern or a list of files on the Ray cluster of this machine or another.

    python cluster.py models/ out/ --to glb --thumbnails 128
    RAY_ADDRESS=ray://head:10001 python cluster.py @list.txt /shared/out

Started again after it was stopped, it goes on where it stopped.
"""

import argparse

import menagerie.ray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", help="a folder, a pattern, or @ and a file with one path a line")
    parser.add_argument("out", help="a folder that all workers see")
    parser.add_argument("--to", default="glb")
    parser.add_argument("--thumbnails", type=int, help="the size of pictures; none without it")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds that a file may take")
    arguments = parser.parse_args()
    summary = menagerie.ray.convert(
        arguments.paths,
        arguments.out,
        to=arguments.to,
        thumbnails=arguments.thumbnails,
        timeout=arguments.timeout,
    )
    print(f"{summary.manifest}: {summary.files} files, {summary.resumed} of them from before, {summary.statuses}")
    print(f"hash {summary.hash}")


if __name__ == "__main__":
    main()
