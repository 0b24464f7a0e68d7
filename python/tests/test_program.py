"""What the package does is what the program does: the same bytes, the same losses, the same words."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import menagerie

IDS = [known["id"] for known in menagerie.formats()]
#: One file for each format to read.
SOURCES = ["creature.bgl", "creature.bmd", "lantern.dgl2", "creature.bo3d", "creature.das2", "creature.glb"]
SOURCES += ["crate.obj", "crate.stl", "crate.ply"]
EXTENSION = {known["id"]: known["extensions"][0] for known in menagerie.formats()}


@pytest.mark.parametrize("to", IDS)
@pytest.mark.parametrize("source", SOURCES)
def test_conversions_are_equal(source: str, to: str, samples: Path, program: Any, tmp_path: Path) -> None:
    out, report = tmp_path / f"out.{EXTENSION[to]}", tmp_path / "losses.json"
    done = program("convert", samples / source, out, "--loss-report", report)
    own = menagerie.open(samples / source).convert(EXTENSION[to], stem="out")
    assert done.returncode == 0 and own.bytes == out.read_bytes()
    beside = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path not in (out, report)}
    assert {name.rsplit("/")[-1]: content for name, content in own.files.items()} == beside
    losses = json.loads(report.read_text())
    assert [vars(loss) for loss in own.losses] == losses["losses"]
    assert [vars(loss) for loss in own.requested] == losses["requested"]
    written = menagerie.open(samples / source).save(tmp_path / "again" / out.name) if (tmp_path / "again").mkdir() is None else None
    assert written is not None and Path(written.output or "").read_bytes() == own.bytes
    assert written.losses == own.losses


OPTIONS = [
    ("creature.bo3d", "glb", {"scale": 2.5, "fps": 12.0}, ["--scale", "2.5", "--fps", "12"]),
    ("creature.glb", "bo3d", {"bo3d_float": 16}, ["--bo3d-float", "16"]),
    ("creature.glb", "das2", {"das2_level": 6, "for_": "document"}, ["--das2-level", "6", "--for", "document"]),
    ("crate.bo3d", "glb", {"flip_v": True, "unit": "cm"}, ["--flip-v", "--unit", "cm"]),
    ("creature.ply", "glb", {"lod": [0.5, 0.25]}, ["--lod", "0.5,0.25"]),
    ("crate.bgl", "gltf", {"embed_textures": False}, ["--embed-textures=false"]),
]


@pytest.mark.parametrize(("source", "to", "named", "flags"), OPTIONS)
def test_options_are_equal(
    source: str, to: str, named: Any, flags: Any, samples: Path, program: Any, tmp_path: Path
) -> None:
    out = tmp_path / f"out.{to}"
    assert program("convert", samples / source, out, *flags).returncode == 0
    assert menagerie.open(samples / source).convert(to, stem="out", **named).bytes == out.read_bytes()
    (tmp_path / "files").mkdir()
    menagerie.convert(samples / source, tmp_path / "files" / out.name, **named)
    assert (tmp_path / "files" / out.name).read_bytes() == out.read_bytes()


def test_validate_and_diff_are_equal(samples: Path, program: Any, bad: Path) -> None:
    theirs = json.loads(program("validate", "--json", bad).stdout)[0]
    own = menagerie.validate(bad)
    assert (own.valid, own.format, dict(own.counts)) == (theirs["valid"], theirs["format"], theirs["counts"])
    assert [vars(issue) for issue in own.issues] == theirs["issues"]


def test_differences_are_equal(samples: Path, program: Any) -> None:
    a, b = samples / "creature.bgl", samples / "creature.bmd"
    theirs = json.loads(program("diff", "--json", a, b).stdout)
    own = menagerie.diff(a, b)
    assert [vars(difference) for difference in own.differences] == theirs["differences"] and own
    assert menagerie.diff(a, a).equal


def test_pictures_are_equal(samples: Path, program: Any, tmp_path: Path) -> None:
    arguments = ["--size", "80x60", "--animation", "0", "--time", "0.3"]
    assert program("render", samples / "creature.bo3d", "-o", tmp_path / "a.png", *arguments).returncode == 0
    model = menagerie.open(samples / "creature.bo3d")
    png = menagerie.render(model, output="png", size="80x60", animation="0", time=0.3)
    assert png == (tmp_path / "a.png").read_bytes()
    pixels = model.render(size="80x60", animation="0", time=0.3)
    assert pixels.shape == (60, 80, 4) and pixels.dtype == np.uint8 and len(np.unique(pixels)) > 20
    built = menagerie.render(model.scene(), size="80x60", animation="0", time=0.3)
    assert np.abs(built.astype(int) - pixels).mean() < 1.0


def test_structure_is_that_of_inspect(samples: Path, program: Any) -> None:
    path = samples / "crate.bo3d"
    assert menagerie.open(path).structure == json.loads(program("inspect", "--json", path).stdout)


def test_the_module_is_the_program(samples: Path, program: Any) -> None:
    for arguments in (["info", samples / "crate.bmd"], ["--version"], ["frobnicate"], ["info", "gone.bmd"]):
        own = subprocess.run([sys.executable, "-m", "menagerie", *map(str, arguments)], capture_output=True, check=False)
        theirs = program(*arguments)
        assert (own.returncode, own.stdout, own.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_sources_of_all_kinds(samples: Path) -> None:
    path = samples / "crate.bgl"
    content = path.read_bytes()
    with path.open("rb") as file:
        opened = [menagerie.open(file)]
    for source in (path, str(path), content, bytearray(content), memoryview(content), io.BytesIO(content)):
        opened.append(menagerie.open(source))
    assert {model.format for model in opened} == {"bogle"}
    assert {model.bytes for model in opened} == {content}
    # The picture beside it is found by the folder of the path.
    found = [any(image.data for image in model.scene().images) for model in opened]
    assert found == [True, True, True, False, False, False, False]
    with pytest.raises(TypeError):
        menagerie.open(io.StringIO("text"))  # type: ignore[arg-type]


def test_many_files_with_progress(samples: Path, tmp_path: Path) -> None:
    sources = [*sorted(samples.glob("creature.b*")), samples / "gone.bmd"]
    seen = []
    done = menagerie.convert(sources, tmp_path, to="glb", progress=lambda *step: seen.append(step))
    assert [(step[0], step[1]) for step in seen] == [(i + 1, len(sources)) for i in range(len(sources))]
    assert sorted(step[2] for step in seen) == sorted(map(os.fspath, sources))
    assert [report.file for report in done] == [str(path) for path in sources]
    assert [report.error is None for report in done] == [True] * (len(sources) - 1) + [False]
