"""A reader of GLB files that shares nothing with menagerie, to compare with."""

from __future__ import annotations

import json
import struct
from typing import Any, Dict, Tuple

import numpy as np

TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read(data: bytes) -> Tuple[Dict[str, Any], bytes]:
    length, _ = struct.unpack_from("<II", data, 12)
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def accessor(document: Dict[str, Any], buffer: bytes, index: int) -> Any:
    found = document["accessors"][index]
    view = document["bufferViews"][found["bufferView"]]
    kind, width = np.dtype(TYPES[found["componentType"]]), WIDTHS[found["type"]]
    start = view.get("byteOffset", 0) + found.get("byteOffset", 0)
    stride = view.get("byteStride", kind.itemsize * width)
    rows = np.ndarray((found["count"], width), kind, buffer, start, (stride, kind.itemsize))
    return rows[:, 0] if width == 1 else rows
