"""The examples of the docstrings are right."""

import doctest
import importlib
from pathlib import Path

import pytest


@pytest.mark.parametrize("module", ["", "._errors", "._model", ".scene", ".trimesh"])
def test_examples(module: str, samples: Path, tmp_path: Path) -> None:
    found = importlib.import_module(f"menagerie{module}")
    names = {"sample": str(samples / "crate.bo3d"), "folder": tmp_path}
    result = doctest.testmod(found, extraglobs=names, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0 and result.failed == 0
