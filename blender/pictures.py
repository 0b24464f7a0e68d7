"""Makes the pictures of docs/blender.md: models in Blender (Cycles) and by menagerie beside each other.

    python pictures.py SAMPLES OUT      in a Python that has bpy, the wheel and numpy

SAMPLES is what `menagerie sample` writes.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any, Optional

import bpy
import menagerie
import numpy as np
from mathutils import Euler, Vector

sys.path.insert(0, str(Path(__file__).resolve().parent))
import menagerie_io  # noqa: E402

SIZE = 400
#: Around to the model's left, and up, as `menagerie render --camera` takes them.
AROUND, UP = 35.0, 20.0


def empty() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 24
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.view_settings.view_transform = "Standard"
    scene.world = bpy.data.worlds.new("grey")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.5, 0.53, 0.57, 1.0)


def moment(animation: Optional[str], seconds: float) -> None:
    """Puts everything where it is at a moment of an animation."""
    if animation is None:
        return
    for thing in bpy.data.objects:
        for owner in (thing, getattr(thing.data, "shape_keys", None)):
            data = getattr(owner, "animation_data", None)
            if data is None:
                continue
            for track in data.nla_tracks:
                track.mute = track.name != animation
            data.action = None
    scene = bpy.context.scene
    frame = seconds * scene.render.fps / scene.render.fps_base
    scene.frame_set(int(frame), subframe=frame % 1)


def look() -> None:
    """A camera as near as it can be with all meshes in the picture, and a light from its upper left."""
    points = [thing.matrix_world @ Vector(corner) for thing in bpy.data.objects if thing.type == "MESH" for corner in thing.bound_box]
    low, high = (Vector(f(p[i] for p in points) for i in range(3)) for f in (min, max))
    middle, size = (low + high) / 2, (high - low).length
    data = bpy.data.cameras.new("camera")
    camera = bpy.data.objects.new("camera", data)
    bpy.context.collection.objects.link(camera)
    # A model looks along -Y; its left is +X.
    turn = Euler((math.radians(90 - UP), 0.0, math.radians(AROUND)))
    camera.rotation_euler, data.angle = turn, math.radians(30)
    camera.location = middle + turn.to_matrix() @ Vector((0.0, 0.0, size * 0.95 / math.tan(math.radians(15)) / 2))
    bpy.context.scene.camera = camera
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy = 2.5
    sun.rotation_euler = Euler((math.radians(50), 0.0, math.radians(AROUND - 30)))
    bpy.context.collection.objects.link(sun)


def in_blender(path: Path, animation: Optional[str], seconds: float, scratch: Path) -> Any:
    empty()
    assert bpy.ops.import_scene.menagerie(filepath=str(path)) == {"FINISHED"}
    moment(animation, seconds)
    bpy.context.view_layer.update()
    look()
    bpy.context.scene.render.filepath = str(scratch)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(scratch))
    pixels = np.array(image.pixels[:], dtype="f4").reshape(SIZE, SIZE, 4)
    return (pixels[::-1] * 255).round().astype("u1")


def save(pixels: Any, path: Path) -> None:
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("both", width, height)
    image.pixels = (pixels[::-1].astype("f4") / 255).ravel()
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()


def main() -> None:
    samples, out = Path(sys.argv[1]), Path(sys.argv[2])
    menagerie_io.register()
    for file, animation, seconds, name in [("creature.bmd", "walk", 0.3, "creature"), ("crate.bo3d", None, 0.0, "crate")]:
        left = in_blender(samples / file, animation, seconds, out / "left.png")
        moving = {} if animation is None else {"animation": animation, "time": seconds}
        right = menagerie.render(samples / file, size=f"{SIZE}x{SIZE}", camera=f"{AROUND},{UP}", **moving)
        save(np.concatenate([left, right], axis=1), out / f"{name}.png")
    (out / "left.png").unlink()


if __name__ == "__main__":
    main()
