"""Between menagerie's Scene and Blender's own glTF add-on: what that would drop is carried past it.

On the way in every node gets a number, and what only a format knows becomes a text property; nodes that stand in at a
distance hang in the tree like others, and hidden ones are shown, so that the importer sees them. On the way out it is
undone. Nothing here needs Blender.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from menagerie.scene import Channel, Lod, Scene

from . import limbs
from .names import JOINT, LOD, MADE, NOTES, NUMBER

#: Blender mixes quaternions by their numbers; up to this angle between two keys nobody sees the difference to an arc.
MOST_TURN = 0.05
#: Lines in place of a curve between two keys.
CURVE_STEPS = 256


@dataclass
class Prepared:
    """A Scene that Blender's importer takes, and what has to be put right afterwards."""

    scene: Scene
    #: For each node that stands in: whom it stands in for, at which level, from which distance on.
    lods: Dict[int, Tuple[int, int, Optional[float]]] = field(default_factory=dict)
    hidden: List[int] = field(default_factory=list)
    #: For each joint at the end of a chain that nothing animates, how it moves the vertices that hang on it, at rest.
    moves: Dict[int, Any] = field(default_factory=dict)
    #: For each node whose mesh hangs on such joints, its vertices: the importer moves them.
    points: Dict[int, Any] = field(default_factory=dict)
    #: What only a format knows about the whole model and what has no property of its own in Blender.
    notes: Dict[str, Any] = field(default_factory=dict)


def prepare(scene: Scene, model_format: str) -> Prepared:
    """Changes a Scene so that Blender's importer drops nothing."""
    # Both need the tree as it is.
    prepared, joints = Prepared(scene, moves=_moves(scene)), _joints(scene)
    prepared.points = _points(scene, prepared.moves)
    parents = {child: i for i, node in enumerate(scene.nodes) for child in node.children}
    for number, node in enumerate(scene.nodes):
        for level, lod in enumerate(node.lods, 1):
            prepared.lods[lod.node] = (number, level, lod.distance)
    for number, (owner, _, _) in prepared.lods.items():
        siblings = scene.nodes[parents[owner]].children if owner in parents else _roots_of(scene, owner)
        if number not in parents and number not in siblings:
            siblings.append(number)
    for number, node in enumerate(scene.nodes):
        if not node.visible:
            prepared.hidden.append(number)
            node.visible = True
        node.lods = []
        node.extras = _packed(node.extras, {NUMBER: number, **joints.get(number, {})})
    for elements in (scene.meshes, scene.materials, scene.cameras, scene.lights, scene.images):
        for element in elements:
            element.extras = _packed(element.extras, {})
    prepared.notes = {
        "format": model_format,
        "extras": scene.extras,
        "ambient": scene.ambient,
        "animations": {a.name: a.extras for a in scene.animations if a.extras},
        "skins": {s.name: s.extras for s in scene.skins if s.extras},
    }
    scene.extras = {}
    for animation in scene.animations:
        animation.extras = {}
        for channel in animation.channels:
            _without_tangents(channel)
            _turn_in_small_steps(channel)
    return prepared


def _joints(scene: Scene) -> Dict[int, Dict[str, str]]:
    """How each joint rests and is bound, for the way back; and what joints hang on, which become bones too."""
    if not scene.skins:
        return {}
    binds: Dict[int, Any] = {}
    for skin in scene.skins:
        for i, joint in enumerate(skin.joints):
            binds[joint] = np.eye(4) if skin.inverse_binds is None else skin.inverse_binds[i]
    parents = {child: i for i, node in enumerate(scene.nodes) for child in node.children}
    worlds = scene.pose().worlds.astype("f8")
    for joint in list(binds):
        above = parents.get(joint)
        while above is not None and above not in binds:
            if abs(np.linalg.det(worlds[above])) > 1e-12:
                binds[above] = np.linalg.inv(worlds[above])
            above = parents.get(above)
    known: Dict[int, Dict[str, str]] = {}
    for number, bind in binds.items():
        node = scene.nodes[number]
        rest = [_floats(node.translation), _floats(node.rotation), _floats(node.scale)]
        matrix = None if node.matrix is None else _floats(np.ravel(node.matrix))
        places = [skin.joints.index(number) for skin in scene.skins if number in skin.joints]
        kept = {"rest": rest, "matrix": matrix, "bind": _floats(np.ravel(bind)), "joint": bool(places)}
        kept["place"] = places[0] if places else None
        kept["shows"] = None if node.mesh is None else scene.meshes[node.mesh].name
        kept["world"] = _floats(np.ravel(worlds[number]))
        known[number] = {JOINT: json.dumps(kept)}
    return known


def _floats(values: Any) -> List[float]:
    return [float(value) for value in values]


def _moves(scene: Scene) -> Dict[int, Any]:
    """Blender's bones rest without a scale; where vertices are bound with one, the last bones of chains can still be posed so."""
    animated = {channel.node for animation in scene.animations for channel in animation.channels}
    worlds = scene.pose().worlds if scene.skins else None
    moves: Dict[int, Any] = {}
    for skin in scene.skins:
        for i, joint in enumerate(skin.joints):
            if joint in animated or scene.nodes[joint].children or skin.inverse_binds is None:
                continue
            bind = skin.inverse_binds[i].astype("f8")
            lengths = np.linalg.norm(bind[:3, :3], axis=0)
            if worlds is not None and np.abs(lengths - 1).max() > 1e-3:
                moves[joint] = worlds[joint].astype("f8") @ bind
    return moves


def _points(scene: Scene, moves: Dict[int, Any]) -> Dict[int, Any]:
    """The vertices that Blender takes in, of meshes that hang on joints with moves of their own."""
    points: Dict[int, Any] = {}
    for number, node in enumerate(scene.nodes):
        if node.skin is None or node.mesh is None or not moves.keys() & set(scene.skins[node.skin].joints):
            continue
        primitives = scene.meshes[node.mesh].primitives
        points[number] = np.concatenate([p.positions[np.unique(p.indices)] for p in primitives])
    return points


def _roots_of(scene: Scene, node: int) -> List[int]:
    for root in scene.scenes:
        if node in root.roots:
            return root.roots
    return scene.scenes[0].roots


def _packed(extras: Dict[str, Any], more: Dict[str, Any]) -> Dict[str, Any]:
    """Extras as properties that Blender keeps: texts and numbers."""
    own = dict(extras.get("gltf", {}))
    kept = {name: value for name, value in extras.items() if name != "gltf"}
    properties = {**own.get("extras", {}), **more} if isinstance(own.get("extras", {}), dict) else dict(more)
    if kept:
        properties[NOTES] = json.dumps(kept, sort_keys=True)
    if properties:
        own["extras"] = properties
    return {"gltf": own} if own else {}


def _unpacked(extras: Dict[str, Any]) -> Dict[str, Any]:
    """What :func:`_packed` made this of, without what was only for the way."""
    own = dict(extras.get("gltf", {}))
    properties = own.get("extras", {})
    if not isinstance(properties, dict):
        return extras
    properties = {name: value for name, value in properties.items() if name not in (NUMBER, LOD, JOINT, MADE)}
    notes = properties.pop(NOTES, None)
    kept = {name: value for name, value in extras.items() if name != "gltf"}
    try:
        kept.update(json.loads(notes) if isinstance(notes, str) else {})
    except ValueError:
        # Somebody has written something else there; it is theirs.
        properties[NOTES] = notes
    own["extras"] = properties
    if not properties:
        del own["extras"]
    return {**kept, "gltf": own} if own else kept


def _without_tangents(channel: Channel) -> None:
    """Blender's importer does not read the tangents of a curve; many short lines follow it."""
    if channel.interpolation != "cubic":
        return
    times, values = np.asarray(channel.times, dtype="f8"), np.asarray(channel.values, dtype="f8")
    values = values.reshape(len(times), 3, -1)
    made_times, made_values = [times[:1]], [values[:1, 1]]
    part = (np.arange(1, CURVE_STEPS + 1) / CURVE_STEPS)[:, None]
    for i in range(len(times) - 1):
        span = times[i + 1] - times[i]
        # Hermite's four functions, as in the Scene's own rule.
        made_values.append(
            (2 * part**3 - 3 * part**2 + 1) * values[i, 1]
            + span * (part**3 - 2 * part**2 + part) * values[i, 2]
            + (3 * part**2 - 2 * part**3) * values[i + 1, 1]
            + span * (part**3 - part**2) * values[i + 1, 0]
        )
        made_times.append(times[i] + part[:, 0] * span)
    made = np.concatenate(made_values)
    if channel.property == "rotation":
        made /= np.linalg.norm(made, axis=1, keepdims=True)
    channel.times, channel.values = np.concatenate(made_times).astype("f4"), made.astype("f4")
    channel.interpolation = "linear"


def _turn_in_small_steps(channel: Channel) -> None:
    """Puts keys between those of a rotation that are far apart, on the arc between them."""
    if channel.property != "rotation" or channel.interpolation != "linear" or len(channel.times) < 2:
        return
    times, keys = np.asarray(channel.times, dtype="f8"), np.asarray(channel.values, dtype="f8").reshape(-1, 4)
    made_times, made_keys = [times[:1]], [keys[:1]]
    for i in range(len(times) - 1):
        start, end = keys[i], keys[i + 1]
        cosine = float(np.dot(start, end))
        if cosine < 0:
            end, cosine = -end, -cosine
        angle = float(np.arccos(min(1.0, cosine)))
        steps = max(1, int(np.ceil(angle / MOST_TURN)))
        part = np.arange(1, steps) / steps
        if steps > 1:
            mixed = (np.sin((1 - part) * angle)[:, None] * start + np.sin(part * angle)[:, None] * end) / np.sin(angle)
            made_keys.append(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))
            made_times.append(times[i] + part * (times[i + 1] - times[i]))
        made_keys.append(keys[i + 1 : i + 2])
        made_times.append(times[i + 1 : i + 2])
    exact = np.concatenate(made_times).astype("f4")
    # Keys closer together than a time can tell are one.
    rising = np.concatenate([[True], np.diff(exact) > 0])
    channel.times, channel.values = exact[rising], np.concatenate(made_keys).astype("f4")[rising]


@dataclass(frozen=True)
class ObjectState:
    """What Blender's exporter does not say about an object."""

    hidden: bool
    #: The name of the object that it stands in for, and the distance.
    lod_of: Optional[str] = None
    level: int = 1
    distance: Optional[float] = None


def restore(scene: Scene, objects: Dict[str, ObjectState], notes: Dict[str, Any]) -> Scene:
    """Changes a Scene that came from Blender's exporter back to what it means."""
    limbs.turn_back(scene)
    limbs.without_helpers(scene)
    for elements in (scene.nodes, scene.meshes, scene.materials, scene.cameras, scene.lights, scene.images):
        for element in elements:
            element.extras = _unpacked(element.extras)
    by_name = {node.name: number for number, node in enumerate(scene.nodes)}
    stand_ins: Dict[int, List[Tuple[int, Lod]]] = {}
    for name, state in objects.items():
        number = by_name.get(name)
        if number is None:
            continue
        scene.nodes[number].visible = not state.hidden
        owner = by_name.get(state.lod_of) if state.lod_of else None
        if owner is not None and owner != number:
            scene.nodes[number].visible = True
            stand_ins.setdefault(owner, []).append((state.level, Lod(number, state.distance)))
    for owner, lods in stand_ins.items():
        scene.nodes[owner].lods = [lod for _, lod in sorted(lods, key=lambda entry: entry[0])]
        taken = {lod.node for lod in scene.nodes[owner].lods}
        for siblings in [node.children for node in scene.nodes] + [root.roots for root in scene.scenes]:
            siblings[:] = [child for child in siblings if child not in taken]
    _without_exporters_words(scene)
    scene.extras = {**scene.extras, **notes.get("extras", {})}
    scene.ambient = notes.get("ambient") if scene.ambient is None else scene.ambient
    for elements, kept in ((scene.animations, notes.get("animations", {})), (scene.skins, notes.get("skins", {}))):
        for element in elements:
            # Blender calls what has no name after its armature.
            own = kept.get(element.name, kept.get("", {}) if len(elements) == len(kept) == 1 else {})
            element.extras = {**element.extras, **own}
    return scene


def _without_exporters_words(scene: Scene) -> None:
    """The name of the exporter is no part of the model."""
    scene.extras.pop("gltf", None)
    for root in scene.scenes:
        root.extras = _unpacked(root.extras)
