"""Work in a process of its own: a file that crashes it or takes too long costs that file alone."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any, Dict

import pytest

from conftest import CORPUS, models
from menagerie._isolated import Isolated, do
from menagerie.ray import Place, _listed, _parts


def place(root: Path, out: Path, **options: Any) -> Place:
    return Place(out, root, "glb", 48, 30.0, options)


def without_time(row: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in row.items() if name != "seconds"}


def test_rows_say_what_became_of_a_file(samples: Path, tmp_path: Path) -> None:
    child = Isolated()
    row = child.run(place(samples, tmp_path).job(0, "creature.bmd"), 30.0)
    assert (row["status"], row["format"], row["valid"], row["output"]) == ("done", "bmd", True, "creature.bmd.glb")
    assert (tmp_path / "files/creature.bmd.glb").stat().st_size == row["output_bytes"]
    assert (tmp_path / "thumbnails/creature.bmd.png").read_bytes().startswith(b"\x89PNG")
    assert without_time(do(place(samples, tmp_path).job(0, "creature.bmd"))) == without_time(row)
    broken = child.run(place(CORPUS / "bad/bo3d", tmp_path).job(1, "magic.bo3d"), 30.0)
    assert broken["status"] == "failed" and broken["error_code"] and not broken["valid"]
    gone = child.run(place(samples, tmp_path).job(2, "gone.bmd"), 30.0)
    assert gone["status"] == "failed" and "FileNotFoundError" in gone["error"]
    child.close()


def test_a_file_that_takes_too_long(samples: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.bmd")
    child = Isolated()
    began = time.perf_counter()
    row = child.run(place(tmp_path, tmp_path).job(0, "pipe.bmd"), 1.0)
    assert row["status"] == "timeout" and time.perf_counter() - began < 5
    assert child.run(place(samples, tmp_path).job(1, "crate.bgl"), 30.0)["status"] == "done"
    child.close()


def test_a_child_that_is_killed_is_started_again(samples: Path, tmp_path: Path) -> None:
    child = Isolated()
    before = child.run(place(samples, tmp_path).job(0, "crate.bgl"), 30.0)
    assert child._child is not None
    os.kill(child._child.pid, signal.SIGKILL)
    assert without_time(child.run(place(samples, tmp_path).job(0, "crate.bgl"), 30.0)) == without_time(before)
    child.close()


def test_files_are_listed_in_order_whatever_is_done(samples: Path, tmp_path: Path) -> None:
    names, root = _listed(samples)
    assert names == sorted(names) and root == samples and len(names) == len(models(samples))
    listed = tmp_path / "list.txt"
    listed.write_text("\n".join(str(samples / name) for name in names))
    assert _listed(f"@{listed}") == (names, root)
    assert list(_parts(list(range(10)), 4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert list(_parts([1, 2, 6, 9], 4)) == [[1, 2], [6], [9]]
    with pytest.raises(ValueError):
        place(samples, tmp_path).__class__(tmp_path, samples, "fbx", None, 1.0, {}).job(0, "crate.bgl")
