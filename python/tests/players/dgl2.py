"""DGL's loader of 2016: chunks, texts of pairs, entities that are scaled, turned and moved."""

from __future__ import annotations

import re
import struct
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from players.maths import NOTHING, moved, placing, turning

TRIMESH, MATERIAL, ENTITY = 2, 3, 4
PAIR = re.compile(r'\s*([A-Za-z0-9_.]+)\s*=\s*"([^"]*)"\s*;\s*')
FLAGS = ("visible", "transparent", "shadeless", "castShadows", "genTangents")
WHOLE = ("texturesNum", "blendMode")
COLOUR = re.compile(r"\[[^,\]]+,[^,\]]+,[^,\]]+,[^,\]]+\]")
TEXTURE = re.compile(r"\[\s*([^,\]]*?)\s*,\s*-?\d+\s*\]")


def chunks(data: bytes) -> Iterator[Tuple[int, int, bytes]]:
    at = 0
    while at < len(data):
        kind, number, name, size = struct.unpack_from("<HiHI", data, at)
        yield kind, number, data[at + 12 + name : at + 12 + name + size]
        at += 12 + name + size


def pairs(text: bytes) -> Dict[str, str]:
    """The pairs of a text; what is none is under an empty key."""
    found: Dict[str, str] = {}
    rest = text.decode()
    while rest:
        pair = PAIR.match(rest)
        if not pair:
            return {**found, "": rest}
        found[pair[1]] = pair[2]
        rest = rest[pair.end() :]
    return found


def load(data: bytes) -> Dict[str, Any]:
    """The last of equal ids counts."""
    model: Dict[str, Any] = {"meshes": {}, "materials": {}, "entities": [], "sizes": []}
    record = np.dtype([("material", "<i4"), ("corners", "<f4", (3, 3)), ("rest", "<f4", 21)])
    for kind, number, inside in chunks(data):
        if kind == TRIMESH:
            model["sizes"].append(len(inside))
            model["meshes"][number] = np.frombuffer(inside, record, len(inside) // record.itemsize)
        elif kind == MATERIAL:
            length = struct.unpack_from("<I", inside)[0]
            model["materials"][number] = pairs(inside[4 : 4 + length])
        elif kind == ENTITY:
            place = struct.unpack_from("<Iii10fI", inside)
            it = {"mesh": place[2], "position": place[3:6], "rotation": place[6:10], "scaling": place[10:13]}
            model["entities"].append({**it, "pairs": pairs(inside[56 : 56 + place[13]])})
    return model


def broken(model: Dict[str, Any]) -> List[str]:
    rules = []
    for text in [*model["materials"].values(), *(it["pairs"] for it in model["entities"])]:
        if "" in text:
            rules.append("E1: not a text of pairs")
        if not text:
            rules.append("E2: an empty text")
        for key, value in text.items():
            number = re.fullmatch(r"-?\d+", value) if key in WHOLE else re.fullmatch(r"-?\d+(\.\d+)?", value)
            if key in (*FLAGS, *WHOLE) and not number:
                rules.append(f"E4: {key} is no number")
            if key.endswith("Color") and not COLOUR.fullmatch(value):
                rules.append(f"E4: {key} is no colour")
            if re.fullmatch(r"texture\d+", key):
                picture = TEXTURE.fullmatch(value)
                if not picture or int(key[7:]) > 7:
                    rules.append("E5: a texture")
                elif not picture[1].lower().endswith(".png"):
                    rules.append("E6: a picture that is not PNG")
    rules += ["E3: a mesh of odd size" for size in model["sizes"] if size % 124]
    for it in model["entities"]:
        if it["mesh"] >= 0 and it["mesh"] not in model["meshes"]:
            rules.append("E9: no such mesh")
        if it["mesh"] >= 0 and np.prod(np.sign(it["scaling"])) < 0:
            rules.append("E7: mirrored")
    for mesh in model["meshes"].values():
        if set(mesh["material"].tolist()) - {-1} - set(model["materials"]):
            rules.append("E10: no such material")
    return sorted(set(rules))


def triangles(model: Dict[str, Any]) -> Any:
    found = [NOTHING]
    for it in model["entities"]:
        if it["mesh"] in model["meshes"] and float(it["pairs"].get("visible", 1)):
            corners = model["meshes"][it["mesh"]]["corners"].astype(float).reshape(-1, 3)
            turned = turning(np.array(it["rotation"])) * np.array(it["scaling"])
            found.append(moved(placing(it["position"], turned), corners).reshape(-1, 3, 3))
    return np.concatenate(found)
