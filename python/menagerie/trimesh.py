"""``trimesh.load("robot.bmd")``: the five formats for trimesh.

>>> import menagerie.trimesh, trimesh
>>> menagerie.trimesh.register()
('bgl', 'bmd', 'dgl2', 'bo3d', 'das2')
>>> trimesh.load(sample).bounds.tolist()
[[-0.5, 0.0, -0.5], [0.5, 1.0, 0.5]]
"""

from __future__ import annotations

import io
from typing import IO, Any, Dict, Optional, Tuple

from ._model import formats
from ._model import open as open_model

#: The formats that trimesh does not read by itself.
FORMATS = ("bogle", "bmd", "dgl2", "bo3d", "das2")


def register() -> Tuple[str, ...]:
    """Lets trimesh read the five formats, and says which extensions that are."""
    from trimesh.exchange import load

    extensions = tuple(e for known in formats() if known["id"] in FORMATS for e in known["extensions"])
    loaders: Dict[str, Any] = load.mesh_loaders
    for extension in extensions:
        loaders[extension] = _load
    return extensions


def _load(
    file_obj: IO[bytes], file_type: Optional[str] = None, resolver: Optional[Any] = None, **options: Any
) -> Any:
    """A model as trimesh reads glTF: by way of the GLB that it becomes, in which nothing that trimesh knows is lost."""
    from trimesh.exchange.gltf import load_glb

    # trimesh's own words about how to load are of no use here.
    del options
    path = getattr(resolver, "filepath", None) or getattr(file_obj, "name", None)
    name = path if isinstance(path, str) else f"model.{file_type}" if file_type else None
    glb = open_model(file_obj.read(), name=name).convert("glb").bytes
    return load_glb(io.BytesIO(glb))
