"""Real Blender, without a window: what is imported is what the library says, at every moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

import bpy
import numpy as np
import pytest

import menagerie
from conftest import CORPUS, RESTING, fresh, imported, points, to_blender

#: How far a vertex may be off, by the size of the model.
TOLERANCE = 1e-4


def shown_by_name(scene: Any) -> Dict[str, List[int]]:
    names: Dict[str, List[int]] = {}
    for number, node in enumerate(scene.nodes):
        if node.mesh is not None:
            names.setdefault(node.name, []).append(number)
    return names


def test_counts(model: Path) -> None:
    scene = menagerie.open(model).scene()
    things = imported(model)
    info = menagerie.info(model)
    meshes = [thing for thing in things if thing.type == "MESH"]
    nodes = [node for node in scene.nodes if node.mesh is not None and drawable(scene, node)]
    assert len(meshes) == len(nodes)
    for kind, list_name in (("CAMERA", "camera"), ("LIGHT", "light")):
        expected = sum(getattr(node, list_name) is not None for node in scene.nodes)
        assert sum(thing.type == kind for thing in things) == expected, kind
    triangles = sum(len(thing.data.loop_triangles) for thing in meshes if thing.data.calc_loop_triangles() is None)
    by_mesh = [sum(len(p.triangles) for p in scene.meshes[node.mesh].primitives) for node in nodes]
    assert triangles == sum(by_mesh) - degenerate(scene, nodes)
    actions = {animation["name"] for animation in info["animations"] if animation["channels"]}
    moved = [a for a in scene.animations if any(len(c.times) for c in a.channels)]
    assert len(bpy.data.actions) >= min(1, len(moved)) or not actions
    for animation in moved:
        if animation.name:
            assert any(action.name.startswith(animation.name[:50]) for action in bpy.data.actions), animation.name


def drawable(scene: Any, node: Any) -> bool:
    return any(len(p.positions) and len(p.indices) for p in scene.meshes[node.mesh].primitives)


def degenerate(scene: Any, nodes: List[Any]) -> int:
    """Triangles that Blender has no place for: with a corner twice, or there already."""
    count = 0
    for node in nodes:
        for primitive in scene.meshes[node.mesh].primitives:
            corners = np.sort(primitive.triangles, axis=1)
            flat = (corners[:, 0] == corners[:, 1]) | (corners[:, 1] == corners[:, 2])
            whole = corners[~flat]
            count += int(flat.sum()) + len(whole) - len(np.unique(whole, axis=0))
    return count


def show_all(layer: Any) -> None:
    """Blender does not move what nobody sees."""
    layer.exclude = layer.hide_viewport = layer.collection.hide_viewport = False
    for thing in layer.collection.objects:
        thing.hide_set(False)
        thing.hide_viewport = False
    for child in layer.children:
        show_all(child)


def moments(scene: Any) -> List[Any]:
    """The rest, and five times of every animation."""
    times: List[Any] = [(None, 0.0)]
    for number, animation in enumerate(scene.animations):
        if animation.channels and animation.seconds > 0:
            times += [(number, float(t)) for t in np.linspace(0, animation.seconds, 5)]
    return times


def test_vertices_are_where_the_library_says(model: Path) -> None:
    scene = menagerie.open(model).scene()
    imported(model)
    show_all(bpy.context.view_layer.layer_collection)
    bounds = scene.pose().bounds()
    if bounds is None:
        return
    size = float(np.linalg.norm(bounds[1] - bounds[0])) or 1.0
    for animation, seconds in moments(scene):
        play(scene.animations[animation].name if animation is not None else None, animation, seconds)
        pose = scene.pose(animation, seconds)
        expected = np.concatenate([to_blender(a) for a in drawn(scene, pose)] or [np.zeros((0, 3))])
        found = np.concatenate([points(thing) for thing in bpy.data.objects if thing.type == "MESH"] or [np.zeros((0, 3))])
        off = farthest(expected, found)
        assert off <= TOLERANCE * size, f"{animation} at {seconds}: {off / size:.2e} of the size"


def drawn(scene: Any, pose: Any) -> Any:
    """The positions that something draws: Blender does not take the others in."""
    for number, arrays in pose.positions.items():
        for array, primitive in zip(arrays, scene.meshes[scene.nodes[number].mesh].primitives):
            yield array[np.unique(primitive.indices)]


def farthest(expected: Any, found: Any) -> float:
    """The largest distance of a point of one set from the nearest of the other."""
    from mathutils.kdtree import KDTree

    if not len(expected) and not len(found):
        return 0.0
    largest = 0.0
    for some, others in ((found, expected), (expected, found)):
        tree = KDTree(len(others))
        for i, point in enumerate(others):
            tree.insert(point, i)
        tree.balance()
        step = max(1, len(some) // 3000)
        largest = max([largest, *(tree.find(point)[2] for point in some[::step])])
    return largest


def play(name: Any, number: Any, seconds: float) -> None:
    """Shows a moment of an animation, and nothing of the others."""
    things = [*bpy.data.objects, *bpy.data.shape_keys]
    for thing in things:
        data = thing.animation_data
        if data is None:
            continue
        for track in data.nla_tracks:
            track.mute = True
        data.action = None
        if name is None:
            continue
        for track in data.nla_tracks:
            if track.name == name or (not name and track.name.startswith(f"Anim_{number}")):
                for strip in track.strips:
                    data.action = strip.action
                    if strip.action_slot is not None:
                        data.action_slot = strip.action_slot
    rest()
    frame = seconds * bpy.context.scene.render.fps
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
    bpy.context.view_layer.update()


def rest() -> None:
    """Puts everything where nothing moves it: Blender leaves things where an animation left them."""
    for thing in bpy.data.objects:
        thing.matrix_basis = RESTING.get(thing.name, thing.matrix_basis)
        for bone in thing.pose.bones if thing.type == "ARMATURE" else ():
            bone.matrix_basis = RESTING.get((thing.name, bone.name), bone.matrix_basis)
        for key in thing.data.shape_keys.key_blocks if thing.type == "MESH" and thing.data.shape_keys else ():
            key.value = RESTING.get((thing.name, key.name), key.value)


def test_materials_have_their_pictures(model: Path) -> None:
    scene = menagerie.open(model).scene()
    imported(model)
    with_picture = {m.name for m in scene.materials if uses_found_picture(scene, m) and used(scene, m)}
    for material in bpy.data.materials:
        if material.name in with_picture:
            images = [n.image for n in material.node_tree.nodes if n.type == "TEX_IMAGE" and n.image]
            assert images and all(image.size[0] > 0 for image in images), material.name


def used(scene: Any, material: Any) -> bool:
    number = scene.materials.index(material)
    return any(p.material == number for mesh in scene.meshes for p in mesh.primitives)


def uses_found_picture(scene: Any, material: Any) -> bool:
    ref = getattr(material.shading, "base_color_texture", None) or getattr(material.shading, "diffuse_texture", None)
    if ref is None:
        return False
    image = scene.textures[ref.texture].image
    data = None if image is None else scene.images[image].data
    return data is not None and data[:4] in (b"\x89PNG", b"\xff\xd8\xff\xe0", b"\xff\xd8\xff\xe1")


def test_levels_of_detail_are_hidden_collections() -> None:
    imported(next(path for path in sorted((CORPUS / "made").rglob("*")) if has_lods(path)))
    levels = [collection for collection in bpy.data.collections if "menagerie_lod" in collection]
    assert levels and all(collection.objects and collection.hide_render for collection in levels)
    for collection in levels:
        for thing in collection.objects:
            assert json.loads(thing["menagerie_lod"])["of"] in bpy.data.objects
            assert not thing.visible_get()


def has_lods(path: Path) -> bool:
    if path.suffix not in (".bmd", ".das2"):
        return False
    return any(node.lods for node in menagerie.open(path).scene().nodes)


def test_bad_files_are_reports_not_tracebacks(bad: Path) -> None:
    fresh()
    try:
        menagerie.open(bad).scene()
    except menagerie.MenagerieError as error:
        with pytest.raises(RuntimeError) as told:
            bpy.ops.import_scene.menagerie(filepath=str(bad))
        assert f"[{error.code}]" in str(told.value) and "Traceback" not in str(told.value)
        if error.span is not None:
            assert f"bytes {error.span[0]} to {error.span[1]}" in str(told.value)
        assert not bpy.data.objects


def test_undo_takes_an_import_back_and_redo_brings_it_again(samples: Path) -> None:
    fresh()
    kinds = ("objects", "meshes", "armatures", "materials", "images", "actions", "collections")

    def there() -> dict[str, set[str]]:
        return {kind: {thing.name for thing in getattr(bpy.data, kind)} for kind in kinds}

    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="before")
    before = there()
    # As from the menu: the operator leaves its own step behind.
    imported = bpy.ops.import_scene.menagerie("EXEC_DEFAULT", True, filepath=str(samples / "creature.bmd"))
    after = there()
    assert imported == {"FINISHED"} and after["objects"] > before["objects"] and after["actions"]
    assert bpy.ops.ed.undo() == {"FINISHED"}
    assert there() == before
    assert bpy.ops.ed.redo() == {"FINISHED"}
    assert there() == after


def test_twice_gives_no_clash(samples: Path) -> None:
    path = samples / "creature.bmd"
    first = {thing.name for thing in imported(path)}
    assert bpy.ops.import_scene.menagerie(filepath=str(path)) == {"FINISHED"}
    names = [thing.name for thing in bpy.data.objects]
    assert len(names) == len(set(names)) == 2 * len(first)
    assert {"creature", "creature.001"} <= {collection.name for collection in bpy.data.collections}


def test_several_files_and_options(samples: Path) -> None:
    fresh()
    files = [{"name": "crate.bgl"}, {"name": "lantern.das2"}]
    assert bpy.ops.import_scene.menagerie(files=files, directory=str(samples), facing="back") == {"FINISHED"}
    assert {"crate", "lantern"} <= {collection.name for collection in bpy.data.collections}
    small = fresh() or bpy.ops.import_scene.menagerie(filepath=str(samples / "creature.bmd"), unit="cm")
    assert small == {"FINISHED"}
    scaled = np.concatenate([points(thing) for thing in bpy.data.objects if thing.type == "MESH"])
    bounds = menagerie.open(samples / "creature.bmd").scene().pose().bounds()
    assert np.allclose(np.ptp(scaled, axis=0)[2], (bounds[1] - bounds[0])[1] * 0.01, rtol=1e-3)
