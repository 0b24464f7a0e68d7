"""bOGL's loader and animation module: keys by name, the bind pose before the first key, parents' scales twice."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Optional

import numpy as np

from players.maths import NOTHING, moved, placing, product, turning, unit

#: Frames a second of a file that does not say.
RATE = 12


def padded(size: int) -> int:
    return (size + 3) // 4 * 4


def entity(data: bytes, at: int, full: bool) -> Dict[str, Any]:
    """An entity definition; places are position, scale and a rotation w, x, y, z in one row."""
    parent = struct.unpack_from("<i", data, at + 4)[0]
    row = np.frombuffer(data, "<f4", 10, at + 8).astype(float)
    length, keys, name, vertices = struct.unpack_from("<4i", data, at + 48)
    it: Dict[str, Any] = {"parent": parent, "row": row, "length": length, "vertices": np.zeros((0, 8))}
    colours = triangles = texture = bones = 0
    lists = at + 64
    if vertices:
        colours, triangles, texture = struct.unpack_from("<3i", data, at + 64)
        it["fx"], bones = struct.unpack_from("<Ii", data, at + 84)
        lists = at + 92
    it["frames"] = [struct.unpack_from("<i", data, lists + 44 * i)[0] for i in range(keys)]
    it["keys"] = [np.frombuffer(data, "<f4", 10, lists + 44 * i + 4).astype(float) for i in range(keys)]
    lists += 44 * keys
    it["name"] = data[lists : lists + name]
    lists += padded(name)
    kind = np.dtype("<f4" if full else "<f2")
    it["vertices"] = np.frombuffer(data, kind, 8 * vertices, lists).astype(float).reshape(-1, 8)
    lists += 8 * kind.itemsize * vertices + padded(3 * colours)
    it["triangles"] = np.frombuffer(data, "<u2", 3 * triangles, lists).astype(int).reshape(-1, 3)
    lists += padded(6 * triangles) + padded(texture)
    it["bones"] = [struct.unpack_from("<3i", data, lists + 12 * i) for i in range(bones)]
    return it


def load(data: bytes) -> List[Dict[str, Any]]:
    magic, version, count, _, bits = struct.unpack_from("<4s4i", data)
    assert magic == b"BO3D" and version <= 100 and bits in (16, 32) and count > 0, "E1"
    model: List[Dict[str, Any]] = []
    at = 20
    for index in range(count):
        it = entity(data, at, bits == 32)
        it["children"] = []
        # All that has no parent before it hangs on the first.
        it["above"] = it["parent"] if 0 <= it["parent"] < index else 0
        model.append(it)
        if index:
            model[it["above"]]["children"].append(index)
        at += padded(struct.unpack_from("<i", data, at)[0])
    return model


def target(model: List[Dict[str, Any]], name: bytes) -> Optional[int]:
    """Whom keys with a name move: the first below the root, each child and then what is below it."""
    open_entities = model[0]["children"][::-1]
    while open_entities:
        index = open_entities.pop()
        if model[index]["name"] == name:
            return int(index)
        open_entities += model[index]["children"][::-1]
    return None


def broken(model: List[Dict[str, Any]]) -> List[str]:
    found = []
    for index, it in enumerate(model):
        if it["frames"]:
            if target(model, it["name"]) != index:
                found.append(f"E2, E3: the keys of {it['name']!r} go elsewhere")
            if it["frames"][0] != 0 or it["frames"] != sorted(set(it["frames"])):
                found.append("E7, E9: keys do not begin at frame 0, or do not rise")
            turns = [it["row"][6:], *(key[6:] for key in it["keys"])]
            if any(a @ b < 0 for a, b in zip(turns, turns[1:])):
                found.append("E5: neighbouring rotations of opposite signs")
        if any(not 0 <= bone < len(model) or last >= len(it["vertices"]) for bone, _, last in it["bones"]):
            found.append("E10: a bone outside")
        scale, above = it["row"][3:6].prod(), index
        while above:
            above = model[above]["above"]
            scale *= model[above]["row"][3:6].prod()
        if len(it["vertices"]) and scale < 0 and not it["fx"] & 32:
            found.append("E14: seen from inside")
    length = max(it["length"] for it in model)
    if length < max((max(len(it["frames"]) + 1, it["frames"][-1] + 1) for it in model if it["frames"]), default=0):
        found.append("E4: the length becomes a number of bytes")
    return found


def places(model: List[Dict[str, Any]], rows: List[Any]) -> Any:
    worlds: List[Any] = []
    for it, row in zip(model, rows):
        w, x, y, z = row[6:]
        local = (row[:3], row[3:6], unit([x, y, z, w]))
        if worlds:
            (above, scale, turn), own = worlds[it["above"]], rows[it["above"]][3:6]
            # E6: the parent's own scale counts twice.
            place = above + turning(turn) @ (local[0] * scale * own)
            local = (place, scale * local[1], unit(product(turn, local[2])))
        worlds.append(local)
    return [placing(place, turning(turn) * scale) for place, scale, turn in worlds]


def triangles(model: List[Dict[str, Any]], frame: Optional[float] = None) -> Any:
    bind = [it["row"] for it in model]
    rows = list(bind)
    for it in (it for it in model if it["frames"] and frame is not None):
        whom = target(model, it["name"])
        if whom is None:
            continue
        frames, keys = [-1, *it["frames"]], [bind[whom], *it["keys"]]
        before = max(i for i, known in enumerate(frames) if known <= np.floor(frame))
        after = min((i for i, known in enumerate(frames) if known >= np.ceil(frame)), default=before)
        step = frames[after] - frames[before]
        part = (frame - frames[before]) / step if step else 0.0
        rows[whom] = keys[before] + (keys[after] - keys[before]) * part
    rest, now = places(model, bind), places(model, rows)
    found = [NOTHING]
    for index, it in enumerate(model):
        matrices = np.tile(now[index], (len(it["vertices"]), 1, 1))
        for bone, first, last in it["bones"]:
            matrices[first : last + 1] = now[bone] @ np.linalg.inv(rest[bone]) @ rest[index]
        x, y, z = moved(matrices, it["vertices"][:, 5:]).T if len(matrices) else np.zeros((3, 0))
        found.append(np.c_[-x, y, -z][it["triangles"]] if len(matrices) else NOTHING)
    return np.concatenate(found)
