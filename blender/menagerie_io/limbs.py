"""Bones on their way back from Blender, and nodes that its importer added.

Blender's bones point along their own Y and rest without a scale, so its importer turns them, and its exporter writes them
turned. Where a bone still is as it was imported, its own axes and its rest come back; a bone that was edited stays as it is.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Set

import numpy as np

from menagerie.scene import Node, Scene

from .names import JOINT, MADE

#: How far a turn of axes may be off.
NEAR = 2e-3


def _property(node: Node, name: str) -> Any:
    properties = node.extras.get("gltf", {}).get("extras", {})
    return properties.get(name) if isinstance(properties, dict) else None


def turn_back(scene: Scene) -> None:
    """Gives joints the axes and the rest that they had."""
    texts = {number: _property(node, JOINT) for number, node in enumerate(scene.nodes)}
    before = {number: json.loads(text) for number, text in texts.items() if isinstance(text, str)}
    turns: Dict[int, Any] = {}
    for skin in scene.skins:
        found = _turns(skin, before)
        if found is None:
            return
        turns.update(found)
    if not turns:
        return
    turns.update(_turns_above(scene, turns, before))
    if not all(joint in turns for skin in scene.skins for joint in skin.joints):
        return
    for skin in scene.skins:
        skin.inverse_binds = np.array(skin.inverse_binds, dtype="f8")
        for i, joint in enumerate(skin.joints):
            skin.inverse_binds[i, :3] = turns[joint] @ skin.inverse_binds[i, :3]
        _without_new_joints(scene, skin, before)
    _apply(scene, turns, before)


def _turns(skin: Any, before: Dict[int, Any]) -> Optional[Dict[int, Any]]:
    """How each joint of a skin is turned against what it was; nothing when one of them was edited."""
    if skin.inverse_binds is None or not all(joint in before for joint in skin.joints):
        return None
    turns: Dict[int, Any] = {}
    spaces: List[Any] = []
    for i, joint in enumerate(skin.joints):
        if not before[joint]["joint"]:
            continue
        was, now = np.reshape(before[joint]["bind"], (4, 4)), np.asarray(skin.inverse_binds[i], dtype="f8")
        turn = _axes((was @ np.linalg.inv(now))[:3, :3])
        if turn is None:
            return None
        turns[joint] = turn
        whole = np.eye(4)
        whole[:3, :3] = turn
        # The space of the mesh may be another, but it is the same for all.
        spaces.append(np.linalg.inv(was) @ whole @ now)
    size = max([1.0, *(float(np.abs(space[:3, 3]).max()) for space in spaces)])
    same = all(np.abs(space - spaces[0]).max() < NEAR * size for space in spaces)
    return turns if same else None


def _turns_above(scene: Scene, turns: Dict[int, Any], before: Dict[int, Any]) -> Dict[int, Any]:
    """How the bones are turned that were no joints: what joints hang on. They rest where the joints are bound."""
    worlds = scene.pose().worlds.astype("f8")
    joint, turn = next(iter(turns.items()))
    whole = np.eye(4)
    whole[:3, :3] = turn
    moved = worlds[joint] @ np.linalg.inv(whole) @ np.linalg.inv(np.reshape(before[joint]["world"], (4, 4)))
    found: Dict[int, Any] = {}
    for number, known in before.items():
        if number not in turns:
            was = moved @ np.reshape(known["world"], (4, 4))
            axes = _axes((np.linalg.inv(was) @ worlds[number])[:3, :3])
            if axes is not None:
                found[number] = axes
    return found


def _axes(matrix: Any) -> Optional[Any]:
    """A turn of axes that is this one but for rounding; nothing when it is no such turn."""
    near = np.round(matrix)
    good = np.abs(matrix - near).max() < NEAR and abs(np.linalg.det(near) - 1) < 1e-9
    return near if good else None


def _without_new_joints(scene: Scene, skin: Any, before: Dict[int, Any]) -> None:
    """Joints in their old order. Blender makes bones of what joints hang on, and hangs vertices on these that hang on no
    joint, but on the node itself."""
    number = scene.skins.index(skin)
    meshes = {node.mesh for node in scene.nodes if node.skin == number and node.mesh is not None}
    used: Set[int] = set()
    for mesh in (scene.meshes[mesh] for mesh in meshes):
        new = [i for i, joint in enumerate(skin.joints) if before[joint]["shows"] == mesh.name and not before[joint]["joint"]]
        for primitive in mesh.primitives:
            pairs = list(zip(primitive.joints, primitive.weights))
            primitive.weights = [np.where(np.isin(joints, new), 0.0, weights) for joints, weights in pairs]
            for joints, weights in zip(primitive.joints, primitive.weights):
                used.update(np.unique(np.asarray(joints)[weights > 0]).tolist())
    kept = [i for i, joint in enumerate(skin.joints) if i in used or before[joint]["joint"]]
    places = [before[skin.joints[i]]["place"] for i in kept]
    if not kept or None in places:
        return
    kept = [i for _, i in sorted(zip(places, kept))]
    renumbered = np.zeros(len(skin.joints), dtype="u2")
    renumbered[kept] = np.arange(len(kept))
    for mesh in (scene.meshes[mesh] for mesh in meshes):
        for primitive in mesh.primitives:
            primitive.joints = [renumbered[np.asarray(joints)] for joints in primitive.joints]
    skin.joints = [skin.joints[i] for i in kept]
    skin.inverse_binds = skin.inverse_binds[kept]


def _quaternion(matrix: Any) -> Any:
    """The unit quaternion x y z w of a turn of axes."""
    m = matrix
    w = np.sqrt(max(0.0, 1 + m[0, 0] + m[1, 1] + m[2, 2])) / 2
    x = np.sqrt(max(0.0, 1 + m[0, 0] - m[1, 1] - m[2, 2])) / 2
    y = np.sqrt(max(0.0, 1 - m[0, 0] + m[1, 1] - m[2, 2])) / 2
    z = np.sqrt(max(0.0, 1 - m[0, 0] - m[1, 1] + m[2, 2])) / 2
    # The largest part decides the signs of the others.
    parts = np.array([x, y, z, w])
    largest = int(np.argmax(parts))
    if largest == 3:
        parts[:3] = np.copysign(parts[:3], [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    elif largest == 0:
        parts[1:] = np.copysign(parts[1:], [m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]])
    elif largest == 1:
        parts[[0, 2, 3]] = np.copysign(parts[[0, 2, 3]], [m[0, 1] + m[1, 0], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]])
    else:
        parts[[0, 1, 3]] = np.copysign(parts[[0, 1, 3]], [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[1, 0] - m[0, 1]])
    return parts / np.linalg.norm(parts)


def _times(a: Any, b: Any) -> Any:
    """Products of quaternions, row by row."""
    a, b = np.broadcast_arrays(np.atleast_2d(a), np.atleast_2d(b))
    vector = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    return np.hstack([vector, a[:, 3:] * b[:, 3:] - np.sum(a[:, :3] * b[:, :3], axis=1, keepdims=True)])


def _apply(scene: Scene, turns: Dict[int, Any], before: Dict[int, Any]) -> None:
    """A joint's new world is its old one times the inverse of its turn: locals, keys and children follow."""
    parents = {child: number for number, node in enumerate(scene.nodes) for child in node.children}
    same = np.eye(3)

    def of(number: Optional[int]) -> Any:
        return turns.get(number, same) if number is not None else same

    for number, node in enumerate(scene.nodes):
        above = of(parents.get(number))
        if number in turns:
            known = before[number]
            node.translation, node.rotation, node.scale = known["rest"]
            node.matrix = None if known["matrix"] is None else np.reshape(known["matrix"], (4, 4))
        elif parents.get(number) in turns and node.matrix is None:
            node.translation = (above @ np.asarray(node.translation, dtype="f8")).tolist()
            node.rotation = _times(_quaternion(above), np.asarray(node.rotation, dtype="f8"))[0].tolist()
    for channel in (channel for animation in scene.animations for channel in animation.channels):
        own, above = of(channel.node), of(parents.get(channel.node))
        if own is same and above is same:
            continue
        values = np.asarray(channel.values, dtype="f8")
        shape = values.shape
        rows = values.reshape(-1, shape[-1])
        if channel.property == "translation":
            rows = rows @ above.T
        elif channel.property == "rotation":
            inverse = _quaternion(own) * [-1, -1, -1, 1]
            rows = _times(_times(_quaternion(above), rows), inverse)
        elif channel.property == "scale":
            rows = rows @ np.abs(own).T
        channel.values = rows.reshape(shape).astype("f4")


def without_helpers(scene: Scene) -> None:
    """Takes out the nodes that Blender's importer added: armatures of their own, lights below their nodes."""
    moved = {channel.node for animation in scene.animations for channel in animation.channels}
    joints = {joint for skin in scene.skins for joint in skin.joints}
    gone: Set[int] = set()
    for number, node in enumerate(scene.nodes):
        if node.mesh is not None and node.skin is not None and number in joints:
            # Where a skinned mesh hangs does not matter, and joints of some formats carry none.
            holder = _holder(scene, scene.meshes[node.mesh].name)
            holder.mesh, holder.skin = node.mesh, node.skin
            node.mesh = node.skin = None
    for number, node in enumerate(scene.nodes):
        for child in list(node.children):
            below = scene.nodes[child]
            is_part = _property(below, MADE) and not below.children and below.mesh is None and child not in moved
            if is_part and _stays(below) and node.light is None and node.camera is None:
                node.light, node.camera = below.light, below.camera
                gone.add(child)
    for number, node in enumerate(scene.nodes):
        plain = node.mesh is None and node.light is None and node.camera is None
        if _property(node, MADE) and plain and _stays(node) and number not in moved and number not in joints:
            gone.add(number)
    if gone:
        _remove(scene, gone)


def _holder(scene: Scene, mesh: str) -> Node:
    """The node that showed a mesh before, or a new one."""
    for node in scene.nodes:
        text = _property(node, JOINT)
        if isinstance(text, str) and json.loads(text)["shows"] == mesh and node.mesh is None:
            return node
    scene.nodes.append(Node(name=mesh))
    _shown(scene).append(len(scene.nodes) - 1)
    return scene.nodes[-1]


def _shown(scene: Scene) -> List[int]:
    return scene.scenes[scene.default_scene or 0].roots


def _stays(node: Node) -> bool:
    """Whether a node is where its parent is."""
    near = np.allclose(node.translation, 0, atol=1e-6) and np.allclose(node.scale, 1, atol=1e-6)
    return node.matrix is None and bool(near) and abs(abs(float(node.rotation[3])) - 1) < 1e-6


def _remove(scene: Scene, gone: Set[int]) -> None:
    """Takes nodes out; their children hang where they hung."""

    def kept(numbers: List[int]) -> List[int]:
        found: List[int] = []
        for number in numbers:
            found.extend(kept(scene.nodes[number].children) if number in gone else [number])
        return found

    lists = {id(node): kept(node.children) for node in scene.nodes}
    roots = [kept(root.roots) for root in scene.scenes]
    places = {old: new for new, old in enumerate(i for i in range(len(scene.nodes)) if i not in gone)}
    for node in scene.nodes:
        node.children = [places[number] for number in lists[id(node)]]
    for root, numbers in zip(scene.scenes, roots):
        root.roots = [places[number] for number in numbers]
    scene.nodes = [node for number, node in enumerate(scene.nodes) if number not in gone]
    for skin in scene.skins:
        skin.joints = [places[joint] for joint in skin.joints]
        skin.skeleton = places.get(skin.skeleton) if skin.skeleton is not None else None
    for animation in scene.animations:
        animation.channels = [channel for channel in animation.channels if channel.node not in gone]
        for channel in animation.channels:
            channel.node = places[channel.node]
