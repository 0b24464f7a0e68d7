"""The examples of the docstrings and of the page are right."""

import doctest
import importlib
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", ["", "._errors", "._model", ".scene", ".trimesh"])
def test_examples(module: str, samples: Path, tmp_path: Path) -> None:
    found = importlib.import_module(f"menagerie{module}")
    names = {"sample": str(samples / "crate.bo3d"), "folder": tmp_path}
    result = doctest.testmod(found, extraglobs=names, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0 and result.failed == 0


def test_page(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(samples / "creature.bmd", tmp_path / "robot.bmd")
    monkeypatch.chdir(tmp_path)
    blocks = (ROOT / "python/README.md").read_text().split("```python\n")[1:]
    assert blocks
    for block in blocks:
        exec(block.split("```")[0], {})
    assert (tmp_path / "robot.glb").is_file()
