"""Every good file: its arrays are those that the library writes elsewhere, and nothing is lost on the way to Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

import numpy as np
import pytest

import glb
import menagerie
from menagerie.scene import Scene

#: Accessors of glTF and the streams that they are.
STREAMS = {"POSITION": "positions", "NORMAL": "normals", "TANGENT": "tangents"}
SETS = {"TEXCOORD": "uvs"}


def opened(path: Path) -> menagerie.Model:
    try:
        return menagerie.open(path)
    except menagerie.MenagerieError as error:
        pytest.skip(f"cannot be read: {error}")


def test_nine_formats(samples: Path) -> None:
    formats = {menagerie.open(path).format for path in samples.iterdir() if path.suffix not in (".mtl", ".png")}
    assert formats == {known["id"] for known in menagerie.formats()} and len(formats) == 9


def test_arrays_are_those_of_the_glb(model: Path) -> None:
    read = opened(model)
    scene = read.scene()
    document, buffer = glb.read(read.convert("glb", rebuild=True).bytes)
    # A mesh of several kinds of joints, or one without triangles, may be written as several or not at all.
    meshes = document.get("meshes", [])
    if [len(mesh["primitives"]) for mesh in meshes] != [len(mesh.primitives) for mesh in scene.meshes]:
        assert len(meshes) != len(scene.meshes) or model.suffix != ".glb"
        return
    for theirs, mesh in zip(meshes, scene.meshes):
        for their, own in zip(theirs["primitives"], mesh.primitives):
            compare(document, buffer, their, own)


def compare(document: Dict[str, Any], buffer: bytes, their: Dict[str, Any], own: Any) -> None:
    if "indices" in their and their.get("mode", 4) == 4:
        assert np.array_equal(glb.accessor(document, buffer, their["indices"]), own.indices)
    for name, index in their["attributes"].items():
        kind, _, number = name.partition("_")
        found = document["accessors"][index]
        if name in STREAMS:
            values = getattr(own, STREAMS[name])
        elif kind in SETS:
            values = getattr(own, SETS[kind])[int(number)]
        else:
            continue
        theirs = glb.accessor(document, buffer, index)
        if values is None:
            # Made because glTF or a picture needs them, and said to be.
            assert f"no_{STREAMS[name]}" in their["extras"]["menagerie"]
        elif found["componentType"] == 5126:
            assert np.array_equal(theirs, values), name


def test_info_says_the_same(model: Path, program: Any) -> None:
    said = program("info", "--json", model)
    theirs = json.loads(said.stdout)[0]
    read = opened(model)
    assert read.info() == theirs
    summary = read.summary
    assert (summary["contents"], summary["geometry"]) == (theirs["contents"], theirs["geometry"])
    assert (read.format, read._native.size) == (theirs["format"], theirs["bytes"])
    animations = [(a.name, np.float32(a.seconds), len(a.channels)) for a in read.scene().animations]
    assert animations == [(a["name"], np.float32(a["seconds"]), a["channels"]) for a in theirs["animations"]]


def test_a_scene_survives_the_way_to_python_and_back(model: Path) -> None:
    """Written from Python's objects, a model is byte for byte what the library writes of its own."""
    read = opened(model)
    try:
        direct = read.convert("glb", rebuild=True)
    except menagerie.MenagerieError as error:
        with pytest.raises(type(error)):
            read.scene().write("glb", stem=model.stem)
        return
    scene = read.scene()
    built = scene.write("glb", stem=model.stem)
    # What reading lacks or leaves out is known only to whoever read it.
    assert built.bytes == direct.bytes
    assert not menagerie.diff(read, Scene._load(*_crossed(scene)))


def _crossed(scene: Scene) -> Any:
    structure, lists = scene._cross()
    streams = {"u4": "u4", "u2": "u2"}
    values = json.loads(structure)
    typed: Dict[int, Any] = {}
    for mesh in values["meshes"]:
        for primitive in mesh["primitives"]:
            rows = {"positions": 3, "normals": 3, "tangents": 4}
            sets = {"uvs": (2, "f4"), "colors": (4, "f4"), "joints": (4, streams["u2"]), "weights": (4, "f4")}
            typed[primitive["indices"]] = np.frombuffer(lists[primitive["indices"]], "u4")
            for name, width in rows.items():
                if primitive[name] is not None:
                    typed[primitive[name]] = np.frombuffer(lists[primitive[name]], "f4").reshape(-1, width)
            for name, (width, kind) in sets.items():
                for number in primitive[name]:
                    typed[number] = np.frombuffer(lists[number], kind).reshape(-1, width)
            for target in primitive["targets"]:
                for name in ("positions", "normals", "tangents"):
                    if target[name] is not None:
                        typed[target[name]] = np.frombuffer(lists[target[name]], "f4").reshape(-1, 3)
                for name, width in (("uvs", 2), ("colors", 4)):
                    for number in target[name]:
                        typed[number] = np.frombuffer(lists[number], "f4").reshape(-1, width)
            for attribute in primitive["custom"].values():
                typed[attribute["values"]] = np.frombuffer(lists[attribute["values"]], "f4")
    for skin in values["skins"]:
        if skin["inverse_binds"] is not None:
            typed[skin["inverse_binds"]] = np.frombuffer(lists[skin["inverse_binds"]], "f4").reshape(-1, 4, 4)
    for animation in values["animations"]:
        for channel in animation["channels"]:
            for name in ("times", "values"):
                typed[channel[name]] = np.frombuffer(lists[channel[name]], "f4")
    return values, [typed.get(i, content) for i, content in enumerate(lists)]


def test_poses_are_skinned_as_the_rule_says(model: Path) -> None:
    """Σ weight · world(joint) · inverse bind · position, computed here by numpy."""
    scene = opened(model).scene()
    for animation in [None, *range(len(scene.animations))]:
        seconds = 0.0 if animation is None else scene.animations[animation].seconds * 0.4
        pose = scene.pose(animation, seconds)
        for number, node in enumerate(scene.nodes):
            if node.mesh is None:
                continue
            for own, primitive in zip(pose.positions[number], scene.meshes[node.mesh].primitives):
                expected = skinned(scene, pose, number, primitive)
                size = max(1e-3, float(np.abs(expected).max(initial=0.0)))
                assert np.allclose(own, expected, atol=2e-5 * size, rtol=0)


def skinned(scene: Scene, pose: Any, number: int, primitive: Any) -> Any:
    node = scene.nodes[number]
    points = np.array(primitive.positions, dtype="f8")
    for target, weight in zip(primitive.targets, pose.weights[number]):
        if target.positions is not None:
            points += weight * target.positions
    points = np.hstack([points, np.ones((len(points), 1))])
    matrices = np.broadcast_to(pose.worlds[number].astype("f8"), (len(points), 4, 4)).copy()
    if node.skin is not None and primitive.joints:
        skin = scene.skins[node.skin]
        binds = skin.inverse_binds if skin.inverse_binds is not None else np.tile(np.eye(4), (len(skin.joints), 1, 1))
        palette = np.stack([pose.worlds[joint].astype("f8") @ bind for joint, bind in zip(skin.joints, binds)])
        joints, weights = np.hstack(primitive.joints), np.hstack(primitive.weights).astype("f8")
        bound = weights.sum(axis=1) > 0
        matrices[bound] = np.einsum("vj,vjab->vab", weights, palette[np.where(weights > 0, joints, 0)])[bound]
    return np.einsum("vab,vb->va", matrices, points)[:, :3]


def test_arrays_are_shared_not_copied_and_read_only(samples: Path) -> None:
    scene = menagerie.open(samples / "creature.bo3d").scene()
    positions = scene.meshes[0].primitives[0].positions
    assert positions.dtype == np.float32 and positions.flags.c_contiguous and not positions.flags.owndata
    with pytest.raises(ValueError):
        positions[0, 0] = 1.0
    kept = positions[3:5]
    before = kept.copy()
    del scene, positions
    for _ in range(50):
        menagerie.open(samples / "creature.bo3d").scene()
    assert np.array_equal(kept, before)
