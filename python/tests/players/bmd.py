"""BGBTech3's loader and poser: whole frames, always around the end, no scale, no blends."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

from players.maths import NOTHING, moved, placing, product, turning, unit

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs/examples"))
import read_bmd  # noqa: E402  the reader that was written from docs/formats/bmd.md

CHANNELS = ("rotation", "translation", "scale")


def load(data: bytes) -> Dict[str, Any]:
    model = read_bmd.read(data)
    model["bone_table"] = struct.unpack_from("<I", data, 32)[0]
    first, count = (model["lods"][0]["first"], model["lods"][0]["count"]) if model["lods"] else (0, 0)
    # One entry of zeros, or none, means all meshes.
    model["drawn"] = model["meshes"][first : first + count] if count or len(model["lods"]) > 1 else model["meshes"]
    return model


def broken(model: Dict[str, Any]) -> List[str]:
    found, bones, meshes = [], model["bones"], model["meshes"]
    for mesh in meshes:
        if len(mesh["primitives"]) > mesh["n_vtx"]:
            found.append("E1: room is made for as many triangles as there are vertices")
        if any(element["kind"] == "q64" for element in mesh["primitives"]):
            found.append("E9: quads of 64 bits crash")
        if any(bone >= 64 for bone in mesh["bones"]):
            found.append("E4: a vertex hangs on a bone past the 64th")
    if model["bone_table"] == 0 and any(mesh["n_vtx"] < meshes[-1]["n_vtx"] for mesh in meshes):
        found.append("E2: shading runs over the end of a mesh")
    if any(bone["pseudo"] for bone in bones):
        found.append("E3: blends are not computed")
    if len(bones) > 64 or any(bone["parent"] >= bone["index"] > 0 for bone in bones):
        found.append("E4: too many bones, or a parent after its child")
    if len(bones) > 1 and not model["anims"]:
        found.append("E5: bones without animation")
    for animation in model["anims"]:
        keys = [(kind, key) for track in animation["tracks"] for kind in CHANNELS for key in track[kind]]
        if any(key["frame"] >= animation["n_frames"] - 1 for _, key in keys):
            found.append("E7: a key on the last frame, or none")
        if any(kind == "scale" and max(abs(x - 1) for x in key["value"]) > 1e-3 for kind, key in keys):
            found.append("E10: scale keys")
        if not animation["name"]:
            found.append("E15: an animation without a name")
    for mesh in model["drawn"]:
        name = mesh["material"] or ""
        if read_bmd.flat_colour(name) is None and not 4 <= len(name.encode()) <= 251:
            found.append(f"E8: the material {name!r}")
    return found


def value(keys: Any, frame: int, count: int, nothing: Any) -> Any:
    if not keys:
        return np.array(nothing, float)
    frames = [key["frame"] for key in keys]
    before = max((i for i in range(len(keys)) if frames[i] <= frame), default=None)
    after = min((i for i in range(len(keys)) if frames[i] >= frame), default=None)
    start = frames[-1] - count if before is None else frames[before]
    end = frames[0] + count if after is None else frames[after]
    a, b = (np.array(keys[i]["value"]) for i in (-1 if before is None else before, 0 if after is None else after))
    return a if end == start else a + (b - a) * (frame - start) / (end - start)


def triangles(model: Dict[str, Any], animation: Optional[int] = None, frame: int = 0) -> Any:
    places = [np.eye(4)]
    for index, bone in enumerate(model["bones"][1:], 1):
        translation, rotation = np.array(bone["translation"]), np.array(bone["rotation"])
        if animation is not None:
            played = model["anims"][animation]
            track, count = played["tracks"][index], played["n_frames"]
            translation = translation + value(track["translation"], frame, count, [0, 0, 0])
            rotation = product(unit(value(track["rotation"], frame, count, [0, 0, 0, 1])), rotation)
        places.append(places[bone["parent"]] @ placing(translation, turning(unit(rotation))))
    found = [NOTHING]
    for mesh in (mesh for mesh in model["drawn"] if mesh["positions"]):
        x, y, z = moved(np.array(places)[mesh["bones"]], np.array(mesh["positions"])).T
        corners = np.c_[-x, z, y]
        fans = [(v[0], *pair) for element in mesh["primitives"] for v in [element["v"]] for pair in zip(v[1:], v[2:])]
        found.append(corners[np.array(fans, int).reshape(-1, 3)])
    return np.concatenate(found)
