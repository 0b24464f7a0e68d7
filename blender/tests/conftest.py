"""Blender with the extension, and what it is compared with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import bpy
import numpy as np
import pytest

#: The zip as it is given to users; without it the sources are used, and the wheel that is installed.
PACKAGE = os.environ.get("MENAGERIE_EXTENSION")
if PACKAGE:
    # The wheel inside is what is imported from here on.
    bpy.ops.extensions.package_install_files(filepath=PACKAGE, repo="user_default", enable_on_install=True)

import menagerie  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "crates/menagerie/tests/corpus"
SHARED = ROOT.parent / "shared/corpus"
EXTENSIONS = (".bgl", ".bmd", ".dgl2", ".bo3d", ".das2")


#: Where objects were before anything moved them, and how strong shape keys were.
RESTING: Dict[Any, Any] = {}


def models(folder: Path) -> List[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in EXTENSIONS and path.is_file())


def pytest_configure(config: pytest.Config) -> None:
    if not PACKAGE:
        sys.path.insert(0, str(ROOT / "blender"))
        import menagerie_io

        menagerie_io.register()
    assert hasattr(bpy.types, "IMPORT_SCENE_OT_menagerie"), "Blender did not take the extension"


def pytest_report_header() -> List[str]:
    real = SHARED / "real"
    return [] if real.is_dir() else [f"SKIPPED {real}: the files of other authors are not there"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    lists = {
        "model": [*models(CORPUS / "made"), *models(SHARED / "real")],
        "bad": models(CORPUS / "bad"),
    }
    for name, files in lists.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, files, ids=[f"{path.parent.name}/{path.name}" for path in files])


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    home = str(Path(menagerie.__file__).parents[1])
    command = [sys.executable, "-m", "menagerie", "sample", folder]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": home})
    return folder


def fresh() -> None:
    """An empty scene; the extension stays."""
    for collection in list(bpy.data.collections):
        bpy.data.collections.remove(collection)
    for blocks in (bpy.data.objects, bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.materials):
        for block in list(blocks):
            blocks.remove(block)
    for blocks in (bpy.data.images, bpy.data.cameras, bpy.data.lights):
        for block in list(blocks):
            blocks.remove(block)
    for scene in list(bpy.data.scenes)[1:]:
        bpy.data.scenes.remove(scene)
    bpy.context.scene.frame_set(0)


def imported(path: Path) -> List[Any]:
    """The objects of a model in an empty scene."""
    fresh()
    try:
        menagerie.open(path).scene()
    except menagerie.MenagerieError as error:
        pytest.skip(f"cannot be read: {error}")
    # What an animation does not move is where it was before; Blender leaves it where the last one left it.
    assert bpy.ops.import_scene.menagerie(filepath=str(path), animations=False) == {"FINISHED"}
    RESTING.clear()
    for thing in bpy.data.objects:
        RESTING[thing.name] = thing.matrix_basis.copy()
        for bone in thing.pose.bones if thing.type == "ARMATURE" else ():
            RESTING[thing.name, bone.name] = bone.matrix_basis.copy()
        for key in thing.data.shape_keys.key_blocks if thing.type == "MESH" and thing.data.shape_keys else ():
            RESTING[thing.name, key.name] = key.value
    fresh()
    assert bpy.ops.import_scene.menagerie(filepath=str(path)) == {"FINISHED"}
    return list(bpy.data.objects)


def points(thing: Any) -> Any:
    """Where the vertices of an object are in the world now."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    flat = np.empty(len(mesh.vertices) * 3, dtype="f4")
    mesh.vertices.foreach_get("co", flat)
    world = np.array(evaluated.matrix_world)
    evaluated.to_mesh_clear()
    return flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def to_blender(array: Any) -> Any:
    """From +Y up to +Z up."""
    return np.stack([array[:, 0], -array[:, 2], array[:, 1]], axis=1)
