"""thirty's loader and player: bones turn about their parents, nothing before the first key or after the last."""

from __future__ import annotations

import re
import struct
from typing import Any, Dict, List, Optional

import numpy as np

from players.maths import NOTHING, moved, placing, product, slerp, turning


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, kinds: str) -> Any:
        found = struct.unpack_from("<" + kinds, self.data, self.at)
        self.at += struct.calcsize("<" + kinds)
        return found if len(found) > 1 else found[0]

    def rows(self, kind: str, count: int, width: int) -> Any:
        found = np.frombuffer(self.data, kind, count * width, self.at).reshape(count, width)
        self.at += found.nbytes
        return found

    def text(self) -> bytes:
        length = self.take("I")
        self.at += length
        return self.data[self.at - length : self.at]

    def matrix(self) -> Any:
        return self.rows("<f4", 4, 4).astype(float).T


def collection(r: Reader) -> Dict[str, Any]:
    r.take("B")
    name, animations = r.text(), r.take("I")
    it: Dict[str, Any] = {"name": name, "matrix": r.matrix(), "bones": [], "animations": []}
    for _ in range(r.take("I")):
        *numbers, parent = r.take("7fI")
        it["bones"].append((np.array(numbers[:3]), np.array(numbers[3:]), parent - 1))
    for _ in range(animations):
        name, keys = r.text(), []
        for _ in range(r.take("I")):
            time, offset = r.take("f"), np.array(r.take("3f"))
            keys.append((time, offset, r.rows("<f4", len(it["bones"]), 4).astype(float)))
        it["animations"].append((name, keys))
    return it


def load(data: bytes) -> Dict[str, Any]:
    r = Reader(data)
    assert data[:6] == b"BOGLE\0", "E1: version 0 only"
    r.at = 6
    cameras, geometries, materials, lights, collections, instances = r.take("6I")
    it: Dict[str, Any] = {"ambient": r.take("4f"), "main": [], "geometries": [], "textures": []}
    for _ in range(cameras):
        r.take("B"), r.text()
        it["main"].append(r.take("IIfffB")[-1] != 0)
    for _ in range(geometries):
        r.take("B"), r.text()
        vertices, corners = r.take("II")
        it["geometries"].append((r.rows("<f4", vertices, 20).astype(float), r.rows("<u4", corners, 1)[:, 0].astype(int)))
    for _ in range(materials):
        r.take("BB"), r.text(), r.take("24f"), r.take("B")
        it["textures"] += [name for name in [r.text() for _ in range(8)] if name]
    for _ in range(lights):
        r.take("B"), r.text(), r.take("9f")
    it["collections"] = [collection(r) for _ in range(collections)]
    it["instances"] = [(r.text(), r.take("5I"), r.matrix()) for _ in range(instances)]
    end = data.index(0, r.at)
    assert end == len(data) - 1, "E1: a byte after the tree"
    it["parents"], it["depth"] = tree(data[r.at : end].decode())
    return it


def tree(text: str) -> Any:
    """Who hangs on whom, and how many braces are open at once."""
    parents: Dict[int, Optional[int]] = {}
    above: List[Optional[int]] = [None]
    last, deepest = None, 0
    for token in re.findall(r"\d+|\S", text):
        if token == "{":
            above.append(last)
            deepest = max(deepest, len(above) - 1)
        elif token == "}":
            above.pop()
        else:
            last = int(token)
            assert last not in parents, "an instance twice in the tree"
            parents[last] = above[-1]
    return parents, deepest


def worlds(model: Dict[str, Any]) -> Dict[int, Any]:
    found: Dict[int, Any] = {}
    for index, parent in model["parents"].items():
        found[index] = (np.eye(4) if parent is None else found[parent]) @ model["instances"][index][2]
    return found


def broken(model: Dict[str, Any]) -> List[str]:
    found = []
    if model["depth"] > 256:
        found.append("E2: too deep")
    for it in model["collections"]:
        if any(parent >= index for index, (_, _, parent) in enumerate(it["bones"])):
            found.append("E4: a parent after its child")
        if len(it["bones"]) > 256:
            found.append("E10: too many bones")
        for _, keys in it["animations"]:
            if len(keys) < 2 or keys[0][0] != 0:
                found.append("E8: fewer than two keys, or not from time 0 on")
            if any(abs(np.linalg.norm(turns, axis=1) - 1).max(initial=0) > 1e-3 for _, _, turns in keys):
                found.append("E7: rotations that are not unit")
    lights = 0
    for index, matrix in worlds(model).items():
        _, (camera, geometry, material, light, skeleton), _ = model["instances"][index]
        lights += light > 0
        if not geometry:
            continue
        if not material:
            found.append("E13: a geometry without material")
        if np.linalg.det(matrix[:3, :3]) < 0:
            found.append("E12: seen from inside")
        bones = len(model["collections"][skeleton - 1]["bones"]) if skeleton else 0
        indices = model["geometries"][geometry - 1][0][:, 14:17]
        if skeleton and (indices.max(initial=0) >= bones or (indices % 1).any()):
            found.append("E11: a bone that is not there")
    if lights > 20:
        found.append("E10: too many lights")
    return found


def bones(it: Dict[str, Any], offset: Any = None, turns: Any = None) -> Any:
    matrices: List[Any] = []
    for index, (place, rest, parent) in enumerate(it["bones"]):
        rotation = rest if turns is None else product(rest, turns[index])
        # E6: the offset goes to the first root, before it turns.
        place = place + offset if offset is not None and index == 0 else place
        # E7: divided by the length once.
        length = np.linalg.norm(rotation)
        turn = placing([0, 0, 0], turning(rotation, 2 / length))
        matrices.append((it["matrix"] if parent < 0 else matrices[parent]) @ turn @ placing(place, np.eye(3)))
    return np.array(matrices)


def played(it: Dict[str, Any], name: Optional[bytes], time: float) -> Any:
    """What moves vertices, by bone."""
    rest = now = bones(it)
    for _, keys in (animation for animation in it["animations"] if animation[0] == name):
        if keys[0][0] <= time < keys[-1][0]:
            i = max(i for i, key in enumerate(keys) if key[0] <= time)
            (start, offset, turns), (end, next_offset, next_turns) = keys[i], keys[i + 1]
            part = (time - start) / (end - start)
            mixed = [slerp(a, b, part) for a, b in zip(turns, next_turns)]
            now = bones(it, offset + (next_offset - offset) * part, mixed)
    return now @ np.linalg.inv(rest)


def triangles(model: Dict[str, Any], name: Optional[bytes] = None, time: float = 0.0) -> Any:
    found = [NOTHING]
    for index, matrix in worlds(model).items():
        _, (_, geometry, _, _, skeleton), _ = model["instances"][index]
        if not geometry:
            continue
        vertices, corners = model["geometries"][geometry - 1]
        places = vertices[:, :3]
        if skeleton:
            palette = played(model["collections"][skeleton - 1], name, time)
            weights = vertices[:, 17:20]
            total = weights.sum(axis=1, keepdims=True)
            mixed = np.einsum("vk,vkij->vij", weights / np.maximum(total, 1e-9), palette[vertices[:, 14:17].astype(int)])
            # E9: hardly any weight is none.
            mixed[total[:, 0] < 0.001] = np.eye(4)
            places = moved(mixed, places)
        x, y, z = moved(matrix, places).T
        found.append(np.c_[x, z, -y][corners].reshape(-1, 3, 3))
    return np.concatenate(found)
