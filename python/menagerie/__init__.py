"""Reads, writes, checks, explains and converts the 3D models of five game engines, and glTF, OBJ, STL and PLY.

>>> import menagerie
>>> model = menagerie.open(sample)
>>> model
<menagerie.Model bo3d ...crate.bo3d ... bytes>
>>> scene = model.scene()
>>> scene.meshes[0].primitives[0].positions.shape
(24, 3)
>>> converted = model.convert("obj")
>>> [loss.code for loss in converted.losses if loss.kind == "dropped"]
['loss/extras']

What every option means is what ``python -m menagerie --help`` says of it: keyword arguments have the program's names, with
underscores for dashes, and one behind ``from_``, ``for_`` and ``as_``.

Other threads run while files are read, written and drawn. A process that forks after files were converted or drawn must not
do so again in the child, since the threads that share such work are not there: start workers with ``spawn``.
"""

from __future__ import annotations

from . import scene
from ._errors import (
    FileError,
    InternalError,
    LimitError,
    MenagerieError,
    ParameterError,
    UnsupportedError,
)
from ._model import Model, convert, diff, explain, formats, info, open, render, validate
from ._reports import Conversion, Converted, Diff, Difference, Issue, Loss, Texture, Validation
from .scene import Scene

__all__ = [
    "Conversion",
    "Converted",
    "Diff",
    "Difference",
    "FileError",
    "InternalError",
    "Issue",
    "LimitError",
    "Loss",
    "MenagerieError",
    "Model",
    "ParameterError",
    "Scene",
    "Texture",
    "UnsupportedError",
    "Validation",
    "convert",
    "diff",
    "explain",
    "formats",
    "info",
    "open",
    "render",
    "scene",
    "validate",
]
