"""What is exported is what Blender shows; what a format cannot hold is named, and nothing else is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, List

import bpy
import numpy as np
import pytest

import menagerie
from conftest import CORPUS, SHARED, fresh, imported, points

FORMATS = {"bogle": ".bgl", "bmd": ".bmd", "dgl2": ".dgl2", "bo3d": ".bo3d", "das2": ".das2"}


def exported(path: Path, **options: Any) -> menagerie.Model:
    known = next(name for name, extension in FORMATS.items() if extension == path.suffix)
    assert bpy.ops.export_scene.menagerie(filepath=str(path), format=known, **options) == {"FINISHED"}
    return menagerie.open(path)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("source", ["creature.bmd", "creature.bgl", "crate.bo3d", "lantern.das2", "lantern.dgl2"])
def test_only_what_is_named_is_lost(source: str, to: str, samples: Path, tmp_path: Path) -> None:
    imported(samples / source)
    gathered = gather()
    exporting().truthful(gathered, to, {})
    written = exported(tmp_path / f"out{FORMATS[to]}")
    assert written.validate().valid
    losses = [entry.code for entry in bpy.context.window_manager.menagerie.entries]
    # The program reads the result back and finds nothing that the report does not name.
    glb = menagerie.open(gathered.write("glb").bytes)
    again = glb.save(tmp_path / f"again{FORMATS[to]}", verify=True)
    assert again.verify is not None and again.verify["unreported"] == 0, again.verify
    assert {loss.code for loss in again.losses} <= set(losses)
    assert (tmp_path / f"again{FORMATS[to]}").read_bytes() == (tmp_path / f"out{FORMATS[to]}").read_bytes()


def gather(**options: Any) -> Any:
    """The Scene that would be exported."""
    how = {"actions": "", "use_selection": False, "apply_modifiers": False, "sample": False, "lods": True, **options}
    return exporting().gather(bpy.context, type("How", (), how))


def exporting() -> Any:
    import sys

    operator = bpy.types.EXPORT_SCENE_OT_menagerie
    return sys.modules[operator.__module__]


ROUND_TRIPS = ["bo3d/ninja.bo3d", "bmd/chicken1.bmd", "dgl2/level_001/level.dgl2", "bogle/skinned.bgl"]


@pytest.mark.parametrize("name", [*ROUND_TRIPS, "das2/15_everything_level9.das2"])
def test_round_trips(name: str, tmp_path: Path) -> None:
    """File → Blender → file: the surface and its poses stay where they were."""
    folder = CORPUS / "made" if name.startswith("das2") else SHARED / "real"
    if not (folder / name).exists():
        pytest.skip(f"SKIPPED {folder / name}: files of other authors are not there")
    source = menagerie.open(folder / name)
    imported(folder / name)
    written = exported(tmp_path / f"out{Path(name).suffix}")
    before, after = source.scene(), written.scene()
    low, high = before.pose().bounds() or (np.zeros(3), np.ones(3))
    size = float(np.linalg.norm(high - low))
    moments: List[Any] = [(None, None, 0.0)]
    names = {animation.name: number for number, animation in enumerate(after.animations)}
    for number, animation in enumerate(before.animations):
        again = names.get(animation.name or f"Anim_{number}", names.get("", number))
        moments += [(number, again, animation.seconds * part) for part in (0.1, 0.5, 0.9)]
    for one, other, seconds in moments:
        wanted, found = before.pose(one, seconds).bounds(), after.pose(other, seconds).bounds()
        off = np.abs(np.subtract(wanted, found)).max()
        # A format that cannot hold a pose says so.
        named = {entry.code for entry in bpy.context.window_manager.menagerie.entries}
        told = named & {"loss/positions", "loss/animations", "loss/transforms"}
        assert off < 2e-3 * size or (told and off < 2e-2 * size), f"{one} {other} at {seconds}: {off / size}"
    changed = {}
    for difference in menagerie.diff(source, written).differences:
        changed.setdefault(difference.code, difference.message)
    print(name, json.dumps(changed, indent=1))


def test_a_blender_scene_of_ones_own(tmp_path: Path) -> None:
    """A cube with a material, moved by an action, with a level of detail by name, goes to every format."""
    fresh()
    bpy.ops.mesh.primitive_cube_add(size=2, location=(1, 2, 3))
    cube = bpy.context.object
    cube.name = "box"
    material = bpy.data.materials.new("red")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.8, 0.1, 0.1, 1)
    cube.data.materials.append(material)
    cube.keyframe_insert("location", frame=0)
    cube.location.x = 5
    cube.keyframe_insert("location", frame=24)
    bpy.ops.mesh.primitive_cube_add(size=2, location=(1, 2, 3))
    bpy.context.object.name = "box LOD 1"
    bpy.context.scene.frame_set(0)
    for extension in FORMATS.values():
        written = exported(tmp_path / f"box{extension}")
        assert written.summary["geometry"]["triangles"] >= 12, extension
    scene = menagerie.open(tmp_path / "box.das2").scene()
    boxes = [node for node in scene.nodes if node.lods]
    assert len(boxes) == 1 and boxes[0].name == "box"
    low, high = scene.pose().bounds() or (None, None)
    assert np.allclose(low, [0, 2, -3], atol=1e-4) and np.allclose(high, [2, 4, -1], atol=1e-4)


def test_selection_actions_and_modifiers(tmp_path: Path, samples: Path) -> None:
    imported(samples / "creature.bmd")
    names = sorted(action.name for action in bpy.data.actions)
    assert names
    kept = exported(tmp_path / "some.das2", actions=names[0]).scene()
    assert [animation.name for animation in kept.animations] == names[:1]
    fresh()
    bpy.ops.mesh.primitive_cube_add()
    first = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(location=(9, 0, 0))
    first.select_set(False)
    modifier = bpy.context.object.modifiers.new("finer", "SUBSURF")
    modifier.levels = modifier.render_levels = 1
    assert exported(tmp_path / "all.dgl2").summary["geometry"]["triangles"] == 24
    assert exported(tmp_path / "one.dgl2", use_selection=True).summary["geometry"]["triangles"] == 12
    finer = exported(tmp_path / "finer.dgl2", use_selection=True, apply_modifiers=True)
    assert finer.summary["geometry"]["triangles"] == 48


def test_the_panel_explains_and_selects(tmp_path: Path, samples: Path) -> None:
    imported(samples / "creature.bgl")
    exported(tmp_path / "creature.dgl2")
    report = bpy.context.window_manager.menagerie
    assert report.title == "Exported creature.dgl2" and len(report.entries) > 0
    entry = next(entry for entry in report.entries if entry.code == "loss/skins" or entry.code == "loss/animations")
    assert bpy.ops.menagerie.explain(code=entry.code) == {"FINISHED"}
    assert entry.code in report.explanation
    with_objects = next(entry for entry in report.entries if entry.objects)
    assert bpy.ops.menagerie.select(names=with_objects.objects) == {"FINISHED"}
    assert [thing for thing in bpy.context.selected_objects]


def test_what_cannot_be_exported_is_a_report(tmp_path: Path) -> None:
    fresh()
    bpy.ops.mesh.primitive_cube_add()
    with pytest.raises(RuntimeError, match="frobnicate"):
        bpy.ops.export_scene.menagerie(filepath=str(tmp_path / "a.bmd"), format="bmd", more="frobnicate=1")
    assert not (tmp_path / "a.bmd").exists()


def test_hidden_parts_come_back_hidden(tmp_path: Path) -> None:
    source = next(path for path in sorted((CORPUS / "made").rglob("*.bmd")) if has_hidden(path))
    things = imported(source)
    hidden = [thing for thing in things if thing.hide_render]
    assert hidden and all(not thing.visible_get() for thing in hidden) and points(hidden[0]) is not None
    back = exported(tmp_path / "back.das2").scene()
    assert [node.name for node in back.nodes if not node.visible] or "loss/visibility" in [
        entry.code for entry in bpy.context.window_manager.menagerie.entries
    ]


def has_hidden(path: Path) -> bool:
    return not all(node.visible for node in menagerie.open(path).scene().nodes)
