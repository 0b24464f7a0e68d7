"""What is wrong is an exception with code, bytes and path; nothing ends the process, leaks, or keeps other threads waiting."""

from __future__ import annotations

import gc
import pickle
import random
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import menagerie
from conftest import CORPUS, models
from menagerie.scene import Animation, Channel, Image, Material, Mesh, Node, Phong, Primitive, Scene, SceneRoot
from menagerie.scene import Skin, Texture, TextureRef


def test_bad_files_have_codes_bytes_and_paths(bad: Path) -> None:
    try:
        model = menagerie.open(bad)
    except menagerie.MenagerieError as error:
        found = list(error.issues)
        assert error.code == found[0].code and error.path == found[0].path and f"[{error.code}]" in str(error)
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.code, again.span) == (type(error), str(error), error.code, error.span)
    else:
        found = list(model.issues)
        try:
            found += model.scene().issues
        except menagerie.MenagerieError as error:
            found += error.issues
    for issue in found:
        assert menagerie.explain(issue.code)["code"] == issue.code
        if issue.span is not None:
            assert 0 <= issue.span[0] <= issue.span[1] <= max(bad.stat().st_size, issue.span[1])


def test_exceptions_say_who_is_to_blame(samples: Path, tmp_path: Path) -> None:
    with pytest.raises(menagerie.UnsupportedError) as unknown:
        menagerie.open(b"nothing that anybody knows")
    assert unknown.value.code == "file/unknown-format" and unknown.value.span == (0, 16)
    with pytest.raises(menagerie.FileError) as broken:
        menagerie.open(b"BO3Dxxxx", from_="bo3d")
    assert broken.value.format == "bo3d" and broken.value.span is not None
    with pytest.raises(FileNotFoundError):
        menagerie.open(tmp_path / "gone.bmd")
    for wrong in ({"frobnicate": 1}, {"scale": -1.0}, {"bo3d_float": 7}, {"unit": "cubits"}):
        with pytest.raises(menagerie.ParameterError):
            menagerie.open(samples / "crate.bo3d").convert("glb", **wrong)
    with pytest.raises(menagerie.ParameterError):
        menagerie.open(samples / "crate.bo3d").convert("fbx")
    with pytest.raises(menagerie.MenagerieError) as cut:
        menagerie.convert(CORPUS / "bad/bo3d/magic.bo3d", tmp_path / "out.glb")
    assert cut.value.code is not None and not (tmp_path / "out.glb").exists()
    with pytest.raises(KeyError, match="there is no animation"):
        menagerie.open(samples / "crate.bo3d").scene().pose("walk")
    with pytest.raises(menagerie.MenagerieError):
        menagerie.explain("no/such-code")


def test_a_thousand_mutated_files(samples: Path) -> None:
    """No file ends the process, whatever is done to it; each is read or refused with a code."""
    dice = random.Random(20)
    originals = [path.read_bytes() for path in [*models(samples), *models(CORPUS / "made")] if path.stat().st_size < 60_000]
    refused = 0
    for i in range(1000):
        content = bytearray(originals[i % len(originals)])
        for _ in range(dice.randint(1, 12)):
            at = dice.randrange(len(content))
            content[at] = dice.choice([0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)])
        if dice.random() < 0.2:
            del content[dice.randrange(len(content)) :]
        try:
            model = menagerie.open(content)
            model.scene().pose()
            model.convert("glb")
        except menagerie.MenagerieError as error:
            assert error.code is not None and not isinstance(error, menagerie.InternalError), error
            refused += 1
    assert 50 < refused < 950


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is measured where /proc is")
def test_memory_does_not_grow(samples: Path) -> None:
    paths = [samples / name for name in ("creature.bmd", "creature.bo3d", "crate.bgl", "lantern.das2")]
    broken = CORPUS / "bad/bo3d/magic.bo3d"

    def some(count: int) -> None:
        for i in range(count):
            scene = menagerie.open(paths[i % len(paths)]).scene()
            assert scene.meshes[0].primitives[0].positions[0].shape == (3,)
            if i % 10 == 0:
                with pytest.raises(menagerie.MenagerieError):
                    menagerie.open(broken)

    some(1000)
    gc.collect()
    before = resident()
    some(10_000)
    gc.collect()
    assert resident() - before < 8 << 20


def grid(side: int) -> bytes:
    """An OBJ of so many vertices a side."""
    y, x = np.mgrid[0:side, 0:side]
    z = np.sin(x * 0.3) * np.cos(y * 0.2)
    lines = [f"v {a} {b} {c:.5f}" for a, b, c in zip(x.ravel(), y.ravel(), z.ravel())]
    for row in range(side - 1):
        for column in range(1, side):
            at = row * side + column
            lines.append(f"f {at} {at + 1} {at + side + 1} {at + side}")
    return "\n".join(lines).encode()


def test_other_threads_run_meanwhile() -> None:
    content = grid(400)
    done = threading.Event()

    def work() -> None:
        menagerie.open(content, from_="obj").convert("glb", lod=[0.5])
        done.set()

    worker = threading.Thread(target=work)
    began = time.perf_counter()
    worker.start()
    ticks = 0
    while not done.is_set() and worker.is_alive():
        time.sleep(0.002)
        ticks += 1
    worker.join()
    took = time.perf_counter() - began
    assert done.is_set() and ticks > 0.2 * took / 0.002


PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde"
    b"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82"
)


def bending_rod() -> Scene:
    """A rod of two bones that bends, with a picture: built from nothing."""
    y = np.repeat(np.linspace(0, 2, 9), 2)
    x = np.tile([-0.1, 0.1], 9)
    positions = np.stack([x, y, np.zeros_like(x)], axis=1)
    at = np.arange(8)[:, None] * 2
    indices = np.concatenate([at + [0, 1, 3], at + [0, 3, 2]])
    upper = np.clip(y - 0.5, 0, 1)
    rod = Primitive(
        positions=positions,
        indices=indices,
        normals=np.tile([0.0, 0.0, 1.0], (18, 1)),
        uvs=[np.stack([x * 5 + 0.5, 1 - y / 2], axis=1)],
        joints=[np.tile([0, 1, 0, 0], (18, 1))],
        weights=[np.stack([1 - upper, upper, upper * 0, upper * 0], axis=1)],
        material=0,
    )
    half = np.sqrt(0.5)
    binds = np.tile(np.eye(4), (2, 1, 1))
    binds[1, 1, 3] = -1
    return Scene(
        scenes=[SceneRoot(roots=[0, 1])],
        nodes=[
            Node(name="rod", mesh=0, skin=0),
            Node(name="lower", children=[2]),
            Node(name="upper", translation=(0, 1, 0)),
        ],
        meshes=[Mesh(name="rod", primitives=[rod])],
        materials=[Material(name="red", shading=Phong(diffuse=(1, 0.5, 0.5, 1), diffuse_texture=TextureRef(0)))],
        textures=[Texture(image=0)],
        images=[Image(name="red", data=PNG, mime="image/png")],
        skins=[Skin(name="rod", joints=[1, 2], inverse_binds=binds)],
        animations=[
            Animation(name="bend", channels=[Channel(2, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, half, half]])])
        ],
    )


def test_a_scene_is_built_and_written_in_every_format() -> None:
    scene = bending_rod()
    scene.check()
    top = scene.pose("bend", 1.0).positions[0][0][-2:]
    assert np.allclose(top, [[-1.0, 0.9, 0], [-1.0, 1.1, 0]], atol=1e-6)
    for known in menagerie.formats():
        written = scene.write(known["extensions"][0])
        again = menagerie.open(written.bytes, from_=known["id"])
        assert again.summary["geometry"]["triangles"] == 16, known["id"]
        if known["id"] == "gltf":
            assert menagerie.diff(scene, again).equal
        holds = known["holds"]["animations"]["holds"]
        assert bool(again.scene().animations) == (holds != "no"), known["id"]
    assert scene.images[0].pixels().tolist() == [[[255, 0, 0, 255]]] or scene.images[0].pixels().shape == (1, 1, 4)


def test_rules_that_a_built_scene_breaks_are_named() -> None:
    for change, place in [
        (lambda scene: setattr(scene.nodes[1], "children", [7]), "nodes"),
        (lambda scene: setattr(scene.meshes[0].primitives[0], "indices", [0, 1, 99]), "meshes[0]"),
        (lambda scene: setattr(scene.meshes[0].primitives[0], "normals", np.zeros((18, 3))), "meshes[0]"),
        (lambda scene: setattr(scene.materials[0].shading.diffuse_texture, "texture", 4), "materials[0]"),
    ]:
        scene = bending_rod()
        change(scene)
        with pytest.raises(menagerie.ParameterError) as broken:
            scene.check()
        assert broken.value.code == "convert/scene-rule" and place in (broken.value.path or ""), place
    for wrong in ([[0, 0], [1, 1]], [["a", "b", "c"]]):
        with pytest.raises(ValueError, match="positions"):
            Scene.of_meshes(Mesh(primitives=[Primitive(positions=wrong, indices=[0])])).write("glb")
    with pytest.raises(ValueError, match="whole numbers"):
        Scene.of_meshes(Mesh(primitives=[Primitive(positions=[[0, 0, 0]], indices=[-1])])).write("glb")
