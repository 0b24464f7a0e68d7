"""What menagerie writes for the five engines, in players of these engines that share nothing with it.

Every GLB is converted with default options. The file must break no rule of the engine, and while it plays every vertex must
be where glTF has it, but for as much as the loss report names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, List, Tuple

import numpy as np
import pytest

import menagerie
from conftest import CORPUS, SHARED, models
from players import bmd, bo3d, bogle, das2, dgl2, maths
from players.gltf import Player

#: Rules that cannot be kept where a model needs what they forbid, and why.
UNAVOIDABLE = {"E10: scale keys": "BMD moves sizes by nothing else"}
#: What the players leave out: hidden nodes, strips and points, numbers that are not plain.
NOT_PLAYED = ("Visibility", "Instancing", "meshopt", "Duck")
#: As a part of the model's size: what the report does not name because nobody sees it.
UNSEEN = 0.002


def sources() -> List[Path]:
    found = [path for folder in (CORPUS / "made/gltf", SHARED / "real/gltf") for path in models(folder)]
    found = [path for path in found if path.suffix == ".glb" and not any(part in path.name for part in NOT_PLAYED)]
    return found


def named(report: Any, size: float) -> float:
    """How far off the report says that something seen is, as a part of the model's size."""
    losses = [loss for loss in report if loss.kind in ("dropped", "approximated") and loss.unit == "scene units"]
    return max((loss.max_error or 0.0 for loss in losses), default=0.0) / size


def moments(source: Player, form: str, model: Any) -> Iterator[Tuple[Any, Any]]:
    """The triangles of source and result, at rest and while every animation plays."""
    rest = {"bmd": bmd.triangles, "bo3d": bo3d.triangles, "bogle": bogle.triangles}[form]
    yield source.triangles(), rest(model)
    # BO3D has one line of frames: where each clip is on it is another matter.
    count = len(source.animations) if form != "bo3d" else min(len(source.animations), 1)
    for index in range(count):
        seconds = source.seconds(index)
        if form == "bmd" and index < len(model["anims"]):
            rate, last = model["anims"][index]["hz"], model["anims"][index]["n_frames"] - 2
            for frame in sorted({round(last * part) for part in np.linspace(0, 1, 11)}):
                if frame / rate <= seconds:
                    yield source.triangles(index, frame / rate), bmd.triangles(model, index, frame)
        elif form == "bo3d":
            for time in np.linspace(0, seconds * 0.99, 11):
                yield source.triangles(index, time), bo3d.triangles(model, time * bo3d.RATE)
        elif form == "bogle":
            name = source.animations[index].get("name", "").encode()
            for time in np.linspace(seconds * 0.01, seconds * 0.99, 11):
                yield source.triangles(index, time), bogle.triangles(model, name, time)


@pytest.mark.parametrize("form", ["bmd", "bo3d", "bogle"])
@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_in_the_engine(path: Path, form: str) -> None:
    source = Player(path.read_bytes())
    if any("targets" in primitive for mesh in source.document["meshes"] for primitive in mesh["primitives"]):
        pytest.skip("morph targets are dropped")
    done = menagerie.open(path).convert(form)
    player = {"bmd": bmd, "bo3d": bo3d, "bogle": bogle}[form]
    model = player.load(done.bytes)
    assert [rule for rule in player.broken(model) if rule not in UNAVOIDABLE] == []
    corners = source.triangles().reshape(-1, 3)
    size = float(np.linalg.norm(corners.max(axis=0) - corners.min(axis=0))) if len(corners) else 1.0
    off = max(maths.farthest(a, b) for a, b in moments(source, form, model)) / size
    assert off <= named(done.losses, size) * 1.05 + UNSEEN


def size_of(source: Player) -> float:
    corners = source.triangles().reshape(-1, 3)
    return float(np.linalg.norm(corners.max(axis=0) - corners.min(axis=0))) if len(corners) else 1.0


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_in_dgl(path: Path) -> None:
    source = Player(path.read_bytes())
    done = menagerie.open(path).convert("dgl2")
    model = dgl2.load(done.bytes)
    assert dgl2.broken(model) == []
    size = size_of(source)
    assert maths.farthest(source.triangles(), dgl2.triangles(model)) / size <= named(done.losses, size) * 1.05 + UNSEEN


#: Sizes that change along one axis, which das2 cannot play: the report has to say how far off that is.
SQUASHED = Path(__file__).parent / "models/squashed.glb"


@pytest.mark.parametrize("path", [*sources(), SQUASHED], ids=lambda path: path.stem)
def test_in_das2(path: Path) -> None:
    """By the document everything plays; the author's library loads its own profile."""
    source = Player(path.read_bytes())
    size = size_of(source)
    done = menagerie.open(path).convert("das2")
    model = das2.load(done.bytes)
    pairs = [(source.triangles(), das2.triangles(model))]
    for index in range(len(source.animations)):
        for time in np.linspace(0, source.seconds(index), 11):
            pairs.append((source.triangles(index, time), das2.triangles(model, index, time)))
    off = max(maths.farthest(a, b) for a, b in pairs) / size
    assert off <= named(done.losses, size) * 1.05 + UNSEEN
    library = menagerie.open(path).convert("das2", das2_profile="libdas2")
    loaded = das2.load(library.bytes, library=True)
    assert das2.broken(loaded) == []
    assert maths.farthest(source.triangles(), das2.triangles(loaded)) / size <= named(library.losses, size) * 1.05 + UNSEEN
