"""das2: the rules of the author's library, and a player by the document with animations and morph targets.

The records are read by docs/examples/read_das2.py, which was written from the format's page alone.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

from players.maths import NOTHING, moved, placing, slerp, turning, unit

EXAMPLE = Path(__file__).resolve().parents[3] / "docs/examples/read_das2.py"
NONE = 0xFFFFFFFF


def reader() -> Any:
    spec = importlib.util.spec_from_file_location("read_das2", EXAMPLE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(data: bytes, library: bool = False) -> Dict[str, Any]:
    """A file of the document's profile, or of the library's, to its last byte."""
    found: Dict[str, Any] = reader().attempt(data, library, 0)
    return found


def broken(model: Dict[str, Any]) -> List[str]:
    """The rules of the unpatched library that a file in its profile breaks."""
    rules = []
    if model["profile"] != "libdas2":
        rules.append("E1: the other profile")
    if (model["compression"] == "zstd") != (model["header"]["level"] != 0):
        rules.append("E2: the level")
    if len(model["buffers"]) > 1:
        rules.append("E3: several buffers")
    for mesh in model["meshes"]:
        if any(mesh[part]["offset"] not in (0, NONE) for part in ("index", "color")):
            rules.append("E4: indices or colours")
    order = model["record_order"]
    if "channel" in order and set(order[order.index("channel") :]) != {"channel"}:
        rules.append("E5: channels are not last")
    return sorted(set(rules))


def rows(model: Dict[str, Any], place: Dict[str, int], count: int, kind: str, width: int) -> Optional[Any]:
    """What a buffer holds; in the library's profile an offset of zero is none, but for positions, which are always there."""
    absent = place["offset"] in (0, NONE) if model["profile"] == "libdas2" else place["buffer"] is None
    return None if absent else there(model, place, count, kind, width)


def there(model: Dict[str, Any], place: Dict[str, int], count: int, kind: str, width: int) -> Any:
    data = model["buffers"][place.get("buffer", 0)]
    return np.frombuffer(data, kind, count * width, place["offset"]).astype(float).reshape(count, width)


def vertices(model: Dict[str, Any], mesh: Dict[str, Any]) -> Any:
    """The corners of the triangles as numbers of vertices, and how many vertices there are."""
    corners = rows(model, mesh["index"], mesh["draw_count"], "<u4", 1)
    if corners is None:
        return np.arange(mesh["draw_count"]), mesh["draw_count"]
    corners = corners.astype(int).ravel()
    return corners, int(corners.max(initial=-1)) + 1


def value(channel: Dict[str, Any], time: float) -> Any:
    times, values = np.array(channel["keyframes"]), np.array(channel["values"], float)
    if time <= times[0] or time >= times[-1]:
        return values[0 if time <= times[0] else -1]
    i = int(np.searchsorted(times, time, "right")) - 1
    step = times[i + 1] - times[i]
    t, way, turns = (time - times[i]) / step, channel["interpolation"], channel["target"] == "rotation"
    if way == "step":
        return values[i]
    if way == "linear":
        return slerp(values[i], values[i + 1], t) if turns else values[i] + (values[i + 1] - values[i]) * t
    tangents = np.array(channel["tangents"], float)
    found = (2 * t**3 - 3 * t**2 + 1) * values[i] + step * (t**3 - 2 * t**2 + t) * tangents[i][1]
    found = found + (3 * t**2 - 2 * t**3) * values[i + 1] + step * (t**3 - t**2) * tangents[i + 1][0]
    return unit(found) if turns else found


def local(it: Dict[str, Any]) -> Any:
    scale = np.ravel(it["scale"])[0]
    placed = placing(it["translation"], turning(unit(it["rotation"])) * scale)
    return np.array(it["custom_transform"], float).reshape(4, 4) @ placed if "custom_transform" in it else placed


def trees(things: List[Dict[str, Any]], roots: List[int]) -> Dict[int, Any]:
    """Where the things of a tree are."""
    worlds: Dict[int, Any] = {}
    open_things = [(root, np.eye(4)) for root in roots]
    while open_things:
        index, above = open_things.pop()
        worlds[index] = above @ local(things[index])
        open_things += [(child, worlds[index]) for child in things[index]["children"]]
    return worlds


def now(model: Dict[str, Any], animation: Optional[int], time: float) -> Any:
    """The nodes and joints at a time, and the weights of nodes."""
    nodes, joints = [dict(it) for it in model["nodes"]], [dict(it) for it in model["joints"]]
    weights: Dict[int, Any] = {}
    for number in model["animations"][animation]["channels"] if animation is not None else []:
        channel = model["channels"][number]
        of_node = channel["node"] is not None
        if channel["target"] == "weights":
            weights[channel["node"]] = value(channel, time)
        else:
            owner = nodes[channel["node"]] if of_node else joints[channel["joint"]]
            owner[channel["target"]] = value(channel, time)
    return nodes, joints, weights


def skinned(model: Dict[str, Any], mesh: Dict[str, Any], count: int, joints: List[Any], skeleton: int) -> Any:
    """What moves each vertex, below the node."""
    above = {child for it in joints for child in it["children"]}
    worlds = trees(joints, [index for index in range(len(joints)) if index not in above])
    listed = model["skeletons"][skeleton]["joints"]
    palette = np.array([worlds[i] @ np.array(joints[i]["inverse_bind"], float).reshape(4, 4) for i in listed])
    sums, total = np.zeros((count, 4, 4)), np.zeros(count)
    for where, amounts in zip(mesh["joint_indices"], mesh["joint_weights"]):
        numbers, parts = rows(model, where, count, "<u2", 4), rows(model, amounts, count, "<f4", 4)
        if numbers is not None and parts is not None:
            sums += np.einsum("vk,vkij->vij", parts, palette[numbers.astype(int)])
            total += parts.sum(axis=1)
    return sums / total[:, None, None]


def triangles(model: Dict[str, Any], animation: Optional[int] = None, time: float = 0.0) -> Any:
    nodes, joints, weights = now(model, animation, time)
    scene = model["scenes"][model["header"]["default_scene"]]
    found = [NOTHING]
    for index, world in trees(nodes, scene["roots"]).items():
        node = nodes[index]
        group = model["mesh_groups"][node["mesh_group"]]["meshes"] if node["mesh_group"] is not None else []
        for mesh in (model["meshes"][number] for number in group):
            corners, count = vertices(model, mesh)
            places = there(model, mesh["position"], count, "<f4", 3)
            for amount, morph in zip(weights.get(index, []), mesh["morph_targets"]):
                offsets = rows(model, morph["position"], count, "<f4", 3)
                places = places + amount * offsets if offsets is not None else places
            has_joints = any(rows(model, where, count, "<u2", 4) is not None for where in mesh["joint_indices"])
            if node["skeleton"] is not None and has_joints:
                places = moved(skinned(model, mesh, count, joints, node["skeleton"]), places)
            found.append(moved(world, places)[corners].reshape(-1, 3, 3))
    return np.concatenate(found)
