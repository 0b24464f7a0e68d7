"""Opening a model of a million triangles and reading its positions: menagerie and trimesh in one process, one after the other.

    python positions.py FOLDER

Prints a JSON list of format, seconds of menagerie, seconds of trimesh; the fastest of some runs each.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np
import trimesh

import menagerie
from menagerie.scene import Mesh, Primitive, Scene

RUNS = 4
SIDE = 708


def hills() -> Scene:
    """A grid of a million triangles."""
    z, x = np.mgrid[0:SIDE, 0:SIDE].astype("f4")
    y = np.sin(x * 0.05) * np.cos(z * 0.04) * 5
    at = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()[:, None]
    indices = np.concatenate([at + [0, SIDE, 1], at + [1, SIDE, SIDE + 1]])
    positions = np.stack([x, y, z], axis=2).reshape(-1, 3)
    return Scene.of_meshes(Mesh(name="hills", primitives=[Primitive(positions=positions, indices=indices)]))


def fastest(read: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(RUNS):
        began = time.perf_counter()
        positions = read()
        total = float(positions[:, 1].sum())
        best = min(best, time.perf_counter() - began)
        assert len(positions) >= SIDE * SIDE and np.isfinite(total)
    return best


def main() -> None:
    folder = Path(sys.argv[1])
    scene = hills()
    rows = []
    for extension in ("obj", "stl", "ply", "glb"):
        path = folder / f"hills.{extension}"
        if not path.is_file():
            scene.save(path)
        ours = fastest(lambda: menagerie.open(path).scene().meshes[0].primitives[0].positions)
        theirs = fastest(lambda: trimesh.load(path, process=False, force="mesh").vertices)
        rows.append([extension.upper(), ours, theirs])
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
