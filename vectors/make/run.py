"""Writes the files of vectors/codes again: python3 vectors/make/run.py"""

import pathlib
import sys

import bmd
import bo3d
import bogle
import das2
import dgl2

ENDINGS = {bmd: "bmd", bo3d: "bo3d", bogle: "bgl", das2: "das2", dgl2: "dgl2"}


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "codes"
    for module, ending in ENDINGS.items():
        folder = root / module.__name__
        folder.mkdir(parents=True, exist_ok=True)
        written = {f"{code}.{ending}" for code, data in module.files() if (folder / f"{code}.{ending}").write_bytes(data) is not None}
        for old in folder.iterdir():
            if old.suffix == f".{ending}" and old.name not in written:
                old.unlink()
        print(module.__name__, len(written), file=sys.stderr)


if __name__ == "__main__":
    main()
